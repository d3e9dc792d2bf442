// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "choice.h"
#include "escape.h"
#include "group.h"
#include "hist.h"
#include "label.h"
#include "map.h"
#include "name.h"
#include "rec.h"
#include "story.h"
#include "text.h"

/* kworker/u4:1 and kworker/0:2H are kworkers to the reader of a sentence. */
static void submitter_name(const struct iob_iolog_bin_record *rec, char *name)
{
	memcpy(name, rec->sub_comm, IOB_COMM_LEN);
	if (!strncmp(name, "kworker/", 8)) {
		memset(name, 0, IOB_COMM_LEN);
		strcpy(name, "kworkers");
	}
}

/*
 * One that has no room takes the place of the lightest, and its bytes: who submits more than a 64th
 * of all is there in the end, whenever he comes.
 */
static struct story_submitter *new_submitter(struct story *s, const char *name)
{
	struct story_submitter *sub = s->submitter;
	unsigned int i;

	if (s->nr < STORY_SUBMITTERS) {
		sub = &s->submitter[s->nr++];
	} else {
		for (i = 1; i < s->nr; i++) {
			if (s->submitter[i].bytes < sub->bytes)
				sub = &s->submitter[i];
		}
		sub->before = sub->bytes;
	}
	memcpy(sub->comm, name, sizeof(sub->comm));
	return sub;
}

static void add_submitter(struct story *s, const struct iob_iolog_bin_record *rec)
{
	struct story_submitter *sub = NULL;
	char name[IOB_COMM_LEN];
	unsigned int i;

	submitter_name(rec, name);
	for (i = 0; i < s->nr && !sub; i++) {
		if (!memcmp(s->submitter[i].comm, name, sizeof(name)))
			sub = &s->submitter[i];
	}
	if (!sub)
		sub = new_submitter(s, name);
	sub->bytes += rec->bytes;
}

/* Add an IO, or a part of one. */
void story_add(struct story *s, const struct iob_iolog_bin_record *rec)
{
	if (rec->op != OP_WRITE)
		return;
	s->written += rec->bytes;
	if (rec_is_own(rec))
		return;
	s->by_others += rec->bytes;
	add_submitter(s, rec);
}

static const char *row_name(const struct row *row, char *to, size_t size)
{
	struct row_more more;

	group_more(row, &more);
	return label_row(more.lead, BY_PROCESS, to, size);
}

static double percent_of(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

static uint64_t moved(const struct row *row)
{
	return row->bytes[ROW_READ] + row->bytes[ROW_WRITE];
}

static int compare_moved(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;

	if (moved(a) != moved(b))
		return moved(a) < moved(b) ? 1 : -1;
	return (a->all_ios < b->all_ios) - (a->all_ios > b->all_ios);
}

/**
 * story_rows - the originators, first who read and wrote most
 * @agg:  the sums
 * @rows: the rows, allocated
 *
 * A discard names many bytes, and moves none.
 * Return: the number of rows.
 */
size_t story_rows(const struct agg *agg, struct row **rows)
{
	size_t nr = group_rows(agg, BY_PROCESS, SORT_BYTES, rows);

	if (nr)
		qsort(*rows, nr, sizeof(**rows), compare_moved);
	return nr;
}

/* The names of the disks: "vda", "vda and vdb", "vda, vdb and 3 more". */
static void list_disks(const struct agg *agg, char *to, size_t size)
{
	size_t nr, i, n = 0;
	struct row *rows;

	*to = '\0';
	nr = group_rows(agg, BY_DEVICE, SORT_BYTES, &rows);
	for (i = 0; i < nr && i < 2; i++)
		n += snprintf(to + n, size - n, "%s%.60s", !i ? "" : nr == 2 ? " and " : ", ",
			      name_disk(rows[i].atoms->key.disk));
	if (nr > 2)
		snprintf(to + n, size - n, " and %zu more", nr - 2);
	free(rows);
}

static void tell_sums(const struct agg *agg, uint64_t ns, char *to)
{
	char read[TEXT_NUMBER], written[TEXT_NUMBER], disks[256];
	uint64_t bytes[2] = { 0, 0 };
	struct atom *a;
	size_t i;

	map_for_each(&agg->atoms, i, a) {
		if (a->key.op == OP_READ || a->key.op == OP_AHEAD)
			bytes[0] += a->bytes;
		else if (a->key.op == OP_WRITE)
			bytes[1] += a->bytes;
	}
	list_disks(agg, disks, sizeof(disks));
	snprintf(to, STORY_TEXT, "In %.1f s, %llu IOs read %s and wrote %s%s%s.", (double)ns / 1e9,
		 (unsigned long long)agg->ios, text_bytes(read, bytes[0]),
		 text_bytes(written, bytes[1]), *disks ? " on " : "", disks);
}

/* Who caused most */
static void tell_originators(const struct agg *agg, char *to)
{
	char name[160], file[400];
	uint64_t all = 0, others = 0;
	struct row_more more;
	struct row *rows;
	size_t nr, i;

	nr = story_rows(agg, &rows);
	for (i = 0; i < nr; i++)
		all += moved(&rows[i]);
	for (i = 3; i < nr; i++)
		others += moved(&rows[i]);
	if (!nr) {
		snprintf(to, STORY_TEXT, "Nobody caused IO.");
		free(rows);
		return;
	}
	group_more(&rows[0], &more);
	snprintf(file, sizeof(file), "%s", label_file(more.file));
	snprintf(to, STORY_TEXT, "%s caused most, %.1f %% of what was read and written, mostly of %s (%s)%s",
		 label_row(more.lead, BY_PROCESS, name, sizeof(name)),
		 percent_of(moved(&rows[0]), all), escape_cut(file), more.why->why,
		 nr > 1 ? "" : ".");
	for (i = 1; i < nr && i < 3; i++)
		snprintf(to + strlen(to), STORY_TEXT - strlen(to), "%s %s %.1f %%%s",
			 i == 1 ? ";" : ",", row_name(&rows[i], name, sizeof(name)),
			 percent_of(moved(&rows[i]), all), i + 1 == nr ? "." : "");
	if (nr > 3)
		snprintf(to + strlen(to), STORY_TEXT - strlen(to), ", and %zu others %.1f %%.",
			 nr - 3, percent_of(others, all));
	free(rows);
}

/* What it has submitted since it has its place */
static uint64_t own_bytes(const struct story_submitter *sub)
{
	return sub->bytes - sub->before;
}

static void tell_submitters(const struct story *s, char *to)
{
	char name[ESCAPE_SIZE(IOB_COMM_LEN)];
	unsigned int i, most = 0;

	if (!s->written) {
		snprintf(to, STORY_TEXT, "Nothing was written.");
		return;
	}
	if (!s->by_others) {
		snprintf(to, STORY_TEXT,
			 "All that was written was submitted by the program that caused it.");
		return;
	}
	for (i = 1; i < s->nr; i++) {
		if (own_bytes(&s->submitter[i]) > own_bytes(&s->submitter[most]))
			most = i;
	}
	escape_text(name, sizeof(name), s->submitter[most].comm, IOB_COMM_LEN);
	snprintf(to, STORY_TEXT,
		 "Of the bytes written, %.1f %% were submitted by another program than the one that caused them, most of these by %s.",
		 percent_of(s->by_others, s->written), *name ? name : "-");
}

/* The latencies, and whose are the worst among those that did at least 1 % of the IOs */
static void tell_latencies(const struct agg *agg, char *to)
{
	char p50[TEXT_NUMBER], p99[TEXT_NUMBER], worst[TEXT_NUMBER], name[160];
	struct hist all, one;
	struct row *rows;
	uint64_t ios = 0;
	size_t nr, i;

	memset(&all, 0, sizeof(all));
	nr = group_rows(agg, BY_PROCESS, SORT_P99, &rows);
	for (i = 0; i < nr; i++) {
		group_hist(&rows[i], &one);
		hist_sum(&all, &one);
		ios += rows[i].all_ios;
	}
	for (i = 0; i < nr && rows[i].all_ios * 100 < ios; i++)
		;
	snprintf(to, STORY_TEXT,
		 "Half of the IOs took about %s or less, and one of a hundred about %s or more",
		 text_nsecs(p50, hist_time_percentile(&all, 0.5)),
		 text_nsecs(p99, hist_time_percentile(&all, 0.99)));
	if (i < nr)
		snprintf(to + strlen(to), STORY_TEXT - strlen(to),
			 "; the slowest were those of %s (one of a hundred: about %s or more).",
			 row_name(&rows[i], name, sizeof(name)),
			 text_nsecs(worst, rows[i].sort));
	else
		strcat(to, ".");
	free(rows);
}

static void tell_errors(const struct agg *agg, char *to)
{
	const struct row *worst = NULL;
	struct row *rows;
	char name[160];
	size_t nr, i;

	nr = group_rows(agg, BY_PROCESS, SORT_BYTES, &rows);
	for (i = 0; i < nr; i++) {
		if (!worst || rows[i].errors > worst->errors)
			worst = &rows[i];
	}
	if (agg->errors)
		snprintf(to, STORY_TEXT, "%llu IOs failed, %llu of them of %s.",
			 (unsigned long long)agg->errors, (unsigned long long)worst->errors,
			 row_name(worst, name, sizeof(name)));
	else
		snprintf(to, STORY_TEXT, "No IO failed.");
	free(rows);
}

/**
 * story_tell - tell what happened
 * @s:        what was added
 * @agg:      the sums of the same IO
 * @ns:       how long it took
 * @sentence: the sentences
 */
void story_tell(const struct story *s, const struct agg *agg, uint64_t ns,
		char sentence[STORY_SENTENCES][STORY_TEXT])
{
	tell_sums(agg, ns, sentence[0]);
	tell_originators(agg, sentence[1]);
	tell_submitters(s, sentence[2]);
	tell_latencies(agg, sentence[3]);
	tell_errors(agg, sentence[4]);
}
