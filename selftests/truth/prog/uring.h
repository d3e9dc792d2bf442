/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The least of io_uring that the truth test needs, by raw system calls: the library is not in
 * every release, and 2021's headers must do.
 *
 * It is used as the queue of aio.h: *_open() once, *_add() for each transfer (which
 * waits for room), *_drain() at the end. Everything returns 0 or -errno; a
 * short transfer is -EIO.
 */
#ifndef TRUTH_URING_H
#define TRUTH_URING_H

#include <errno.h>
#include <linux/io_uring.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef QUEUE_DEPTH
#define QUEUE_DEPTH	16
#endif

struct uring {
	int fd;
	bool sqpoll;
	unsigned int inflight;
	unsigned int *sq_tail, *sq_mask, *sq_array;
	unsigned int *cq_head, *cq_tail, *cq_mask;
	struct io_uring_sqe *sqes;
	struct io_uring_cqe *cqes;
	uint32_t len[QUEUE_DEPTH];	/* of the transfer with this user_data */
	bool busy[QUEUE_DEPTH];
};

static void *uring_map(int fd, size_t len, off_t what)
{
	return mmap(NULL, len, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_POPULATE, fd, what);
}

/* setup: IORING_SETUP_*; file becomes fixed file 0, as old SQPOLL demands */
static int uring_open(struct uring *r, unsigned int setup, int file)
{
	struct io_uring_params p = { .flags = setup, .sq_thread_idle = 200 };
	char *sq, *cq;

	memset(r, 0, sizeof(*r));
	r->sqpoll = setup & IORING_SETUP_SQPOLL;
	r->fd = syscall(__NR_io_uring_setup, QUEUE_DEPTH, &p);
	if (r->fd < 0)
		return -errno;
	sq = uring_map(r->fd, p.sq_off.array + p.sq_entries * sizeof(int),
		       IORING_OFF_SQ_RING);
	cq = uring_map(r->fd, p.cq_off.cqes +
		       p.cq_entries * sizeof(struct io_uring_cqe),
		       IORING_OFF_CQ_RING);
	r->sqes = uring_map(r->fd, p.sq_entries * sizeof(struct io_uring_sqe),
			    IORING_OFF_SQES);
	if (sq == MAP_FAILED || cq == MAP_FAILED || r->sqes == MAP_FAILED)
		return -errno;
	r->sq_tail = (void *)(sq + p.sq_off.tail);
	r->sq_mask = (void *)(sq + p.sq_off.ring_mask);
	r->sq_array = (void *)(sq + p.sq_off.array);
	r->cq_head = (void *)(cq + p.cq_off.head);
	r->cq_tail = (void *)(cq + p.cq_off.tail);
	r->cq_mask = (void *)(cq + p.cq_off.ring_mask);
	r->cqes = (void *)(cq + p.cq_off.cqes);
	if (syscall(__NR_io_uring_register, r->fd, IORING_REGISTER_FILES,
		    &file, 1) < 0)
		return -errno;
	return 0;
}

static int uring_enter(struct uring *r, unsigned int submit, unsigned int wait)
{
	unsigned int flags = IORING_ENTER_GETEVENTS;

	if (r->sqpoll)
		flags |= IORING_ENTER_SQ_WAKEUP;
	while (syscall(__NR_io_uring_enter, r->fd, submit, wait, flags,
		       NULL, 0) < 0) {
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
	return 0;
}

/* Take at least one completion */
static int uring_reap(struct uring *r)
{
	unsigned int head = *r->cq_head;
	int err = 0, ret;

	while (head == __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE)) {
		ret = uring_enter(r, 0, 1);
		if (ret)
			return ret;
	}
	while (head != __atomic_load_n(r->cq_tail, __ATOMIC_ACQUIRE)) {
		struct io_uring_cqe *cqe = &r->cqes[head++ & *r->cq_mask];

		if (cqe->res < 0)
			err = cqe->res;
		else if ((uint32_t)cqe->res != r->len[cqe->user_data])
			err = -EIO;
		r->busy[cqe->user_data] = false;
		r->inflight--;
	}
	__atomic_store_n(r->cq_head, head, __ATOMIC_RELEASE);
	return err;
}

static int uring_drain(struct uring *r)
{
	int err = 0, ret;

	while (r->inflight) {
		ret = uring_reap(r);
		if (ret)
			err = ret;
	}
	return err;
}

/* op: IORING_OP_READ or _WRITE; flags: 0 or IOSQE_ASYNC */
static int uring_add(struct uring *r, uint8_t op, uint8_t flags, void *buf,
		     uint32_t len, uint64_t off)
{
	unsigned int tail = *r->sq_tail, nr, slot = 0;
	struct io_uring_sqe *sqe;
	int err = 0;

	if (r->inflight == QUEUE_DEPTH)
		err = uring_reap(r);
	if (err)
		return err;
	while (r->busy[slot])
		slot++;
	nr = tail & *r->sq_mask;
	sqe = &r->sqes[nr];
	memset(sqe, 0, sizeof(*sqe));
	sqe->opcode = op;
	sqe->flags = flags | IOSQE_FIXED_FILE;
	sqe->fd = 0;
	sqe->addr = (uintptr_t)buf;
	sqe->len = len;
	sqe->off = off;
	sqe->user_data = slot;
	r->len[slot] = len;
	r->busy[slot] = true;
	r->inflight++;
	r->sq_array[nr] = nr;
	__atomic_store_n(r->sq_tail, tail + 1, __ATOMIC_RELEASE);
	return uring_enter(r, 1, 0);
}

#endif
