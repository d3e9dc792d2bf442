// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "process.h"

/* Of the kernel's flags of a task, in /proc/PID/stat */
#define PF_KTHREAD	0x00200000

/* One that ended is forgotten after this time, and another one may have its place */
static uint64_t forget_ns = UINT64_MAX;

/* A field of /proc/PID/stat behind the name, which may have blanks and parentheses, or NULL. */
static const char *stat_field(const char *text, int nr)
{
	const char *at = strrchr(text, ')');
	int i;

	for (i = 2; at && i < nr; i++)
		at = strchr(at + 1, ' ');
	return at;
}

/*
 * When a process began, in clock ticks from boot; PROCESS_NONE if it is not there.  @kernel, if it
 * is not NULL, gets whether it is a thread of the kernel.
 */
uint64_t process_start(uint32_t tgid, bool *kernel)
{
	char path[64], *text;
	uint64_t ticks = PROCESS_NONE;
	const char *start, *flags;

	snprintf(path, sizeof(path), "/proc/%u/stat", tgid);
	text = file_read(path);
	start = text ? stat_field(text, 22) : NULL;
	flags = start ? stat_field(text, 9) : NULL;
	if (start)
		ticks = strtoull(start + 1, NULL, 10);
	if (kernel && flags)
		*kernel = strtoul(flags + 1, NULL, 10) & PF_KTHREAD;
	free(text);
	return ticks;
}

/*
 * Forget one that ended after this time.  (For who runs without end: an id may be of as many
 * processes of one name as there are days.)
 */
void process_forget_after(uint64_t ns)
{
	forget_ns = ns;
}

/* Before something is asked of a process.  Return: true if it was never looked at before. */
bool process_begin(struct process *p, uint32_t tgid, uint64_t now_ns)
{
	if (p->seen_ns)
		return false;
	p->start = process_start(tgid, NULL);
	p->seen_ns = now_ns;
	return true;
}

/**
 * process_is_still - whether an answer is of the process that was looked at first
 * @p:	    that process
 * @tgid:   its id
 * @begun:  process_begin() has looked at it just before
 * @now_ns: the time
 *
 * Behind the question: then nobody else has had the id since the look before.
 */
bool process_is_still(struct process *p, uint32_t tgid, bool begun, uint64_t now_ns)
{
	uint64_t start = process_start(tgid, NULL);

	/* it may have ended since the answer, and where nobody may look there is no other way */
	if (start == p->start || (begun && start == PROCESS_NONE)) {
		p->seen_ns = now_ns;
		return true;
	}
	if (start == PROCESS_NONE || now_ns - p->seen_ns < forget_ns)
		return false;
	/* the next answer is of this one, if it has the id still */
	p->start = start;
	p->seen_ns = now_ns;
	return false;
}
