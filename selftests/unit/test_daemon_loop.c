// SPDX-License-Identifier: GPL-2.0
/*
 * The loop, with the module, the sockets and the recorder played by functions here: what the
 * metrics say while the module comes and goes.
 */
#include <signal.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "../../tools/ioblamed/metrics_sum.h"
#include "caps.h"
#include "daemon.h"
#include "dir.h"
#include "feeder.h"
#include "kernel.h"
#include "let_go.h"
#include "moments.h"
#include "name.h"
#include "namer.h"
#include "query.h"
#include "records.h"
#include "settings.h"
#include "test.h"
#include "viewers.h"

#define SECOND		1000000000LL
#define SWITCHED_ON	"enabled 1\nsession 1\n"

/*
 * What an interval finds of the module: it is watched; it was let go and is opened again; it is
 * not there.  The end of the text ends the loop.
 */
static const char *days, *day;
static unsigned int intervals, served;
static char *shown[8];		/* the text file, after each interval */
static char *first;		/* before the first one */
static char *left;		/* and when the daemon has ended; NULL: there is none */
static struct daemon played;

static char *read_textfile(void)
{
	char text[32768];
	FILE *f = fopen(played.conf.metrics.textfile, "r");
	size_t n;

	if (!f)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	return strdup(text);
}

/* When it let go of the module, was asked to and said so, and the interval that came then, in us */
static struct {
	uint64_t at, said, next;
	unsigned int after_us;		/* the signal comes then; 0: none */
} let_go;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000ULL + t.tv_nsec / 1000;
}

bool kernel_pass(struct usage_list *list)
{
	if (let_go.at && !let_go.next)
		let_go.next = now();
	usage_clear(list);
	if (*day == 'w')
		list->from_ns = list->until_ns = 1000000000LL * ++intervals;
	return *day == 'w';
}

static unsigned int gathers;

void kernel_gather(void)
{
	gathers++;
}

static uint64_t at_once(uint64_t us)
{
	return us < 1000000 ? us : us / 10000;
}

/* In the place of systemd's: seconds last for 0.1 ms. */
int sd_event_add_time_relative(sd_event *event, sd_event_source **source, clockid_t clock,
			       uint64_t us, uint64_t accuracy, sd_event_time_handler_t fn,
			       void *arg)
{
	uint64_t now = 0;

	sd_event_now(event, clock, &now);
	return sd_event_add_time(event, source, clock, now + at_once(us), at_once(accuracy), fn,
				 arg);
}

int sd_event_source_set_time_relative(sd_event_source *source, uint64_t us)
{
	clockid_t clock = CLOCK_MONOTONIC;
	uint64_t now = 0;

	sd_event_source_get_time_clock(source, &clock);
	sd_event_now(sd_event_source_get_event(source), clock, &now);
	return sd_event_source_set_time(source, now + at_once(us));
}

bool kernel_is_open(void)
{
	return *day && *day != '-';
}

char *dir_read(const char *name)
{
	return kernel_is_open() && !strcmp(name, "status") ? strdup(SWITCHED_ON) : NULL;
}

/* After the interval's usage: look at what the metrics are, and go on to the next one. */
void moments_interval(struct moments *m)
{
	(void)m;
	/* the first one is that of the begin */
	if (!first) {
		first = read_textfile();
		served = 0;
		return;
	}
	shown[day - days] = read_textfile();
	if (!*++day)
		sd_event_exit(played.event, 0);
}

int metrics_listen(struct metrics *m)
{
	(void)m;
	return -1;
}

bool metrics_ready(struct metrics *m)
{
	(void)m;
	served++;
	return false;
}

void metrics_close(struct metrics *m)
{
	(void)m;
}

struct moments *moments_begin(const struct conf_moments *conf, gid_t group)
{
	(void)conf;
	(void)group;
	return NULL;
}

int records_begin(struct sd_event *event)
{
	(void)event;
	return 0;
}

const char *records_state(void)
{
	return NULL;
}

const char *kernel_state(void)
{
	return "";
}

int caps_keep(enum caps caps)
{
	(void)caps;
	return 0;
}

static unsigned int sockets, opened, added, ticks;
static int others;		/* how often another one is found recording there */
static const char *past;	/* the file of which questions are answered */

int viewers_begin(struct sd_event *event, const char *path)
{
	(void)event;
	(void)path;
	sockets++;
	return 0;
}

int query_begin(struct sd_event *event, const char *path)
{
	(void)event;
	(void)path;
	sockets++;
	return 0;
}

pid_t recorder_lock(struct recorder_lock *l, const char *path)
{
	(void)l;
	(void)path;
	return others && others-- ? 4711 : 0;
}

void recorder_unlock(struct recorder_lock *l)
{
	(void)l;
}

int feeder_begin(struct sd_event *event, const char *source, bool once, feeder_usage_fn fn,
		 void *arg)
{
	struct usage_list list = { .from_ns = 1, .until_ns = 2 };
	unsigned int i;

	(void)source;
	(void)once;
	for (i = 0; i < 4; i++)
		fn(&list, arg);
	return sd_event_exit(event, 0);
}

int recorder_open(struct recorder *r, const struct recorder_conf *conf)
{
	(void)r;
	(void)conf;
	opened++;
	return 0;
}

int kernel_mount(void) { return 0; }
int namer_start(void) { return 0; }
bool kernel_needs_start(void) { return false; }
void kernel_begin(void) {}
void kernel_let_go(void) { let_go.at = now(); }
void let_go_begin(void) {}
void settings_disks(const char *names) { (void)names; }
void let_go_end(void) {}

void let_go_done(void) { let_go.said = now(); }
void kernel_end(void) {}
void namer_stop(void) {}
void records_let_go(void) {}
void records_end(void) {}
void viewers_end(void) {}
void query_end(void) {}
void feeder_end(void) {}
void viewers_usage(const struct usage_list *usage) { (void)usage; }
void moments_end(struct moments *m) { (void)m; }
void busy_end(struct busy *busy) { (void)busy; }
void name_stale_after(uint64_t ns) { (void)ns; }
void name_bound(size_t longest, size_t bytes) { (void)longest; (void)bytes; }
void process_forget_after(uint64_t ns) { (void)ns; }
void peer_group(const char *name) { (void)name; }
gid_t peer_find_group(const char *name) { (void)name; return -1; }

gid_t conf_group(const struct conf *conf, gid_t (*find)(const char *name))
{
	(void)conf;
	(void)find;
	return 0;
}

void recorder_defaults(struct recorder_conf *conf) { (void)conf; }
void recorder_close(struct recorder *r) { (void)r; }

void busy_pass(struct busy *busy, const char *path, struct usage_list *list)
{
	(void)busy;
	(void)path;
	(void)list;
}

void query_past_of(const char *file, const char *recent)
{
	(void)recent;
	past = file;
}

void recorder_add(struct recorder *r, const struct usage_list *list)
{
	(void)r;
	(void)list;
	added++;
}

void recorder_tick(struct recorder *r, int64_t now_ns)
{
	(void)r;
	(void)now_ns;
	ticks++;
}

static int send_hangup(sd_event_source *source, uint64_t now_us, void *arg)
{
	(void)source;
	(void)now_us;
	(void)arg;
	return kill(getpid(), SIGHUP);
}

/* The loop is about to begin. */
void moments_watch(struct moments *m)
{
	(void)m;
	if (let_go.after_us)
		sd_event_add_time_relative(played.event, NULL, CLOCK_MONOTONIC, let_go.after_us, 1,
					   send_hangup, NULL);
}

/* @file: recorded into; "" if it is not */
static void run_at(const char *what, const char *file, uint64_t interval_ns)
{
	memset(&played, 0, sizeof(played));
	strcpy(played.conf.recorder.file, file);
	strcpy(played.conf.recorder.recent, file);
	memset(shown, 0, sizeof(shown));
	free(first);
	first = NULL;
	metrics_defaults(&played.conf.metrics);
	snprintf(played.conf.metrics.textfile, METRICS_PATH, "/dev/shm/loop.%d.prom", getpid());
	played.conf.daemon.interval_ns = interval_ns;
	days = what;
	day = what;
	intervals = 0;
	gathers = 0;
	served = 0;
	/* a loop that hangs */
	alarm(60);
	if (daemon_run(&played) != 0)
		fail("%s: it failed", what);
	alarm(0);
	left = read_textfile();
	unlink(played.conf.metrics.textfile);
}

static void run(const char *what, const char *file)
{
	run_at(what, file, 5000000);
}

static void check(const char *what, unsigned int at, const char *line)
{
	if (!shown[at] || !strstr(shown[at], line))
		fail("%s: no %s after interval %u", what, line, at);
}

/* The module is unloaded, and comes back: the text file says so at once, and lives on. */
static void unloaded(void)
{
	static const char what[] = "ww--wow";
	static const char up[] = "\nioblame_up 1\n", down[] = "\nioblame_up 0\n";
	unsigned int i;

	run(what, "");
	for (i = 0; what[i]; i++)
		check(what, i, what[i] == '-' ? down : up);
	if (!strstr(first, up) || !strstr(first, "\nioblame_certainty_bytes_total{"))
		fail("before the first interval the file is: %s", first);
	/* an interval of which nothing is known is not counted */
	if (intervals != 4)
		fail("%u intervals were watched", intervals);
	/* connections that are idle are looked at in each interval, and at the end */
	if (served < strlen(what))
		fail("idle connections are looked at %u times in %zu intervals", served, strlen(what));
	for (i = 0; i < ARRAY_SIZE(shown); i++)
		free(shown[i]);
	free(left);
}

/* A text file stays behind, with that nothing is watched any more, and no counter that stands. */
static void ends(void)
{
	run("ww", "");
	if (!left || !strstr(left, "\nioblame_up 0\n") || strstr(left, "_total"))
		fail("it leaves %s", left ? left : "no file");
	free(left);
	free(shown[0]);
	free(shown[1]);
}

/* The recorder writes and tidies a step in each interval: recorder_add() does that, too. */
static void recorded(void)
{
	static const char what[] = "ww--wow";
	unsigned int i;

	others = 0;
	added = 0;
	ticks = 0;
	run(what, "/nowhere/past.db");
	if (added != 4 || ticks != strlen(what) - added)
		fail("%u intervals are added, %u ticks of %zu", added, ticks, strlen(what));
	for (i = 0; i < ARRAY_SIZE(shown); i++)
		free(shown[i]);
	free(left);
}

/* Within a long interval the module's sums are read, too. */
static void gathered(void)
{
	static const struct { int64_t interval, least, most; } cases[] = {
		{ 60, 0, 0 }, { 3600, 1, 59 + 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		run_at("w", "", cases[i].interval * SECOND);
		if (gathers < cases[i].least || gathers > cases[i].most)
			fail("it gathers %u times in %lld s", gathers, (s64)cases[i].interval);
		free(shown[0]);
		free(left);
	}
}

/* Late in an interval it is told to let go: a whole one is left to unload the module. */
static void lets_go(void)
{
	const uint64_t interval_us = 500000;
	unsigned int i;

	/* (where this process stands still before, the interval ends without) */
	for (i = 0; i < 20; i++) {
		memset(&let_go, 0, sizeof(let_go));
		let_go.after_us = 400000;
		run_at("w", "", interval_us * 1000);
		if (let_go.at)
			break;
		free(shown[0]);
		free(left);
	}
	if (!let_go.at || let_go.said < let_go.at)
		fail("it says that it has let go before it has");
	if (let_go.next < let_go.at + interval_us)
		fail("it has let go for %llu us of an interval",
		     (unsigned long long)(let_go.next - let_go.at));
	memset(&let_go, 0, sizeof(let_go));
	free(shown[0]);
	free(left);
}

static void feed(const char *file, const char *socket, const char *query)
{
	memset(&played, 0, sizeof(played));
	played.feed = "-";
	strcpy(played.conf.recorder.file, file);
	strcpy(played.conf.recorder.recent, "/nowhere/recent.db");
	strcpy(played.conf.viewers.socket, socket);
	strcpy(played.conf.viewers.query, query);
	sockets = 0;
	opened = 0;
	added = 0;
	past = NULL;
	if (daemon_run(&played))
		fail("%s: it failed", file);
}

/* A feed of four intervals: it is served at other sockets than the machine's own. */
static void fed(void)
{
	others = 0;
	feed("/nowhere/past.db", CONF_SOCKET, CONF_QUERY);
	if (sockets || opened != 1 || added != 4)
		fail("%u sockets, %u recorders, %u intervals", sockets, opened, added);
	feed(PAST_FILE, "/nowhere/socket", "/nowhere/query");
	if (sockets != 2 || opened || past)
		fail("%u sockets, %u recorders, or a past", sockets, opened);
}

/* What a timer has the daemon make of a feed is read after it. */
static void fed_once(void)
{
	static const char interval[] = "\nioblame_exporter_intervals_total 4\n";
	unsigned int once;

	for (once = 0; once < 2; once++) {
		memset(&played, 0, sizeof(played));
		metrics_defaults(&played.conf.metrics);
		snprintf(played.conf.metrics.textfile, METRICS_PATH, "/dev/shm/loop.%d.prom",
			 getpid());
		played.feed = "-";
		played.once = once;
		if (daemon_run(&played))
			fail("it failed");
		left = read_textfile();
		if (!left || !!strstr(left, interval) != once)
			fail("%s it leaves %s", once ? "once:" : "", left ? left : "no file");
		free(left);
		unlink(played.conf.metrics.textfile);
	}
}

/* Another one records there until the second interval ends: a part of that, which it has. */
static void locked_out(void)
{
	others = 2;
	feed("/nowhere/past.db", "", "");
	if (opened != 1 || added != 2)
		fail("%u recorders, %u intervals", opened, added);
	others = 9;
	feed("/nowhere/past.db", "", "");
	if (opened || added)
		fail("two record: %u intervals", added);
	/* the other one's is the past of this machine, too */
	if (!past || strcmp(past, "/nowhere/past.db"))
		fail("the past is that of %s", past ? past : "nobody");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(unloaded), TEST(ends), TEST(recorded), TEST(gathered), TEST(lets_go),
		TEST(fed), TEST(fed_once), TEST(locked_out),
	};

	return run_tests("daemon_loop", tests, ARRAY_SIZE(tests));
}
