// SPDX-License-Identifier: GPL-2.0
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "escape.h"
#include "filter.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "rec.h"
#include "text.h"

/* A recording has names and numbers only. */
static bool is_recorded_disk(uint32_t disk, const char *word)
{
	char number[32];

	if (!strncmp(word, "/dev/", 5))
		word += 5;
	snprintf(number, sizeof(number), "%u:%u", disk >> 20, disk & 0xfffff);
	return !strcmp(name_disk(disk), word) || !strcmp(number, word);
}

static bool takes_device(struct filter *f, const struct iob_iolog_bin_record *rec)
{
	const struct opts *o = f->opts;
	bool takes = false;
	unsigned int i;

	if (!o->nr_devices)
		return true;
	if (o->input) {
		wants_see(&f->wants, WANT_DEVICE, name_disk(rec->disk));
		for (i = 0; i < o->nr_devices; i++) {
			if (!is_recorded_disk(rec->disk, o->device[i]))
				continue;
			wants_matched(&f->wants, WANT_DEVICE, i);
			takes = true;
		}
		return takes;
	}
	if (!f->nr_devices)
		return true;
	for (i = 0; i < f->nr_devices; i++) {
		if (device_has(&f->device[i], rec->disk, rec->sector, rec->bytes))
			return true;
	}
	return false;
}

static bool takes_pid(struct filter *f, const struct iob_iolog_bin_record *rec)
{
	char seen[32 + ESCAPE_SIZE(IOB_COMM_LEN)], comm[ESCAPE_SIZE(IOB_COMM_LEN)];
	const struct opts *o = f->opts;
	bool takes = false;
	unsigned int i;

	if (!o->nr_pids)
		return true;
	if (f->wants.open[WANT_PID] && rec->tgid) {
		escape_text(comm, sizeof(comm), rec->comm, sizeof(rec->comm));
		snprintf(seen, sizeof(seen), "%u (%s)", rec->tgid, comm);
		wants_see(&f->wants, WANT_PID, seen);
	}
	for (i = 0; i < o->nr_pids; i++) {
		if (rec->pid != o->pid[i] && rec->tgid != o->pid[i])
			continue;
		wants_matched(&f->wants, WANT_PID, i);
		takes = true;
	}
	return takes;
}

static bool takes_comm(struct filter *f, const struct iob_iolog_bin_record *rec)
{
	char comm[ESCAPE_SIZE(IOB_COMM_LEN)];
	const struct opts *o = f->opts;
	bool takes = false;
	unsigned int i;

	if (!o->nr_comms)
		return true;
	escape_text(comm, sizeof(comm), rec->comm, sizeof(rec->comm));
	wants_see(&f->wants, WANT_COMM, comm);
	for (i = 0; i < o->nr_comms; i++) {
		if (fnmatch(o->comm[i], comm, FNM_NOESCAPE))
			continue;
		wants_matched(&f->wants, WANT_COMM, i);
		takes = true;
	}
	return takes;
}

static bool takes_user(struct filter *f, const struct iob_iolog_bin_record *rec)
{
	const struct opts *o = f->opts;
	bool takes = false;
	const char *user;
	unsigned int i;

	if (!o->nr_users || !rec->tgid)
		return !o->nr_users;
	user = name_user(rec->tgid, rec->comm);
	wants_see(&f->wants, WANT_USER, user);
	for (i = 0; i < o->nr_users; i++) {
		if (!escape_shows(user, o->user[i]))
			continue;
		wants_matched(&f->wants, WANT_USER, i);
		takes = true;
	}
	return takes;
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

enum {
	SHORT_ID = 12,		/* digits of a container's short id */
};

/* True if the path, or the name of the container, has the word or matches the pattern. */
static bool has_part(const struct iob_iolog_bin_record *rec, const char *want)
{
	const char *path = name_cgroup(rec->cgroup), *unit = name_unit(rec->cgroup);
	char pattern[512], plain[256];
	size_t i;

	if (strchr(want, '/') && !strchr(want, ':'))
		return strstr(unit, want);
	if (strpbrk(want, "*?[")) {
		/* of one part of the path: fnmatch's * takes a slash, too */
		snprintf(pattern, sizeof(pattern), "*/%s", want);
		return !fnmatch(want, unit, FNM_NOESCAPE) ||
		       !fnmatch(pattern, path, FNM_NOESCAPE);
	}
	/* systemd has _ for the - of a pod's UID */
	snprintf(plain, sizeof(plain), "%s", want);
	for (i = 0; plain[i]; i++) {
		if (plain[i] == '-')
			plain[i] = '_';
	}
	return *want && (strstr(path, want) || strstr(path, plain) || strstr(unit, want));
}

static bool is_in_cgroup(const struct iob_iolog_bin_record *rec, const char *want)
{
	uint64_t id;

	if (text_parse_u64(want, &id)) {
		if (id == rec->cgroup)
			return true;
		/* a short id can be all digits */
		if (strlen(want) < SHORT_ID)
			return false;
	}
	return is_below(name_cgroup(rec->cgroup), want) || has_part(rec, want);
}

static bool takes_cgroup(struct filter *f, const struct iob_iolog_bin_record *rec)
{
	const struct opts *o = f->opts;
	bool takes = false;
	unsigned int i;

	if (!o->nr_cgroups)
		return true;
	if (rec->cgroup)
		wants_see(&f->wants, WANT_CGROUP, name_cgroup(rec->cgroup));
	for (i = 0; i < o->nr_cgroups; i++) {
		if (!rec->cgroup || !is_in_cgroup(rec, o->cgroup[i]))
			continue;
		wants_matched(&f->wants, WANT_CGROUP, i);
		takes = true;
	}
	return takes;
}

static bool takes_file(struct filter *f, const struct iob_iolog_bin_record *rec)
{
	const struct opts *o = f->opts;
	bool takes = false;
	const char *name;
	unsigned int i;

	if (!o->nr_files)
		return true;
	name = name_file(rec->dev, rec->ino, rec->gen);
	wants_see(&f->wants, WANT_FILE, name);
	for (i = 0; i < o->nr_files; i++) {
		if (fnmatch(o->file[i], name, FNM_NOESCAPE))
			continue;
		wants_matched(&f->wants, WANT_FILE, i);
		takes = true;
	}
	return takes;
}

/* True if the options leave out some of the IO that is watched. */
bool filter_selects(const struct opts *o)
{
	return *o->rw || o->errors || o->min_lat_ns || (o->input && o->nr_devices) || o->nr_pids ||
	       o->nr_comms || o->nr_cgroups || o->nr_users || o->nr_files;
}

void filter_begin(struct filter *f, const struct opts *o)
{
	f->opts = o;
	wants_begin(&f->wants, WANT_DEVICE, o->input ? o->nr_devices : 0);
	wants_begin(&f->wants, WANT_PID, o->nr_pids);
	wants_begin(&f->wants, WANT_COMM, o->nr_comms);
	wants_begin(&f->wants, WANT_USER, o->nr_users);
	wants_begin(&f->wants, WANT_CGROUP, o->nr_cgroups);
	wants_begin(&f->wants, WANT_FILE, o->nr_files);
}

/* All options but --errors. */
static bool passes(struct filter *f, const struct iob_iolog_bin_record *rec)
{
	const struct opts *o = f->opts;
	bool takes;

	/* while a word has matched nothing, each is asked, whatever the others say */
	if (wants_are_open(&f->wants))
		takes = takes_device(f, rec) & takes_pid(f, rec) & takes_comm(f, rec) &
			takes_user(f, rec) & takes_cgroup(f, rec) & takes_file(f, rec);
	else
		takes = takes_device(f, rec) && takes_pid(f, rec) && takes_comm(f, rec) &&
			takes_cgroup(f, rec) && takes_file(f, rec) && takes_user(f, rec);
	return takes && (!*o->rw || strchr(o->rw, rec->op)) &&
	       (!o->min_lat_ns || rec_total_ns(rec) >= o->min_lat_ns);
}

static bool takes_error(const struct opts *o, const struct iob_iolog_bin_record *rec)
{
	return !o->errors || rec->error;
}

/* As filter_takes(), for a record that it was asked before: it does not count. */
bool filter_chooses(struct filter *f, const struct iob_iolog_bin_record *rec)
{
	return passes(f, rec) && takes_error(f->opts, rec);
}

/* True if an IO passes the options of the command line.  Once for each: the end says how many. */
bool filter_takes(struct filter *f, const struct iob_iolog_bin_record *rec)
{
	const struct opts *o = f->opts;
	bool passed = passes(f, rec), takes = passed && takes_error(o, rec);

	f->wants.all++;
	/* that of `errors` is no option, and that nothing failed no fault of one */
	f->wants.passed += o->command == CMD_ERRORS ? passed : takes;
	return takes;
}

/* Print which words matched nothing. */
void filter_end(struct filter *f)
{
	const struct opts *o = f->opts;
	unsigned int i;
	char pid[32];

	for (i = 0; i < o->nr_devices; i++)
		wants_print(&f->wants, WANT_DEVICE, "-D", i, o->device[i]);
	for (i = 0; i < o->nr_pids; i++) {
		snprintf(pid, sizeof(pid), "%llu", (unsigned long long)o->pid[i]);
		wants_print(&f->wants, WANT_PID, "-p", i, pid);
	}
	for (i = 0; i < o->nr_comms; i++)
		wants_print(&f->wants, WANT_COMM, "-c", i, o->comm[i]);
	for (i = 0; i < o->nr_users; i++)
		wants_print(&f->wants, WANT_USER, "-u", i, o->user[i]);
	for (i = 0; i < o->nr_cgroups; i++)
		wants_print(&f->wants, WANT_CGROUP, "-g", i, o->cgroup[i]);
	for (i = 0; i < o->nr_files; i++)
		wants_print(&f->wants, WANT_FILE, "--file", i, o->file[i]);
	if (f->wants.all && !f->wants.passed && !wants_are_open(&f->wants))
		msg("none of %llu IOs passes all of these options",
		    (unsigned long long)f->wants.all);
	wants_free(&f->wants);
}
