/* SPDX-License-Identifier: GPL-2.0 */
/*
 * btf - where the members of a struct are, from the kernel's type information
 *
 * The kernel describes its types in BTF (its document bpf/btf): /sys/kernel/btf/vmlinux,
 * and one file for each module, which counts types and strings on from those of vmlinux, its
 * base.  Pure: nothing of the data is believed before it is checked.
 *
 * Example: "wb_writeback_work" and "reason" are asked for; the answer is offset 24, size 4.
 */
#ifndef IOB_CORE_BTF_H
#define IOB_CORE_BTF_H

#include <linux/types.h>

/* BTF that was checked.  All of it is the caller's memory, which must stay. */
struct iob_btf {
	const struct iob_btf *base;	/* of a module; NULL: none */
	const u8 *types;
	const char *strings;
	u32 types_len, strings_len;
	u32 first, nr;		/* of its types: [first, first + nr) */
	u32 *at;		/* where they are in .types; see iob_btf_index() */
};

enum iob_btf_answer {
	IOB_BTF_UNKNOWN,	/* there is no such struct, or no such member */
	IOB_BTF_FOUND,
	IOB_BTF_TWO,		/* structs of that name that differ */
};

/* One member of a struct. */
struct iob_btf_ask {
	const char *type;	/* the struct's name */
	const char *member;	/* or several, of different releases: "num_bytes|len" */
	/* the answer: */
	enum iob_btf_answer answer;
	u32 offset, size;	/* in bytes */
	u32 of;			/* the size of the struct */
};

int iob_btf_open(struct iob_btf *b, const void *data, size_t size, const struct iob_btf *base);
void iob_btf_index(struct iob_btf *b, u32 *room);
void iob_btf_ask(const struct iob_btf *b, struct iob_btf_ask *ask, unsigned int nr);

#endif
