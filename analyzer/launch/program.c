/* SPDX-License-Identifier: MIT */
#include "launch/program.h"
#include "format/starters.h"
#include "source/dwarf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

struct image { /* an ELF file that is open */
	const char *path;
	int fd;
	Elf *elf;
	GElf_Ehdr header;
};

struct needs { /* what the dynamic section and symbols say */
	char *libraries[64];
	size_t nlibraries;
	bool pie;
	bool has_hooks; /* defines __tsan_ symbols */
};

static int runnable(const char *path, struct error *e)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return error_set(e, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return error_set(e, "%s is a directory, not a program", path);
	if (!S_ISREG(st.st_mode))
		return error_set(e, "%s is not a regular file", path);
	if (!(st.st_mode & 0111) || access(path, X_OK) < 0)
		return error_set(e, "%s is not executable; if it is a program, `chmod +x` it",
				 path);
	return 0;
}

static char *find_in_path(const char *name)
{
	const char *path = getenv("PATH");

	for (const char *p = path ? path : "/usr/bin:/bin";;) {
		size_t n = strcspn(p, ":");
		char *candidate = xasprintf("%.*s%s%s", (int)n, p, n ? "/" : "./", name);

		if (runnable(candidate, NULL) == 0)
			return candidate;
		free(candidate);
		if (!p[n])
			return NULL;
		p += n + 1;
	}
}

char *program_find(const char *name, struct error *e)
{
	char *path;

	if (!*name) {
		error_set(e, "the program's name is empty");
		return NULL;
	}
	if (strchr(name, '/'))
		return runnable(name, e) < 0 ? NULL : xstrdup(name);
	path = find_in_path(name);
	if (!path && access(name, F_OK) == 0)
		error_set(e, "%s: there is no such program in $PATH; for the file here write ./%s",
			  name, name);
	else if (!path)
		error_set(e, "%s: there is no such program in $PATH", name);
	return path;
}

static int image_open(struct image *image, const char *path, struct error *e)
{
	*image = (struct image){ .path = path };
	image->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (image->fd < 0)
		return error_set(e, "%s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
	if (image->elf && elf_kind(image->elf) == ELF_K_ELF &&
	    gelf_getehdr(image->elf, &image->header))
		return 0;
	elf_end(image->elf);
	close(image->fd);
	return error_set(e, "%s is not an ELF executable", path);
}

static void image_close(struct image *image)
{
	elf_end(image->elf);
	close(image->fd);
}

static int refuse_script(const char *path, struct error *e)
{
	char start[2] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return error_set(e, "%s: %s", path, strerror(errno));
	if (read(fd, start, 2) < 0)
		start[0] = '\0';
	close(fd);
	if (start[0] == '#' && start[1] == '!')
		return error_set(e, "%s is a script; give the program that it starts", path);
	return 0;
}

/* A program that gains privileges ignores LD_PRELOAD. */
static int refuse_privileged(const char *path, struct error *e)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return error_set(e, "%s: %s", path, strerror(errno));
	if (st.st_mode & S_ISUID || (st.st_mode & S_ISGID && st.st_mode & S_IXGRP))
		return error_set(e,
				 "%s is %s: the loader ignores LD_PRELOAD for it; test a copy "
				 "without that bit",
				 path, st.st_mode & S_ISUID ? "setuid" : "setgid");
	if (getxattr(path, "security.capability", NULL, 0) > 0)
		return error_set(e,
				 "%s has file capabilities: the loader ignores LD_PRELOAD for it; "
				 "test a copy without them",
				 path);
	return 0;
}

static int refuse_machine(const struct image *image, struct error *e)
{
	const unsigned char *ident = image->header.e_ident;

	if (ident[EI_CLASS] == ELFCLASS32)
		return error_set(
			e, "%s is a 32-bit program; only 64-bit x86-64 programs can be explored",
			image->path);
	if (ident[EI_DATA] != ELFDATA2LSB || image->header.e_machine != EM_X86_64)
		return error_set(e,
				 "%s is for another machine; only x86-64 programs can be explored",
				 image->path);
	if (image->header.e_type != ET_EXEC && image->header.e_type != ET_DYN)
		return error_set(e, "%s is an ELF file but not a program", image->path);
	return 0;
}

/* The string that the program header PT_INTERP names; to free; NULL if there is none. */
static char *interpreter(const struct image *image)
{
	size_t n, size;
	const char *data = elf_rawfile(image->elf, &size);

	if (!data || elf_getphdrnum(image->elf, &n) < 0)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(image->elf, (int)i, &header) && header.p_type == PT_INTERP &&
		    header.p_offset < size && header.p_filesz <= size - header.p_offset)
			return xstrndup(data + header.p_offset, header.p_filesz);
	}
	return NULL;
}

static void read_dynamic(const struct image *image, Elf_Scn *section, const GElf_Shdr *header,
			 struct needs *needs)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		const char *text = NULL;

		if (entry.d_tag == DT_NEEDED)
			text = elf_strptr(image->elf, header->sh_link, entry.d_un.d_val);
		if (entry.d_tag == DT_FLAGS_1)
			needs->pie = entry.d_un.d_val & DF_1_PIE;
		if (text && needs->nlibraries < sizeof needs->libraries / sizeof *needs->libraries)
			needs->libraries[needs->nlibraries++] = xstrdup(text);
	}
}

static void read_symbols(const struct image *image, Elf_Scn *section, const GElf_Shdr *header,
			 struct needs *needs)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = elf_strptr(image->elf, header->sh_link, symbol.st_name);

		if (!name || strncmp(name, "__tsan_", 7) != 0)
			continue;
		if (symbol.st_shndx != SHN_UNDEF)
			needs->has_hooks = true;
	}
}

static void read_needs(const struct image *image, struct needs *needs)
{
	Elf_Scn *section = NULL;

	memset(needs, 0, sizeof *needs);
	while ((section = elf_nextscn(image->elf, section)) != NULL) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_DYNAMIC)
			read_dynamic(image, section, &header, needs);
		else if (header.sh_type == SHT_DYNSYM)
			read_symbols(image, section, &header, needs);
	}
}

static void free_needs(struct needs *needs)
{
	for (size_t i = 0; i < needs->nlibraries; i++)
		free(needs->libraries[i]);
}

static int check_hooks(const struct image *image, const struct needs *needs, struct error *e)
{
	bool sanitizer = needs->has_hooks;

	for (size_t i = 0; i < needs->nlibraries; i++)
		sanitizer = sanitizer || !strncmp(needs->libraries[i], "libtsan.so", 10);
	if (sanitizer)
		return error_set(e,
				 "%s is linked with ThreadSanitizer's own runtime; leave "
				 "-fsanitize=thread out of the link command and use $(linchpin "
				 "libs) there",
				 image->path);
	return 0;
}

static int check_linking(const struct image *image, const struct needs *needs, struct error *e)
{
	char *loader = interpreter(image);
	int result = 0;

	if (!loader && image->header.e_type == ET_DYN && !needs->pie)
		result = error_set(e, "%s is a shared library, not a program", image->path);
	else if (!loader)
		result = error_set(e,
				   "%s is statically linked, so libsched.so cannot be loaded into "
				   "it; link it without -static",
				   image->path);
	else if (strcmp(base_name(loader), "ld-linux-x86-64.so.2") != 0)
		result = error_set(e,
				   "%s uses the loader %s; only programs for the GNU C library can "
				   "be explored",
				   image->path, loader);
	free(loader);
	return result;
}

/* Is there debug information, in the file or where the system keeps it apart? */
static bool has_debug_info(const char *path)
{
	Dwfl_Module *module;
	Dwfl *dwfl = dwarf_open(path, &module, NULL);
	Dwarf_Addr bias;
	bool found;

	if (!dwfl)
		return false;
	found = dwfl_module_getdwarf(module, &bias);
	dwfl_end(dwfl);
	return found;
}

int program_check(const char *path, bool *debug_info, struct error *e)
{
	struct image image;
	struct needs needs;
	int result;

	if (refuse_script(path, e) < 0 || image_open(&image, path, e) < 0)
		return -1;
	read_needs(&image, &needs);
	result = refuse_machine(&image, e);
	if (result == 0)
		result = check_linking(&image, &needs, e);
	if (result == 0)
		result = refuse_privileged(path, e);
	if (result == 0)
		result = check_hooks(&image, &needs, e);
	*debug_info = result == 0 && has_debug_info(path);
	free_needs(&needs);
	image_close(&image);
	return result;
}

const char *program_starts_another(const char *path)
{
	static const char *const names[] = { LP_WRAPPERS, LP_SHELLS };
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(base, names[i]))
			return names[i];
	return NULL;
}
