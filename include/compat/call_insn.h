/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/call_insn - is an instruction a direct call of a function
 *
 * Hides: how that is coded.  On other architectures none is found.
 */
#ifndef IOB_COMPAT_CALL_INSN_H
#define IOB_COMPAT_CALL_INSN_H

#include <linux/bitops.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include <compat/peek.h>

#if defined(CONFIG_X86_64)
/* An instruction may begin at each byte. */
#define IOB_INSN_STEP	1
/* since 6.2 a call may go to the thunk that call depth tracking puts before the function */
#ifdef CONFIG_CALL_PADDING
#define IOB_CALL_THUNK	CONFIG_FUNCTION_PADDING_BYTES
#else
#define IOB_CALL_THUNK	0
#endif

/* True if what is at @at, any address, is a call of @func, its start, or a jump there. */
static inline bool iob_insn_calls(unsigned long at, unsigned long func)
{
	struct {
		u8 opcode;
		s32 offset;
	} __packed insn;

	if (!iob_peek(&insn, (void *)at) || (insn.opcode != 0xe8 && insn.opcode != 0xe9))
		return false;
	return func - (at + sizeof(insn) + insn.offset) <= IOB_CALL_THUNK;
}
#elif defined(CONFIG_ARM64)
#define IOB_INSN_STEP	4

/* As above: BL or B. */
static inline bool iob_insn_calls(unsigned long at, unsigned long func)
{
	u32 insn;

	if (!iob_peek(&insn, (void *)at))
		return false;
	insn = le32_to_cpu((__force __le32)insn);
	return (insn & 0x7c000000) == 0x14000000 && at + sign_extend32(insn << 2, 27) == func;
}
#else
#define IOB_INSN_STEP	4

static inline bool iob_insn_calls(unsigned long at, unsigned long func)
{
	return false;
}
#endif

#endif
