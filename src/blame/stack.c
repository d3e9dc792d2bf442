// SPDX-License-Identifier: GPL-2.0
/*
 * A trace taken in a tracepoint's probe begins with the probe, and with the
 * tracepoint's iterator where several probes are attached.  Neither says
 * anything about the IO, and the iterator comes and goes with other tracers,
 * which would make two intents of one: both are cut off.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/stacktrace.h>

#include <compat/unwind.h>

#include "stack.h"
#include "stats.h"

#define MAX_HIDDEN	40

/* Filled before the probes are attached, emptied after they are gone. */
static struct iob_code hidden[MAX_HIDDEN];
static unsigned int nr_hidden;

/**
 * iob_code_of - where a function begins and ends
 * @func: an address inside it
 * @code: gets the answer, as kallsyms has it
 *
 * May sleep.  Return: false if kallsyms does not know it.
 */
bool iob_code_of(unsigned long func, struct iob_code *code)
{
	char sym[KSYM_SYMBOL_LEN];
	unsigned long off, size;
	const char *plus;

	sprint_symbol(sym, func);
	plus = strrchr(sym, '+');
	if (!plus || sscanf(plus, "+0x%lx/0x%lx", &off, &size) != 2)
		return false;
	code->start = func - off;
	code->end = func - off + size;
	return true;
}

/**
 * iob_stack_hide - leave a function out of traces when it is innermost
 * @func: its address
 *
 * May sleep.  While no probe is attached.
 */
void iob_stack_hide(unsigned long func)
{
	if (WARN_ON_ONCE(nr_hidden == MAX_HIDDEN))
		return;
	if (iob_code_of(func, &hidden[nr_hidden]))
		nr_hidden++;
}

/* Forget what iob_stack_hide() was told.  While no probe is attached. */
void iob_stack_show_all(void)
{
	nr_hidden = 0;
}

/* An iterator is seldom on the stack, and then once: checked by the first. */
static bool is_hidden(unsigned long ip)
{
	unsigned int i;

	for (i = 0; i < nr_hidden; i++) {
		if (iob_code_has(&hidden[i], ip))
			return true;
	}
	return false;
}

/* Cut what is ours and what is the tracepoint's off the front. */
static unsigned int count_own(const unsigned long *raw, unsigned int nr)
{
	unsigned int own = 0;

	while (own < nr && within_module(raw[own], THIS_MODULE))
		own++;
	while (own < nr && is_hidden(raw[own]))
		own++;
	return own;
}

/**
 * iob_stack_has - whether a call has not returned yet
 * @trace: a trace of the task
 * @depth: its length
 * @ret:   the call's return address, 0 for none
 *
 * Any context.  Tells calls from one place apart from calls from another: so
 * the caller must be one that calls this function directly.
 */
bool iob_stack_has(const unsigned long *trace, unsigned int depth,
		   unsigned long ret)
{
	while (ret && depth--) {
		if (trace[depth] == ret)
			return true;
	}
	return false;
}

/**
 * iob_stack_save - the return addresses above the probe that calls
 * @trace: gets up to IOB_STACK_DEPTH addresses, innermost first
 * @regs:  in a kprobe's handler, those that it was given: between the probed
 *	   function and us there is the machinery of kprobes; else NULL
 *
 * Any context but NMI; called from a probe.  A deeper stack loses its
 * outermost frames, which is counted.
 * Return: how many.
 */
unsigned int iob_stack_save(unsigned long *trace, struct pt_regs *regs)
{
	/* a probe's own frames are few; room for them to be cut off again */
	unsigned long raw[IOB_STACK_DEPTH + 8];
	unsigned int nr, own;

	if (regs)
		nr = iob_unwind_regs(raw, ARRAY_SIZE(raw), regs);
	else
		nr = stack_trace_save(raw, ARRAY_SIZE(raw), 1);
	own = count_own(raw, nr);
	nr -= own;
	if (nr > IOB_STACK_DEPTH) {
		nr = IOB_STACK_DEPTH;
		iob_stat_inc(stack_cut);
	}
	memcpy(trace, raw + own, nr * sizeof(*trace));
	return nr;
}
