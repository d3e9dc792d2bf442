// SPDX-License-Identifier: GPL-2.0
/*
 * Add up all records of the binary log, by who pays.
 *
 *	iotally [-i | -z SECTORS] [-l BYTES] [-m [DISK=]MANIFEST]... IOBLAME OUT
 *
 * Reads IOBLAME/iolog_bin* until ioblame is disabled, then writes the sums to OUT. SIGUSR1:
 * read what there is, write the sums so far to OUT, go on. OUT appears whole, by a rename; while
 * there is none, a new one can be told from the last. A line is
 *
 *	W exact thread 1234 cgroup=1 disk=fe00010 intent=known why=wb place=12 ios=2 bytes=8192 comm
 *
 * with op, how, kind and id of the role; `intent` is none (nomem), lost or known; the first name
 * of the role ends the line. `place` is 0, or with -i the file's inode, or with -z the sector
 * divided by SECTORS. Places with less than BYTES (-l) are added up under 0.
 *
 * -m: MANIFEST has a line "ID INODE BYTES CGROUP" for each file, which only this role wrote, as
 * crowd.c prints. OUT gets a line "files RIGHT WRONG CGROUPS WANTED": the bytes of these files
 * that were written (on DISK, as in `disk=`) for the right role, for others, those with another
 * cgroup, and the sum of BYTES, which counts no rest of a block.
 *
 * The first line is "all RECORDS BYTES" with the bytes of all writes.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/ioblame.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define MAX_CPUS	64
#define MAX_MANIFESTS	8
#define RECORD		sizeof(struct iob_iolog_bin_record)
#define WORD(constant, word)	word,

static const char *const hows[] = { IOB_HOWS(WORD) };
static const char *const kinds[] = { IOB_ROLE_KINDS(WORD) };
static const char *const intents[] = { "none", "lost", "known" };
static const char *const whys[16] = { "-", "wb", "journal", "reclaim", "discard" };

struct key {
	uint64_t place, cgroup;
	int32_t id;
	uint32_t disk;
	uint8_t op, how, kind, intent, why, pad[7];
};

struct sum {
	struct key key;
	uint64_t ios, bytes;
	char comm[IOB_COMM_LEN + 1];
};

struct table {
	struct sum *sums;
	size_t size, used;
};

static struct table all;
static uint64_t records, written, sectors_per_place, least;
static bool by_inode;
static struct manifest {
	const char *path;
	uint32_t disk;	/* 0: any */
} manifests[MAX_MANIFESTS];
static int nr_manifests;
static volatile sig_atomic_t asked;

static void on_usr1(int signal)
{
	(void)signal;
	asked = 1;
}

static uint64_t key_hash(const struct key *key)
{
	const uint64_t *word = (const uint64_t *)key;
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(*key) / sizeof(*word); i++) {
		hash = (hash ^ word[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 29;
	}
	return hash;
}

static void table_grow(struct table *t);

/* The sum of @key, which is made if there is none */
static struct sum *table_sum(struct table *t, const struct key *key)
{
	size_t at;

	if (2 * (t->used + 1) > t->size)
		table_grow(t);
	at = key_hash(key) & (t->size - 1);
	while (t->sums[at].ios && memcmp(&t->sums[at].key, key, sizeof(*key)))
		at = (at + 1) & (t->size - 1);
	if (!t->sums[at].ios) {
		t->used++;
		t->sums[at].key = *key;
	}
	return &t->sums[at];
}

static void table_add(struct table *t, const struct key *key, uint64_t ios, uint64_t bytes,
		      const char *comm)
{
	struct sum *sum = table_sum(t, key);

	if (!sum->ios)
		memcpy(sum->comm, comm, IOB_COMM_LEN);
	sum->ios += ios;
	sum->bytes += bytes;
}

static void table_grow(struct table *t)
{
	struct table old = *t;

	t->size = old.size ? 2 * old.size : 1024;
	t->used = 0;
	t->sums = calloc(t->size, sizeof(*t->sums));
	if (!t->sums)
		err(1, "%zu sums", t->size);
	for (size_t i = 0; i < old.size; i++)
		if (old.sums[i].ios)
			table_add(t, &old.sums[i].key, old.sums[i].ios, old.sums[i].bytes,
				  old.sums[i].comm);
	free(old.sums);
}

static void count(const struct iob_iolog_bin_record *rec)
{
	struct key key = {
		.id = rec->id, .cgroup = rec->cgroup, .disk = rec->disk, .op = rec->op,
		.how = rec->how, .kind = rec->role_kind, .why = rec->modifier >> 28,
		.intent = rec->intent_nr < 2 ? rec->intent_nr : 2,
	};

	if (by_inode)
		key.place = rec->ino;
	else if (sectors_per_place)
		key.place = rec->sector / sectors_per_place;
	table_add(&all, &key, 1, rec->bytes, rec->comm);
	records++;
	if (rec->op == 'W')
		written += rec->bytes;
}

static void count_records(const char *data, size_t bytes)
{
	const struct iob_iolog_bin_record *rec;

	for (; bytes >= RECORD; data += rec->len, bytes -= rec->len) {
		rec = (const void *)data;
		if (rec->ver != IOB_IOLOG_BIN_VER || rec->len > bytes || rec->len < RECORD)
			errx(1, "a record of version %u with %u bytes", rec->ver, rec->len);
		count(rec);
	}
	if (bytes)
		errx(1, "%zu bytes are no record", bytes);
}

struct file {
	uint64_t ino, bytes, cgroup;
	int32_t id;
};

static int file_compare(const void *a, const void *b)
{
	const struct file *one = a, *other = b;

	return one->ino < other->ino ? -1 : one->ino > other->ino;
}

static void manifest_add(char *word)
{
	struct manifest *m = &manifests[nr_manifests];
	char *path = strchr(word, '=');

	if (nr_manifests++ == MAX_MANIFESTS)
		errx(2, "more than %d manifests", MAX_MANIFESTS);
	m->path = path ? path + 1 : word;
	m->disk = path ? strtoul(word, NULL, 16) : 0;
}

static struct file *manifest_read(const char *path, size_t *nr)
{
	struct file *files = NULL, file;
	FILE *in = fopen(path, "r");

	if (!in)
		err(1, "%s", path);
	while (fscanf(in, "%d %lu %lu %lu", &file.id, &file.ino, &file.bytes, &file.cgroup) == 4) {
		if (!(*nr & 4095))
			files = realloc(files, (*nr + 4096) * sizeof(file));
		if (!files)
			err(1, "%s", path);
		files[(*nr)++] = file;
	}
	fclose(in);
	qsort(files, *nr, sizeof(file), file_compare);
	return files;
}

static void manifest_compare(const struct manifest *m, FILE *out)
{
	uint64_t right = 0, wrong = 0, cgroups = 0, wanted = 0;
	struct file *files, *file, key = { 0 };
	size_t nr = 0, i;

	files = manifest_read(m->path, &nr);
	for (i = 0; i < nr; i++)
		wanted += files[i].bytes;
	for (i = 0; i < all.size; i++) {
		struct sum *sum = &all.sums[i];

		key.ino = sum->key.place;
		if (!sum->ios || sum->key.op != 'W' || sum->key.why == IOB_MODIFIER_JOURNAL >> 28)
			continue;
		if (m->disk && sum->key.disk != m->disk)
			continue;
		file = bsearch(&key, files, nr, sizeof(key), file_compare);
		if (!file)
			continue;
		if (sum->key.kind == 2 ? sum->key.cgroup == file->cgroup : sum->key.id == file->id)
			right += sum->bytes;
		else
			wrong += sum->bytes;
		if (sum->key.cgroup != file->cgroup)
			cgroups += sum->bytes;
	}
	free(files);
	fprintf(out, "files %lu %lu %lu %lu\n", right, wrong, cgroups, wanted);
}

static void table_print(const struct table *t, FILE *out)
{
	for (size_t i = 0; i < t->size; i++) {
		const struct sum *sum = &t->sums[i];

		if (!sum->ios)
			continue;
		fprintf(out, "%c %s %s %d cgroup=%lu disk=%x intent=%s why=%s place=%lu ios=%lu bytes=%lu %s\n",
			sum->key.op, hows[sum->key.how & 3], kinds[sum->key.kind], sum->key.id,
			sum->key.cgroup, sum->key.disk, intents[sum->key.intent],
			whys[sum->key.why] ? whys[sum->key.why] : "?", sum->key.place, sum->ios,
			sum->bytes, sum->comm);
	}
}

static void write_sums(const char *path)
{
	struct table merged = { 0 };
	struct key key;
	char new[4096];
	FILE *out;

	snprintf(new, sizeof(new), "%s.new", path);
	out = fopen(new, "w");
	if (!out)
		err(1, "%s", new);
	fprintf(out, "all %lu %lu\n", records, written);
	for (size_t i = 0; i < all.size; i++) {
		if (!all.sums[i].ios)
			continue;
		key = all.sums[i].key;
		if (all.sums[i].bytes < least)
			key.place = 0;
		table_add(&merged, &key, all.sums[i].ios, all.sums[i].bytes, all.sums[i].comm);
	}
	table_print(&merged, out);
	free(merged.sums);
	for (int i = 0; i < nr_manifests; i++)
		manifest_compare(&manifests[i], out);
	if (fclose(out) || rename(new, path))
		err(1, "%s", path);
}

/* Read all that is there; false at the end of all logs */
static bool read_logs(struct pollfd *logs, int nr)
{
	static char data[RECORD * 4096];
	bool open = false;
	ssize_t got;

	for (int i = 0; i < nr; i++) {
		if (logs[i].fd < 0)
			continue;
		while ((got = read(logs[i].fd, data, sizeof(data))) > 0)
			count_records(data, got);
		if (!got) {
			close(logs[i].fd);
			logs[i].fd = -1;
		} else {
			open = true;
		}
	}
	return open;
}

static int open_logs(const char *ioblame, struct pollfd *logs)
{
	char path[4096];
	int nr;

	for (nr = 0; nr < MAX_CPUS; nr++) {
		snprintf(path, sizeof(path), "%s/iolog_bin%d", ioblame, nr);
		logs[nr].fd = open(path, O_RDONLY | O_NONBLOCK);
		logs[nr].events = POLLIN;
		if (logs[nr].fd < 0)
			break;
	}
	if (!nr)
		err(1, "%s", path);
	return nr;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_usr1 };
	struct pollfd logs[MAX_CPUS];
	int option, nr;

	while ((option = getopt(argc, argv, "iz:l:m:")) > 0) {
		switch (option) {
		case 'i': by_inode = true; break;
		case 'z': sectors_per_place = strtoull(optarg, NULL, 10); break;
		case 'l': least = strtoull(optarg, NULL, 10); break;
		case 'm': manifest_add(optarg); break;
		default: return 2;
		}
	}
	if (argc - optind != 2)
		errx(2, "usage: see the head of iotally.c");
	/* the case may end by a failure */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigaction(SIGUSR1, &action, NULL);
	nr = open_logs(argv[optind], logs);
	/* The logs are open: who waits for this knows */
	printf("ready\n");
	fflush(stdout);
	while (read_logs(logs, nr)) {
		if (asked) {
			asked = 0;
			read_logs(logs, nr);
			write_sums(argv[optind + 1]);
		}
		poll(logs, nr, 100);
	}
	write_sums(argv[optind + 1]);
	return 0;
}
