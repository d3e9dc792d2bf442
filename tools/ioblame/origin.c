// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "origin.h"

enum {
	PID_MOST = 4 << 20,	/* PID_MAX_LIMIT */
};

static struct map origins = { .key_len = sizeof(struct origin_key) };

static void name_origin(struct origin *o, const struct iob_iolog_bin_record *rec)
{
	switch (rec->role_kind) {
	case ROLE_THREAD:
	case ROLE_PROCESS:
		escape_text(o->name, sizeof(o->name), rec->comm, sizeof(rec->comm));
		break;
	case ROLE_CGROUP:
		snprintf(o->name, sizeof(o->name), "%s", name_unit(rec->cgroup));
		escape_cut(o->name);
		break;
	case ROLE_USER:
		snprintf(o->name, sizeof(o->name), "user-%u", (unsigned int)abs(rec->id));
		break;
	default:
		snprintf(o->name, sizeof(o->name), "nobody");
	}
	if (!*o->name)
		snprintf(o->name, sizeof(o->name), "-");
}

/* Who pays for an IO.  The result stays. */
const struct origin *origin_of(const struct iob_iolog_bin_record *rec)
{
	static uint32_t next = PID_MOST;
	struct origin_key key = { .id = rec->id, .kind = rec->role_kind };
	bool is_task = rec->role_kind <= ROLE_PROCESS && rec->id > 0;
	struct origin *o;

	if (rec->role_kind == ROLE_CGROUP)
		key.cgroup = rec->cgroup;
	else
		memcpy(key.comm, rec->comm, sizeof(key.comm));
	o = map_get(&origins, &key);
	if (o)
		return o;
	o = must(calloc(1, sizeof(*o)));
	o->key = key;
	o->pid = is_task ? (uint32_t)rec->id : ++next;
	name_origin(o, rec);
	map_put(&origins, o);
	return o;
}
