// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "device.h"
#include "moment_file.h"
#include "moment_judge.h"
#include "moment_keep.h"
#include "moment_match.h"
#include "moment_pace.h"
#include "moments.h"
#include "msg.h"
#include "name.h"
#include "records.h"
#include "reel.h"
#include "source.h"
#include "status.h"
#include "stream.h"

#define SECOND	1000000000ULL
#define WINDOW	SECOND
/* The module keeps 6500 records of a CPU: a burst of 20,000 IO/s finds room that long */
#define READ_AT_LEAST	(SECOND / 4)
/* However much stands out meanwhile, a recording is not longer behind its first moment */
#define LONGEST	(60 * SECOND)

enum {
	FOUND = 64,		/* that a window tells, of those that may be told */
	WRITTEN = 2000,		/* records a tick, a tenth of a second */
};

/* The file `status`, as it was */
struct note {
	char *text;
	uint64_t at_ns;
};

struct moments {
	struct conf_moments conf;
	struct records_tap tap;
	struct reel ring;
	struct judge judge;
	struct moment_match match;
	struct moment_pace pace;
	struct keep keep;
	bool keeping, joined;
	unsigned int failed;		/* bits of keep.name: moments of errors */
	uint64_t until_ns, longest_ns;	/* of what is kept */
	uint64_t begun_ns;		/* the read with which it began */
	uint64_t dropped;		/* bytes that had no room when it began */
	uint64_t read_ns;		/* of this read; 0: nothing was read yet */
	uint64_t before_ns;		/* when the read before began */
	uint64_t window_ns;		/* when this window began */
	uint64_t judged_ns;		/* what it judges completed since then */
	uint64_t now_ns;		/* when it is over */
	uint64_t ring_ns;		/* when the ring began */
	uint64_t session;		/* that the ring is of */
	struct keep_clock clock;
	uint64_t clock_ns;		/* when it was looked at */
	struct note note[2];		/* the latest, and the one before */
	uint32_t own;			/* process id */
	int said;			/* why nothing can be kept: an errno */
	uint64_t not_judged;		/* IOs that were said not to be */
	uint64_t broken, broken_said;	/* bytes that were no records, and that were said to be */
};

static void remove_unfinished(const char *folder)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	size_t len;

	while (dir && (e = readdir(dir))) {
		len = strlen(e->d_name);
		if (*e->d_name == '.' && len > 4 && !strcmp(e->d_name + len - 4, ".tmp"))
			unlinkat(dirfd(dir), e->d_name, 0);
	}
	if (dir)
		closedir(dir);
}

/* Say once why nothing is kept, until that changes. */
static void say_trouble(struct moments *m, int err)
{
	if (err && err != m->said)
		msg("moments cannot be kept in %s: %s; it is tried again with the next one",
		    m->conf.folder, strerror(err));
	else if (!err && m->said)
		msg("moments are kept again");
	m->said = err;
}

/* In words.  Example: "p99 66ms, usually 2.1ms". */
static void say_what(const struct moments *m, const struct judge_found *f, char *to, size_t size)
{
	char value[RULE_VALUE], usual[RULE_VALUE];
	const struct rule *rule;

	if (f->what >= JUDGE_RULE) {
		rule = &m->conf.rule[f->what - JUDGE_RULE];
		snprintf(to, size, "%s above %s%s%s", rule_whats[rule->what],
			 rule_text(rule->what, rule->limit, usual), f->value ? ": " : "",
			 f->value ? rule_text(rule->what, f->value, value) : "");
	} else if (f->what == JUDGE_ERRORS) {
		snprintf(to, size, "%llu IOs failed", (unsigned long long)f->value);
	} else if (f->what == JUDGE_SLOW) {
		snprintf(to, size, "p99 %s, usually %s", rule_text(RULE_P99, f->value, value),
			 rule_text(RULE_P99, f->usual, usual));
	} else {
		snprintf(to, size, "utilisation %s, usually %s",
			 rule_text(RULE_UTIL, f->value, value),
			 rule_text(RULE_UTIL, f->usual, usual));
	}
}

static const char *reason_of(const struct moments *m, int what)
{
	static const char *const own[NR_JUDGE_WHATS] = { "errors", "p99", "util" };

	return what < JUDGE_RULE ? own[what] : m->conf.rule[what - JUDGE_RULE].name;
}

static int64_t wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * (int64_t)SECOND + t.tv_nsec;
}

/* The latest note from before a time, or the oldest there is. */
static const char *note_before(const struct moments *m, uint64_t ns)
{
	return m->note[0].text && m->note[0].at_ns <= ns ? m->note[0].text : m->note[1].text ?
	       m->note[1].text : m->note[0].text;
}

static void make_head(const struct moments *m, struct store_head *head)
{
	const char *name;
	unsigned int i;

	memset(head, 0, sizeof(*head));
	source_head_now(head);
	for (i = 0; i < m->judge.nr; i++) {
		name = name_disk(m->judge.disk[i]->disk);
		store_add_device(head, m->judge.disk[i]->disk,
				 device_sectors(m->judge.disk[i]->disk), name, strlen(name));
	}
}

/* The ring becomes the beginning of a recording, and another one begins. */
static int begin_keeping(struct moments *m, const char *name, bool errors, uint64_t now)
{
	struct store_head head;
	int err;

	memset(&m->keep, 0, sizeof(m->keep));
	m->keep.folder = m->conf.folder;
	strcpy(m->keep.name[0], name);
	m->keep.nr_names = 1;
	m->failed = errors;
	/* this process may have had to wait: what stands out was then */
	m->keep.from_ns = m->judged_ns > m->conf.before_ns ? m->judged_ns - m->conf.before_ns : 0;
	m->keep.session = m->session;
	m->keep.clock = &m->clock;
	mkdir(m->conf.folder, 0750);
	make_head(m, &head);
	head.start_ns = keep_start(&m->ring, m->keep.from_ns > m->ring_ns ? m->keep.from_ns :
						m->ring_ns);
	head.wall_ns = keep_clock_at(&m->clock, head.start_ns);
	err = keep_begin(&m->keep, &head, note_before(m, m->keep.from_ns));
	store_free_head(&head);
	if (err)
		return err;
	m->keep.reel = m->ring;
	m->dropped = m->ring.dropped;
	if (!reel_begin(&m->ring, m->conf.ring_bytes))
		msg("there is no memory for Ring=%llu: what follows is kept in part",
		    (unsigned long long)m->conf.ring_bytes);
	m->ring_ns = now;
	m->keeping = true;
	m->begun_ns = records_read_ns();
	m->until_ns = now + m->conf.after_ns;
	m->longest_ns = now + LONGEST;
	return 0;
}

/*
 * The moment has a part in the recording that is being written.  Where there is no room for its
 * name, one of errors takes that of another; the file has the first name by now.
 */
static void join(struct moments *m, const char *name, bool errors, uint64_t now)
{
	uint64_t until = now + m->conf.after_ns;
	unsigned int at = m->keep.nr_names;

	m->until_ns = until < m->longest_ns ? until : m->longest_ns;
	if (at < KEEP_NAMES) {
		m->keep.nr_names++;
	} else {
		for (at--; at && m->failed & 1U << at; at--)
			;
		if (!errors || !at)
			return;
	}
	strcpy(m->keep.name[at], name);
	m->failed |= (unsigned int)errors << at;
}

/* For one reason and disk at most once a minute. */
static bool may(struct judge_found *found, void *arg)
{
	struct moments *m = arg;

	return moment_pace_may(&m->pace, found->disk, found->what, m->now_ns, &found->left_out);
}

static void stands_out(struct moments *m, const struct judge_found *f, uint64_t now)
{
	const char *disk = name_disk(f->disk);
	char name[MOMENT_NAME], text[128];
	bool errors = f->what == JUDGE_ERRORS;
	int err = 0;

	say_what(m, f, text, sizeof(text));
	if (f->left_out)
		msg("%s, %s: %s; %llu times since the last recording of it", disk,
		    reason_of(m, f->what), text, (unsigned long long)f->left_out);
	else
		msg("%s, %s: %s", disk, reason_of(m, f->what), text);
	moment_file_name(name, wall_ns(), disk, reason_of(m, f->what));
	if (m->keeping)
		join(m, name, errors, now);
	else
		err = begin_keeping(m, name, errors, now);
	if (err)
		say_trouble(m, err);
}

/*
 * Delete the oldest recordings, so that there are not too many.
 * @newest: a name of the one that was made last; NULL: none was
 * Return: false if that was deleted, too.
 */
static bool bound_folder(struct moments *m, const char *newest)
{
	struct moment_files files;
	char path[512];
	size_t i, old;
	bool all;

	if (moment_files_read(&files, m->conf.folder))
		return true;
	moment_files_age(&files, wall_ns(), newest);
	old = moment_files_old(&files, m->conf.max_moments, m->conf.max_bytes);
	for (i = 0; i < old; i++) {
		snprintf(path, sizeof(path), "%s/%s", m->conf.folder, files.list[i].name);
		if (unlink(path))
			say_trouble(m, errno);
	}
	all = old && old == files.nr;
	if (all)
		msg("a recording is larger than MomentsSize, and was deleted");
	moment_files_free(&files);
	return !all;
}

/* @complete: the session goes on, and its numbers say what was lost. */
static void end_keeping(struct moments *m, bool complete)
{
	char *status = complete ? status_read() : NULL;
	uint64_t dropped;
	int err;

	keep_write(&m->keep, SIZE_MAX);
	dropped = (m->keep.reel.dropped - m->dropped) / sizeof(struct iob_iolog_bin_record);
	err = keep_end(&m->keep, status);
	free(status);
	m->keeping = false;
	say_trouble(m, err);
	if (err)
		return;
	if (dropped)
		msg("%llu records around it had no room, see Ring=", (unsigned long long)dropped);
	if (m->keep.broken)
		msg("%llu bytes around it were no records", (unsigned long long)m->keep.broken);
	if (bound_folder(m, m->keep.name[0]))
		msg("%llu IOs are kept: ioblame replay '%s/%s' snoop",
		    (unsigned long long)m->keep.ios, m->conf.folder, m->keep.name[0]);
}

/* Numbers of roles and intents mean something in one session only. */
static void check_session(struct moments *m)
{
	if (records_session() == m->session)
		return;
	m->session = records_session();
	reel_clear(&m->ring);
	m->ring_ns = clock_ns();
	/* losses count from the beginning of the session, then */
	free(m->note[0].text);
	free(m->note[1].text);
	memset(m->note, 0, sizeof(m->note));
	judge_forget(&m->judge);
	moment_match_forget(&m->match);
	if (m->keeping)
		end_keeping(m, false);
}

static void judge_bytes(struct moments *m, const unsigned char *bytes, size_t len)
{
	const unsigned char *end = bytes + stream_whole(bytes, len);
	const struct iob_iolog_bin_record *rec;

	m->broken += bytes + len - end;
	for (; bytes < end; bytes += rec->len) {
		rec = (const struct iob_iolog_bin_record *)bytes;
		/* what is kept is IO, too: it is no reason to keep more */
		if (rec->ver == IOB_IOLOG_BIN_VER && rec->tgid != m->own)
			judge_take(&m->judge, rec);
	}
}

static void take_raw(unsigned int cpu, const void *bytes, size_t len, void *arg)
{
	struct moments *m = arg;

	(void)cpu;
	if (!m->read_ns) {
		m->read_ns = records_read_ns();
		check_session(m);
	}
	reel_add(&m->ring, m->read_ns, bytes, len);
	/*
	 * It has what completed since the read before, which may be long ago where this process had
	 * to wait, as for a disk that hangs: what hung is what is to be kept.
	 */
	if (m->keeping && m->before_ns < m->until_ns)
		reel_add(&m->keep.reel, m->read_ns, bytes, len);
	judge_bytes(m, bytes, len);
}

static void end_window(struct moments *m, uint64_t now)
{
	struct judge_found found[FOUND];
	size_t i, nr;

	m->now_ns = now;
	nr = judge_end_window(&m->judge, now - m->window_ns, found, FOUND);
	m->window_ns = now;
	moment_match_turn(&m->match);
	for (i = 0; i < nr; i++)
		stands_out(m, &found[i], now);
	m->judged_ns = records_read_ns();
	if (m->judge.not_judged && !m->not_judged)
		msg("there are more than %d disks: the rest is not judged", JUDGE_DISKS);
	m->not_judged = m->judge.not_judged;
	if (m->broken != m->broken_said)
		msg("%llu bytes of the log were no records: they are not judged",
		    (unsigned long long)(m->broken - m->broken_said));
	m->broken_said = m->broken;
}

/* The log was read. */
static void take_batch(void *arg)
{
	struct moments *m = arg;
	uint64_t now = clock_ns();

	check_session(m);
	m->read_ns = 0;
	m->before_ns = records_read_ns();
	if (records_state()) {
		/* nothing is known */
		m->window_ns = now;
		m->judged_ns = now;
	} else {
		keep_clock_note(&m->clock, m->clock_ns, records_wall_ns());
		m->clock_ns = now;
		if (now - m->window_ns >= WINDOW)
			end_window(m, now);
	}
	if (m->keeping && keep_write(&m->keep, WRITTEN) && now >= m->until_ns) {
		/* of what completes within a read it has a part; the ring has all */
		m->keep.until_ns = records_read_ns() > m->begun_ns ? records_read_ns() : 0;
		end_keeping(m, true);
	}
	m->tap.most_ns = m->keeping ? RECORDS_TICK : READ_AT_LEAST;
}

static unsigned int rules_of(uint32_t disk, void *arg)
{
	const struct moments *m = arg;
	const char *name = name_disk(disk);
	unsigned int i, bits = 0;

	for (i = 0; i < m->conf.nr_rules; i++)
		bits |= (unsigned int)rule_wants_disk(&m->conf.rule[i], name) << i;
	return bits;
}

static bool is_of(unsigned int rule, const struct iob_iolog_bin_record *rec, void *arg)
{
	struct moments *m = arg;

	return moment_match_is(&m->match, &m->conf.rule[rule], rule, rec);
}

static int64_t busy_ms(uint32_t disk, void *arg)
{
	struct moments *m = arg;

	return moment_busy(&m->match, disk);
}

/* What a daemon before has left: it may have been allowed more. */
static void tidy_folder(struct moments *m)
{
	remove_unfinished(m->conf.folder);
	bound_folder(m, NULL);
}

/**
 * moments_begin - prepare to keep moments, while the process may make folders
 * @conf:  copied
 * @group: that may read them; (gid_t)-1: that of the folder above
 *
 * Return: NULL if none are to be kept.
 */
struct moments *moments_begin(const struct conf_moments *conf, gid_t group)
{
	struct moments *m;

	if (!conf->ring_bytes || !*conf->folder) {
		if (conf->nr_rules)
			msg("[Moments] Rule= needs Ring= and Folder=: nothing is judged");
		return NULL;
	}
	m = must(calloc(1, sizeof(*m)));
	m->conf = *conf;
	if (!reel_begin(&m->ring, conf->ring_bytes)) {
		msg("there is no memory for Ring=%llu; moments are not kept",
		    (unsigned long long)conf->ring_bytes);
		free(m);
		return NULL;
	}
	if (mkdir(conf->folder, 0750) && errno != EEXIST)
		say_trouble(m, errno);
	/* what is made in it later has its group */
	if (group != (gid_t)-1 && (chown(conf->folder, -1, group) || chmod(conf->folder, 02750)))
		msg("%s is for root alone: %s", conf->folder, strerror(errno));
	tidy_folder(m);
	m->own = getpid();
	m->judge.rules = m->conf.rule;
	m->judge.nr_rules = m->conf.nr_rules;
	m->judge.rules_of = rules_of;
	m->judge.is_of = is_of;
	m->judge.busy_ms = busy_ms;
	m->judge.may = may;
	m->judge.arg = m;
	m->tap = (struct records_tap){
		.raw = take_raw, .batch = take_batch, .arg = m, .most_ns = READ_AT_LEAST,
	};
	return m;
}

/* Begin to read the log.  @m may be NULL here and below. */
void moments_watch(struct moments *m)
{
	if (!m)
		return;
	m->window_ns = clock_ns();
	m->judged_ns = m->window_ns;
	m->ring_ns = m->window_ns;
	records_tap(&m->tap);
}

/* An interval of the sums is over: note how the losses stand. */
void moments_interval(struct moments *m)
{
	if (!m)
		return;
	free(m->note[1].text);
	m->note[1] = m->note[0];
	m->note[0] = (struct note){ .text = status_read(), .at_ns = clock_ns() };
}

void moments_end(struct moments *m)
{
	if (!m)
		return;
	if (m->keeping)
		end_keeping(m, true);
	records_untap(&m->tap);
	judge_forget(&m->judge);
	moment_match_forget(&m->match);
	moment_pace_end(&m->pace);
	reel_end(&m->ring);
	free(m->note[0].text);
	free(m->note[1].text);
	free(m);
}
