/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ways of moving a piece between a job's data and its file.
 *
 * A transfer, like what prepares and finishes a job, returns 0 or -errno.
 */
#ifndef TRUTH_WAYS_H
#define TRUTH_WAYS_H

#include <sys/sendfile.h>
#include <sys/uio.h>

#include "job.h"

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE	0x80
#endif

/* At the file's own position: write(2) and read(2) */
static int by_position(struct job *j, const struct piece *p)
{
	size_t done = 0;
	ssize_t n;

	if (lseek(j->fd, p->off, SEEK_SET) < 0)
		return -errno;
	for (; done < p->len; done += n) {
		void *buf = j->data + p->pos + done;

		n = j->kind->read ? read(j->fd, buf, p->len - done) :
		    write(j->fd, buf, p->len - done);
		if (n <= 0)
			return n ? -errno : -EIO;
	}
	return 0;
}

static int by_append(struct job *j, const struct piece *p)
{
	ssize_t n = write(j->fd, j->data + p->pos, p->len);

	return n == (ssize_t)p->len ? 0 : n < 0 ? -errno : -EIO;
}

/* pwrite(2), pread(2) */
static int by_offset(struct job *j, const struct piece *p)
{
	size_t done = 0;
	ssize_t n;

	for (; done < p->len; done += n) {
		void *buf = j->data + p->pos + done;

		n = j->kind->read ?
		    pread(j->fd, buf, p->len - done, p->off + done) :
		    pwrite(j->fd, buf, p->len - done, p->off + done);
		if (n <= 0)
			return n ? -errno : -EIO;
	}
	return 0;
}

/* One segment for each block: more than a request may have */
static int by_vector(struct job *j, const struct piece *p)
{
	struct iovec iov[IOV_MAX];
	int nr = 0;
	ssize_t n;

	for (size_t at = 0; at < p->len; at += BLOCK) {
		iov[nr].iov_base = j->data + p->pos + at;
		iov[nr++].iov_len = p->len - at < BLOCK ? p->len - at : BLOCK;
	}
	n = pwritev2(j->fd, iov, nr, p->off, j->kind->flags);
	return n == (ssize_t)p->len ? 0 : n < 0 ? -errno : -EIO;
}

static int by_fsync(struct job *j, const struct piece *p)
{
	int err = by_offset(j, p);

	if (!err && p->off / p->len % 4 == 3 && fsync(j->fd) < 0)
		err = -errno;
	return err;
}

/*
 * A page of a mapping may be written back between two stores, and a file system
 * that writes elsewhere each time leaves that copy behind. The magic comes last:
 * what is half done is no tag, whatever lay there before.
 */
static void put_tag(uint8_t *to, const uint8_t *from)
{
	uint64_t magic;

	memcpy(&magic, from, sizeof(magic));
	memcpy(to + sizeof(magic), from + sizeof(magic),
	       TAG_SECTOR - sizeof(magic));
	__atomic_store_n((uint64_t *)to, magic, __ATOMIC_RELEASE);
}

static int by_mapping(struct job *j, const struct piece *p)
{
	uint8_t *there = j->map + (p->off - j->base);

	if (j->kind->read) {
		memcpy(j->data + p->pos, there, p->len);
		return 0;
	}
	for (size_t at = 0; at < p->len; at += TAG_SECTOR)
		put_tag(there + at, j->data + p->pos + at);
	return 0;
}

/* Make the tags of a piece of the data into no tags, or into tags again */
static void hide_tags(struct job *j, const struct piece *p)
{
	for (size_t at = 0; at < p->len; at += TAG_SECTOR)
		j->data[p->pos + at] ^= 0xff;
}

static int read_into_mapping(struct job *j, const struct piece *p)
{
	ssize_t n = pread(j->memfd, j->map + (p->off - j->base), p->len, p->pos);

	return n == (ssize_t)p->len ? 0 : n < 0 ? -errno : -EIO;
}

/*
 * The kernel stores into the mapping, in place of the program. It stores a tag's
 * first bytes first, so it copies all twice: the second time only the magic changes.
 */
static int by_read_into_mapping(struct job *j, const struct piece *p)
{
	int err;

	hide_tags(j, p);
	err = read_into_mapping(j, p);
	hide_tags(j, p);
	return err ? err : read_into_mapping(j, p);
}

static int by_uring(struct job *j, const struct piece *p)
{
	return uring_add(&j->uring,
			 j->kind->read ? IORING_OP_READ : IORING_OP_WRITE,
			 j->kind->flags, j->data + p->pos, p->len, p->off);
}

static int by_aio(struct job *j, const struct piece *p)
{
	return aio_add(&j->aio,
		       j->kind->read ? IOCB_CMD_PREAD : IOCB_CMD_PWRITE,
		       j->fd, j->data + p->pos, p->len, p->off);
}

/* Move LEN bytes from j->pipe into the file */
static int drain_pipe(struct job *j, size_t len, loff_t *off)
{
	while (len) {
		ssize_t n = splice(j->pipe[0], NULL, j->fd, off, len, 0);

		if (n <= 0)
			return n ? -errno : -EIO;
		len -= n;
	}
	return 0;
}

static int by_splice(struct job *j, const struct piece *p)
{
	loff_t from = p->pos, to = p->off;
	size_t done = 0;
	int err = 0;

	while (!err && done < p->len) {
		ssize_t n = splice(j->memfd, &from, j->pipe[1], NULL,
				   p->len - done, 0);

		if (n <= 0)
			return n ? -errno : -EIO;
		err = drain_pipe(j, n, &to);
		done += n;
	}
	return err;
}

static int by_vmsplice(struct job *j, const struct piece *p)
{
	loff_t to = p->off;
	size_t done = 0;
	int err = 0;

	while (!err && done < p->len) {
		struct iovec iov = {
			.iov_base = j->data + p->pos + done,
			.iov_len = p->len - done,
		};
		ssize_t n = vmsplice(j->pipe[1], &iov, 1, 0);

		if (n <= 0)
			return n ? -errno : -EIO;
		err = drain_pipe(j, n, &to);
		done += n;
	}
	return err;
}

static int by_sendfile(struct job *j, const struct piece *p)
{
	off_t from = p->pos;
	size_t done = 0;
	ssize_t n;

	if (lseek(j->fd, p->off, SEEK_SET) < 0)
		return -errno;
	for (; done < p->len; done += n) {
		n = sendfile(j->fd, j->memfd, &from, p->len - done);
		if (n <= 0)
			return n ? -errno : -EIO;
	}
	return 0;
}

/* readahead(2) at first, then a read that finds it */
static int by_readahead(struct job *j, const struct piece *p)
{
	if (readahead(j->fd, p->off, p->len) < 0)
		return -errno;
	return by_offset(j, p);
}

static int open_uring(struct job *j)
{
	return uring_open(&j->uring, j->kind->setup, j->fd);
}

static int close_uring(struct job *j)
{
	return uring_drain(&j->uring);
}

static int open_aio(struct job *j)
{
	return aio_open(&j->aio);
}

static int close_aio(struct job *j)
{
	return aio_drain(&j->aio);
}

static int open_pipe(struct job *j)
{
	return pipe(j->pipe) < 0 ? -errno : 0;
}

/* Bytes of the file from j->base that the job, or the whole cast, works on */
static uint64_t job_span(const struct job *j)
{
	uint64_t span = j->bytes;

	if (j->kind->pattern == HOLES)
		span *= 2;
	return j->parts ? span * j->parts : span;
}

static int extend(struct job *j)
{
	if (j->bdev)
		return 0;
	return ftruncate(j->fd, job_span(j)) < 0 ? -errno : 0;
}

static int extend_again(struct job *j)
{
	return ftruncate(j->fd, 2 * job_span(j)) < 0 ? -errno : 0;
}

/*
 * Map the file. A page that has been looked at is mapped read-only, so that the
 * first store into it faults; from 6.18 on the first store into a large folio
 * that no task has read maps all of it writable, and no other store faults.
 */
static int open_mapping(struct job *j)
{
	int prot = j->kind->read ? PROT_READ : PROT_READ | PROT_WRITE;
	int err = 0;

	if (!j->kind->read && !j->parts)
		err = extend(j);
	if (err)
		return err;
	j->map_len = job_span(j);
	j->map = mmap(NULL, j->map_len, prot, MAP_SHARED, j->fd, j->base);
	if (j->map == MAP_FAILED)
		return -errno;
	for (size_t at = 0; j->kind->look && at < j->map_len; at += page_size())
		(void)*(volatile uint8_t *)(j->map + at);
	return 0;
}

static int sync_mapping(struct job *j)
{
	return msync(j->map, j->map_len, MS_SYNC) < 0 ? -errno : 0;
}

static int allocate(struct job *j)
{
	return fallocate(j->fd, 0, 0, job_span(j)) < 0 ? -errno : 0;
}

/* Gone before anything is flushed, without so much as a close */
static int leave_early(struct job *j)
{
	manifest_write(j);
	_exit(0);
}

#endif
