// SPDX-License-Identifier: GPL-2.0
/*
 * stat: what iostat -x says of a disk, and below it the same of each originator
 *
 * The line of a disk is made of /proc/diskstats.  Those of the originators are made of the log,
 * and "(not blamed)" is what is missing in them: so the lines add up to the disk's.  Where it may
 * be missing because this command is not to show it, it is "(not shown)".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blamed.h"
#include "cmd.h"
#include "device.h"
#include "diskstats.h"
#include "file.h"
#include "group.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "run.h"
#include "stat_print.h"
#include "view.h"

enum {
	ROWS = 10,		/* of each disk */
};

/*
 * The kernel shows sums of milliseconds in 32 bits, so it is looked at this often: they wrap
 * meanwhile only with more than 35,000 requests under way.
 */
#define APART_NS	120000000000ULL

struct disk {
	uint32_t dev;
	bool cached;
	bool counts_pieces;
	struct diskstats_look look;	/* the last one */
	/* what of the log was ahead of the kernel's numbers: it is counted in the next interval */
	struct blamed ahead;
	struct spans busy;
};

/* A recording of months may have had more than are watched at once; in the order of their coming */
static struct disk **disks;
static unsigned int nr_disks;
static struct map disk_map = { .key_len = sizeof(uint32_t) };
static struct blamed_sums sums;
static bool discards;
static uint64_t looked_ns;	/* when the kernel's numbers were last read within an interval */

/*
 * What of a disk decides how its IO is counted: does it get flushes, and is each piece of an IO
 * that it splits one of its own for the kernel, as on a disk without requests?  Of a recording
 * that is not known: most disks are like this.
 */
static void ask_disk(struct disk *d, bool live)
{
	char path[96], *cache, *queue;

	d->cached = true;
	d->counts_pieces = false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/queue/write_cache", d->dev >> 20,
		 d->dev & 0xfffff);
	cache = live ? file_read(path) : NULL;
	if (!cache)
		return;
	d->cached = !strncmp(cache, "write back", 10);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/mq", d->dev >> 20, d->dev & 0xfffff);
	queue = file_first_entry(path);
	d->counts_pieces = !queue;
	free(queue);
	free(cache);
}

static struct disk *find_disk(const struct run *run, uint32_t dev)
{
	struct disk *d = map_get(&disk_map, &dev);

	if (d)
		return d;
	d = must(calloc(1, sizeof(*d)));
	d->dev = dev;
	ask_disk(d, source_is_live(&run->source));
	map_put(&disk_map, d);
	if (!(nr_disks & (nr_disks - 1)))
		disks = must(realloc(disks, (nr_disks ? nr_disks * 2 : 1) * sizeof(*disks)));
	disks[nr_disks++] = d;
	return d;
}

/* What of a disk is among some devices */
enum covered {
	COVERS_NOTHING,
	COVERS_PART,		/* one partition or more */
	COVERS_ALL,
};

static enum covered covered_by(const struct device *device, unsigned int nr, uint32_t disk)
{
	enum covered covered = COVERS_NOTHING;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (device[i].disk != disk)
			continue;
		if (!device[i].end)
			return COVERS_ALL;
		covered = COVERS_PART;
	}
	return covered;
}

/* Others may watch more disks than are asked for here. */
static bool is_asked_for(const struct run *run, uint32_t disk)
{
	return !run->nr_devices || covered_by(run->device, run->nr_devices, disk);
}

static int begin_stat(struct run *run)
{
	const struct session *s = &run->session;
	struct diskstats_file file;
	struct diskstats st;
	struct disk *d;
	unsigned int i;

	blamed_init(&sums, run->opts->by);
	name_held_by(blamed_hold_names, &sums);
	if (!source_is_live(&run->source))
		return EXIT_OK;
	diskstats_read(&file);
	for (i = 0; i < s->nr_devices && file.text; i++) {
		if (!is_asked_for(run, s->device[i].disk))
			continue;
		d = find_disk(run, s->device[i].disk);
		diskstats_next(&d->look, &file, d->dev, &st);
	}
	diskstats_free(&file);
	return EXIT_OK;
}

static void add_record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	discards |= rec->op == OP_DISCARD;
	struct disk *d = find_disk(run, rec->disk);
	uint64_t from = rec->queue_ns > run->since_ns ? rec->queue_ns : run->since_ns;

	if (rec->queue_ns && from < rec->complete_ns)
		spans_add(&d->busy, from, rec->complete_ns);
	blamed_add(&sums, rec, d->cached, run->since_ns);
}

/* Long intervals: read the kernel's numbers before they wrap. */
static void look_meanwhile(struct run *run)
{
	uint64_t since = looked_ns > run->since_ns ? looked_ns : run->since_ns;
	struct diskstats_file file;
	unsigned int i;

	if (!source_is_live(&run->source) || run->now_ns < since + APART_NS)
		return;
	looked_ns = run->now_ns;
	diskstats_read(&file);
	for (i = 0; i < nr_disks && file.text; i++)
		diskstats_gather(&disks[i]->look, &file, disks[i]->dev);
	diskstats_free(&file);
}

static uint64_t not_blamed(uint64_t all, uint64_t blamed, uint64_t *ahead)
{
	blamed += *ahead;
	*ahead = blamed > all ? blamed - all : 0;
	return blamed > all ? 0 : all - blamed;
}

/*
 * Of a disk that counts pieces, the log has fewer IOs than the kernel, although none is missing:
 * as many pieces are as missing bytes have.
 */
static void find_missing_pieces(const struct diskstats *st, struct blamed *rest, unsigned int op)
{
	uint64_t pieces = 0;

	if (rest->bytes[op])
		pieces = (double)st->ios[op] * rest->bytes[op] / (st->sectors[op] * 512.0) + 0.5;
	if (rest->bytes[op] && !pieces)
		pieces = 1;
	if (rest->ios[op] > pieces)
		rest->ios[op] = pieces;
}

/* What of the kernel's numbers is in no record, or in one without an originator. */
static void find_rest(struct disk *d, const struct diskstats *st, const struct blamed *total,
		      struct blamed *rest)
{
	unsigned int op;

	memset(rest, 0, sizeof(*rest));
	for (op = 0; op < STAT_FLUSH; op++) {
		rest->ios[op] = not_blamed(st->ios[op], total->ios[op], &d->ahead.ios[op]);
		rest->merges[op] = not_blamed(st->merges[op], total->merges[op],
					      &d->ahead.merges[op]);
		rest->bytes[op] = not_blamed(st->sectors[op] * 512, total->bytes[op],
					     &d->ahead.bytes[op]);
		if (d->counts_pieces)
			find_missing_pieces(st, rest, op);
	}
}

static enum sort sort_by;

static uint64_t sort_value(const struct blamed *b)
{
	unsigned int op;
	uint64_t bytes = 0, ns = 0;

	for (op = 0; op < STAT_OPS; op++) {
		bytes += b->bytes[op];
		ns += b->ns[op];
	}
	switch (sort_by) {
	case SORT_IOS:
		return blamed_ios(b);
	case SORT_READ:
		return b->bytes[STAT_READ];
	case SORT_WRITTEN:
		return b->bytes[STAT_WRITE];
	case SORT_BYTES:
		return bytes;
	default:
		return ns;
	}
}

static int compare_sums(const void *va, const void *vb)
{
	const struct blamed *a = *(struct blamed **)va, *b = *(struct blamed **)vb;
	uint64_t x = sort_value(a), y = sort_value(b);

	if (x != y)
		return x < y ? 1 : -1;
	return (b->label.key.who < a->label.key.who) - (b->label.key.who > a->label.key.who);
}

static bool is_filtered(const struct opts *o)
{
	return *o->rw || o->nr_pids || o->nr_users || o->nr_comms || o->nr_cgroups || o->nr_files;
}

/* True if somebody's IO on a disk may be known and not be shown here. */
static bool hides_some(const struct run *run, uint32_t disk)
{
	const struct session *s = &run->session;

	/* ioblamed shows a user his own */
	return is_filtered(run->opts) || run->source.recording.before.own ||
	       covered_by(s->device, s->nr_devices, disk) == COVERS_PART ||
	       covered_by(run->device, run->nr_devices, disk) == COVERS_PART;
}

/*
 * A disk's numbers of a recording are those of its records, and so are those of an interval in
 * which the kernel's are of another time: it was added, it was away, or another one took its place.
 */
static void print_disk(const struct run *run, struct disk *d, const struct diskstats_file *file,
		       struct stat_look *look)
{
	struct blamed **list, total, rest;
	struct diskstats st;
	unsigned int i, nr, most = run->opts->rows ? run->opts->rows : ROWS;
	bool known = diskstats_next(&d->look, file, d->dev, &st);

	blamed_total(&sums, d->dev, &total);
	total.busy = d->busy;
	memset(&d->busy, 0, sizeof(d->busy));
	nr = blamed_list(&sums, d->dev, &list);
	sort_by = run->opts->sort;
	qsort(list, nr, sizeof(*list), compare_sums);
	if (known)
		find_rest(d, &st, &total, &rest);
	else
		memset(&d->ahead, 0, sizeof(d->ahead));
	stat_print_disk(look, name_disk(d->dev), known ? &st : NULL, &total);
	if (run->opts->format != FORMAT_TABLE && !run->opts->rows)
		most = nr;
	for (i = 0; i < nr && i < most; i++)
		stat_print_sum(look, list[i]);
	if (i < nr && run->opts->format == FORMAT_TABLE)
		stat_print_more(look, list + i, nr - i);
	look->filtered = hides_some(run, d->dev);
	if (known)
		stat_print_rest(look, &rest);
	stat_print_disk_end(look);
	spans_clear(&total.busy);
	free(list);
}

static void print_stat(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	struct stat_look look = {
		.run = run, .from_ns = from_ns, .to_ns = to_ns, .wide = run->opts->extended,
		.discards = discards,
	};
	struct diskstats_file file;
	unsigned int i;

	diskstats_parse(&file, NULL);
	if (source_is_live(&run->source))
		diskstats_read(&file);
	/* what is left behind the last interval is not worth one of its own */
	if (!last || !run->opts->interval_ns || sums.map.nr) {
		stat_print_begin(&look);
		for (i = 0; i < nr_disks; i++)
			print_disk(run, disks[i], &file, &look);
		stat_print_end(&look);
	}
	diskstats_free(&file);
	blamed_clear(&sums);
}

static void free_disk(void *disk)
{
	struct disk *d = disk;

	spans_clear(&d->busy);
	free(d);
}

static int end_stat(struct run *run)
{
	(void)run;
	blamed_clear(&sums);
	map_clear(&disk_map, free_disk);
	free(disks);
	return EXIT_OK;
}

int cmd_stat(const struct opts *o)
{
	struct view view = {
		.begin = begin_stat, .record = add_record, .filled = look_meanwhile,
		.interval = print_stat, .end = end_stat,
		/* without a duration or a command, as iostat 1 */
		.interval_ns = o->duration_ns || o->run || o->input ? 0 : 1000000000,
	};

	return view_run(o, &view);
}
