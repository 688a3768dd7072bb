/* SPDX-License-Identifier: MIT
 *
 * EMBED(name, "file"): a file of the source as a string of that name.
 */
#ifndef LINCHPIN_BASE_EMBED_H
#define LINCHPIN_BASE_EMBED_H

#define EMBED(name, file)                                                                          \
	__asm__(".section .rodata\n.hidden " #name "\n.global " #name "\n" #name                   \
		":\n.incbin \"" file "\"\n.byte 0\n.previous\n");                                  \
	extern const char name[] __attribute__((visibility("hidden")))

#endif
