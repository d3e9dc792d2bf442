// SPDX-License-Identifier: GPL-2.0
/*
 * The past of a user who may not read the databases: ioblamed reads them, and sends what he did.
 * The answer to "past FROM_NS UNTIL_NS LEVEL" is lines of feed.h, where an interval is a span,
 * and others, which begin with a word:
 *
 *	stack HASH TEXT		of the usages that come
 *	level LEVEL		of the spans that come, enum past_level
 *	end LOST_IOS WIDENED RECORDED_NS
 *				the last line: the answer is whole
 *	error TEXT
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "feed.h"
#include "msg.h"
#include "past.h"
#include "served.h"
#include "stop.h"

/* What past.answer is */
struct answer {
	struct usage_list stacks;	/* their texts alone */
	bool whole;
	int level;			/* of the span that comes; an old ioblamed does not tell */
	uint64_t wrong;			/* lines */
	char *refused;
};

/* A line that is no JSON. */
static void take_word(struct past *past, struct answer *a, const char *line)
{
	unsigned long long n;
	long long recorded = 0;
	int widened, level, at = 0;

	/* (an old ioblamed does not tell the third) */
	if (sscanf(line, "end %20llu %1d %19lld", &n, &widened, &recorded) >= 2) {
		past->lost_ios = n;
		past->recorded_ns = recorded;
		past->widened = widened;
		a->whole = true;
	} else if (sscanf(line, "stack %20llu %n", &n, &at) == 1 && at) {
		usage_add_stack(&a->stacks, n, line + at);
	} else if (sscanf(line, "level %1d", &level) == 1) {
		a->level = level;
	} else if (!strncmp(line, "error ", 6) && !a->refused) {
		a->refused = must(escape_dup(line + 6, strlen(line + 6)));
	}
}

/* A span is complete: its usages.  Return: false if @one has enough. */
static bool pass_span(const struct usage_list *usage, struct past_span *span, past_fn one,
		      void *arg)
{
	bool go = true;
	size_t i;

	/* points and steps tell spans apart by their numbers and times */
	span->id++;
	span->from_ns = usage->from_ns;
	span->until_ns = usage->until_ns;
	for (i = 0; i < usage->nr && go; i++)
		go = one(&usage->list[i], span, arg);
	return go;
}

static void read_lines(struct past *past, FILE *f, past_fn one, void *arg)
{
	struct answer *a = past->answer;
	struct past_span span = { 0 };
	struct feed feed = { 0 };
	char *line = NULL;
	size_t size = 0;
	enum feed_got got;
	bool go = true;
	ssize_t n;

	while (go && !stop_asked() && (n = getline(&line, &size, f)) > 0) {
		if (line[n - 1] != '\n')
			break;
		line[--n] = '\0';
		if (*line != '{') {
			take_word(past, a, line);
			continue;
		}
		got = feed_line(&feed, line, n);
		a->wrong += got == FEED_WRONG;
		span.level = a->level;
		if (got == FEED_INTERVAL)
			go = pass_span(&feed.usage, &span, one, arg);
	}
	/* who has enough is content */
	a->whole |= !go;
	feed_end(&feed);
	free(line);
}

static int each_served(struct past *past, int64_t from_ns, int64_t until_ns, past_fn one,
		       void *arg)
{
	struct answer *a = past->answer;
	char request[96];
	struct served s;
	FILE *f;
	int err;

	snprintf(request, sizeof(request), "past %lld %lld %d\n", (long long)from_ns,
		 (long long)until_ns, past->finest);
	err = served_connect(&s, request);
	if (err) {
		msg("ioblamed does not answer: %s; see: systemctl status ioblamed", strerror(err));
		return EXIT_FAILED;
	}
	f = must(fdopen(s.fd, "r"));
	read_lines(past, f, one, arg);
	fclose(f);
	/* who ends it knows that it is not whole */
	if (stop_asked())
		return EXIT_FAILED;
	if (a->refused)
		msg("ioblamed refuses: %s", a->refused);
	else if (!a->whole)
		msg("the answer of ioblamed ends early; try again");
	else if (a->wrong)
		msg("the answer of ioblamed is not whole: %llu lines of it are not understood",
		    (unsigned long long)a->wrong);
	return a->whole && !a->wrong ? EXIT_OK : EXIT_FAILED;
}

static char *stack_served(struct past *past, uint64_t hash)
{
	const struct answer *a = past->answer;
	const char *text = usage_stack_text(&a->stacks, hash);

	return text ? must(strdup(text)) : NULL;
}

static void close_served(struct past *past)
{
	struct answer *a = past->answer;

	usage_clear(&a->stacks);
	free(a->refused);
	free(a);
	past->answer = NULL;
}

/* Let ioblamed answer: past_each() asks it. */
void past_open_served(struct past *past)
{
	static const struct past_other served = {
		.each = each_served, .stack = stack_served, .close = close_served,
	};

	memset(past, 0, sizeof(*past));
	past->finest = PAST_HOUR;
	past->other = &served;
	past->answer = must(calloc(1, sizeof(struct answer)));
}
