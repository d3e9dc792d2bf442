// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "dir.h"
#include "escape.h"
#include "intent.h"
#include "msg.h"
#include "name.h"
#include "owner.h"
#include "rec.h"
#include "status.h"
#include "sums.h"

enum {
	/*
	 * records that are read at once: `status` is read behind each time, and the module puts
	 * that together for all processors (some milliseconds), where a record takes a microsecond
	 */
	AT_ONCE = 4096,
	/* texts of a pass; its usages are as many as the module's sums */
	LIST_BYTES = 8 << 20,
	/* between a look at one clock and at the other */
	SLACK_NS = 100000000,
};

/* So much is the clock set forward where that is no other time */
#define AHEAD_NS	2000000000LL

/* A pass under way */
struct pass {
	struct sums *sums;
	struct usage_list *list;	/* NULL: what came before is only noted */
	bool stacks;			/* the numbers of intents are those of this session */
};

/* The records of a read; each is taken before the next read. */
static char record_buf[AT_ONCE * sizeof(struct iob_sum_bin_record)];

static int64_t wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* The program: its name, or the word of what is none.  In @to, or until name_tidy(). */
static const char *program_of(const struct iob_sum_bin_record *rec, char *to, size_t size)
{
	switch (rec->role_kind) {
	case ROLE_USER:
		return rec_who(rec->role_kind, -(uint32_t)rec->role_id, to, size);
	case ROLE_CGROUP:
		return name_unit(rec->cgroup);
	case ROLE_THREAD:
	case ROLE_PROCESS:
		escape_text(to, size, rec->comm, strnlen(rec->comm, sizeof(rec->comm)));
		return to;
	}
	return "nobody";
}

/* The reason, by the words of records of the log. */
static const char *why_of(const struct iob_sum_bin_record *rec)
{
	const struct iob_iolog_bin_record one = {
		.op = rec->op, .role_kind = rec->role_kind, .intent_nr = rec->intent_nr,
		.modifier = rec->modifier, .ino = rec->ino,
	};

	return intent_why(&one);
}

/* The stack's hash; its text goes into the list. */
static uint64_t stack_of(const struct iob_sum_bin_record *rec, struct usage_list *list)
{
	const struct intent *in = intent_get(rec->intent_nr);
	uint64_t hash;
	char *text;

	if (!in || !in->depth)
		return 0;
	text = intent_folded(in, ";", true);
	hash = usage_hash(text);
	if (list->text_bytes < LIST_BYTES)
		usage_add_stack(list, hash, text);
	free(text);
	return hash;
}

/* Who has run the originator of a record since the last pass. */
static uint32_t user_of_record(const struct sums *s, const struct iob_sum_bin_record *rec)
{
	uint32_t uid;

	if (s->for_users)
		return owner_uid_since(rec->tgid, rec->start_ns, rec->uid, s->looked_ns);
	/* of one that has ended meanwhile, as the module saw it: it may have become another user */
	uid = owner_uid(rec->tgid, rec->start_ns);
	return uid == OWNER_NONE ? rec->uid : uid;
}

/* Put what is new in a record under its names. */
static void take_record(const struct pass *p, const struct iob_sum_bin_record *rec)
{
	const struct sums *s = p->sums;
	char program[ESCAPE_SIZE(IOB_COMM_LEN)];
	const char *at;
	struct usage u = { 0 };

	if (!sum_seen_add(&p->sums->seen, rec, &u) || !p->list)
		return;
	at = rec->op ? strchr(rec_op_letters, rec->op) : NULL;
	if (!at || rec->how >= IOB_NR_HOWS) {
		p->sums->broken += rec->len;
		return;
	}
	/* (status has all disks) */
	p->sums->lost.told += u.ios;
	if (s->wants && !s->wants(rec->disk, s->arg))
		return;
	u.key.op = at - rec_op_letters;
	u.key.how = rec->how;
	u.key.disk = name_disk(rec->disk);
	u.key.unit = rec->cgroup ? name_unit(rec->cgroup) : "";
	u.key.program = program_of(rec, program, sizeof(program));
	u.key.uid = user_of_record(s, rec);
	u.key.user = owner_name(u.key.uid);
	/* (without a file or a device nothing is known) */
	u.key.file = rec->dev ? name_file(rec->dev, rec->ino, rec->gen) : "";
	u.key.why = why_of(rec);
	u.key.stack = p->stacks ? stack_of(rec, p->list) : 0;
	if (!usage_add_within(p->list, &u, LIST_BYTES))
		p->sums->no_room++;
}

/*
 * The next whole record of a buffer, from *@at on; a longer one is of a later version, and begins
 * alike.  Return: false if there is none.
 */
static bool next_record(const char *buf, size_t n, size_t *at, struct iob_sum_bin_record *rec)
{
	uint16_t len;

	if (n - *at < sizeof(*rec))
		return false;
	memcpy(&len, buf + *at, sizeof(len));
	if (len < sizeof(*rec) || len > n - *at)
		return false;
	memcpy(rec, buf + *at, sizeof(*rec));
	*at += len;
	return true;
}

static void take_records(const struct pass *p, const char *buf, size_t n)
{
	struct iob_sum_bin_record rec;
	size_t at = 0;

	while (next_record(buf, n, &at, &rec))
		take_record(p, &rec);
	p->sums->broken += n - at;
}

/*
 * Note which session it is.  Its intents may have the numbers of other ones before.
 * Return: 0 or an errno.
 */
static int look_at_session(struct sums *s)
{
	struct status st;

	if (!status_now(&st))
		return errno ? errno : ENODEV;
	intent_note_session(st.module, st.session);
	if (s->session != st.session)
		sum_lost_begin(&s->lost, 0);
	s->session = st.session;
	s->ios = st.ios;
	s->on = st.enabled;
	return 0;
}

/* Return: 0 or an errno. */
static int read_records(struct pass *p)
{
	struct sums *s = p->sums;
	uint64_t session;
	ssize_t n;
	int err;

	for (;;) {
		session = s->session;
		n = read(s->fd, record_buf, sizeof(record_buf));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? errno : 0;
		/* records that were read while a session ended may be of both */
		err = look_at_session(s);
		if (err)
			return err;
		p->stacks = s->session == session;
		if (p->stacks)
			intent_load(s->intents);
		take_records(p, record_buf, n);
	}
}

/*
 * Sums that went unseen are known for ever, as nothing tells of them.  Another reader's first pass
 * has all that are there, and all whose last records this one is still to see: the others go.
 * Where it fails, the next pass tries again.
 */
static void forget_unseen(struct sums *s)
{
	struct iob_sum_bin_record rec;
	int fd = dir_open("sums_bin", O_RDONLY);
	ssize_t n;
	size_t at;

	if (fd < 0)
		return;
	sum_seen_begin(&s->seen);
	do {
		n = read(fd, record_buf, sizeof(record_buf));
		for (at = 0; n > 0 && next_record(record_buf, n, &at, &rec);)
			sum_seen_mark(&s->seen, &rec);
	} while (n > 0 || (n < 0 && errno == EINTR));
	close(fd);
	if (!n)
		sum_seen_forget_older(&s->seen);
}

static int pass_sums(struct sums *s, struct usage_list *list)
{
	struct pass p = { .sums = s, .list = list };
	uint64_t before = s->session, ios, session;
	int err = look_at_session(s);

	ios = s->ios;
	session = s->session;
	sum_seen_begin(&s->seen);
	if (!err)
		err = read_records(&p);
	sum_seen_end(&s->seen);
	/* status was read behind the last record: what it has is no later pass's */
	if (!err && !list)
		sum_lost_begin(&s->lost, s->ios);
	else if (!err && s->session == session)
		list->lost_ios = sum_lost_pass(&s->lost, ios);
	if (!err && s->session != before)
		sum_seen_forget_older(&s->seen);
	if (!err && sum_seen_is_stale(&s->seen))
		forget_unseen(s);
	return err;
}

/*
 * Whether somebody has set the clock of the wall since the last pass, as it is apart from how long
 * that lasted.  One that is slewed does not count, nor one that is set right by a bit: after a
 * suspend it may have the whole seconds of a clock that runs a thousandth too fast.
 */
static bool clock_was_set(const struct sums *s, int64_t until_ns, int64_t lasted_ns)
{
	int64_t apart_ns = until_ns - s->at_ns - lasted_ns;

	return apart_ns < -SLACK_NS || apart_ns > AHEAD_NS + lasted_ns / 1000 ||
	       until_ns <= s->at_ns;
}

/*
 * Note what time it is.  The time since the last pass, with a suspend, goes into @list, if there is
 * one.  Where the clock was set meanwhile, it began so long ago as it has lasted: before the last
 * one's end, or long after it.
 */
static void note_time(struct sums *s, struct usage_list *list)
{
	uint64_t now_ns = clock_boot_ns();
	int64_t until_ns = wall_ns(), lasted_ns = now_ns - s->ended_ns;

	if (list) {
		list->from_ns = s->at_ns;
		list->until_ns = until_ns;
		if (clock_was_set(s, until_ns, lasted_ns))
			list->from_ns = until_ns - lasted_ns;
	}
	s->at_ns = until_ns;
	s->ended_ns = now_ns;
}

/**
 * sums_open - begin to follow the module's sums
 * @s:     .wants, .arg and .for_users are set, or 0
 *
 * What was summed up before is noted, and in no pass.  The setting `sums` is the caller's.
 * Return: 0 or an errno: ENOENT if the module is not loaded, or is too old for sums.
 */
int sums_open(struct sums *s)
{
	int err;

	s->intents = -1;
	s->session = 0;
	s->broken = 0;
	memset(&s->seen, 0, sizeof(s->seen));
	s->fd = dir_open("sums_bin", O_RDONLY);
	if (s->fd < 0)
		return errno;
	s->intents = dir_open("intents", O_RDONLY);
	s->looked_ns = clock_ns();
	err = s->intents < 0 ? errno : pass_sums(s, NULL);
	note_time(s, NULL);
	if (err)
		sums_close(s);
	return err;
}

/**
 * sums_pass - what was done since the last pass, or since sums_open()
 * @s:    it was opened; after an error it is tried again
 * @list: gets the usages; what it had is cleared
 *
 * Looks names up, so that of a file or process that is gone by now a number is left.  .lost_ios are
 * those that are known to be in no pass, of whatever disk.
 * Return: 0 or an errno, with an empty list.
 */
int sums_pass(struct sums *s, struct usage_list *list)
{
	uint64_t began_ns;
	int err;

	usage_clear(list);
	if (s->fd < 0) {
		err = sums_open(s);
		if (err)
			return err;
	}
	name_tidy();
	began_ns = clock_ns();
	err = pass_sums(s, list);
	name_done();
	note_time(s, list);
	s->looked_ns = began_ns;
	if (err) {
		usage_clear(list);
		sums_close(s);
	}
	return err;
}

/* Add what a pass has to the passes before it, as far as their texts have room. */
static void add_pass(struct sums *s, struct usage_list *all, const struct usage_list *list)
{
	int64_t before_ns = all->until_ns - all->from_ns;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		if (!usage_add_within(all, &list->list[i], LIST_BYTES))
			s->no_room++;
	}
	for (i = 0; i < list->nr_stacks && all->text_bytes < LIST_BYTES; i++)
		usage_add_stack(all, list->stack[i].hash, list->stack[i].text);
	all->lost_ios += list->lost_ios;
	/* (the clock may have been set: it is as long as they were together) */
	all->from_ns = list->from_ns - before_ns;
	all->until_ns = list->until_ns;
}

/**
 * sums_gather - a pass that is added to those before it
 * @s:   it was opened
 * @all: what was done since it was empty
 *
 * Who shows what was done in a longer time does this each SUMS_APART_NS meanwhile.
 * Return: 0 or an errno, and @all is as it was; then as sums_pass().
 */
int sums_gather(struct sums *s, struct usage_list *all)
{
	struct usage_list list = { 0 };
	int err = sums_pass(s, &list);

	if (!err)
		add_pass(s, all, &list);
	usage_clear(&list);
	return err;
}

/* Close the files, so that the module can be unloaded.  What was seen is forgotten. */
void sums_close(struct sums *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->intents >= 0)
		close(s->intents);
	s->fd = -1;
	s->intents = -1;
	sum_seen_clear(&s->seen);
}
