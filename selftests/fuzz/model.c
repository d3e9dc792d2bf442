// SPDX-License-Identifier: GPL-2.0
/*
 * What each file answers to a text, as Documentation/reference says.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "fuzz.h"

#define PARAMETERS	"/sys/module/ioblame/parameters/"

const char *iob = "/sys/kernel/debug/ioblame";

const char *const kind_names[NR_KINDS] = {
	"number", "word", "enable", "devs", "counter", "filter", "trust_tsc", "check_stacks",
	"read-only",
};

static const char *const charges[] = { "split", "first", NULL };
static const char *const roles[] = { "thread", "process", "cgroup", NULL };

static struct target targets[] = {
	{ "enable", ENABLE, .weight = 40 },
	{ "devs", DEVS, .weight = 160 },
	{ "log_at_enable", NUMBER, 0, 1, .weight = 20 },
	{ "max_roles", NUMBER, 4, 1 << 18, .while_disabled = true, .weight = 30 },
	{ "max_intents", NUMBER, 4, 1 << 24, .while_disabled = true, .weight = 30 },
	{ "max_causes", NUMBER, 4, (1 << 20) - (1 << 18), .while_disabled = true, .weight = 30 },
	{ "max_acts", NUMBER, 4, 1 << 24, .while_disabled = true, .weight = 30 },
	{ "max_sums", NUMBER, 4, 1 << 24, .while_disabled = true, .weight = 30 },
	{ "sums", NUMBER, 0, 1, .weight = 30 },
	{ "ttl_secs", NUMBER, 0, 315360000, .weight = 40 },
	{ "nr_counters", NUMBER, 0, MAX_COUNTERS, .while_disabled = true, .weight = 30 },
	{ "charge", WORD, .words = charges, .while_disabled = true, .weight = 40 },
	{ "role", WORD, .words = roles, .while_disabled = true, .weight = 40 },
	{ "role_id", NUMBER, 0, INT_MAX, .weight = 40 },
	{ PARAMETERS "trust_tsc", TRUST, 0, 2, .weight = 40 },
	{ PARAMETERS "check_stacks", BOOL, .weight = 20 },
	{ "status", READ_ONLY, .weight = 2 },
	{ "roles", READ_ONLY, .weight = 2 },
	{ "dirty", READ_ONLY, .weight = 2 },
	{ "intents", READ_ONLY, .weight = 2 },
	{ "intents_bin", READ_ONLY, .weight = 2 },
	{ "iolog", READ_ONLY, .weight = 2 },
	{ "counters_pipe", READ_ONLY, .weight = 2 },
	{ "counters_pipe_bin", READ_ONLY, .weight = 2 },
	{ "sums_bin", READ_ONLY, .weight = 2 },
	{ "nr_roles", READ_ONLY, .weight = 2 },
	{ "nr_causes", READ_ONLY, .weight = 2 },
	{ "nr_acts", READ_ONLY, .weight = 2 },
	{ "stats/idx_nospc", READ_ONLY, .weight = 2 },
	{ PARAMETERS "without", READ_ONLY, .weight = 2 },
};

enum {
	NR_TARGETS = sizeof(targets) / sizeof(targets[0]),
	WEIGHT_SPEC = 180,
	WEIGHT_FILTER = 220,
};

static struct target counters[MAX_COUNTERS][2];
static struct target *enable_target, *nr_counters_target;

static char *path_of(const char *name)
{
	char *path;

	if (*name == '/')
		return strdup(name);
	if (asprintf(&path, "%s/%s", iob, name) < 0)
		err(2, "memory");
	return path;
}

static void set_shown(struct target *t, const char *shown)
{
	free(t->shown);
	t->shown = strdup(shown);
}

unsigned int model_nr_counters(void)
{
	return atoi(nr_counters_target->shown);
}

struct target *model_nr_counters_target(void)
{
	return nr_counters_target;
}

/* Others may have changed what all else depends on. */
void model_refresh(void)
{
	model_learn(enable_target);
	model_learn(nr_counters_target);
}

bool model_enabled(void)
{
	return enable_target->shown[0] == '1';
}

/* What the file reads, without its last newline; or -errno. */
ssize_t model_read(struct target *t, char *to, size_t size)
{
	int fd = t->fd >= 0 ? t->fd : open(t->path, O_RDONLY);
	ssize_t n, error = 0;

	if (fd < 0)
		return -errno;
	n = pread(fd, to, size - 1, 0);
	if (n < 0)
		error = -errno;
	if (t->fd < 0)
		close(fd);
	tally.reads++;
	if (error)
		return error;
	if (n && to[n - 1] == '\n')
		n--;
	to[n] = '\0';
	return n;
}

/* Take what it reads for right. */
void model_learn(struct target *t)
{
	char shown[SHOWN_MAX];

	if (t->kind == READ_ONLY)
		return;
	if (model_read(t, shown, sizeof(shown)) < 0)
		strcpy(shown, "");
	set_shown(t, shown);
}

static void learn_counters(void)
{
	unsigned int nr, i;

	for (nr = 0; nr < model_nr_counters(); nr++) {
		for (i = 0; i < 2; i++)
			model_learn(&counters[nr][i]);
	}
}

void model_begin(char *devices)
{
	unsigned int nr;
	char name[64];
	int i;

	if (getenv("IOB"))
		iob = getenv("IOB");
	devs_begin(devices);
	for (i = 0; i < NR_TARGETS; i++) {
		struct target *t = &targets[i];

		if (t->kind == ENABLE)
			enable_target = t;
		if (!strcmp(t->path, "nr_counters"))
			nr_counters_target = t;
		t->path = path_of(t->path);
		t->fd = t->kind == READ_ONLY ? -1 : open(t->path, O_RDONLY);
		if (t->kind != READ_ONLY && t->fd < 0)
			err(2, "%s", t->path);
		model_learn(t);
	}
	for (nr = 0; nr < MAX_COUNTERS; nr++) {
		for (i = 0; i < 2; i++) {
			snprintf(name, sizeof(name), i ? "counters/%u_filter" : "counters/%u", nr);
			counters[nr][i] = (struct target){
				.path = path_of(name), .kind = i ? FILTER : SPEC, .nr = nr,
				.fd = -1, .shown = strdup(i ? "0" : "--- disabled"),
			};
		}
	}
	learn_counters();
}

struct target *model_counter(unsigned int nr, bool filter)
{
	return &counters[nr % MAX_COUNTERS][filter];
}

/* All that can be written, one after the other; NULL behind the last one. */
struct target *model_nth(unsigned int nr)
{
	int i;

	for (i = 0; i < NR_TARGETS; i++) {
		if (targets[i].kind != READ_ONLY && !nr--)
			return &targets[i];
	}
	return nr < 2 * model_nr_counters() ? &counters[nr / 2][nr % 2] : NULL;
}

/* @only: the kinds to choose from, as "counter,filter", or NULL */
struct target *model_pick(struct rng *r, const char *only)
{
	unsigned int nr, sum = WEIGHT_SPEC + WEIGHT_FILTER, at;
	struct target *t;
	int i;

	for (i = 0; i < NR_TARGETS; i++)
		sum += targets[i].weight;
	do {
		at = rng_below(r, sum);
		t = NULL;
		for (i = 0; i < NR_TARGETS && !t; i++) {
			if (at < targets[i].weight)
				t = &targets[i];
			at -= targets[i].weight;
		}
		if (!t) {
			/* now and then one that is not there */
			nr = model_nr_counters() + rng_one_in(r, 100);
			t = model_counter(nr ? rng_below(r, nr) : 0, rng_below(r, 2));
		}
	} while (only && !strstr(only, kind_names[t->kind]));
	return t;
}

static const char *const switches[] = {
	"0", "1", "n", "y", "no", "yes", "off", "on", "f", "t", "false", "true", NULL
};

static int word_nr(const char *text, const char *const *words)
{
	int i;

	for (i = 0; words[i]; i++) {
		if (!strcasecmp(text, words[i]))
			return i;
	}
	return -1;
}

/* Would writing this switch nothing? */
bool model_is_current(enum kind kind, const char *text)
{
	int nr = word_nr(text, switches);

	return kind != ENABLE || nr < 0 || (nr & 1) == model_enabled();
}

static bool decimal(const char *text, uint64_t most, uint64_t *n)
{
	char *end;

	text += *text == '+';
	if (!*text || strspn(text, "0123456789") != strlen(text))
		return false;
	errno = 0;
	*n = strtoull(text, &end, 10);
	return !errno && *n <= most;
}

/* As the kernel's own parameters: base by the prefix, one newline at the end */
static bool parameter_number(char *text, uint64_t *n)
{
	size_t len = strlen(text);
	char *end;

	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
	text += *text == '+';
	/* newer C libraries know a prefix more */
	if (!isalnum((unsigned char)*text) || !strncasecmp(text, "0b", 2))
		return false;
	errno = 0;
	*n = strtoull(text, &end, 0);
	return !errno && !*end && *n <= UINT_MAX;
}

static void expect_parameter(const struct target *t, char *text, size_t len, struct verdict *v)
{
	uint64_t n;

	/* sysfs takes a page at most, and nothing of nothing */
	v->taken = len < 4096 ? len : 4096;
	text[v->taken] = '\0';
	if (!len)
		return;
	if (t->kind == TRUST) {
		if (parameter_number(text, &n) && n <= t->max)
			sprintf(v->shown, "%lu", n);
		else
			v->err = EINVAL;
	} else if (strchr("yY1", *text) && *text) {
		strcpy(v->shown, "Y");
	} else if (strchr("nN0", *text) && *text) {
		strcpy(v->shown, "N");
	} else if (strchr("oO", *text) && *text && text[1] && strchr("nNfF", text[1])) {
		strcpy(v->shown, strchr("nN", text[1]) ? "Y" : "N");
	} else {
		v->err = EINVAL;
		/* newer kernels know more words */
		v->unsure = *text && strchr("tTfFeEdD", *text);
	}
}

static void expect_filter(const char *text, struct verdict *v)
{
	if (filter_valid(text)) {
		strcpy(v->shown, text);
		return;
	}
	v->err = EINVAL;
	v->err2 = E2BIG;
	/* none is left, and the text itself is explained: see model_took() */
	v->shown[0] = '\0';
}

static void expect_setting(const struct opened *o, char *text, struct verdict *v)
{
	const struct target *t = o->t;
	uint64_t n;
	int nr;

	switch (t->kind) {
	case NUMBER:
		if (!decimal(text, t->max, &n) || n < t->min)
			v->err = EINVAL;
		else
			sprintf(v->shown, "%lu", n);
		break;
	case WORD:
	case ENABLE:
		nr = word_nr(text, t->kind == ENABLE ? switches : t->words);
		if (nr < 0)
			v->err = EINVAL;
		else if (t->kind == ENABLE)
			sprintf(v->shown, "%d", nr & 1);
		else
			strcpy(v->shown, t->words[nr]);
		break;
	case DEVS:
		devs_expect(t->shown, o->clear, text, v);
		break;
	case SPEC:
		if (!spec_expect(text, v->shown))
			v->err = EINVAL;
		break;
	default:
		expect_filter(text, v);
		break;
	}
	if (!v->err && t->while_disabled && model_enabled() && !loose)
		v->err = EBUSY;
}

/* Blanks as in the C locale: in a name the byte 0xa0 is part of a letter. */
static char *trim(char *text, size_t len)
{
	while (len && strchr(" \t\n\v\f\r", text[len - 1]))
		text[--len] = '\0';
	return text + strspn(text, " \t\n\v\f\r");
}

/* One write(2) of these bytes. */
void model_expect(const struct opened *o, const char *data, size_t len, struct verdict *v)
{
	const struct target *t = o->t;
	char *copy;

	memset(v, 0, offsetof(struct verdict, shown));
	strcpy(v->shown, t->shown ? t->shown : "");
	v->taken = len;
	if (t->kind == READ_ONLY) {
		v->err = EINVAL;
		return;
	}
	copy = malloc(len + 1);
	memcpy(copy, data, len);
	copy[len] = '\0';
	if (t->kind == TRUST || t->kind == BOOL)
		expect_parameter(t, copy, len, v);
	else if (len > INPUT_MAX)
		v->err = E2BIG;
	else if (memchr(data, 0, len))
		v->err = EINVAL;
	else
		expect_setting(o, trim(copy, len), v);
	if (v->err && t->shown && !(t->kind == FILTER && !v->shown[0]))
		strcpy(v->shown, t->shown);
	free(copy);
}

/* The write was answered as expected. */
void model_took(struct opened *o, const struct verdict *v)
{
	unsigned int nr;

	o->wrote = true;
	if (v->err)
		return;
	o->clear = false;
	if (o->t == nr_counters_target) {
		for (nr = 0; nr < MAX_COUNTERS; nr++) {
			set_shown(&counters[nr][0], "--- disabled");
			set_shown(&counters[nr][1], "0");
		}
	}
	set_shown(o->t, v->shown);
}

/* What a file shows while others change it: can it be written again? */
bool model_well_formed(struct target *t, const char *shown)
{
	struct opened o = { .t = t };
	struct verdict v;

	if (t->kind == FILTER && strstr(shown, "\nparse_error: "))
		return true;
	if (t->kind == DEVS)
		return true;
	model_expect(&o, shown, strlen(shown), &v);
	return !v.err || v.unsure;
}
