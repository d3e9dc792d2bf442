// SPDX-License-Identifier: GPL-2.0
/*
 * Malformed and random writes to all files of ioblame, and what they must answer.
 *
 *	fuzzwrite --seed N --devices vda,loop0 [--from I] [--count N] [--loose] [--only KINDS]
 *		  [--corpus FOLDER] [--kcov FILE] [--new FOLDER]
 *
 * Write number I depends on the seed and on I alone, so `--from I --count 1` makes it again.
 * --loose: others write at the same time. --only: kinds of files, as "counter,filter". --kcov:
 * the addresses that the kernel ran are added to FILE; --new: inputs that ran new ones go to FOLDER,
 * and later writes begin with them (so then a write depends on those before it, too).
 * In the environment, IOB is the module's folder; else it is the one in debugfs.
 *
 * Prints what was wrong, and at the end what was done. Exit status 1 if anything was wrong.
 *
 * iob-libs: -std=gnu11 -Isrc -Iselftests/unit/shim selftests/fuzz/[a-z]*.c
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../fuzz.h"

#define MOST_WRONG	10

bool loose, partial;
uint64_t case_nr, case_seed;

static const char *new_inputs, *only;

static void save_input(const struct target *t, const struct text *x)
{
	char path[512];
	FILE *f;

	if (x->len > 2 * INPUT_MAX || t->kind == READ_ONLY)
		return;
	text_keep(t->kind, x->data, x->len);
	snprintf(path, sizeof(path), "%s/%s.txt", new_inputs, kind_names[t->kind]);
	f = fopen(path, "a");
	if (!f)
		err(2, "%s", path);
	fprintf(f, "%s\n", text_escape(x->data, x->len));
	fclose(f);
}

static void run_case(struct text *x)
{
	struct rng r = { .state = case_seed * 0x2545f4914f6cdd1d + case_nr };
	struct target *t;

	rng_next(&r);
	if (loose && !rng_below(&r, 16))
		model_refresh();
	t = model_pick(&r, only);
	text_make(&r, t, x);
	cover_start();
	way_write(&r, t, x);
	if (rng_one_in(&r, 8))
		reads_some(&r);
	if (cover_stop() && new_inputs)
		save_input(t, x);
}

static const struct {
	int number;
	const char *name;
} errors[] = {
	{ EPERM, "EPERM" }, { ENOENT, "ENOENT" }, { EIO, "EIO" }, { E2BIG, "E2BIG" },
	{ EBADF, "EBADF" }, { ENOMEM, "ENOMEM" }, { EACCES, "EACCES" }, { EFAULT, "EFAULT" },
	{ EBUSY, "EBUSY" }, { ENODEV, "ENODEV" }, { EINVAL, "EINVAL" }, { ENOSPC, "ENOSPC" },
	{ ESPIPE, "ESPIPE" },
};

static void report(void)
{
	unsigned int i;

	printf("%lu writes, %lu taken, %lu reads, %lu wrong; refused:", tally.writes, tally.taken,
	       tally.reads, tally.wrong);
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (tally.refused[errors[i].number])
			printf(" %s %lu", errors[i].name, tally.refused[errors[i].number]);
	}
	printf("; by file:");
	for (i = 0; i < NR_KINDS; i++)
		printf(" %s %lu", kind_names[i], tally.kinds[i]);
	printf("\n");
}

static void usage(void)
{
	errx(2, "see the head of fuzzwrite.c");
}

enum { SEED, FROM, COUNT, DEVICES, LOOSE, ONLY, CORPUS, KCOV, NEW, NR_OPTIONS };

static const struct option options[] = {
	[SEED]	  = { "seed", 1, NULL, 0 },
	[FROM]	  = { "from", 1, NULL, 0 },
	[COUNT]	  = { "count", 1, NULL, 0 },
	[DEVICES] = { "devices", 1, NULL, 0 },
	[LOOSE]	  = { "loose", 0, NULL, 0 },
	[ONLY]	  = { "only", 1, NULL, 0 },
	[CORPUS]  = { "corpus", 1, NULL, 0 },
	[KCOV]	  = { "kcov", 1, NULL, 0 },
	[NEW]	  = { "new", 1, NULL, 0 },
	[NR_OPTIONS] = { NULL, 0, NULL, 0 },
};

int main(int argc, char **argv)
{
	char *given[NR_OPTIONS] = { [SEED] = "0", [FROM] = "0", [COUNT] = "1000" };
	struct text x = { .data = malloc(TEXT_MAX) };
	uint64_t count;
	int at, o;

	while ((o = getopt_long(argc, argv, "", options, &at)) != -1) {
		if (o)
			usage();
		given[at] = optarg ? optarg : "";
	}
	if (!given[DEVICES] || !x.data || optind < argc)
		usage();
	case_seed = strtoull(given[SEED], NULL, 0);
	count = strtoull(given[COUNT], NULL, 0);
	loose = given[LOOSE];
	only = given[ONLY];
	partial = only;
	new_inputs = given[NEW];
	if (given[CORPUS])
		text_begin(given[CORPUS]);
	signal(SIGPIPE, SIG_IGN);
	model_begin(given[DEVICES]);
	reads_begin();
	if (given[KCOV])
		cover_begin();
	for (case_nr = strtoull(given[FROM], NULL, 0);
	     tally.writes < count && tally.wrong < MOST_WRONG; case_nr++)
		run_case(&x);
	if (given[KCOV])
		cover_save(given[KCOV]);
	report();
	return tally.wrong ? 1 : 0;
}
