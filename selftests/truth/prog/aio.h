/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The least of Linux AIO that the truth test needs, by raw system calls, as uring.h.
 */
#ifndef TRUTH_AIO_H
#define TRUTH_AIO_H

#include <errno.h>
#include <linux/aio_abi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef QUEUE_DEPTH
#define QUEUE_DEPTH	16
#endif

struct aio {
	aio_context_t ctx;
	int inflight;
};

static int aio_open(struct aio *a)
{
	memset(a, 0, sizeof(*a));
	return syscall(__NR_io_setup, QUEUE_DEPTH, &a->ctx) < 0 ? -errno : 0;
}

static int aio_reap(struct aio *a)
{
	struct io_event ev[QUEUE_DEPTH];
	int n, err = 0;

	do {
		n = syscall(__NR_io_getevents, a->ctx, 1, QUEUE_DEPTH, ev, NULL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	a->inflight -= n;
	while (n--) {
		if (ev[n].res < 0)
			err = ev[n].res;
		else if ((uint64_t)ev[n].res != ev[n].data)
			err = -EIO;
	}
	return err;
}

static int aio_drain(struct aio *a)
{
	int err = 0, ret;

	while (a->inflight) {
		ret = aio_reap(a);
		if (ret)
			err = ret;
	}
	return err;
}

/* op: IOCB_CMD_PREAD or _PWRITE */
static int aio_add(struct aio *a, int op, int fd, void *buf, size_t len,
		   uint64_t off)
{
	struct iocb cb = {
		.aio_data = len,
		.aio_lio_opcode = op,
		.aio_fildes = fd,
		.aio_buf = (uintptr_t)buf,
		.aio_nbytes = len,
		.aio_offset = off,
	}, *cbs = &cb;
	int err;

	if (a->inflight == QUEUE_DEPTH) {
		err = aio_reap(a);
		if (err)
			return err;
	}
	if (syscall(__NR_io_submit, a->ctx, 1, &cbs) != 1)
		return -errno;
	a->inflight++;
	return 0;
}

#endif
