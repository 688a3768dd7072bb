/* SPDX-License-Identifier: MIT
 *
 * The functions of a module: FDEs and the symbols of the file together, sorted, without overlap.
 */
#include "../runtime/memory.h"
#include "instrument.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

static void sift_down(struct function *f, size_t root, size_t n)
{
	for (;;) {
		size_t child = root * 2 + 1;
		struct function t;

		if (child >= n)
			return;
		if (child + 1 < n && f[child + 1].lo > f[child].lo)
			child++;
		if (f[root].lo >= f[child].lo)
			return;
		t = f[root];
		f[root] = f[child];
		f[child] = t;
		root = child;
	}
}

static void sort(struct function *f, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(f, i, n);
	for (size_t i = n; i-- > 1;) {
		struct function t = f[0];

		f[0] = f[i];
		f[i] = t;
		sift_down(f, 0, i);
	}
}

struct function *module_function(struct module *m, uint64_t at)
{
	struct function *f = m->functions.data;
	size_t lo = 0, hi = m->functions.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (f[mid].hi <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->functions.n && f[lo].lo <= at ? &f[lo] : NULL;
}

bool function_is_part(const struct function *f)
{
	size_t n = f->name ? length(f->name) : 0;

	return f->fragment || (n > 5 && equal(f->name + n - 5, ".cold"));
}

/* Removes duplicates; if two overlap, the later one begins where the first ends. */
static void untangle(struct module *m)
{
	struct function *f = m->functions.data;
	size_t n = 0;

	for (size_t i = 0; i < m->functions.n; i++) {
		if (n && f[i].lo == f[n - 1].lo) {
			if (!f[n - 1].name)
				f[n - 1].name = f[i].name;
			if (!f[n - 1].lsda)
				f[n - 1].lsda = f[i].lsda;
			continue;
		}
		if (n && f[i].lo < f[n - 1].hi)
			f[n - 1].hi = f[i].lo;
		f[n++] = f[i];
	}
	m->functions.n = n;
}

struct image {
	const uint8_t *p;
	size_t size;
};

static const void *part(const struct image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset ? image->p + offset : NULL;
}

static struct image image_open(const char *path)
{
	struct image image = { NULL, 0 };
	struct stat st;
	long fd = sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), p;

	if (fd < 0)
		return image;
	if (!sys2(SYS_fstat, fd, &st) && st.st_size > (long)sizeof(Elf64_Ehdr)) {
		p = sys6(SYS_mmap, (long)working_place((size_t)st.st_size), st.st_size, PROT_READ,
			 MAP_PRIVATE, fd, 0);
		if (p > 0 || p < -4095)
			image = (struct image){ (const uint8_t *)p, (size_t)st.st_size };
	}
	sys1(SYS_close, fd);
	return image;
}

static const char *string_at(const struct image *image, const Elf64_Shdr *strings, uint32_t offset)
{
	const char *s = part(image, strings->sh_offset, strings->sh_size);

	if (!s || offset >= strings->sh_size || s[strings->sh_size - 1])
		return "";
	return s + offset;
}

static bool starts(const char *s, const char *with)
{
	while (*with && *s == *with)
		s++, with++;
	return !*with;
}

static void read_symbols(struct module *m, const struct image *image, const Elf64_Shdr *table,
			 const Elf64_Shdr *strings)
{
	const Elf64_Sym *s = part(image, table->sh_offset, table->sh_size);
	size_t n = table->sh_size / sizeof *s;

	for (size_t i = 0; s && i < n; i++) {
		const char *name = string_at(image, strings, s[i].st_name);
		uint64_t lo = m->base + s[i].st_value;

		if (s[i].st_shndx == SHN_UNDEF) {
			m->hooked |= starts(name, "__tsan_");
			m->needs |= works_on_containers(name);
			continue;
		}
		if (ELF64_ST_TYPE(s[i].st_info) != STT_FUNC || !s[i].st_size || lo < m->lo ||
		    lo >= m->hi || s[i].st_size > m->hi - lo ||
		    m->functions.n == m->functions.capacity)
			continue;
		*vector_add(&m->functions, struct function) = (struct function){
			.lo = lo, .hi = lo + s[i].st_size, .name = name, .probe = -1
		};
	}
}

/* A symbol inside an FDE is a second entry, not a separate function, unless FDEs do not cover
 * the place. */
static void keep_outer(struct module *m, size_t nframes)
{
	struct function *f = m->functions.data;
	size_t n = nframes, nsymbols = m->functions.n;
	struct module frames = { .functions = { f, nframes, nframes } };

	for (size_t i = nframes; i < nsymbols; i++) {
		struct function *outer = module_function(&frames, f[i].lo);

		if (!outer) {
			f[n++] = f[i];
		} else if (outer->lo == f[i].lo) {
			if (!outer->name)
				outer->name = f[i].name;
		} else if (m->points.n < m->points.capacity) {
			outer->second = true;
			*vector_add(&m->points, struct point) = (struct point){ f[i].lo, 0 };
		}
	}
	m->functions.n = n;
}

static void read_sections(struct module *m, const struct image *image)
{
	const Elf64_Ehdr *h = part(image, 0, sizeof *h);
	const Elf64_Shdr *s;

	if (!h || h->e_shentsize != sizeof *s)
		return;
	s = part(image, h->e_shoff, (uint64_t)h->e_shnum * sizeof *s);
	if (!s)
		return;
	for (unsigned i = 0; i < h->e_shnum; i++) {
		const char *name = h->e_shstrndx < h->e_shnum
					   ? string_at(image, &s[h->e_shstrndx], s[i].sh_name)
					   : "";

		if ((s[i].sh_type == SHT_SYMTAB || s[i].sh_type == SHT_DYNSYM) &&
		    s[i].sh_link < h->e_shnum)
			read_symbols(m, image, &s[i], &s[s[i].sh_link]);
		if ((starts(name, ".plt") || equal(name, ".init") || equal(name, ".fini")) &&
		    m->nplt < 8) {
			m->plt[m->nplt].lo = m->base + s[i].sh_addr;
			m->plt[m->nplt++].hi = m->base + s[i].sh_addr + s[i].sh_size;
		}
	}
}

/* Linkage tables have FDEs but are not code of the program. */
static void drop_plt(struct module *m)
{
	struct function *f = m->functions.data;
	size_t n = 0;

	for (size_t i = 0; i < m->functions.n; i++) {
		bool drop = false;

		for (unsigned k = 0; k < m->nplt; k++)
			drop |= f[i].lo >= m->plt[k].lo && f[i].lo < m->plt[k].hi;
		if (!drop)
			f[n++] = f[i];
	}
	m->functions.n = n;
}

void module_functions(struct module *m)
{
	struct image image = image_open(m->path);
	size_t nframes;

	eh_frame_functions(m);
	sort(m->functions.data, m->functions.n);
	untangle(m);
	nframes = m->functions.n;
	if (image.p)
		read_sections(m, &image); /* the file stays mapped: names are in it */
	keep_outer(m, nframes);
	sort(m->functions.data, m->functions.n);
	untangle(m);
	drop_plt(m);
}
