// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diskstats.h"
#include "escape.h"
#include "file.h"
#include "moment_judge.h"
#include "moment_match.h"
#include "msg.h"
#include "name.h"
#include "owner.h"
#include "rec.h"

enum {
	KNOWN = 256,		/* of one rule; one of the same hash takes the place */
	TURNS = 60,		/* windows; what a number is called may change */
};

struct matched {
	uint64_t key[2];
	bool set, is;
};

struct match_busy {
	uint32_t disk;
	struct diskstats before;
	unsigned int turn;	/* when it was asked last */
};

static const char *program_of(const struct iob_iolog_bin_record *rec, char *to, size_t size)
{
	switch (rec->role_kind) {
	case ROLE_THREAD:
	case ROLE_PROCESS:
		escape_text(to, size, rec->comm, strnlen(rec->comm, sizeof(rec->comm)));
		return to;
	case ROLE_CGROUP:
		return name_unit(rec->cgroup);
	case ROLE_USER:
		return rec_who(rec->role_kind, -(uint32_t)rec->id, to, size);
	}
	return "nobody";
}

static bool is_of(const struct rule *rule, const struct iob_iolog_bin_record *rec)
{
	char program[ESCAPE_SIZE(IOB_COMM_LEN)];
	const char *text;

	switch (rule->of) {
	case RULE_OF_UNIT:
		text = rec->cgroup ? name_unit(rec->cgroup) : "";
		break;
	case RULE_OF_PROGRAM:
		text = program_of(rec, program, sizeof(program));
		break;
	default:
		text = owner_name(owner_of_record(rec));
	}
	return rule_is_of(rule, text);
}

/* The numbers that its name is made of */
static void make_key(const struct rule *rule, const struct iob_iolog_bin_record *rec,
		     uint64_t *key)
{
	memset(key, 0, 2 * sizeof(*key));
	if (rule->of == RULE_OF_UNIT) {
		key[0] = rec->cgroup;
	} else if (rule->of == RULE_OF_USER) {
		key[0] = rec->tgid;
		key[1] = rec->uid1;
	} else if (rec->role_kind == ROLE_THREAD || rec->role_kind == ROLE_PROCESS) {
		memcpy(key, rec->comm, sizeof(rec->comm));
	} else {
		/* no comm begins with a NUL and goes on */
		key[0] = (uint64_t)(uint32_t)rec->id << 32;
		key[1] = rec->role_kind == ROLE_CGROUP ? rec->cgroup : rec->role_kind;
	}
}

/**
 * moment_match_is - whether a record is of the unit, program or user of a rule
 * @m:	  all zero at first
 * @rule: the rule
 * @nr:	  which it is, below JUDGE_RULES
 * @rec:  the record
 */
bool moment_match_is(struct moment_match *m, const struct rule *rule, unsigned int nr,
		     const struct iob_iolog_bin_record *rec)
{
	struct matched *one;
	uint64_t key[2], hash;

	if (!m->known)
		m->known = must(calloc((size_t)KNOWN * JUDGE_RULES, sizeof(*m->known)));
	make_key(rule, rec, key);
	hash = (key[0] ^ key[1] * 31) * 0x9e3779b97f4a7c15ULL;
	one = &m->known[nr * KNOWN + (hash >> 56)];
	if (!one->set || one->key[0] != key[0] || one->key[1] != key[1])
		*one = (struct matched){ { key[0], key[1] }, true, is_of(rule, rec) };
	return one->is;
}

static struct match_busy *find_disk(struct moment_match *m, uint32_t disk)
{
	m->disks.key_len = sizeof(disk);
	return map_get(&m->disks, &disk);
}

static struct match_busy *add_disk(struct moment_match *m, uint32_t disk)
{
	struct match_busy *d = must(calloc(1, sizeof(*d)));

	d->disk = disk;
	map_put(&m->disks, d);
	return d;
}

static bool was_asked(const void *value, const void *arg)
{
	const struct match_busy *d = value;
	const struct moment_match *m = arg;

	return d->turn + TURNS > m->turns;
}

/* Milliseconds that a disk was busy since the window before; -1: not known. */
int64_t moment_busy(struct moment_match *m, uint32_t disk)
{
	struct match_busy *d = find_disk(m, disk);
	bool known = d && d->turn + 1 == m->turns;
	struct diskstats now, since;
	char path[64], *text;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", disk >> 20, disk & 0xfffff);
	text = file_read(path);
	if (!text)
		return -1;
	diskstats_parse_numbers(text, &now);
	free(text);
	since = now;
	if (known)
		known = diskstats_since(&since, &d->before);
	if (!d)
		d = add_disk(m, disk);
	d->before = now;
	d->turn = m->turns;
	return known ? (int64_t)since.busy_ms : -1;
}

/* A window is over. */
void moment_match_turn(struct moment_match *m)
{
	m->turns++;
	if (m->turns % TURNS)
		return;
	if (m->known)
		memset(m->known, 0, (size_t)KNOWN * JUDGE_RULES * sizeof(*m->known));
	map_keep(&m->disks, was_asked, m, free);
}

void moment_match_forget(struct moment_match *m)
{
	free(m->known);
	map_clear(&m->disks, free);
	memset(m, 0, sizeof(*m));
}
