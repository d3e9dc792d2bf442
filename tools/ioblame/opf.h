/* SPDX-License-Identifier: GPL-2.0 */
/*
 * opf - operation and flags of a bio, as its record has them
 *
 * Pure.  The numbers of operations and the bits below are the same on all kernels from 5.10 on.
 * Higher bits differ from kernel to kernel, and are left out.
 */
#ifndef IOBLAME_OPF_H
#define IOBLAME_OPF_H

#include <stddef.h>
#include <stdint.h>

/* X(CONSTANT, bit, "word") */
#define OPF_FLAGS(X)			\
	X(SYNC, 11, "sync")		\
	X(META, 12, "meta")		\
	X(PRIO, 13, "prio")		\
	X(NOMERGE, 14, "nomerge")	\
	X(IDLE, 15, "idle")		\
	X(INTEGRITY, 16, "integrity")	\
	X(FUA, 17, "fua")		\
	X(PREFLUSH, 18, "preflush")	\
	X(AHEAD, 19, "readahead")	\
	X(BACKGROUND, 20, "background")	\
	X(NOWAIT, 21, "nowait")

enum opf {
	OPF_OP = 0xff,		/* the operation */
	OPF_DISCARD = 3,	/* ... which is one of REQ_OP_* */
#define X(constant, bit, word)	OPF_##constant = 1 << (bit),
	OPF_FLAGS(X)
#undef X
};

/* Room for the words of any flags */
#define OPF_TEXT	128

uint32_t opf_flags(uint32_t opf);
const char *opf_text(uint32_t flags, char *to, size_t size);

#endif
