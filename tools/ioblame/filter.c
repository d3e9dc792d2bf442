// SPDX-License-Identifier: GPL-2.0
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "escape.h"
#include "filter.h"
#include "name.h"
#include "opts.h"
#include "rec.h"
#include "text.h"

static bool takes_device(const struct filter *f, const struct iob_iolog_bin_record *rec)
{
	const struct opts *o = f->opts;
	unsigned int i;

	if (!o->nr_devices)
		return true;
	/* a recording has names only */
	if (o->input) {
		for (i = 0; i < o->nr_devices; i++) {
			const char *word = o->device[i];

			if (!strncmp(word, "/dev/", 5))
				word += 5;
			if (!strcmp(name_disk(rec->disk), word))
				return true;
		}
		return false;
	}
	if (!f->nr_devices)
		return true;
	for (i = 0; i < f->nr_devices; i++) {
		if (device_has(&f->device[i], rec->disk, rec->sector))
			return true;
	}
	return false;
}

static bool takes_pid(const struct opts *o, const struct iob_iolog_bin_record *rec)
{
	unsigned int i;

	if (!o->nr_pids)
		return true;
	for (i = 0; i < o->nr_pids; i++) {
		if (rec->pid == o->pid[i] || rec->tgid == o->pid[i])
			return true;
	}
	return false;
}

static bool takes_comm(const struct opts *o, const struct iob_iolog_bin_record *rec)
{
	char comm[ESCAPE_SIZE(IOB_COMM_LEN)];
	unsigned int i;

	if (!o->nr_comms)
		return true;
	escape_text(comm, sizeof(comm), rec->comm, sizeof(rec->comm));
	for (i = 0; i < o->nr_comms; i++) {
		if (!fnmatch(o->comm[i], comm, FNM_NOESCAPE))
			return true;
	}
	return false;
}

/* "/a" matches /a and what is below; "a" matches any folder a on the path. */
static bool is_below(const char *path, const char *want)
{
	size_t n = strlen(want);
	const char *p;

	if (!strncmp(want, "/sys/fs/cgroup", 14)) {
		want += 14;
		n -= 14;
	}
	while (n > 1 && want[n - 1] == '/')
		n--;
	if (n == 0 || (n == 1 && *want == '/'))
		return true;
	if (*want == '/')
		return !strncmp(path, want, n) && (!path[n] || path[n] == '/');
	for (p = path; (p = strstr(p, want)) != NULL; p++) {
		if ((p == path || p[-1] == '/') && (!p[n] || p[n] == '/'))
			return true;
	}
	return false;
}

static bool takes_cgroup(const struct opts *o, const struct iob_iolog_bin_record *rec)
{
	unsigned int i;
	uint64_t id;

	if (!o->nr_cgroups)
		return true;
	for (i = 0; i < o->nr_cgroups; i++) {
		if (text_parse_u64(o->cgroup[i], &id) ? id == rec->cgroup :
		    rec->cgroup && is_below(name_cgroup(rec->cgroup), o->cgroup[i]))
			return true;
	}
	return false;
}

static bool takes_file(const struct opts *o, const struct iob_iolog_bin_record *rec)
{
	unsigned int i;

	if (!o->nr_files)
		return true;
	for (i = 0; i < o->nr_files; i++) {
		if (!fnmatch(o->file[i], name_file(rec->dev, rec->ino, rec->gen),
			     FNM_NOESCAPE))
			return true;
	}
	return false;
}

/* True if an IO passes the options of the command line. */
bool filter_takes(const struct filter *f, const struct iob_iolog_bin_record *rec)
{
	const struct opts *o = f->opts;

	return (!*o->rw || strchr(o->rw, rec->op)) &&
	       (!o->errors || rec->error) &&
	       (!o->min_lat_ns || rec_total_ns(rec) >= o->min_lat_ns) &&
	       takes_device(f, rec) && takes_pid(o, rec) &&
	       takes_comm(o, rec) && takes_cgroup(o, rec) && takes_file(o, rec);
}
