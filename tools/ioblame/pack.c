// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "msg.h"
#include "pack.h"

#ifdef HAVE_ZSTD
#include <zstd.h>

enum {
	LEVEL = 3,
	BYTES = 128 << 10,
	HELD = PACK_FRAME + 1,
};

struct pack {
	FILE *plain;		/* what the caller writes or reads */
	FILE *packed;		/* the caller's */
	ZSTD_CCtx *out;
	ZSTD_DCtx *in;
	uint64_t written;	/* packed bytes */
	bool dirty;		/* something may be to flush; of a reader: the frame goes on */
	size_t in_frame;	/* of a writer: bytes of the frame until now */
	/* of a reader: */
	bool damaged;		/* zstd has found an error */
	bool early;		/* the file ends within a frame */
	bool follows;		/* no regular file: all is given as it comes */
	bool at_once;		/* this frame is */
	bool bounded;		/* none is longer than PACK_FRAME */
	char *held;		/* a frame, of which @given of @nr_held bytes are given */
	size_t nr_held, given;
	ZSTD_inBuffer left;	/* what is read and not expanded yet */
	char bytes[BYTES];	/* packed */
};

bool pack_can(void)
{
	return true;
}

/* Give bytes to zstd, and what comes of it to the file. */
static bool compress(struct pack *p, const char *data, size_t len, ZSTD_EndDirective end)
{
	ZSTD_inBuffer from = { data, len, 0 };
	size_t more;

	do {
		ZSTD_outBuffer to = { p->bytes, sizeof(p->bytes), 0 };

		more = ZSTD_compressStream2(p->out, &to, &from, end);
		if (ZSTD_isError(more)) {
			errno = EIO;
			return false;
		}
		if (to.pos && fwrite(p->bytes, to.pos, 1, p->packed) != 1)
			return false;
		p->written += to.pos;
	} while (end == ZSTD_e_continue ? from.pos < from.size : more);
	return true;
}

static ssize_t write_packed(void *cookie, const char *data, size_t len)
{
	struct pack *p = cookie;

	size_t off, n;

	for (off = 0; off < len; off += n) {
		n = PACK_FRAME - p->in_frame;
		if (n > len - off)
			n = len - off;
		if (!compress(p, data + off, n, ZSTD_e_continue))
			return 0;
		p->in_frame = (p->in_frame + n) % PACK_FRAME;
		if (!p->in_frame && !compress(p, NULL, 0, ZSTD_e_end))
			return 0;
		p->dirty = p->in_frame;
	}
	return len;
}

/* Expand some of what is read, or read some.  Return: false if nothing more comes. */
static bool expand(struct pack *p, ZSTD_outBuffer *to)
{
	size_t before = to->pos, ret;
	bool over;

	if (p->damaged || p->early)
		return false;
	if (p->left.pos == p->left.size) {
		p->left.pos = 0;
		p->left.size = fread(p->bytes, 1, sizeof(p->bytes), p->packed);
	}
	/* what is expanded already may have had no room before */
	over = !p->left.size;
	if (over && !p->dirty)
		return false;
	ret = ZSTD_decompressStream(p->in, to, &p->left);
	p->damaged = ZSTD_isError(ret);
	/* 0 is the end of a frame */
	p->dirty = ret;
	p->early = over && ret && to->pos == before;
	return !p->damaged && !p->early;
}

/*
 * Expand the next frame, and give nothing of it before its checksum is seen.  Of the last one that
 * ends early all is given that was flushed.  A frame that is longer than PACK_FRAME, where there
 * may be such ones, is given as it is expanded.  Return: false if there is nothing to give.
 */
static bool hold_frame(struct pack *p)
{
	ZSTD_outBuffer to = { p->held, HELD, 0 };

	while (to.pos < HELD && expand(p, &to) && (p->dirty || !to.pos))
		;
	p->damaged |= to.pos == HELD && p->bounded;
	p->at_once = to.pos == HELD && p->dirty;
	p->nr_held = p->damaged ? 0 : to.pos;
	p->given = 0;
	return p->nr_held;
}

static size_t give_held(struct pack *p, char *data, size_t len)
{
	if (len > p->nr_held - p->given)
		len = p->nr_held - p->given;
	memcpy(data, p->held + p->given, len);
	p->given += len;
	return len;
}

static ssize_t read_packed(void *cookie, char *data, size_t len)
{
	struct pack *p = cookie;
	ZSTD_outBuffer to = { data, len, 0 };
	bool more = true;

	while (!to.pos && more) {
		if (p->given < p->nr_held)
			return give_held(p, data, len);
		if (!p->at_once) {
			more = hold_frame(p);
			continue;
		}
		more = expand(p, &to);
		if (!p->dirty)
			p->at_once = p->follows;
	}
	return to.pos;
}

static struct pack *new_pack(FILE *packed, const char *mode)
{
	const cookie_io_functions_t io = { .read = read_packed, .write = write_packed };
	struct pack *p = must(calloc(1, sizeof(*p)));

	p->packed = packed;
	p->left.src = p->bytes;
	p->plain = must(fopencookie(p, mode, io));
	return p;
}

/**
 * pack_writer - compress what is written from here on
 * @to: the file
 *
 * Return: what pack_file() makes a file of, or NULL if this program cannot compress.
 */
struct pack *pack_writer(FILE *to)
{
	struct pack *p = new_pack(to, "w");

	p->out = must(ZSTD_createCCtx());
	ZSTD_CCtx_setParameter(p->out, ZSTD_c_compressionLevel, LEVEL);
	ZSTD_CCtx_setParameter(p->out, ZSTD_c_checksumFlag, 1);
	return p;
}

/* Who writes into a pipe may go on, and who reads does not wait for the end of a frame. */
static bool is_pipe(FILE *f)
{
	struct stat st;

	return fileno(f) >= 0 && !fstat(fileno(f), &st) && !S_ISREG(st.st_mode);
}

/**
 * pack_reader - expand what is read from here on, up to the end of the file
 * @from:  the file
 * @frame: bytes of a frame before it was compressed, at most; 0: not known
 *
 * Return: as pack_writer().
 */
struct pack *pack_reader(FILE *from, size_t frame)
{
	struct pack *p = new_pack(from, "r");

	/* (another number is of a version to come) */
	p->bounded = frame == PACK_FRAME;
	p->follows = is_pipe(from);
	p->at_once = p->follows;
	p->held = must(malloc(HELD));

	/* an empty rest is no whole frame */
	p->dirty = true;
	p->in = must(ZSTD_createDCtx());
	return p;
}

/* Write all that was given so that a reader can expand it. */
bool pack_flush(struct pack *p)
{
	if (fflush(p->plain))
		return false;
	if (!p->dirty)
		return !fflush(p->packed);
	p->dirty = false;
	return compress(p, NULL, 0, ZSTD_e_flush) && !fflush(p->packed);
}

/**
 * pack_end - end the frame of a writer, and free it
 * @p:       the writer, or a reader
 * @written: the packed bytes, or NULL
 *
 * The file stays open.  Return: false if a write failed.
 */
bool pack_end(struct pack *p, uint64_t *written)
{
	bool good = !fclose(p->plain);

	if (p->out && good)
		good = compress(p, NULL, 0, ZSTD_e_end);
	if (written)
		*written = p->written;
	ZSTD_freeCCtx(p->out);
	ZSTD_freeDCtx(p->in);
	free(p->held);
	free(p);
	return good;
}

#else

struct pack {
	FILE *plain;
	bool damaged, early;
};

bool pack_can(void)
{
	return false;
}

struct pack *pack_writer(FILE *to)
{
	(void)to;
	return NULL;
}

struct pack *pack_reader(FILE *from, size_t frame)
{
	(void)from;
	(void)frame;
	return NULL;
}

bool pack_flush(struct pack *p)
{
	(void)p;
	return false;
}

bool pack_end(struct pack *p, uint64_t *written)
{
	(void)p;
	(void)written;
	return false;
}

#endif

/* The file of plain bytes. */
FILE *pack_file(struct pack *p)
{
	return p->plain;
}

/* True if a reader met an error: bytes are not what was written. */
bool pack_damaged(const struct pack *p)
{
	return p->damaged;
}

/* True if the file that was read ends within a frame. */
bool pack_ends_early(const struct pack *p)
{
	return p->early;
}
