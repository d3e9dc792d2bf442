// SPDX-License-Identifier: GPL-2.0
/* What a stack trace says, by the functions in it and by their order. */
#include <string.h>

#include "core/code.h"
#include "core/mark.h"
#include "test.h"

#define FUNC_BYTES	0x100

/* Functions: each is at its number * FUNC_BYTES; a return address in it lies behind that. */
enum {
	OTHER = 1, WRITEBACK, REDIRTY, REDIRTY_FS, GC, CHECKPOINT,
};

#define IN(func)	((func) * FUNC_BYTES + 0x20UL)

/* kallsyms knows all but the null function */
void iob_code_publish(unsigned long func, struct iob_code *code)
{
	code->start = func;
	code->end = func ? func + FUNC_BYTES : 0;
}

static void begin(void)
{
	iob_mark_set(WRITEBACK * FUNC_BYTES, IOB_MARK_WRITEBACK);
	iob_mark_set(REDIRTY * FUNC_BYTES, IOB_MARK_REDIRTY);
	iob_mark_set(REDIRTY_FS * FUNC_BYTES, IOB_MARK_REDIRTY_FS);
	iob_mark_set(GC * FUNC_BYTES, IOB_MARK_MOVE_FS);
}

/* @funcs: innermost first; it ends with 0. */
static u16 marks_of(const unsigned char *funcs)
{
	unsigned long trace[8];
	unsigned int i;

	for (i = 0; funcs[i]; i++)
		trace[i] = IN(funcs[i]);
	return iob_marks_of(trace, i);
}

struct trace {
	unsigned char funcs[8];
	u16 flags;
};

static void traces(void)
{
	static const struct trace all[] = {
		{ { }, 0 },
		{ { OTHER, OTHER }, 0 },
		{ { OTHER, WRITEBACK, OTHER }, IOB_INTENT_WRITEBACK },
		{ { OTHER, REDIRTY, OTHER }, IOB_INTENT_REDIRTY },
		{ { REDIRTY_FS, OTHER }, IOB_INTENT_REDIRTY },
		{ { REDIRTY, WRITEBACK }, IOB_INTENT_REDIRTY | IOB_INTENT_WRITEBACK },
		/* the collector's thread, or write(): as any other task */
		{ { OTHER, GC, OTHER }, 0 },
		/* writeback has to make room: what is moved was clean */
		{ { OTHER, GC, OTHER, WRITEBACK, OTHER }, IOB_INTENT_MOVE },
		{ { GC, WRITEBACK }, IOB_INTENT_MOVE },
		/* but not what is put back while room is made */
		{ { REDIRTY, GC, WRITEBACK }, IOB_INTENT_REDIRTY | IOB_INTENT_MOVE },
		{ { OTHER, WRITEBACK, CHECKPOINT, GC, OTHER }, IOB_INTENT_WRITEBACK },
		{ { WRITEBACK, CHECKPOINT, GC, WRITEBACK }, IOB_INTENT_WRITEBACK | IOB_INTENT_MOVE },
	};
	size_t i;

	begin();
	for (i = 0; i < ARRAY_SIZE(all); i++) {
		if (marks_of(all[i].funcs) != all[i].flags)
			fail("trace %zu: %u, not %u", i, marks_of(all[i].funcs), all[i].flags);
	}
}

/* f2fs goes, and comes again at another place. */
static void unloaded(void)
{
	static const unsigned char trace[] = { GC, WRITEBACK, 0 };

	begin();
	iob_mark_set(0, IOB_MARK_MOVE_FS);
	if (marks_of(trace) != IOB_INTENT_WRITEBACK)
		fail("a function that is gone: %u", marks_of(trace));
	iob_mark_set(OTHER * FUNC_BYTES, IOB_MARK_MOVE_FS);
	if (marks_of(trace) != IOB_INTENT_WRITEBACK)
		fail("a function that was elsewhere: %u", marks_of(trace));
	iob_marks_clear();
	if (marks_of(trace))
		fail("no function is marked: %u", marks_of(trace));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(traces), TEST(unloaded),
	};

	return run_tests("mark", tests, ARRAY_SIZE(tests));
}
