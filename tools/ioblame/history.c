// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cell.h"
#include "choice.h"
#include "device.h"
#include "flame.h"
#include "history.h"
#include "hist_print.h"
#include "msg.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "served.h"
#include "since.h"
#include "table.h"
#include "usage_by.h"
#include "usage_print.h"
#include "wants.h"

enum {
	FRAMES = 260,
};

#define SECOND	1000000000LL
#define HOUR	(3600 * SECOND)
#define DAY	(24 * HOUR)

static bool is_missing(const char *path)
{
	return access(path, F_OK) && (errno == ENOENT || errno == ENOTDIR);
}

/* Open what the command line names, else ioblamed's own.  Return: as past_open(). */
int history_open(struct past *past, const struct opts *o)
{
	if (o->nr_pasts) {
		if (is_missing(o->past[0]) && (o->nr_pasts < 2 || is_missing(o->past[1]))) {
			msg("%s: %s", o->past[0], strerror(errno));
			return EXIT_FAILED;
		}
		return past_open(past, o->past[0], o->nr_pasts > 1 ? o->past[1] : NULL);
	}
	/* who may not read it is told by ioblamed what he did himself */
	if (access(PAST_FILE, R_OK) && errno == EACCES && !access(SERVED_SOCKET, W_OK)) {
		past_open_served(past);
		return past->other ? EXIT_OK : EXIT_FAILED;
	}
	return past_open(past, PAST_FILE, PAST_RECENT);
}

/* --until, or now */
int64_t history_until(const struct opts *o)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return o->until_ns ? o->until_ns : t.tv_sec * SECOND + t.tv_nsec;
}

/* --since, or a day ago: of what stood out */
int64_t history_since(const struct opts *o)
{
	return o->since_ns ? o->since_ns : history_until(o) - DAY;
}

/* The words of a command line: which of them matched nothing yet, and the disks' names here */
static struct {
	const struct opts *of;
	struct wants wants;
	char disk[OPTS_LIST][64];
} words;

/*
 * MAJ:MIN and paths are those of this machine now.  Of another one's past, and of a partition,
 * whose IO the past has as its disk's, there is no name.
 */
static void begin_words(const struct opts *o)
{
	struct device d;
	unsigned int i;

	wants_free(&words.wants);
	memset(&words, 0, sizeof(words));
	words.of = o;
	wants_begin(&words.wants, WANT_DEVICE, o->nr_devices);
	wants_begin(&words.wants, WANT_COMM, o->nr_comms);
	wants_begin(&words.wants, WANT_USER, o->nr_users);
	wants_begin(&words.wants, WANT_CGROUP, o->nr_cgroups);
	wants_begin(&words.wants, WANT_FILE, o->nr_files);
	for (i = 0; i < o->nr_devices && !o->nr_pasts; i++) {
		if (device_lookup(o->device[i], &d) && d.disk == d.dev)
			snprintf(words.disk[i], sizeof(words.disk[i]), "%s", d.name);
	}
}

/* A disk may be gone: its name is enough. */
static bool is_disk(const struct opts *o, unsigned int i, const struct usage_key *key)
{
	const char *word = o->device[i];

	if (!strncmp(word, "/dev/", 5))
		word += 5;
	return !strcmp(word, key->disk) || !strcmp(words.disk[i], key->disk);
}

/* A part of the unit's name is enough, as live a part of the cgroup's is. */
static bool is_unit(const struct opts *o, unsigned int i, const struct usage_key *key)
{
	const char *word = o->cgroup[i];

	return strpbrk(word, "*?[") ? !fnmatch(word, key->unit, FNM_NOESCAPE) :
	       !!strstr(key->unit, word);
}

static bool is_program(const struct opts *o, unsigned int i, const struct usage_key *key)
{
	return !fnmatch(o->comm[i], key->program, FNM_NOESCAPE);
}

static bool is_user(const struct opts *o, unsigned int i, const struct usage_key *key)
{
	return usage_is_of_user(key, o->user[i]);
}

static bool is_file(const struct opts *o, unsigned int i, const struct usage_key *key)
{
	return !fnmatch(o->file[i], key->file, FNM_NOESCAPE);
}

/* Whether one of the @nr words of a kind matches; note which do, and what there is. */
static bool matches(const struct opts *o, enum want want, unsigned int nr,
		    const struct usage_key *key,
		    bool (*is)(const struct opts *o, unsigned int i, const struct usage_key *key))
{
	const char *const names[NR_WANTS] = {
		[WANT_DEVICE] = key->disk, [WANT_COMM] = key->program, [WANT_USER] = key->user,
		[WANT_CGROUP] = key->unit, [WANT_FILE] = key->file,
	};
	bool found = false;
	unsigned int i;

	if (nr && *names[want])
		wants_see(&words.wants, want, names[want]);
	for (i = 0; i < nr; i++) {
		if (!is(o, i, key))
			continue;
		wants_matched(&words.wants, want, i);
		found = true;
	}
	return found || !nr;
}

/* Whether the command line asks for it. */
bool history_wants(const struct opts *o, const struct usage_key *key)
{
	bool wanted;

	if (words.of != o)
		begin_words(o);
	/* each is asked, whatever the others say: what matches nothing is told */
	wanted = matches(o, WANT_DEVICE, o->nr_devices, key, is_disk);
	wanted &= matches(o, WANT_CGROUP, o->nr_cgroups, key, is_unit);
	wanted &= matches(o, WANT_COMM, o->nr_comms, key, is_program);
	wanted &= matches(o, WANT_USER, o->nr_users, key, is_user);
	wanted &= matches(o, WANT_FILE, o->nr_files, key, is_file);
	return wanted && usage_wanted(o, key);
}

/* Print which words matched nothing of what history_wants() was asked, and what there was. */
void history_end_words(const struct opts *o)
{
	unsigned int i;

	if (words.of != o)
		return;
	for (i = 0; i < o->nr_devices; i++)
		wants_print(&words.wants, WANT_DEVICE, "-D", i, o->device[i]);
	for (i = 0; i < o->nr_comms; i++)
		wants_print(&words.wants, WANT_COMM, "-c", i, o->comm[i]);
	for (i = 0; i < o->nr_users; i++)
		wants_print(&words.wants, WANT_USER, "-u", i, o->user[i]);
	for (i = 0; i < o->nr_cgroups; i++)
		wants_print(&words.wants, WANT_CGROUP, "-g", i, o->cgroup[i]);
	for (i = 0; i < o->nr_files; i++)
		wants_print(&words.wants, WANT_FILE, "--file", i, o->file[i]);
	wants_free(&words.wants);
	words.of = NULL;
}

struct collected {
	const struct opts *o;
	struct past *past;
	struct usage_list *list;
	bool stacks;		/* their texts, too */
};

static bool collect(const struct usage *usage, const struct past_span *span, void *arg)
{
	struct collected *c = arg;
	struct usage_list *list = c->list;
	uint64_t stack = usage->key.stack;
	char *text;

	if (!list->from_ns || span->from_ns < list->from_ns)
		list->from_ns = span->from_ns;
	if (span->until_ns > list->until_ns)
		list->until_ns = span->until_ns;
	if (!history_wants(c->o, &usage->key))
		return true;
	usage_add(list, usage);
	if (c->stacks && stack && !usage_stack_text(list, stack)) {
		text = past_stack(c->past, stack);
		usage_add_stack(list, stack, text ? text : "?");
		free(text);
	}
	return true;
}

/**
 * history_list - all that the command line asks for, from --since to --until
 * @o:	     the command line
 * @from_ns: instead of --since if that was not given
 * @stacks:  with the texts of the stacks
 * @list:    zeroed; gets it; its times are those of what is kept
 *
 * Return: EXIT_OK, or another status after a message.
 */
int history_list(const struct opts *o, int64_t from_ns, bool stacks, struct usage_list *list)
{
	struct past past;
	struct collected c = { .o = o, .past = &past, .list = list, .stacks = stacks };
	int ret = history_open(&past, o);

	if (ret)
		return ret;
	if (o->since_ns)
		from_ns = o->since_ns;
	ret = past_each(&past, from_ns, history_until(o), collect, &c);
	list->lost_ios = past.lost_ios;
	list->recorded_ns = past.recorded_ns;
	if (!ret && past.widened && o->format != FORMAT_JSON)
		msg("what is old is kept by minutes and hours: this begins earlier or ends later than asked");
	past_close(&past);
	history_end_words(o);
	return ret;
}

static uint64_t ios_of(const struct usage_list *list)
{
	uint64_t ios = 0;
	size_t i;

	for (i = 0; i < list->nr; i++)
		ios += list->list[i].ios;
	return ios;
}

/* JSON: which time it is of. */
static void print_past(const struct usage_list *list)
{
	static const struct col cols[] = {
		{ "FROM", "from_ns", COL_DIGITS, 0, 0 }, { "FROM", "from_s", COL_SECONDS, 0, 0 },
		{ "UNTIL", "until_ns", COL_DIGITS, 0, 0 },
		{ "UNTIL", "until_s", COL_SECONDS, 0, 0 },
		{ "IOS", "ios", COL_COUNT, 0, 0 }, { "LOST", "lost_ios", COL_COUNT, 0, 0 },
	};
	struct table *t = table_new(FORMAT_JSON, "past", cols, ARRAY_SIZE(cols));
	struct cell c[] = {
		CELL_N(list->from_ns), CELL_N(list->from_ns), CELL_N(list->until_ns),
		CELL_N(list->until_ns), CELL_N(ios_of(list)), CELL_N(list->lost_ios),
	};

	table_row(t, c);
	table_end(t);
}

static void print_head(const struct opts *o, const struct usage_list *list)
{
	char from[32], until[32];

	if (o->format == FORMAT_JSON)
		print_past(list);
	if (o->format == FORMAT_TABLE)
		out_printf("%s to %s  %llu IOs\n", since_text(list->from_ns, from, sizeof(from)),
			   since_text(list->until_ns, until, sizeof(until)),
			   (unsigned long long)ios_of(list));
	if (list->lost_ios && o->format != FORMAT_JSON)
		msg("%llu IOs of this time are not known", (unsigned long long)list->lost_ios);
}

/* Nothing is there, which is no error.  Return: whether it is so. */
static bool is_empty(const struct opts *o, const struct usage_list *list)
{
	if (list->nr)
		return false;
	if (o->format == FORMAT_JSON)
		print_past(list);
	if (o->format == FORMAT_TABLE)
		out_puts(list->until_ns ? "No such IO was recorded in this time.\n" :
			 "Nothing was recorded in this time.\n");
	return true;
}

static void print_by(const struct opts *o, const struct usage_list *list, enum pivot by)
{
	struct usage_list rows = { 0 };

	usage_by(&rows, list, by);
	usage_sort(&rows, o->sort);
	usage_print(o, &rows, by);
	usage_clear(&rows);
}

int history_report(const struct opts *o)
{
	static const enum pivot parts[] = { BY_PROCESS, BY_FILE, BY_DEVICE, BY_STACK };
	struct usage_list list = { 0 };
	bool stacks = o->command == CMD_STACKS;
	int ret = history_list(o, 0, true, &list);
	size_t i;

	if (ret || is_empty(o, &list)) {
		usage_clear(&list);
		return ret;
	}
	print_head(o, &list);
	if (o->given_by || stacks)
		print_by(o, &list, stacks ? BY_STACK : o->by);
	for (i = 0; i < ARRAY_SIZE(parts) && !o->given_by && !stacks; i++) {
		/* a recorder may have no stacks at all */
		if (parts[i] == BY_STACK && !list.nr_stacks)
			continue;
		if (o->format == FORMAT_TABLE)
			out_printf("\nBy %s:\n", choice_pivots[parts[i]]);
		print_by(o, &list, parts[i]);
	}
	usage_clear(&list);
	return EXIT_OK;
}

struct steps {
	struct collected to;
	struct usage_list list;
	int64_t step_ns, nr;	/* which step @list is of, since 1970 */
	int64_t span_ns;	/* when the span of the last usage began */
	int64_t east_ns;	/* of the time zone then; of other steps, when the first began */
	bool of_day;		/* days, or equal parts of a day: they begin as clocks here show */
	bool printed;
};

static void print_step(struct steps *s)
{
	const struct opts *o = s->to.o;

	if (!s->list.nr)
		return;
	if (s->printed && o->format == FORMAT_TABLE)
		out_puts("\n");
	print_head(o, &s->list);
	print_by(o, &s->list, o->by);
	s->printed = true;
	usage_clear(&s->list);
}

static int64_t zone_ns(int64_t ns)
{
	time_t t = ns / SECOND;
	struct tm tm;

	return localtime_r(&t, &tm) ? tm.tm_gmtoff * SECOND : 0;
}

/*
 * A day in which clocks are set has 23 or 25 hours.  Hours are of one length: when clocks are set
 * back, two of them show the same time, and are two steps.
 */
static bool is_of_day(int64_t ns)
{
	return ns > HOUR && !(ns % HOUR) && (!(ns % DAY) || !(DAY % ns));
}

static bool add_step(const struct usage *usage, const struct past_span *span, void *arg)
{
	struct steps *s = arg;
	int64_t nr;

	if (s->of_day && span->from_ns != s->span_ns)
		s->east_ns = zone_ns(span->from_ns);
	s->span_ns = span->from_ns;
	nr = (span->from_ns + s->east_ns) / s->step_ns;
	if (nr != s->nr) {
		print_step(s);
		s->nr = nr;
		usage_clear(&s->list);
	}
	collect(usage, span, &s->to);
	return !out_closed();
}

/* About 120 tables at most, if no interval is given. */
static int64_t usual_step(int64_t ns)
{
	return ns <= 2 * HOUR ? HOUR / 60 : ns <= 120 * HOUR ? HOUR : DAY;
}

/*
 * A table for each interval.  One that is longer than asked for is as long as what is kept.
 * While the past is read, its databases can only grow: the tables are printed when it is closed.
 */
int history_top(const struct opts *o)
{
	int64_t until_ns = history_until(o);
	struct past past;
	struct steps s = { .to = { .o = o, .past = &past, .stacks = o->by == BY_STACK } };
	int ret = history_open(&past, o);
	uint64_t lost;

	if (ret)
		return ret;
	s.to.list = &s.list;
	s.east_ns = zone_ns(o->since_ns);
	s.step_ns = o->interval_ns ? (int64_t)o->interval_ns : usual_step(until_ns - o->since_ns);
	s.of_day = is_of_day(s.step_ns);
	past.finest = s.step_ns >= HOUR ? PAST_HOUR : s.step_ns >= HOUR / 60 ? PAST_MINUTE :
		      PAST_INTERVAL;
	out_hold();
	ret = past_each(&past, o->since_ns, until_ns, add_step, &s);
	if (!ret)
		print_step(&s);
	if (!ret && !s.printed)
		is_empty(o, &s.list);
	lost = past.lost_ios;
	past_close(&past);
	out_release();
	history_end_words(o);
	if (lost)
		msg("%llu IOs of this time are not known", (unsigned long long)lost);
	usage_clear(&s.list);
	return ret;
}

/* What a histogram stands for. */
static const char *label_of(const struct usage_list *list, const struct usage_key *key,
			    enum pivot by)
{
	const char *text;

	switch (by) {
	case BY_FILE:
		return *key->file ? key->file : "-";
	case BY_DEVICE:
		return key->disk;
	case BY_CGROUP:
		return *key->unit ? key->unit : "-";
	case BY_OP:
		return rec_op_name(rec_op_letters[key->op]);
	case BY_WHY:
		return *key->why ? key->why : "-";
	case BY_STACK:
		text = usage_stack_text(list, key->stack);
		return text ? text : "-";
	default:
		return key->program;
	}
}

/*
 * The slots of a usage are those of the bars, powers of two microseconds: the middle of each is
 * in the slot that has the same name there.
 */
static void hist_of_usage(struct hist *h, const struct usage *u)
{
	unsigned int i;
	uint64_t ns;

	memset(h, 0, sizeof(*h));
	for (i = 0; i < USAGE_SLOTS; i++) {
		ns = i ? usage_slot_low(i) / 2 * 3 : 500;
		h->n[hist_time_slot(ns)] += u->lat[i];
	}
}

int history_hist(const struct opts *o)
{
	struct usage_list list = { 0 }, rows = { 0 };
	struct run run = { .opts = o };
	struct hist h;
	struct usage u;
	size_t i, most = hist_most(o);
	int ret = history_list(o, 0, o->given_by && o->by == BY_STACK, &list);

	if (ret || is_empty(o, &list)) {
		usage_clear(&list);
		return ret;
	}
	print_head(o, &list);
	for (i = 0; i < list.nr; i++) {
		u = list.list[i];
		u.key = (struct usage_key){ .uid = UINT32_MAX };
		if (o->given_by)
			u.key.program = label_of(&list, &list.list[i].key, o->by);
		usage_add(&rows, &u);
	}
	usage_sort(&rows, o->given_sort ? o->sort : SORT_IOS);
	for (i = 0; i < rows.nr && i < most; i++) {
		hist_of_usage(&h, &rows.list[i]);
		hist_print(&run, &h, rows.list[i].ns, o->given_by ? choice_pivots[o->by] : NULL,
			   o->given_by ? rows.list[i].key.program : NULL, list.until_ns);
	}
	if (i < rows.nr && o->format == FORMAT_TABLE)
		out_printf("\n... and %zu more (--rows)\n", rows.nr - i);
	usage_clear(&rows);
	usage_clear(&list);
	return EXIT_OK;
}

static uint64_t weight_of(const struct usage *u, enum weight weight)
{
	return weight == WEIGHT_IOS ? u->ios : weight == WEIGHT_TIME ? u->ns / 1000 : u->bytes;
}

/* Frames as in the flame graph of what happens now: program, functions, reason. */
static void add_frames(struct flame *f, const struct usage_list *list, const struct usage *u,
		       uint64_t weight)
{
	const char *frame[FRAMES + 2];
	char *text = must(strdup(u->key.stack ? label_of(list, &u->key, BY_STACK) : ""));
	char *name, *rest, reason[72];
	unsigned int nr = 0;

	frame[nr++] = *u->key.program ? u->key.program : "?";
	for (name = strtok_r(text, ";", &rest); name && nr < FRAMES;
	     name = strtok_r(NULL, ";", &rest))
		frame[nr++] = name;
	snprintf(reason, sizeof(reason), "[%.60s]", *u->key.why ? u->key.why : "-");
	frame[nr++] = reason;
	if (weight)
		flame_add(f, frame, nr, weight);
	free(text);
}

/**
 * history_flame - the tree of all stacks from --since to --until
 * @o:	     the command line
 * @f:	     the tree, to be freed
 * @seconds: how long what was recorded lasted
 *
 * Return: EXIT_OK, or another status after a message: also if no stack is known.
 */
int history_flame(const struct opts *o, struct flame **f, double *seconds)
{
	struct usage_list list = { 0 };
	int ret = history_list(o, 0, true, &list);
	size_t i;

	if (!ret && !list.nr_stacks) {
		msg(list.nr ?
		    "no stacks were recorded then; what there is: ioblame report --since" :
		    list.until_ns ? "no such IO was recorded in this time" :
		    "nothing was recorded in this time");
		ret = EXIT_FAILED;
	}
	if (!ret) {
		*f = flame_new();
		*seconds = (double)(list.until_ns - list.from_ns) / 1e9;
		for (i = 0; i < list.nr; i++)
			add_frames(*f, &list, &list.list[i], weight_of(&list.list[i], o->weight));
	}
	usage_clear(&list);
	return ret;
}
