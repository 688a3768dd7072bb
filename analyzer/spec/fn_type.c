/* SPDX-License-Identifier: MIT */
#include "spec/fn_type.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 32 /* damaged types may be circular */

struct named { /* a type on the way to what it really is */
	Dwarf_Die die;
	const char *name; /* the outermost typedef, or NULL */
	bool is_const;
};

static bool type_die(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	return dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), type) != NULL;
}

/* Strips names and qualifiers. False for void. */
static bool real_type(Dwarf_Die *die, struct named *out)
{
	Dwarf_Die from = *die;

	*out = (struct named){ 0 };
	for (unsigned depth = 0; depth < MAX_DEPTH; depth++) {
		if (!type_die(&from, &out->die))
			return false;
		switch (dwarf_tag(&out->die)) {
		case DW_TAG_typedef:
			if (!out->name)
				out->name = dwarf_diename(&out->die);
			break;
		case DW_TAG_const_type:
			out->is_const = true;
			break;
		case DW_TAG_volatile_type:
		case DW_TAG_atomic_type:
		case DW_TAG_restrict_type:
			break;
		default:
			return true;
		}
		from = out->die;
	}
	return false;
}

static uint64_t size_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Word size;

	return dwarf_formudata(dwarf_attr_integrate(die, DW_AT_byte_size, &attr), &size) ? 0 : size;
}

static enum type_kind base_kind(Dwarf_Die *die, bool *is_float)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding;

	if (dwarf_formudata(dwarf_attr(die, DW_AT_encoding, &attr), &encoding))
		return TYPE_OTHER;
	switch (encoding) {
	case DW_ATE_boolean:
		return TYPE_BOOL;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return TYPE_SIGNED;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
	case DW_ATE_address:
		return TYPE_UNSIGNED;
	case DW_ATE_float:
	case DW_ATE_complex_float:
		*is_float = true;
		return TYPE_OTHER;
	default:
		return TYPE_OTHER;
	}
}

/* An enumeration is as its base type says, or signed if a value is negative. */
static enum type_kind enum_kind(Dwarf_Die *die)
{
	struct named base;
	bool is_float = false;
	Dwarf_Die value;
	Dwarf_Attribute attr;
	Dwarf_Sword v;

	if (real_type(die, &base))
		return base_kind(&base.die, &is_float);
	if (dwarf_child(die, &value) == 0)
		for (unsigned i = 0; i < 10000; i++) {
			if (!dwarf_formsdata(dwarf_attr(&value, DW_AT_const_value, &attr), &v) &&
			    v < 0)
				return TYPE_SIGNED;
			if (dwarf_siblingof(&value, &value))
				break;
		}
	return TYPE_UNSIGNED;
}

/* What the type is, without its name. */
static enum type_kind kind_of(struct named *t, uint64_t *size, bool *is_float)
{
	enum type_kind kind = TYPE_OTHER;

	*is_float = false;
	*size = size_of(&t->die);
	switch (dwarf_tag(&t->die)) {
	case DW_TAG_base_type:
		kind = base_kind(&t->die, is_float);
		break;
	case DW_TAG_enumeration_type:
		kind = enum_kind(&t->die);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		*size = 8;
		return TYPE_POINTER;
	}
	return *size == 1 || *size == 2 || *size == 4 || *size == 8 ? kind : TYPE_OTHER;
}

static const char *tag_word(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

static char *text_of(struct named *t, unsigned depth)
{
	struct named to;
	const char *name = t->name ? t->name : dwarf_diename(&t->die);
	char *inner, *text;
	int tag = dwarf_tag(&t->die);

	if (!t->name && depth < 4 &&
	    (tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	     tag == DW_TAG_rvalue_reference_type)) {
		if (!real_type(&t->die, &to))
			return xasprintf("%svoid *", to.is_const ? "const " : "");
		inner = text_of(&to, depth + 1);
		text = xasprintf("%s%s%s%s", to.is_const ? "const " : "", inner,
				 inner[strlen(inner) - 1] == '*' ? "" : " ",
				 tag == DW_TAG_pointer_type ? "*" : "&");
		free(inner);
		return text;
	}
	return xasprintf("%s%.200s", t->name ? "" : tag_word(tag), name ? name : "?");
}

void fn_type_read(Dwarf_Die *die, struct fn_type *type, uint64_t *bytes, bool *is_float)
{
	struct named t, to;
	uint64_t size;
	bool pointee_float;

	*type = (struct fn_type){ .kind = TYPE_VOID };
	*bytes = 0;
	*is_float = false;
	if (!real_type(die, &t)) {
		type->text = xstrdup("void");
		return;
	}
	type->kind = kind_of(&t, &size, is_float);
	*bytes = size;
	type->text = text_of(&t, 0);
	if (type->kind != TYPE_OTHER)
		type->size = (uint8_t)size;
	if (type->kind == TYPE_POINTER && real_type(&t.die, &to)) {
		type->pointee = kind_of(&to, &size, &pointee_float);
		type->to_const = to.is_const;
		type->pointee_bytes = size;
		if (type->pointee != TYPE_OTHER)
			type->pointee_size = (uint8_t)size;
	}
}

void fn_type_free(struct fn_type *type)
{
	free(type->text);
}
