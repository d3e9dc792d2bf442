// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "agg.h"
#include "choice.h"
#include "escape.h"
#include "intent.h"
#include "label.h"
#include "name.h"
#include "opf.h"
#include "rec.h"

const char *label_who(const struct atom *a, char *to, unsigned int size)
{
	return rec_who(a->key.kind, a->key.who, to, size);
}

const char *label_comm(const struct atom *a, char *to, unsigned int size)
{
	if (a->key.rest == REST_ALL)
		return "(others)";
	if (a->key.kind == ROLE_CGROUP)
		return name_unit(a->key.cgroup);
	escape_text(to, size, a->key.comm, sizeof(a->key.comm));
	return *to ? to : "-";
}

const char *label_file(const struct atom *a)
{
	if (a->key.rest)
		return "(others)";
	return name_file(a->key.dev, a->key.ino, a->key.gen);
}

/* True if the process no longer exists.  For a running session only. */
bool label_exited(const struct atom *a)
{
	return a->key.kind <= ROLE_PROCESS && a->key.who &&
	       kill(a->key.who, 0) && errno == ESRCH;
}

/* The name of a row. */
const char *label_row(const struct atom *a, enum pivot by, char *to, unsigned int size)
{
	char who[32], comm[ESCAPE_SIZE(IOB_COMM_LEN)], flags[OPF_TEXT], *stack;
	const struct intent *in;

	switch (by) {
	case BY_FILE:
		return label_file(a);
	case BY_DEVICE:
		return name_disk(a->key.disk);
	case BY_CGROUP:
		return name_cgroup(a->key.cgroup);
	case BY_OP:
		return rec_op_name(a->key.op);
	case BY_WHY:
		return a->why;
	case BY_USER:
		return a->key.kind <= ROLE_PROCESS ? name_user(a->key.who, a->key.comm) : "-";
	case BY_COMMAND:
		if (a->key.kind <= ROLE_PROCESS && a->key.rest != REST_ALL &&
		    name_command(a->key.who, a->key.comm))
			return name_command(a->key.who, a->key.comm);
		snprintf(to, size, "[%s]", label_comm(a, comm, sizeof(comm)));
		return escape_cut(to);
	case BY_SCHED:
		return name_sched(a->key.disk);
	case BY_FLAGS:
		snprintf(to, size, "%s %s", rec_op_name(a->key.op),
			 opf_text(a->key.flags, flags, sizeof(flags)));
		return to;
	case BY_QUEUE:
		if (a->key.hwq == REC_NO_QUEUE)
			return name_disk(a->key.disk);
		snprintf(to, size, "%s queue %u", name_disk(a->key.disk), a->key.hwq);
		return to;
	case BY_THREAD:
		snprintf(to, size, "%s/%u %s", label_who(a, who, sizeof(who)), a->key.tid,
			 label_comm(a, comm, sizeof(comm)));
		return escape_cut(to);
	case BY_STACK:
		in = intent_get(a->key.intent);
		stack = in ? intent_folded(in, " < ", false) : NULL;
		snprintf(to, size, "#%u %s", a->key.intent, stack ? stack : "?");
		free(stack);
		return escape_cut(to);
	default:
		snprintf(to, size, "%s %s", label_who(a, who, sizeof(who)),
			 label_comm(a, comm, sizeof(comm)));
		return escape_cut(to);
	}
}
