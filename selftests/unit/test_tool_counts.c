// SPDX-License-Identifier: GPL-2.0
/*
 * What `ioblame hist --counters` prints of numbers that have 32 bits, of acts that come and go, for
 * as long as it runs.  The clock, the session and the module's counters_pipe are fakes.
 */
#include "fake_dir.h"
#include "fake_names.h"
#include "fake_run.h"
#include "test.h"

static ssize_t fake_read(int fd, void *to, size_t size);
static off_t fake_lseek(int fd, off_t off, int whence);
static int fake_close(int fd);
static bool fake_stop(void);

/* It is this run that switches ioblame on. */
static int begin_own(struct session *s, const struct device *want, unsigned int nr,
		     const char *const *counters)
{
	(void)want;
	(void)nr;
	(void)counters;
	s->own = true;
	return 0;
}

#define session_begin	begin_own
#define read	fake_read
#define lseek	fake_lseek
#define close	fake_close
#define stop_asked	fake_stop
#include "counts.c"
#undef session_begin
#undef read
#undef lseek
#undef close
#undef stop_asked

enum {
	ACTS = 64,
	PIPE = 1000,		/* its descriptor */
};

/* An act of the module: the counts of the first slot; 0: it is not there */
static struct act {
	const char *comm;	/* two may have the same line */
	u64 n;
	u32 pid;		/* 0: that of most */
} acts[ACTS];

static u64 now, most_apart, last_reading, readings;
static u64 printed, told;	/* IOs */
static unsigned int nr_hists, nr_more;
static bool taken;		/* somebody else reads the pipe */
static void (*pass_time)(void);	/* what happens each time that it waits */
static int stop_at = -1;	/* a signal comes when the first reading is at this act; -1: none */
static bool stopped;
static off_t first_at;		/* what the first reading came to */

/* As the module's: the position is an act, and a block that has no room comes whole, later */
static char text[1024];
static size_t off, len;
static off_t at;

static bool make_block(off_t from)
{
	int i;

	for (; from < ACTS && !acts[from].comm; from++)
		;
	if (from == ACTS)
		return false;
	at = from;
	off = 0;
	len = sprintf(text, "pid-%d (%s) int=1 dev=0x0 ino=0x0 gen=0x0\n",
		      acts[from].pid ? acts[from].pid : 7, acts[from].comm);
	for (i = 0; i < 32; i++)
		len += sprintf(text + len, "%s%7u%s", i % 8 ? " " : "  ", i ? 0 : (u32)acts[from].n,
			       i % 8 == 7 ? "\n" : "");
	return true;
}

static ssize_t fake_read(int fd, void *to, size_t size)
{
	size_t n, done = 0;

	if (fd != PIPE)
		fail("another file is read");
	while (done < size) {
		if (off == len && !make_block(at))
			break;
		n = len - off < size - done ? len - off : size - done;
		if (done && n < len - off) {
			off = len;
			break;
		}
		memcpy((char *)to + done, text + off, n);
		done += n;
		off += n;
		if (off == len)
			at++;
	}
	if (readings == 1) {
		first_at = at;
		stopped |= at == stop_at;
	}
	return done;
}

static bool fake_stop(void)
{
	return stopped;
}

static off_t fake_lseek(int fd, off_t to, int whence)
{
	(void)fd;
	if (whence == SEEK_SET) {
		at = to;
		off = len;
		readings++;
		if (now - last_reading > most_apart)
			most_apart = now - last_reading;
		last_reading = now;
	}
	return at;
}

static int fake_close(int fd)
{
	if (fd == PIPE)
		taken = false;
	return 0;
}

int dir_open(const char *name, int flags)
{
	(void)flags;
	if (strcmp(name, "counters_pipe") || taken) {
		errno = EBUSY;
		return -1;
	}
	taken = true;
	return PIPE;
}

uint64_t clock_ns(void)
{
	return now;
}

int stop_wait(int fd, uint64_t timeout_ns)
{
	(void)fd;
	now += timeout_ns;
	pass_time();
	return 0;
}

void hist_print(const struct run *run, const struct hist *h, __uint128_t sum, const char *by,
		const char *name, uint64_t to_ns)
{
	unsigned int i;

	(void)run;
	(void)sum;
	(void)by;
	(void)name;
	(void)to_ns;
	for (i = 0; i < ARRAY_SIZE(h->n); i++)
		printed += h->n[i];
	nr_hists++;
}

const char *label_row(const struct atom *a, enum pivot by, char *to, unsigned int size)
{
	(void)a;
	(void)by;
	(void)size;
	*to = '\0';
	return to;
}

void along_add_role(struct iob_iolog_bin_record *rec)
{
	(void)rec;
}

const char *intent_why(const struct iob_iolog_bin_record *rec)
{
	(void)rec;
	return "";
}

const char *name_cgroup(uint64_t id)
{
	(void)id;
	return "";
}

const char *name_user(uint32_t tgid, const char *comm)
{
	(void)tgid;
	(void)comm;
	return "";
}

void intent_load(int fd)
{
	(void)fd;
}

int source_open_idle(struct source *s)
{
	(void)s;
	return 0;
}

void session_off_reading(struct session *s, void (*read)(void *arg), void *arg)
{
	(void)s;
	read(arg);
}

/* The number of the session; it is off from then on */
static u64 session_now, off_from_ns = UINT64_MAX;

bool status_now(struct status *st)
{
	*st = (struct status){ .enabled = now < off_from_ns, .session = session_now };
	return true;
}

char *dir_read_word(const char *name)
{
	(void)name;
	return strdup("0");
}

/* "... and N more" */
void out_printf(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	nr_more = va_arg(args, size_t);
	va_end(args);
}

/* An act has done more. */
static void more(unsigned int act, const char *comm, u64 n)
{
	acts[act].comm = comm;
	acts[act].n += n;
	told += n;
}

/* dd does 3,000,000 IOs a second, and each second another one some. */
static void busy(void)
{
	more(3, "dd", 300000);
	more(5 + now / 1000000000 % 7, "cat", 1);
}

/* An act goes when it was read, and comes again behind the next reading with more than before. */
static void come_and_go(void)
{
	static u64 before;

	more(1, "cp", 1);
	if (readings == before)
		return;
	before = readings;
	if (acts[9].comm)
		memset(&acts[9], 0, sizeof(acts[9]));
	else
		more(9, "mv", 100 * readings);
}

/* Two acts with one line, the first of which goes. */
static void twins(void)
{
	if (readings < 2) {
		more(20, "tar", 1000);
		more(30, "tar", 10);
	} else {
		memset(&acts[20], 0, sizeof(acts[20]));
		more(30, "tar", 10);
	}
}

static void somebody_reads(void)
{
	more(2, "dd", 10);
	taken = now < 500000000000ULL;
}

static const struct {
	const char *what;
	void (*pass)(void);
	u64 lasts;		/* seconds */
} cases[] = {
	{ "a short one", busy, 20 }, { "slots go round", busy, 4 * 3600 },
	{ "acts go", come_and_go, 1200 }, { "twins", twins, 600 },
	{ "the pipe is in use", somebody_reads, 900 },
};

static void counted(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct opts o = {
			.duration_ns = cases[i].lasts * 1000000000ULL, .field = FIELD_SIZE,
			.by = BY_PROCESS, .format = FORMAT_JSON,
		};

		memset(acts, 0, sizeof(acts));
		now = last_reading = most_apart = readings = printed = told = 0;
		others = 0;
		off = len = 0;
		taken = false;
		pass_time = cases[i].pass;
		if (counts_run(&o) || taken || wrong)
			fail("%s: it fails", cases[i].what);
		if (printed != told)
			fail("%s: %llu IOs of %llu", cases[i].what, printed, told);
		if (cases[i].lasts <= 60 && readings != 1)
			fail("%s: it reads %llu times", cases[i].what, readings);
		if (pass_time != somebody_reads && most_apart > APART_NS + 1000000000)
			fail("%s: readings are %llu s apart", cases[i].what,
			     most_apart / 1000000000);
	}
}

/* Somebody switches ioblame off, and maybe on again: what was counted until then is shown. */
static void other_session(void)
{
	const struct opts o = {
		.duration_ns = 60000000000ULL, .field = FIELD_SIZE, .by = BY_PROCESS,
		.format = FORMAT_JSON,
	};

	memset(acts, 0, sizeof(acts));
	now = last_reading = readings = printed = told = 0;
	off = len = 0;
	pass_time = busy;
	off_from_ns = 30000000000ULL;
	if (counts_run(&o) != EXIT_FAILED || printed != told)
		fail("off: it does not fail, or %llu IOs of %llu", printed, told);
	off_from_ns = UINT64_MAX;
	now = 0;
	session_now = 2;
	if (counts_run(&o) != EXIT_FAILED)
		fail("on again: it does not fail");
	session_now = 0;
}

static void all_busy(void)
{
	unsigned int i;

	for (i = 0; i < ACTS; i++)
		more(i, "dd", 1);
}

/* A signal ends a reading in between; the last one has all acts, as it is what the command prints. */
static void ended(void)
{
	const struct opts o = { .field = FIELD_SIZE, .by = BY_PROCESS, .format = FORMAT_JSON };

	memset(acts, 0, sizeof(acts));
	now = last_reading = readings = printed = told = 0;
	off = len = 0;
	stop_at = 5;
	pass_time = all_busy;
	if (counts_run(&o) || taken || wrong || !stopped)
		fail("it fails");
	if (readings != 2 || first_at > stop_at + 1)
		fail("%llu readings, the first to act %ld", readings, (long)first_at);
	if (printed != told)
		fail("%llu IOs of %llu", printed, told);
}

static void one_each(void)
{
	unsigned int i;

	for (i = 0; i < ACTS && now <= 1000000000; i++) {
		acts[i].pid = 100 + i;
		more(i, "dd", 1);
	}
}

/* Bars are cut without -r, what programs read is not.  Each of 64 processes has a histogram. */
static void cut(void)
{
	static const struct {
		enum format format;
		unsigned int rows, shown, more;
	} cuts[] = {
		{ FORMAT_TABLE, 0, 20, ACTS - 20 }, { FORMAT_JSON, 0, ACTS, 0 },
		{ FORMAT_CSV, 0, ACTS, 0 }, { FORMAT_TABLE, 30, 30, ACTS - 30 },
		{ FORMAT_JSON, 30, 30, 0 }, { FORMAT_CSV, 30, 30, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cuts); i++) {
		const struct opts o = {
			.duration_ns = 2000000000, .field = FIELD_SIZE, .by = BY_PROCESS,
			.given_by = true, .format = cuts[i].format, .rows = cuts[i].rows,
		};

		memset(acts, 0, sizeof(acts));
		now = last_reading = readings = printed = told = 0;
		off = len = 0;
		stop_at = -1;
		stopped = false;
		nr_hists = nr_more = 0;
		pass_time = one_each;
		if (counts_run(&o) || wrong)
			fail("case %u: it fails", i);
		if (nr_hists != cuts[i].shown || nr_more != cuts[i].more)
			fail("case %u: %u histograms, and %u more", i, nr_hists, nr_more);
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(counted), TEST(other_session), TEST(ended), TEST(cut) };

	return run_tests("tool_counts", tests, ARRAY_SIZE(tests));
}
