/* SPDX-License-Identifier: GPL-2.0 */
/*
 * text - words and lines that several text files have
 */
#ifndef IOB_DEBUGFS_TEXT_H
#define IOB_DEBUGFS_TEXT_H

#include <linux/compiler.h>
#include <linux/kallsyms.h>
#include <linux/types.h>

#include "core/intent.h"
#include "core/role.h"
#include "stack/stack.h"

/* A buffer that is filled from the front; what does not fit is cut. */
struct iob_text {
	char *buf;
	size_t size;
	size_t len;
};

enum {
	/* each byte of a name takes four at most: \ooo */
	IOB_TEXT_NAME_SIZE   = 4 * TASK_COMM_LEN + 1,
	/* the longest iob_text_intent(): the first line and one per frame */
	IOB_TEXT_INTENT_SIZE = (IOB_STACK_DEPTH + 1) * (KSYM_SYMBOL_LEN + 32),
};

/* A role for iob_text_role(). */
struct iob_text_who {
	u8 kind;		/* enum iob_role_kind */
	u64 key;		/* pid, tgid, user role or cgroup */
	const char *comm;	/* TASK_COMM_LEN bytes */
};

/* the words of the setting `charge` */
enum {
	IOB_CHARGE_SPLIT,
	IOB_CHARGE_FIRST,
	IOB_NR_CHARGES,
};

extern const char *const iob_text_charges[IOB_NR_CHARGES];
extern const char *const iob_text_role_kinds[];	/* by enum iob_role_kind */

__printf(2, 3) void iob_text_add(struct iob_text *t, const char *fmt, ...);
void iob_text_add_u32(struct iob_text *t, u32 n, unsigned int width);
size_t iob_text_escape(char *to, size_t size, const char *comm, bool spaces);
void iob_text_role(struct iob_text *t, const struct iob_text_who *who);
bool iob_text_hides_addresses(void);
void iob_text_intent(struct iob_text *t, const char *indent, u32 nr,
		     const struct iob_intent *intent);
const char *iob_text_how(unsigned int how);

#endif
