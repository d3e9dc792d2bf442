// SPDX-License-Identifier: GPL-2.0
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include <compat/call_insn.h>

#include "code.h"

/**
 * iob_code_of - find where a function begins and ends
 * @func: an address inside it
 * @code: gets the answer of kallsyms
 *
 * May sleep.  Return: false if kallsyms does not know the function.
 */
bool iob_code_of(unsigned long func, struct iob_code *code)
{
	char sym[KSYM_SYMBOL_LEN];
	unsigned long off, size;
	const char *plus;

	/* "vfs_write+0x0/0x200": the only exported function that tells the size */
	sprint_symbol(sym, func);
	plus = strrchr(sym, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", &off, &size) != 2)
		return false;
	code->start = func - off;
	code->end = func - off + size;
	return true;
}

/**
 * iob_code_calls - find a direct call in a function's code
 * @func:   an address inside the function, which does not go meanwhile
 * @called: one inside the other function: where a kprobe is, with IBT, is behind its start
 *
 * A compiler may put a function into one of its callers and keep it for another.  May sleep.
 * Return: false if no such call is found.
 */
bool iob_code_calls(unsigned long func, unsigned long called)
{
	struct iob_code code, to;
	unsigned long at;

	if (!iob_code_of(func, &code) || !iob_code_of(called, &to))
		return false;
	for (at = code.start; at < code.end; at += IOB_INSN_STEP) {
		if (iob_insn_calls(at, to.start))
			return true;
	}
	return false;
}

/**
 * iob_code_publish - tell probes where a function is now
 * @func: an address inside it, or 0 if it is gone
 * @code: what probes look at; becomes empty if kallsyms does not know the function
 *
 * May sleep; probes may run.  The caller allows one call at a time.
 */
void iob_code_publish(unsigned long func, struct iob_code *code)
{
	struct iob_code found;

	/* probes that find this end match nothing */
	smp_store_release(&code->end, 0);
	if (!iob_code_of(func, &found))
		return;
	WRITE_ONCE(code->start, found.start);
	/* pairs with iob_code_has(): a reader of the end also reads the start */
	smp_store_release(&code->end, found.end);
}
