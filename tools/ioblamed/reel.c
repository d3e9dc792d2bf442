// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "reel.h"

#define SKIP	UINT64_MAX	/* the rest of the memory is not used */

/* Before each chunk; a chunk begins at a multiple of its size. */
struct head {
	uint64_t len, read_ns;
};

static size_t room_of(size_t len)
{
	return sizeof(struct head) + (len + sizeof(struct head) - 1) / sizeof(struct head) *
	       sizeof(struct head);
}

/**
 * reel_begin - begin to keep
 * @r:	  all zero
 * @size: bytes; the memory is taken as it is filled
 *
 * Return: false if there is no memory.
 */
bool reel_begin(struct reel *r, size_t size)
{
	memset(r, 0, sizeof(*r));
	r->size = (size < REEL_LEAST ? REEL_LEAST : size) / sizeof(struct head) *
		  sizeof(struct head);
	r->buf = malloc(r->size);
	return r->buf;
}

static struct head *head_at(const struct reel *r, uint64_t at)
{
	return (struct head *)(r->buf + at % r->size);
}

/* The tail goes on to the next chunk, if it is where the memory ends. */
static void skip_end(struct reel *r)
{
	if (r->tail < r->head && head_at(r, r->tail)->len == SKIP)
		r->tail += r->size - r->tail % r->size;
}

/**
 * reel_peek - the oldest chunk
 * @r:	   the reel
 * @chunk: gets it; its bytes stay until it is popped or something is added
 *
 * Return: false if there is none.
 */
bool reel_peek(struct reel *r, struct reel_chunk *chunk)
{
	const struct head *h;

	skip_end(r);
	if (r->tail == r->head)
		return false;
	h = head_at(r, r->tail);
	*chunk = (struct reel_chunk){
		.read_ns = h->read_ns, .len = h->len,
		.bytes = (const unsigned char *)(h + 1),
	};
	return true;
}

/* Take the oldest chunk away, which is there. */
void reel_pop(struct reel *r)
{
	skip_end(r);
	r->tail += room_of(head_at(r, r->tail)->len);
}

static void drop_oldest(struct reel *r)
{
	skip_end(r);
	if (r->tail == r->head)
		return;
	r->dropped += head_at(r, r->tail)->len;
	reel_pop(r);
}

static void add_chunk(struct reel *r, uint64_t read_ns, const void *bytes, size_t len)
{
	size_t need = room_of(len), left = r->size - r->head % r->size;
	size_t skip = left < need ? left : 0;

	while (r->head + skip + need - r->tail > r->size)
		drop_oldest(r);
	if (skip) {
		head_at(r, r->head)->len = SKIP;
		r->head += skip;
	}
	*head_at(r, r->head) = (struct head){ .len = len, .read_ns = read_ns };
	memcpy(head_at(r, r->head) + 1, bytes, len);
	r->head += need;
}

/* How many bytes whole records have, at most @most; a record begins with its length. */
static size_t whole_records(const unsigned char *bytes, size_t len, size_t most)
{
	size_t at = 0;
	uint16_t one;

	while (len - at >= sizeof(one)) {
		memcpy(&one, bytes + at, sizeof(one));
		if (one < sizeof(one) || one > len - at || at + one > most)
			break;
		at += one;
	}
	return at;
}

/**
 * reel_add - keep what was read
 * @r:	     the reel
 * @read_ns: when; chunks with the same time are of one read of all CPUs
 * @bytes:   whole records
 * @len:     their length
 *
 * What is longer than an eighth of the reel becomes several chunks.  Bytes that are no records
 * are dropped with what follows them.
 */
void reel_add(struct reel *r, uint64_t read_ns, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	size_t most = r->size / 8, n;

	while (r->buf && len) {
		n = len <= most ? len : whole_records(at, len, most);
		if (!n) {
			r->dropped += len;
			return;
		}
		add_chunk(r, read_ns, at, n);
		at += n;
		len -= n;
	}
}

/* Forget all that is kept. */
void reel_clear(struct reel *r)
{
	r->tail = r->head;
}

void reel_end(struct reel *r)
{
	free(r->buf);
	memset(r, 0, sizeof(*r));
}
