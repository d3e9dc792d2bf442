// SPDX-License-Identifier: GPL-2.0
/*
 * What a bundle has of the kernel's log: each report (WARNING, Oops, stall, ...) with ten lines
 * before it, and the lines that name ioblame.
 *
 * A report ends with its last line, "---[ end trace", or where the log pauses for a second, or
 * after 600 lines.  The first reports are kept if there is no room for all: the later ones are
 * often a consequence.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "anonym.h"
#include "bundle.h"
#include "msg.h"

enum {
	REPORT_LINES = 600,
	REPORT_PAUSE_US = 1000000,
	CONTEXT = 10,
	/* a record of the log is shorter, by the kernel's promise */
	RECORD = 8192,
};

struct record {
	unsigned long long us;
	char *text;
};

struct log {
	FILE *f;
	unsigned int lines_left;	/* of a report, 0: none is going on */
	unsigned long long last_us;
	unsigned int reports;
	struct record before[CONTEXT];	/* a ring of those that were not printed */
	unsigned int nr_before;		/* all that were ever in it */
};

static bool begins_report(const char *text)
{
	/* at the beginning of a line; and anywhere */
	static const char *const first[] = {
		"------------[ cut here", "WARNING:", "BUG:", "Oops", "general protection", "KASAN",
		"kernel BUG at", "Unable to handle", "divide error", "invalid opcode", "stack segment",
		"double fault", "INFO: possible", "refcount_t:", "list_add corruption",
		"list_del corruption", "DEBUG_LOCKS_WARN_ON", "UBSAN", "NMI backtrace",
	};
	static const char *const anywhere[] = {
		"detected stall", "self-detected", "soft lockup", "hard LOCKUP", "blocked for more than",
		"Kernel panic", "Call Trace:", "page allocation failure", "inconsistent lock state",
		"invoked oom-killer", "sysrq: Show",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		if (!strncmp(text, first[i], strlen(first[i])))
			return true;
	}
	for (i = 0; i < ARRAY_SIZE(anywhere); i++) {
		if (strstr(text, anywhere[i]))
			return true;
	}
	return false;
}

static void print_record(FILE *f, unsigned long long us, const char *text)
{
	char *safe = anonym_is_on() ? anonym_line(text) : NULL;

	fprintf(f, "[%5llu.%06llu] %s\n", us / 1000000, us % 1000000, safe ? safe : text);
	free(safe);
}

/* Keep a line that may prove to stand just before a report. */
static void keep_record(struct log *log, unsigned long long us, const char *text)
{
	struct record *r = &log->before[log->nr_before++ % CONTEXT];

	free(r->text);
	r->us = us;
	r->text = must(strdup(text));
}

static void print_context(struct log *log)
{
	unsigned int i;

	for (i = 0; i < CONTEXT; i++) {
		struct record *r = &log->before[(log->nr_before + i) % CONTEXT];

		if (r->text)
			print_record(log->f, r->us, r->text);
		free(r->text);
		r->text = NULL;
	}
}

static void add_record(struct log *log, unsigned long long us, const char *text)
{
	bool begins = begins_report(text);

	if (log->lines_left && !begins && us > log->last_us + REPORT_PAUSE_US)
		log->lines_left = 0;
	if (begins && !log->lines_left) {
		log->lines_left = REPORT_LINES;
		log->reports++;
		fprintf(log->f, "\n--- report %u\n", log->reports);
		print_context(log);
	}
	log->last_us = us;
	if (log->lines_left) {
		print_record(log->f, us, text);
		log->lines_left--;
		if (strstr(text, "---[ end trace") || strstr(text, "---[ end Kernel panic"))
			log->lines_left = 0;
	} else if (strstr(text, "ioblame")) {
		print_record(log->f, us, text);
	} else {
		keep_record(log, us, text);
	}
}

/* "PRIORITY,NUMBER,MICROSECONDS,FLAGS[,...];TEXT\n KEY=VALUE..." */
static void parse_record(struct log *log, char *record)
{
	char *text = strchr(record, ';');
	unsigned long long us;

	if (!text || sscanf(record, "%*u,%*u,%llu", &us) != 1)
		return;
	text++;
	text[strcspn(text, "\n")] = '\0';
	add_record(log, us, text);
}

void bundle_log(FILE *f)
{
	static const char path[] = "/dev/kmsg";
	struct log log = { .f = f };
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char *record = must(malloc(RECORD + 1));
	unsigned int i;
	ssize_t n;

	for (;;) {
		n = fd < 0 ? -1 : read(fd, record, RECORD);
		/* the oldest record was overwritten meanwhile: go on with the next */
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		record[n] = '\0';
		parse_record(&log, record);
	}
	if (n < 0 && errno != EAGAIN)
		bundle_missing(path, strerror(errno));
	else
		fprintf(f, "\n%u reports; other lines are left out\n", log.reports);
	if (fd >= 0)
		close(fd);
	for (i = 0; i < CONTEXT; i++)
		free(log.before[i].text);
	free(record);
}
