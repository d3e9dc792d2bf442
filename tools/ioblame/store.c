// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "store.h"

struct start {
	char magic[8];
	uint32_t mark;
	uint32_t zero;
};

/* Is it one of ours? */
enum store_got store_open(FILE *f)
{
	struct start s;

	if (fread(&s, sizeof(s), 1, f) != 1 ||
	    memcmp(s.magic, STORE_MAGIC, sizeof(s.magic)) || s.mark != STORE_MARK)
		return STORE_ALIEN;
	return STORE_CHUNK;
}

/**
 * store_read - the next chunk
 * @f:     the recording
 * @chunk: gets type and length
 * @data:  gets what is in it and a NUL, to be freed
 */
enum store_got store_read(FILE *f, struct store_chunk *chunk, char **data)
{
	size_t n = fread(chunk, 1, sizeof(*chunk), f);

	*data = NULL;
	if (!n)
		return STORE_END;
	if (n != sizeof(*chunk) || chunk->len > STORE_CHUNK_MAX)
		return STORE_TORN;
	*data = must(malloc(chunk->len + 1));
	if (fread(*data, 1, chunk->len, f) != chunk->len) {
		free(*data);
		*data = NULL;
		return STORE_TORN;
	}
	(*data)[chunk->len] = '\0';
	return STORE_CHUNK;
}

bool store_begin(FILE *f)
{
	struct start s = { .mark = STORE_MARK };

	memcpy(s.magic, STORE_MAGIC, sizeof(s.magic));
	return fwrite(&s, sizeof(s), 1, f) == 1;
}

/* Text is cut where a chunk ends. */
bool store_write(FILE *f, uint32_t type, const void *data, size_t len)
{
	struct store_chunk chunk = {
		.type = type,
		.len = len < STORE_CHUNK_MAX ? len : STORE_CHUNK_MAX,
	};

	return fwrite(&chunk, sizeof(chunk), 1, f) == 1 &&
	       fwrite(data, 1, chunk.len, f) == chunk.len;
}
