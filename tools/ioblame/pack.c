// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "pack.h"

#ifdef HAVE_ZSTD
#include <zstd.h>

enum {
	LEVEL = 3,
	BYTES = 128 << 10,
};

struct pack {
	FILE *plain;		/* what the caller writes or reads */
	FILE *packed;		/* the caller's */
	ZSTD_CCtx *out;
	ZSTD_DCtx *in;
	uint64_t written;	/* packed bytes */
	bool dirty;		/* there may be something to flush */
	bool damaged;		/* of a reader: an error, or an end within the frame */
	ZSTD_inBuffer left;	/* of a reader: what is read and not expanded yet */
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

	p->dirty = true;
	return compress(p, data, len, ZSTD_e_continue) ? (ssize_t)len : 0;
}

/* The file ends within a frame: what is expanded already may have had no room before. */
static void read_rest(struct pack *p, ZSTD_outBuffer *to)
{
	if (p->dirty && ZSTD_isError(ZSTD_decompressStream(p->in, to, &p->left)))
		p->damaged = true;
	else if (!to->pos)
		p->damaged = p->dirty;
}

static ssize_t read_packed(void *cookie, char *data, size_t len)
{
	struct pack *p = cookie;
	ZSTD_outBuffer to = { data, len, 0 };
	size_t ret;

	while (!to.pos && !p->damaged) {
		if (p->left.pos == p->left.size) {
			p->left.pos = 0;
			p->left.size = fread(p->bytes, 1, sizeof(p->bytes), p->packed);
			if (!p->left.size) {
				read_rest(p, &to);
				break;
			}
		}
		ret = ZSTD_decompressStream(p->in, &to, &p->left);
		/* 0 is the end of a frame */
		p->dirty = ret;
		p->damaged = ZSTD_isError(ret);
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

/* Expand what is read from here on, up to the end of the file.  Return: as pack_writer(). */
struct pack *pack_reader(FILE *from)
{
	struct pack *p = new_pack(from, "r");

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
	free(p);
	return good;
}

#else

struct pack {
	FILE *plain;
	bool damaged;
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

struct pack *pack_reader(FILE *from)
{
	(void)from;
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

/* True if a reader met an error, or the file ended too early. */
bool pack_damaged(const struct pack *p)
{
	return p->damaged;
}
