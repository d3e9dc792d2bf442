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

enum {
	STORE_DEVICES = 4096,
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

/* Add a device to the head.  Its name is escaped here. */
void store_add_device(struct store_head *head, uint32_t dev, uint64_t sectors, const char *name,
		      size_t len)
{
	struct store_device *d;

	if (head->nr_devices == STORE_DEVICES)
		return;
	head->device = must(realloc(head->device, (head->nr_devices + 1) * sizeof(*d)));
	d = &head->device[head->nr_devices++];
	d->dev = dev;
	d->sectors = sectors;
	escape_text(d->name, sizeof(d->name), name, len);
}

/* "MAJ:MIN SECTORS NAME" */
static void parse_device(struct store_head *head, const char *line, size_t len)
{
	unsigned int major, minor;
	unsigned long long sectors;
	int at = 0;

	if (sscanf(line, "%7u:%7u %20llu %n", &major, &minor, &sectors, &at) < 3 ||
	    !at || (size_t)at >= len || major > 0xfff || minor > 0xfffff)
		return;
	store_add_device(head, major << 20 | minor, sectors, line + at, len - at);
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
		else if (!strncmp(line, "boot_ns ", 8))
			head->boot_ns = strtoll(line + 8, NULL, 10);
		else if (!strncmp(line, "boot_id ", 8))
			escape_text(head->boot_id, sizeof(head->boot_id), line + 8, len - 8);
		else if (!strncmp(line, "start_ns ", 9))
			head->start_ns = strtoull(line + 9, NULL, 10);
		else if (!strncmp(line, "kernel ", 7))
			escape_text(head->kernel, sizeof(head->kernel), line + 7, len - 7);
		else if (!strncmp(line, "host ", 5))
			escape_text(head->host, sizeof(head->host), line + 5, len - 5);
		else if (!strncmp(line, "version ", 8))
			escape_text(head->version, sizeof(head->version), line + 8, len - 8);
		else if (!strncmp(line, "cpus ", 5))
			head->cpus = strtoul(line + 5, NULL, 10);
		else if (!strncmp(line, "device ", 7))
			parse_device(head, line + 7, len - 7);
	}
}

/* Write the STORE_HEAD chunk. */
bool store_write_head(FILE *f, const struct store_head *head)
{
	char *text = NULL;
	size_t len = 0;
	FILE *lines = must(open_memstream(&text, &len));
	unsigned int i;
	bool good;

	fprintf(lines, "version %s\nkernel %s\nhost %s\ncpus %u\nclock monotonic\n", VERSION,
		head->kernel, head->host, head->cpus);
	fprintf(lines, "wall_ns %lld\nstart_ns %llu\n", (long long)head->wall_ns,
		(unsigned long long)head->start_ns);
	if (head->boot_ns)
		fprintf(lines, "boot_ns %lld\n", (long long)head->boot_ns);
	if (*head->boot_id)
		fprintf(lines, "boot_id %s\n", head->boot_id);
	for (i = 0; i < head->nr_devices; i++)
		fprintf(lines, "device %u:%u %llu %s\n", head->device[i].dev >> 20,
			head->device[i].dev & 0xfffff, (unsigned long long)head->device[i].sectors,
			head->device[i].name);
	good = !fclose(lines) && store_write(f, STORE_HEAD, text, len);
	free(text);
	return good;
}

void store_free_head(struct store_head *head)
{
	free(head->device);
	head->device = NULL;
	head->nr_devices = 0;
}
