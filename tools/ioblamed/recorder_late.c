// SPDX-License-Identifier: GPL-2.0
/* Minutes that wait in the daemon, as neither database takes them now */
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "recorder.h"
#include "recorder_lost.h"

/* Count minutes that are gone, and say it once. */
void recorder_lose_minutes(struct recorder *r, uint64_t nr)
{
	if (!r->dropped)
		msg("minutes of the past have no room, neither in %s nor in %s, and are lost",
		    r->conf.recent, r->conf.file);
	r->dropped += nr;
	recorder_lost.sums += nr;
}

static uint64_t late_bytes(const struct recorder *r)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < r->nr_late; i++)
		bytes += recorder_db_needed(&r->late[i].list);
	return bytes;
}

/* The oldest one is written, or lost. */
void recorder_late_forget(struct recorder *r)
{
	usage_clear(&r->late[0].list);
	memmove(r->late, r->late + 1, sizeof(*r->late) * --r->nr_late);
}

/**
 * recorder_late_keep - let a minute wait
 * @r:	    the recorder
 * @minute: its id and its hour's
 * @list:   taken: it is empty then
 *
 * Where too much waits, the oldest is lost.
 * Return: true.
 */
bool recorder_late_keep(struct recorder *r, const struct past_span *minute,
			struct usage_list *list)
{
	size_t at = r->nr_late;

	r->late = must(realloc(r->late, (r->nr_late + 1) * sizeof(*r->late)));
	for (; at && r->late[at - 1].minute.id > minute->id; at--)
		r->late[at] = r->late[at - 1];
	r->late[at] = (struct recorder_late){ *minute, *list };
	r->nr_late++;
	memset(list, 0, sizeof(*list));
	while (r->nr_late > RECORDER_MINUTES || late_bytes(r) > RECORDER_LATE_BYTES) {
		recorder_late_forget(r);
		recorder_lose_minutes(r, 1);
	}
	return true;
}
