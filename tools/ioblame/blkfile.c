// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blkfile.h"
#include "escape.h"
#include "map.h"
#include "msg.h"
#include "name.h"

struct cpu_file {
	FILE *file;
	uint32_t sequence;
};

struct disk {
	uint32_t dev;
	char name[64];
	struct cpu_file *cpu;
	unsigned int nr_cpus;
};

/* A name that a file has. */
struct note {
	struct {
		uint32_t dev, cpu, pid, zero;
	} key;
	char name[IOB_COMM_LEN];
};

static struct map notes = { .key_len = sizeof(((struct note *)0)->key) };
static struct disk *disks;
static unsigned int nr_disks;
static int folder_fd = -1, failure;
static uint64_t start, wall;

/*
 * The first part of the files' names.  The names of a recording may be forged: none leaves the
 * folder, and no two disks share one.
 */
static void name_files(struct disk *disk)
{
	const char *name = name_disk(disk->dev);
	unsigned int i;
	char *s;

	snprintf(disk->name, sizeof(disk->name), "%s", name);
	for (s = disk->name; *s; s++) {
		if (*s == '/')
			*s = '!';
	}
	for (i = 0; i < nr_disks; i++) {
		if (!strcmp(disks[i].name, disk->name))
			break;
	}
	if (i < nr_disks || !*disk->name || *disk->name == '.' || strlen(name) > 60)
		snprintf(disk->name, sizeof(disk->name), "%u:%u", disk->dev >> 20,
			 disk->dev & 0xfffff);
}

static struct disk *find_disk(uint32_t dev)
{
	unsigned int i;
	struct disk new = { .dev = dev };

	for (i = 0; i < nr_disks; i++) {
		if (disks[i].dev == dev)
			return &disks[i];
	}
	name_files(&new);
	disks = must(realloc(disks, (nr_disks + 1) * sizeof(*disks)));
	disks[nr_disks] = new;
	return &disks[nr_disks++];
}

static void write_bytes(struct cpu_file *f, const void *data, size_t len)
{
	if (f->file && fwrite(data, len, 1, f->file) != 1 && !failure)
		failure = errno;
}

/* What is no event of a disk: a name, or the time of day.  blkparse counts them, too. */
static void write_notify(const struct disk *disk, unsigned int cpu, uint32_t action,
			 uint64_t time, uint32_t pid, const void *data, size_t len)
{
	struct cpu_file *f = &disk->cpu[cpu];
	const struct blkfile_event note = {
		.magic = BLKFILE_MAGIC, .sequence = ++f->sequence, .time = time,
		.action = action | TC(TC_NOTIFY), .pid = pid, .device = disk->dev, .cpu = cpu,
		.pdu_len = len,
	};

	write_bytes(f, &note, sizeof(note));
	write_bytes(f, data, len);
}

static void name_file_of(char *to, size_t size, const struct disk *disk, unsigned int cpu)
{
	snprintf(to, size, "%s.blktrace.%u", disk->name, cpu);
}

static void open_cpu(struct disk *disk)
{
	const uint32_t now[2] = { wall / 1000000000, wall % 1000000000 };
	unsigned int cpu = disk->nr_cpus;
	char name[96];
	int fd;

	disk->cpu = must(realloc(disk->cpu, (cpu + 1) * sizeof(*disk->cpu)));
	memset(&disk->cpu[cpu], 0, sizeof(*disk->cpu));
	disk->nr_cpus++;
	name_file_of(name, sizeof(name), disk, cpu);
	fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	disk->cpu[cpu].file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!disk->cpu[cpu].file && !failure)
		failure = errno;
	if (!cpu)
		write_notify(disk, 0, TN_TIMESTAMP, start, 0, now, sizeof(now));
}

/* See that the file has the name of a pid, its newest one. */
static void write_name(const struct disk *disk, unsigned int cpu, uint64_t time,
		       const struct origin *who)
{
	struct note new = { .key = { disk->dev, cpu, who->pid, 0 } }, *note;

	note = map_get(&notes, &new.key);
	if (note && !strcmp(note->name, who->name))
		return;
	if (!note) {
		note = must(calloc(1, sizeof(*note)));
		note->key = new.key;
		map_put(&notes, note);
	}
	memcpy(note->name, who->name, sizeof(note->name));
	write_notify(disk, cpu, TN_PROCESS, time, who->pid, note->name, sizeof(note->name));
}

/**
 * blkfile_event - write an event
 * @event: its magic, sequence and pid are set here
 * @who:   the originator
 */
void blkfile_event(struct blkfile_event *event, const struct origin *who)
{
	struct disk *disk = find_disk(event->device);
	struct cpu_file *f;

	if (failure)
		return;
	if (event->cpu >= BLKFILE_CPUS)
		event->cpu = 0;
	while (disk->nr_cpus <= event->cpu && !failure)
		open_cpu(disk);
	if (failure)
		return;
	f = &disk->cpu[event->cpu];
	write_name(disk, event->cpu, event->time, who);
	event->magic = BLKFILE_MAGIC;
	event->sequence = ++f->sequence;
	event->pid = who->pid;
	event->pdu_len = 0;
	write_bytes(f, event, sizeof(*event));
}

/* The first disk's name in the folder, "" if there is none. */
const char *blkfile_disk(void)
{
	return nr_disks ? disks[0].name : "";
}

unsigned int blkfile_disks(void)
{
	return nr_disks;
}

/**
 * blkfile_begin - make the folder
 * @folder:   its path; it may exist
 * @start_ns: when the trace began
 * @wall_ns:  the time of day then
 *
 * Return: 0 or an errno.
 */
int blkfile_begin(const char *folder, uint64_t start_ns, uint64_t wall_ns)
{
	struct rlimit files;

	start = start_ns;
	wall = wall_ns;
	/* a file for each queue of each disk */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (mkdir(folder, 0700) && errno != EEXIST)
		return errno;
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder_fd < 0 ? errno : 0;
}

/*
 * Remove the files of an older trace that blkparse takes for a part of this one: those behind the
 * last, as far as none is missing.
 */
static void remove_older(const struct disk *disk)
{
	unsigned int cpu = disk->nr_cpus;
	char name[96];

	do
		name_file_of(name, sizeof(name), disk, cpu++);
	while (!unlinkat(folder_fd, name, 0));
	if (errno != ENOENT && !failure)
		failure = errno;
}

/* Close all files.  Return: 0, or the errno of the first write that failed. */
int blkfile_end(void)
{
	unsigned int i, cpu;

	for (i = 0; i < nr_disks; i++) {
		for (cpu = 0; cpu < disks[i].nr_cpus; cpu++) {
			if (disks[i].cpu[cpu].file && fclose(disks[i].cpu[cpu].file) && !failure)
				failure = errno;
		}
		remove_older(&disks[i]);
		free(disks[i].cpu);
		disks[i].cpu = NULL;
		disks[i].nr_cpus = 0;
	}
	if (folder_fd >= 0)
		close(folder_fd);
	folder_fd = -1;
	free(disks);
	disks = NULL;
	nr_disks = 0;
	map_clear(&notes, free);
	return failure;
}
