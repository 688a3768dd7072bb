/* SPDX-License-Identifier: MIT */
#include "source/libraries.h"
#include "source/dwarf.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct search {
	const char *program;
	char **list;
	size_t n, capacity;
};

/* One directory of a search path, with $ORIGIN replaced by the program's directory. */
static char *expand(const char *path, size_t n, const char *program)
{
	static const char *const words[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(program, '/');
	int length = slash ? (int)(slash - program) : 1;

	for (size_t i = 0; i < 2; i++) {
		size_t w = strlen(words[i]);

		if (n >= w && !strncmp(path, words[i], w))
			return xasprintf("%.*s%.*s", length, slash ? program : ".", (int)(n - w),
					 path + w);
	}
	return xstrndup(path, n);
}

/* The first file of that name in a search path; to free, NULL if there is none. */
static char *find(const char *path, const char *name, const char *program)
{
	for (const char *p = path; p && *p;) {
		size_t n = strcspn(p, ":");
		char *directory = expand(p, n, program);
		char *file = xasprintf("%s/%s", directory, name);

		free(directory);
		if (access(file, R_OK) == 0)
			return file;
		free(file);
		p += n + (p[n] == ':');
	}
	return NULL;
}

static void add(struct search *s, const char *name, const char *run_path)
{
	char *file = strchr(name, '/') ? xstrdup(name) : find(run_path, name, s->program);

	if (!file)
		file = find(getenv("LD_LIBRARY_PATH"), name, s->program);
	if (!file || system_library(file)) {
		free(file);
		return;
	}
	VEC_GROW(s->list, s->n, s->capacity);
	s->list[s->n++] = file;
}

static void read_dynamic(struct search *s, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const char *run_path = NULL;
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
		if (entry.d_tag == DT_RUNPATH || entry.d_tag == DT_RPATH)
			run_path = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		const char *name = entry.d_tag == DT_NEEDED
					   ? elf_strptr(elf, header->sh_link, entry.d_un.d_val)
					   : NULL;

		if (name)
			add(s, name, run_path);
	}
}

char **libraries_of(const char *program, size_t *n)
{
	struct search s = { .program = program };
	int fd = open(program, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf *elf;

	*n = 0;
	if (fd < 0)
		return NULL;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	while (elf && (section = elf_nextscn(elf, section)) != NULL)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
			read_dynamic(&s, elf, section, &header);
	elf_end(elf);
	close(fd);
	*n = s.n;
	return s.list;
}
