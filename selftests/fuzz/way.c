// SPDX-License-Identifier: GPL-2.0
/*
 * The ways in which a text is written, and the comparison with what the model expects.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fuzz.h"

#define MAX_PIECES	6

struct tally tally;

static void count(const struct target *t, int error)
{
	tally.writes++;
	tally.kinds[t->kind]++;
	if (error)
		tally.refused[error & 0xff]++;
	else
		tally.taken++;
}

void complain(const struct target *t, const char *how, const char *data, size_t len,
	      const char *format, ...)
{
	va_list args;

	tally.wrong++;
	printf("fail: seed %lu write %lu: %s, %s, %zu bytes '%.500s': ", case_seed, case_nr,
	       t->path, how, len, text_escape(data, len));
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
}

/* Does it read what it must? */
static void check_shown(struct target *t, const char *how, const char *data, size_t len,
			const struct verdict *v)
{
	char shown[SHOWN_MAX], text[INPUT_MAX + 1];
	ssize_t n = model_read(t, shown, sizeof(shown));
	size_t from = 0;

	if (n < 0) {
		if (!(loose && (n == -ENOENT || n == -EIO)))
			complain(t, how, data, len, "then reading: %s", strerror(-n));
		return;
	}
	if (loose) {
		if (!model_well_formed(t, shown))
			complain(t, how, data, len, "then it reads '%s'", text_escape(shown, n));
		return;
	}
	if (t->kind == FILTER && v->err && !v->shown[0] && len <= INPUT_MAX) {
		while (len && strchr(" \t\n\v\f\r", data[len - 1]))
			len--;
		while (from < len && strchr(" \t\n\v\f\r", data[from]))
			from++;
		memcpy(text, data + from, len - from);
		text[len - from] = '\0';
		if (!filter_explained(text, shown))
			complain(t, how, data, len, "which is explained by '%s'",
				 text_escape(shown, n));
		model_learn(t);
		return;
	}
	if (!strcmp(shown, v->shown))
		return;
	complain(t, how, data, len, "then it reads '%s', not '%s'", text_escape(shown, n),
		 v->shown);
	model_learn(t);
}

/* Others may have removed it, or enabled ioblame, or there was no memory to. */
static bool excused(const struct target *t, int error)
{
	if (t->kind == ENABLE && error == ENOMEM)
		return true;
	/* a counter goes before its files do: EINVAL, and EIO then */
	return loose && ((t->while_disabled && error == EBUSY) ||
			 ((t->kind == SPEC || t->kind == FILTER) &&
			  (error == EIO || error == EINVAL)));
}

/* @n: what the write returned, or -errno */
static void judge(struct opened *o, const char *how, const char *data, size_t len, ssize_t n,
		  const struct verdict *v)
{
	struct target *t = o->t;
	int error = n < 0 ? -n : 0;
	bool fits;

	count(t, error);
	if (v->err && !error && t->kind == READ_ONLY && !len)
		return;
	fits = v->err ? error && (error == v->err || error == v->err2) : n == (ssize_t)v->taken;
	if (!fits && excused(t, error)) {
		model_learn(t);
		return;
	}
	if (!fits && v->unsure && (!error || error == EINVAL || error == ENODEV)) {
		o->wrote = true;
		o->clear = o->clear && error;
		model_learn(t);
		return;
	}
	if (!fits) {
		complain(t, how, data, len, "%s, expected %s", error ? strerror(error) : "taken",
			 v->err ? strerror(v->err) : "that it is taken");
		model_learn(t);
		return;
	}
	if (!loose)
		model_took(o, v);
	if (t->kind != READ_ONLY)
		check_shown(t, how, data, len, v);
}

static ssize_t result(ssize_t n)
{
	return n < 0 ? -errno : n;
}

static bool open_target(struct opened *o, struct target *t, int flags)
{
	int error;

	*o = (struct opened){ .t = t, .fd = open(t->path, flags) };
	if (o->fd >= 0) {
		o->clear = t->kind == DEVS && (flags & O_TRUNC);
		return true;
	}
	error = errno;
	count(t, error);
	if (error == ENOENT && (t->kind == SPEC || t->kind == FILTER) &&
	    (loose || t->nr >= (int)model_nr_counters()))
		return false;
	if (t->kind == READ_ONLY && (error == EACCES || error == EINVAL || error == EBUSY))
		return false;
	complain(t, "open", "", 0, "%s", strerror(error));
	return false;
}

static void close_target(struct opened *o)
{
	struct verdict v = { 0 };

	close(o->fd);
	if (!o->clear || o->wrote || loose)
		return;
	/* O_TRUNC and no write: the list is empty */
	model_took(o, &v);
	check_shown(o->t, "close", "", 0, &v);
}

static void write_piece(struct opened *o, const char *how, const char *data, size_t len)
{
	struct verdict v;

	model_expect(o, data, len, &v);
	judge(o, how, data, len, result(write(o->fd, data, len)), &v);
}

/* --- the ways */

static void way_pieces(struct rng *r, struct opened *o, const struct text *x)
{
	size_t at = 0, len;
	int i;

	for (i = 0; i < 4 && at < x->len; i++) {
		len = i == 3 ? x->len - at : 1 + rng_below(r, x->len - at);
		write_piece(o, "in pieces", x->data + at, len);
		at += len;
	}
}

/* Each piece is a write; those behind one that is refused are not written. */
static void way_vector(struct rng *r, struct opened *o, const struct text *x)
{
	struct iovec iov[MAX_PIECES];
	struct verdict v = { 0 };
	ssize_t n, all = 0;
	size_t at = 0;
	int nr, i;

	for (nr = 0; nr < MAX_PIECES && at < x->len; nr++) {
		iov[nr].iov_base = x->data + at;
		iov[nr].iov_len = x->len - at;
		if (nr < MAX_PIECES - 1)
			iov[nr].iov_len = 1 + rng_below(r, x->len - at);
		at += iov[nr].iov_len;
	}
	for (i = 0; i < nr && !loose; i++) {
		model_expect(o, iov[i].iov_base, iov[i].iov_len, &v);
		if (v.unsure)
			break;
		model_took(o, &v);
		if (v.err)
			break;
		all += v.taken;
	}
	n = result(writev(o->fd, iov, nr));
	count(o->t, n < 0 ? -n : 0);
	if (loose || v.unsure || (n < 0 && excused(o->t, -n))) {
		o->wrote = true;
		model_learn(o->t);
		return;
	}
	if (n != (all ? all : -v.err) && n != (all ? all : -v.err2)) {
		complain(o->t, "writev", x->data, x->len, "%zd, expected %zd", n,
			 all ? all : -v.err);
		model_learn(o->t);
	} else if (o->t->kind != READ_ONLY) {
		check_shown(o->t, "writev", iov[i < nr ? i : nr - 1].iov_base,
			    iov[i < nr ? i : nr - 1].iov_len, &v);
	}
}

/* Memory that is not there, from the text's beginning, or its end, on */
static void way_fault(struct rng *r, struct opened *o, const struct text *x)
{
	size_t page = 4096, back = rng_one_in(r, 2) ? rng_below(r, x->len) : 0;
	struct verdict v = { .err = EFAULT, .taken = x->len };
	char *map;

	if (back > page)
		back = page;
	map = mmap(NULL, page + TEXT_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		   -1, 0);
	if (map == MAP_FAILED)
		err(2, "mmap");
	mprotect(map + page, TEXT_MAX, PROT_NONE);
	memcpy(map + page - back, x->data, back);
	if (x->len > INPUT_MAX && o->t->kind != TRUST && o->t->kind != BOOL)
		v.err = E2BIG;
	if (o->t->kind == READ_ONLY)
		v.err = EINVAL;
	/* sysfs takes a page of it at most */
	v.unsure = back && x->len > page;
	if (o->t->shown)
		strcpy(v.shown, o->t->shown);
	if (!(v.unsure && (o->t->kind == TRUST || o->t->kind == BOOL)))
		judge(o, "from memory that is not there", x->data, x->len,
		      result(write(o->fd, map + page - back, x->len)), &v);
	munmap(map, page + TEXT_MAX);
}

/* At a place: a seq_file of debugfs has none */
static void way_place(struct rng *r, struct opened *o, const struct text *x)
{
	off_t at = rng_one_in(r, 3) ? 0 : rng_next(r) >> (1 + rng_below(r, 63));
	struct verdict v;

	model_expect(o, x->data, x->len, &v);
	if (o->t->kind == TRUST || o->t->kind == BOOL) {
		v.unsure = true;
		v.err2 = EINVAL;
	} else {
		v.err2 = o->t->kind == READ_ONLY ? EINVAL : 0;
		v.err = ESPIPE;
		strcpy(v.shown, o->t->shown ? o->t->shown : "");
	}
	judge(o, "pwrite", x->data, x->len, result(pwrite(o->fd, x->data, x->len, at)), &v);
	/* the module saw no write */
	o->wrote = false;
}

/* From a pipe or another file: only sysfs takes that */
static void way_splice(struct rng *r, struct opened *o, const struct text *x)
{
	size_t len = x->len < INPUT_MAX ? x->len : INPUT_MAX;
	struct verdict v = { .err = EINVAL };
	int ends[2], file;
	ssize_t n;

	if (!len)
		return;
	if (o->t->shown)
		strcpy(v.shown, o->t->shown);
	v.unsure = o->t->kind == TRUST || o->t->kind == BOOL;
	if (rng_one_in(r, 2)) {
		if (pipe(ends) || write(ends[1], x->data, len) != (ssize_t)len)
			err(2, "pipe");
		n = result(splice(ends[0], NULL, o->fd, NULL, len, 0));
		close(ends[0]);
		close(ends[1]);
	} else {
		file = memfd_create("fuzz", 0);
		if (file < 0 || write(file, x->data, len) != (ssize_t)len)
			err(2, "memfd");
		lseek(file, 0, SEEK_SET);
		n = result(sendfile(o->fd, file, NULL, len));
		close(file);
	}
	/* no write came: devs is cleared at the close */
	count(o->t, n < 0 ? -n : 0);
	if (v.unsure)
		model_learn(o->t);
	else if (n != -EINVAL)
		complain(o->t, "splice", x->data, len, "%zd", n);
}

/* What it reads can be written, and then it reads the same. */
static void way_again(struct target *t)
{
	struct opened o;
	char *shown;

	if (t->kind == READ_ONLY || t->kind == ENABLE || strstr(t->shown, "\nparse_error: "))
		return;
	if (!open_target(&o, t, O_WRONLY))
		return;
	shown = strdup(t->shown);
	write_piece(&o, "what it reads", shown, strlen(shown));
	if (!loose && strcmp(shown, t->shown))
		complain(t, "what it reads", shown, strlen(shown), "changes it");
	free(shown);
	close_target(&o);
}

/* A counter's file that is open while the counter goes */
static void way_stale(struct rng *r, const struct text *x)
{
	unsigned int nr = model_nr_counters();
	struct opened o, of_nr;
	struct target *t;
	char less[16];
	ssize_t n;

	if (!nr || loose || partial || model_enabled())
		return;
	t = model_counter(nr - 1, rng_below(r, 2));
	if (!open_target(&o, t, O_RDWR))
		return;
	if (!open_target(&of_nr, model_nr_counters_target(), O_WRONLY)) {
		close(o.fd);
		return;
	}
	snprintf(less, sizeof(less), "%u", nr - 1);
	write_piece(&of_nr, "one less", less, strlen(less));
	close_target(&of_nr);
	n = result(write(o.fd, x->data, x->len));
	count(t, n < 0 ? -n : 0);
	if (n != -EIO)
		complain(t, "after it is gone", x->data, x->len, "%zd", n);
	n = result(pread(o.fd, less, sizeof(less), 0));
	if (n != -EIO)
		complain(t, "after it is gone", "", 0, "reading: %zd", n);
	close(o.fd);
}

/* Not open for writing */
static void way_read_only(struct target *t, const struct text *x)
{
	ssize_t n;
	int fd = open(t->path, O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return;
	n = result(write(fd, x->data, x->len));
	count(t, n < 0 ? -n : 0);
	if (n != -EBADF)
		complain(t, "to a file open for reading", x->data, x->len, "%zd", n);
	close(fd);
}

static int some_flags(struct rng *r)
{
	static const int more[] = {
		0, 0, O_TRUNC, O_APPEND, O_NONBLOCK, O_SYNC, O_TRUNC | O_APPEND
	};

	return (rng_one_in(r, 3) ? O_RDWR : O_WRONLY) | more[rng_below(r, 7)];
}

void way_write(struct rng *r, struct target *t, const struct text *x)
{
	bool parameter = t->kind == TRUST || t->kind == BOOL;
	unsigned int way = rng_below(r, 40);
	struct opened o;
	char byte;

	if (way == 0)
		return way_read_only(t, x);
	if (way == 1)
		return way_again(t);
	if (way == 2 && rng_one_in(r, 10))
		return way_stale(r, x);
	if (!open_target(&o, t, some_flags(r)))
		return;
	if (way == 3 && t->kind != READ_ONLY && pread(o.fd, &byte, 1, 0) < 0)
		errno = 0;
	if (way < 8)
		lseek(o.fd, rng_next(r) >> (1 + rng_below(r, 63)), rng_below(r, 5));
	if (way >= 8 && way < 11 && !parameter)
		way_pieces(r, &o, x);
	else if (way >= 11 && way < 14 && !parameter && x->len)
		way_vector(r, &o, x);
	else if (way == 14 && x->len)
		way_fault(r, &o, x);
	else if (way == 15)
		way_place(r, &o, x);
	else if (way == 16)
		way_splice(r, &o, x);
	else if (way != 17)
		write_piece(&o, "write", x->data, x->len);
	close_target(&o);
}
