// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "moment_judge.h"
#include "msg.h"

#define SLOW_TIMES	4
#define SLOW_LEAST_NS	10000000ULL	/* faster is not felt */
#define USED_TIMES	2
#define USED_LEAST	(RULE_FULL / 10 * 9)

static struct judge_disk *add_disk(struct judge *j, uint32_t disk)
{
	struct judge_disk *d;

	if (j->nr == JUDGE_DISKS)
		return NULL;
	d = must(calloc(1, sizeof(*d)));
	d->disk = disk;
	d->rules = j->nr_rules ? j->rules_of(disk, j->arg) : 0;
	j->disk[j->nr++] = d;
	map_put(&j->by_disk, d);
	return d;
}

/* Most records are of the disk of the one before. */
static struct judge_disk *find_disk(struct judge *j, uint32_t disk)
{
	struct judge_disk *d = j->last;

	if (d && d->disk == disk)
		return d;
	j->by_disk.key_len = sizeof(disk);
	d = map_get(&j->by_disk, &disk);
	if (!d)
		d = add_disk(j, disk);
	j->last = d;
	return d;
}

static unsigned int op_bit(unsigned char op)
{
	static const unsigned char letters[] = {
#define X(constant, letter, word)	letter,
		IOB_OPS(X)
#undef X
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(letters); i++) {
		if (letters[i] == op)
			return 1U << i;
	}
	return 0;
}

/* The parts of an IO complete together: it failed once, whichever of them this is about. */
static bool is_new_error(const struct iob_iolog_bin_record *rec, uint64_t *failed_ns)
{
	bool more = rec->part && rec->complete_ns == *failed_ns;

	if (!rec->error)
		return false;
	*failed_ns = rec->complete_ns;
	return !more;
}

static void take_ruled(struct judge *j, struct judge_disk *d,
		       const struct iob_iolog_bin_record *rec, uint64_t ns)
{
	unsigned int i, op = op_bit(rec->op);
	const struct rule *rule;
	struct judge_ruled *r;

	for (i = 0; i < j->nr_rules; i++) {
		rule = &j->rules[i];
		if (!(d->rules & 1U << i) || (rule->ops && !(rule->ops & op)))
			continue;
		if (rule->of != RULE_OF_ALL && !j->is_of(i, rec, j->arg))
			continue;
		r = &d->ruled[i];
		r->bytes += rec->bytes;
		r->errors += is_new_error(rec, &r->failed_ns);
		/* an IO of several parts is one */
		if (rec->part)
			continue;
		r->ios++;
		r->ns += ns;
		r->above += ns > rule->limit;
	}
}

/* Add a record to the window of its disk. */
void judge_take(struct judge *j, const struct iob_iolog_bin_record *rec)
{
	struct judge_disk *d = find_disk(j, rec->disk);
	uint64_t ns;

	if (!d) {
		j->not_judged++;
		return;
	}
	ns = rec->complete_ns > rec->queue_ns && rec->queue_ns ?
	     rec->complete_ns - rec->queue_ns : 0;
	d->errors += is_new_error(rec, &d->failed_ns);
	if (!rec->part) {
		d->ios++;
		d->lat[usage_slot(ns)]++;
	}
	if (d->rules)
		take_ruled(j, d, rec, ns);
}

static int compare_values(const void *va, const void *vb)
{
	uint64_t a = *(const uint64_t *)va, b = *(const uint64_t *)vb;

	return (a > b) - (a < b);
}

/* The median of the windows before; 0: not known. */
static uint64_t usual_p99(const struct judge_disk *d)
{
	unsigned int nr = d->nr_p99 < JUDGE_USUAL ? d->nr_p99 : JUDGE_USUAL;
	uint64_t values[JUDGE_USUAL];

	if (nr < JUDGE_LEAST)
		return 0;
	memcpy(values, d->p99_ns, sizeof(*values) * nr);
	qsort(values, nr, sizeof(*values), compare_values);
	return values[nr / 2];
}

/* The same of the time that it was busy; not known: as if it always was. */
static uint64_t usual_used(const struct judge_disk *d)
{
	unsigned int nr = d->nr_used < JUDGE_USUAL ? d->nr_used : JUDGE_USUAL, i;
	uint64_t values[JUDGE_USUAL];

	if (nr < JUDGE_LEAST)
		return RULE_FULL;
	for (i = 0; i < nr; i++)
		values[i] = d->used[i];
	qsort(values, nr, sizeof(*values), compare_values);
	return values[nr / 2];
}

struct findings {
	const struct judge *judge;
	struct judge_found *list;
	size_t nr, most;
	const struct judge_disk *no_place;	/* the first disk that found none */
};

static void add_found(struct findings *f, const struct judge_disk *d, int what, uint64_t value,
		      uint64_t usual)
{
	const struct judge *j = f->judge;

	if (f->nr == f->most) {
		if (!f->no_place)
			f->no_place = d;
		return;
	}
	f->list[f->nr] = (struct judge_found){ d->disk, what, value, usual, 0 };
	if (!j->may || j->may(&f->list[f->nr], j->arg))
		f->nr++;
}

static void judge_p99(struct judge_disk *d, struct findings *f)
{
	uint64_t usual = usual_p99(d), p99;

	if (d->ios < JUDGE_LEAST_IOS)
		return;
	p99 = usage_percentile(d->lat, 0.99);
	if (usual && p99 >= SLOW_LEAST_NS && p99 / SLOW_TIMES >= usual)
		add_found(f, d, JUDGE_SLOW, p99, usual);
	d->p99_ns[d->nr_p99++ % JUDGE_USUAL] = p99;
}

static void judge_used(struct judge_disk *d, uint64_t used, struct findings *f)
{
	uint64_t usual = usual_used(d);

	if (used >= USED_LEAST && used / USED_TIMES >= usual)
		add_found(f, d, JUDGE_USED, used, usual);
	d->used[d->nr_used++ % JUDGE_USUAL] = used;
}

static void judge_rules(const struct judge *j, const struct judge_disk *d, int64_t ns,
			int64_t busy_ms, struct findings *f)
{
	static const uint64_t none[USAGE_SLOTS];
	const struct judge_ruled *r;
	enum rule_what what;
	uint64_t value;
	unsigned int i;

	for (i = 0; i < j->nr_rules; i++) {
		if (!(d->rules & 1U << i))
			continue;
		r = &d->ruled[i];
		what = j->rules[i].what;
		value = rule_value(what, &(struct rule_sums){
			.ios = r->ios, .bytes = r->bytes, .ns = r->ns, .errors = r->errors,
			.busy_ms = busy_ms < 0 ? 0 : busy_ms, .span_ns = ns, .lat = none,
		});
		/* each IO is known here: one in a hundred is above it */
		if (what == RULE_P99 ? r->above * 100 > r->ios : value > j->rules[i].limit)
			add_found(f, d, JUDGE_RULE + i, value, 0);
	}
}

static void judge_disk(struct judge *j, struct judge_disk *d, int64_t ns, struct findings *f)
{
	int64_t busy_ms = j->busy_ms ? j->busy_ms(d->disk, j->arg) : -1;

	judge_p99(d, f);
	if (busy_ms >= 0)
		judge_used(d, rule_value(RULE_UTIL, &(struct rule_sums){
			.busy_ms = busy_ms, .span_ns = ns,
		}), f);
	judge_rules(j, d, ns, busy_ms, f);
	d->idle = d->ios || busy_ms > 0 ? 0 : d->idle + 1;
	d->ios = 0;
	d->errors = 0;
	memset(d->lat, 0, sizeof(d->lat));
	memset(d->ruled, 0, sizeof(d->ruled));
	if (j->nr_rules)
		d->rules = j->rules_of(d->disk, j->arg);
}

static bool is_of_use(const void *value, const void *arg)
{
	const struct judge_disk *d = value;

	(void)arg;
	return d->idle <= JUDGE_IDLE;
}

/**
 * judge_end_window - the window is over
 * @j:	   the judge
 * @ns:	   how long it was
 * @found: gets what stands out
 * @most:  room in it; errors come first, and what finds none now has it in the next window
 *
 * Return: how much stands out.
 */
size_t judge_end_window(struct judge *j, int64_t ns, struct judge_found *found, size_t most)
{
	struct findings f = { .judge = j, .list = found, .most = most };
	unsigned int i, first = 0, nr = 0;

	for (i = 0; i < j->nr; i++) {
		if (j->disk[i]->errors)
			add_found(&f, j->disk[i], JUDGE_ERRORS, j->disk[i]->errors, 0);
		if (j->disk[i]->disk == j->first)
			first = i;
	}
	f.no_place = NULL;
	for (i = 0; i < j->nr; i++)
		judge_disk(j, j->disk[(first + i) % j->nr], ns, &f);
	if (f.no_place)
		j->first = f.no_place->disk;
	for (i = 0; i < j->nr; i++) {
		if (is_of_use(j->disk[i], NULL))
			j->disk[nr++] = j->disk[i];
	}
	if (nr < j->nr) {
		map_keep(&j->by_disk, is_of_use, NULL, free);
		j->last = NULL;
		j->nr = nr;
	}
	return f.nr;
}

/* Forget all disks, and what was usual. */
void judge_forget(struct judge *j)
{
	map_clear(&j->by_disk, free);
	j->last = NULL;
	j->nr = 0;
}
