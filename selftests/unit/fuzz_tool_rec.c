// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as iolog_bin or a recording of it, in pieces: the first byte is their size.  The
 * records are the same if they come at once.
 */
#include "fuzz.h"
#include "rec.h"
#include "stream.h"

#define MOST	64

static unsigned int take(struct stream *s, struct iob_iolog_bin_record *to, unsigned int nr)
{
	struct iob_iolog_bin_record rec;
	char who[64];

	while (stream_next(s, &rec)) {
		rec_wait_ns(&rec);
		rec_io_ns(&rec);
		rec_total_ns(&rec);
		rec_age_ns(&rec);
		rec_is_metadata(&rec);
		REQUIRE(rec_op_name(rec.op) && rec_how_name(rec.how));
		REQUIRE(rec_who(rec.role_kind, rec.id, who, sizeof(who)));
		if (nr < MOST)
			to[nr] = rec;
		nr++;
	}
	return nr;
}

/* Return: how many records; -1 if bytes were dropped, which depends on the pieces. */
static int feed(const u8 *data, size_t size, size_t piece, struct iob_iolog_bin_record *to)
{
	struct stream s = { 0 };
	bool broken;
	int nr = 0;
	size_t n;

	for (; size; size -= n, data += n) {
		n = piece < size ? piece : size;
		memcpy(stream_room(&s, n), data, n);
		stream_added(&s, n);
		nr = take(&s, to, nr);
	}
	broken = s.broken;
	stream_free(&s);
	return broken ? -1 : nr;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct iob_iolog_bin_record pieces[MOST], whole[MOST];
	int nr, all;

	if (size < 2)
		return 0;
	nr = feed(data + 1, size - 1, 1 + data[0], pieces);
	all = feed(data + 1, size - 1, size, whole);
	if (nr < 0 || all < 0)
		return 0;
	REQUIRE(nr == all);
	REQUIRE(!memcmp(pieces, whole, (nr < MOST ? nr : MOST) * sizeof(whole[0])));
	return 0;
}
