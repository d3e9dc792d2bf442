// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "msg.h"
#include "store.h"

struct file_start {
	char magic[8];
	uint32_t mark;
	uint32_t zero;
};

/* Return: STORE_CHUNK if the file is a recording of this kind of machine. */
enum store_got store_open(FILE *f)
{
	struct file_start s;

	if (fread(&s, sizeof(s), 1, f) != 1 ||
	    memcmp(s.magic, STORE_MAGIC, sizeof(s.magic)) || s.mark != STORE_MARK)
		return STORE_ALIEN;
	return STORE_CHUNK;
}

/**
 * store_read - read the next chunk
 * @f:     the recording
 * @chunk: its type and length
 * @data:  its content and a NUL, allocated
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

/* Begin a file. */
bool store_begin(FILE *f)
{
	struct file_start s = { .mark = STORE_MARK };

	memcpy(s.magic, STORE_MAGIC, sizeof(s.magic));
	return fwrite(&s, sizeof(s), 1, f) == 1;
}

/* Write a chunk; more than STORE_CHUNK_MAX bytes are cut. */
bool store_write(FILE *f, uint32_t type, const void *data, size_t len)
{
	struct store_chunk chunk = {
		.type = type,
		.len = len < STORE_CHUNK_MAX ? len : STORE_CHUNK_MAX,
	};

	return fwrite(&chunk, sizeof(chunk), 1, f) == 1 &&
	       fwrite(data, 1, chunk.len, f) == chunk.len;
}

/* Parse what a STORE_HEAD chunk says.  Unknown lines are skipped. */
void store_parse_head(struct store_head *head, const char *text)
{
	const char *line = text;
	size_t len;

	for (; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (!strncmp(line, "wall_ns ", 8))
			head->wall_ns = strtoll(line + 8, NULL, 10);
		else if (!strncmp(line, "start_ns ", 9))
			head->start_ns = strtoull(line + 9, NULL, 10);
		else if (!strncmp(line, "kernel ", 7))
			escape_text(head->kernel, sizeof(head->kernel), line + 7, len - 7);
	}
}

/* Write the STORE_HEAD chunk. */
bool store_write_head(FILE *f, const struct store_head *head)
{
	char text[256];
	int n = snprintf(text, sizeof(text),
			 "version %s\nkernel %s\nwall_ns %lld\nstart_ns %llu\n", VERSION,
			 head->kernel, (long long)head->wall_ns,
			 (unsigned long long)head->start_ns);

	return store_write(f, STORE_HEAD, text, n);
}
