/* SPDX-License-Identifier: MIT */
#include "fix/clang.h"

#ifndef HAVE_LIBCLANG

int unit_parse(const char *path, const char *const *flags, size_t nflags, struct unit *u,
	       struct error *e)
{
	*u = (struct unit){ 0 };
	return error_set(e, "this linchpin was built without libclang, which patches need: install "
			    "libclang-dev and build it again");
}

#else

#include <clang-c/Index.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS(f)                                                                               \
	f(createIndex) f(disposeIndex) f(parseTranslationUnit2) f(disposeTranslationUnit) f(       \
		getTranslationUnitCursor) f(visitChildren) f(getCursorKind) f(getCursorExtent)     \
		f(getRangeStart) f(getRangeEnd) f(getFileLocation) f(getCursorSpelling) f(         \
			getCString) f(disposeString) f(getCursorReferenced) f(getCursorType)       \
			f(getCanonicalType) f(getTypeSpelling) f(getCursorSemanticParent) f(       \
				getCursorUSR) f(getFile) f(isCursorDefinition)                     \
				f(getNumDiagnostics) f(getDiagnostic) f(getDiagnosticSeverity)     \
					f(formatDiagnostic) f(defaultDiagnosticDisplayOptions) f(  \
						disposeDiagnostic) f(Cursor_isNull)                \
						f(Cursor_getStorageClass) f(getCursorLocation)     \
							f(Cursor_isBitField)                       \
								f(getCursorResultType)             \
									f(File_isEqual)            \
										f(getFileName)

#define POINTER(name) __typeof__(clang_##name) *name;
static struct {
	void *library;
	FUNCTIONS(POINTER)
} clang;

static const char *const libraries[] = {
	"libclang.so",
	"libclang-19.so.19",
	"libclang-18.so.18",
	"libclang-17.so.17",
	"libclang-16.so.16",
	"libclang-15.so.15",
	"libclang-14.so.1",
	"libclang-13.so.1",
	"libclang-14.so.13",
	"libclang.so.1",
	NULL,
};

#define LOAD(name)                                                                                 \
	*(void **)&clang.name = dlsym(clang.library, "clang_" #name);                              \
	if (!clang.name)                                                                           \
		return error_set(e, "libclang has no clang_" #name ": it is too old");

static int load(struct error *e)
{
	for (size_t i = 0; !clang.library && libraries[i]; i++)
		clang.library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL);
	if (!clang.library)
		return error_set(e, "libclang is not installed, which patches need: install "
				    "libclang1 (Debian: apt install libclang1-14)");
	FUNCTIONS(LOAD)
	return 0;
}

struct visit {
	struct unit *u;
	CXFile file;
	struct node *parent;
};

static char *take(CXString s)
{
	const char *text = clang.getCString(s);
	char *copy = xstrdup(text ? text : "");

	clang.disposeString(s);
	return copy;
}

static enum node_kind kind_of(enum CXCursorKind kind)
{
	switch (kind) {
	case CXCursor_CompoundStmt:
		return NODE_COMPOUND;
	case CXCursor_IfStmt:
		return NODE_IF;
	case CXCursor_WhileStmt:
		return NODE_WHILE;
	case CXCursor_DoStmt:
		return NODE_DO;
	case CXCursor_ForStmt:
	case CXCursor_CXXForRangeStmt:
		return NODE_FOR;
	case CXCursor_SwitchStmt:
		return NODE_SWITCH;
	case CXCursor_CaseStmt:
	case CXCursor_DefaultStmt:
		return NODE_CASE;
	case CXCursor_LabelStmt:
		return NODE_LABEL;
	case CXCursor_GotoStmt:
		return NODE_GOTO;
	case CXCursor_BreakStmt:
		return NODE_BREAK;
	case CXCursor_ContinueStmt:
		return NODE_CONTINUE;
	case CXCursor_ReturnStmt:
		return NODE_RETURN;
	case CXCursor_DeclStmt:
		return NODE_DECLARATION;
	case CXCursor_VarDecl:
	case CXCursor_ParmDecl:
		return NODE_VARIABLE;
	case CXCursor_CallExpr:
		return NODE_CALL;
	case CXCursor_DeclRefExpr:
		return NODE_REFERENCE;
	case CXCursor_MemberRefExpr:
		return NODE_MEMBER;
	case CXCursor_BinaryOperator:
	case CXCursor_CompoundAssignOperator:
		return NODE_BINARY;
	case CXCursor_UnaryOperator:
		return NODE_UNARY;
	case CXCursor_ArraySubscriptExpr:
		return NODE_SUBSCRIPT;
	default:
		return NODE_OTHER;
	}
}

static char *type_of(CXType t)
{
	return take(clang.getTypeSpelling(clang.getCanonicalType(t)));
}

static char *member_name(CXCursor field)
{
	CXType record = clang.getCursorType(clang.getCursorSemanticParent(field));
	char *type = type_of(record), *name = take(clang.getCursorSpelling(field));
	char *all = xasprintf("%s.%s", type, name);

	free(type);
	free(name);
	return all;
}

static bool is_global(CXCursor variable)
{
	enum CXCursorKind around = clang.getCursorKind(clang.getCursorSemanticParent(variable));
	enum CX_StorageClass storage = clang.Cursor_getStorageClass(variable);

	return clang.getCursorKind(variable) == CXCursor_VarDecl &&
	       (around == CXCursor_TranslationUnit || around == CXCursor_Namespace ||
		storage == CX_SC_Static || storage == CX_SC_Extern);
}

static void describe(struct node *n, CXCursor c)
{
	CXCursor target = clang.getCursorReferenced(c);

	switch (n->kind) {
	case NODE_REFERENCE:
		n->id = take(clang.getCursorUSR(target));
		n->global = is_global(target);
		break;
	case NODE_VARIABLE:
		n->id = take(clang.getCursorUSR(c));
		n->global = is_global(c);
		n->parameter = clang.getCursorKind(c) == CXCursor_ParmDecl;
		break;
	case NODE_MEMBER:
		if (!clang.Cursor_isNull(target)) {
			n->name = member_name(target);
			n->bits = clang.Cursor_isBitField(target);
		}
		break;
	default:
		break;
	}
	if (!n->name)
		n->name = take(clang.getCursorSpelling(c));
	if (n->kind >= NODE_VARIABLE || n->kind == NODE_OTHER)
		n->type = type_of(clang.getCursorType(c));
}

static bool place(const struct visit *v, CXCursor c, uint32_t *start, uint32_t *end)
{
	CXSourceRange range = clang.getCursorExtent(c);
	CXFile file;
	unsigned at;

	clang.getFileLocation(clang.getRangeStart(range), &file, NULL, NULL, &at);
	if (!file || !clang.File_isEqual(file, v->file))
		return false;
	*start = at;
	clang.getFileLocation(clang.getRangeEnd(range), &file, NULL, NULL, &at);
	*end = at;
	return file && clang.File_isEqual(file, v->file) && *end >= *start && *end <= v->u->size;
}

static enum CXChildVisitResult visit_node(CXCursor c, CXCursor parent, CXClientData data)
{
	struct visit *v = data, below = *v;
	uint32_t start, end;
	struct node *n;

	if (!place(v, c, &start, &end)) {
		/* of a macro of another file: where its parent is */
		start = v->parent->start;
		end = v->parent->end;
	}
	n = node_new(v->parent, kind_of(clang.getCursorKind(c)));
	n->start = start;
	n->end = end;
	describe(n, c);
	below.parent = n;
	clang.visitChildren(c, visit_node, &below);
	return CXChildVisit_Continue;
}

static enum CXChildVisitResult visit_field(CXCursor c, CXCursor parent, CXClientData data)
{
	struct record *r = data;
	unsigned at;
	char *type;
	size_t n;

	if (clang.getCursorKind(c) != CXCursor_FieldDecl)
		return CXChildVisit_Continue;
	VEC_GROW(r->members, r->nmembers, r->capacity);
	r->members[r->nmembers++] = take(clang.getCursorSpelling(c));
	clang.getFileLocation(clang.getRangeStart(clang.getCursorExtent(c)), NULL, NULL, NULL, &at);
	type = take(clang.getTypeSpelling(clang.getCursorType(c)));
	n = strlen(type);
	if (n > 2 && (!strcmp(type + n - 2, "[]") || (n > 3 && !strcmp(type + n - 3, "[0]"))))
		r->flexible = at;
	free(type);
	return CXChildVisit_Continue;
}

static void add_record(struct unit *u, CXCursor c)
{
	CXSourceRange range = clang.getCursorExtent(c);
	unsigned start, end;
	struct record *r;
	CXFile file;

	clang.getFileLocation(clang.getRangeStart(range), &file, NULL, NULL, &start);
	clang.getFileLocation(clang.getRangeEnd(range), NULL, NULL, NULL, &end);
	if (!file || !clang.isCursorDefinition(c))
		return;
	r = record_new(u);
	r->type = type_of(clang.getCursorType(c));
	r->file = take(clang.getFileName(file));
	r->start = start;
	r->end = end;
	clang.visitChildren(c, visit_field, r);
}

/* A variable of the file. */
static void add_global(struct visit *v, CXCursor c)
{
	uint32_t start, end;
	struct node *n;

	/* "int x;" is none yet for the front end */
	if (clang.Cursor_getStorageClass(c) == CX_SC_Extern || !place(v, c, &start, &end))
		return;
	n = node_new(NULL, NODE_VARIABLE);
	n->start = start;
	n->end = end;
	describe(n, c);
	n->next = v->u->globals;
	v->u->globals = n;
}

static enum CXChildVisitResult visit_top(CXCursor c, CXCursor parent, CXClientData data)
{
	struct visit *v = data, below = *v;
	enum CXCursorKind kind = clang.getCursorKind(c);
	uint32_t start, end;
	struct node *n;

	if (kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl)
		add_record(v->u, c);
	if (kind == CXCursor_VarDecl)
		add_global(v, c);
	if (kind == CXCursor_Namespace || kind == CXCursor_ClassDecl ||
	    kind == CXCursor_LinkageSpec || kind == CXCursor_StructDecl)
		return CXChildVisit_Recurse;
	if (kind != CXCursor_FunctionDecl && kind != CXCursor_CXXMethod &&
	    kind != CXCursor_Constructor && kind != CXCursor_Destructor)
		return CXChildVisit_Continue;
	n = node_new(NULL, NODE_FUNCTION);
	n->name = take(clang.getCursorSpelling(c));
	n->type = type_of(clang.getCursorResultType(c));
	if (kind != CXCursor_FunctionDecl)
		n->id = type_of(clang.getCursorType(clang.getCursorSemanticParent(c)));
	v->u->has_pthread |= !strcmp(n->name, "pthread_mutex_lock");
	if (!clang.isCursorDefinition(c) || !place(v, c, &start, &end)) {
		free(n->name);
		free(n->type);
		free(n->id);
		free(n);
		return CXChildVisit_Continue;
	}
	n->start = start;
	n->end = end;
	below.parent = n;
	clang.visitChildren(c, visit_node, &below);
	function_finish(v->u, n);
	return CXChildVisit_Continue;
}

/* The first error that the compiler would have as well. */
static int look_for_errors(CXTranslationUnit tu, struct error *e)
{
	for (unsigned i = 0; i < clang.getNumDiagnostics(tu); i++) {
		CXDiagnostic d = clang.getDiagnostic(tu, i);
		char *text;

		if (clang.getDiagnosticSeverity(d) < CXDiagnostic_Error) {
			clang.disposeDiagnostic(d);
			continue;
		}
		text = take(clang.formatDiagnostic(d, clang.defaultDiagnosticDisplayOptions()));
		error_set(e, "%s (flags of the compiler can be given after --)", text);
		free(text);
		clang.disposeDiagnostic(d);
		return -1;
	}
	return 0;
}

int unit_parse(const char *path, const char *const *flags, size_t nflags, struct unit *u,
	       struct error *e)
{
	CXTranslationUnit tu = NULL;
	struct visit v = { .u = u };
	const char *dot = strrchr(path, '.');
	CXIndex index;
	int result;

	*u = (struct unit){ 0 };
	if (load(e) < 0)
		return -1;
	u->text = read_file(path, &u->size, e);
	if (!u->text)
		return -1;
	u->path = xstrdup(path);
	u->cplusplus = dot && (!strcmp(dot, ".cc") || !strcmp(dot, ".cpp") ||
			       !strcmp(dot, ".cxx") || !strcmp(dot, ".hpp") || !strcmp(dot, ".C"));
	index = clang.createIndex(0, 0);
	if (clang.parseTranslationUnit2(index, path, flags, (int)nflags, NULL, 0,
					CXTranslationUnit_KeepGoing, &tu) != CXError_Success) {
		clang.disposeIndex(index);
		return error_set(e, "%s: libclang cannot parse it", path);
	}
	v.file = clang.getFile(tu, path);
	result =
		v.file ? look_for_errors(tu, e) : error_set(e, "%s: libclang cannot read it", path);
	if (result == 0)
		clang.visitChildren(clang.getTranslationUnitCursor(tu), visit_top, &v);
	clang.disposeTranslationUnit(tu);
	clang.disposeIndex(index);
	return result;
}

#endif
