/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tag: what a writer of the truth test leaves in each 512-byte sector.
 *
 * It says which thread wrote the sector, to which file and where in it. So the
 * disk's raw image is enough to know the truth later, without the file system and
 * the guest. ../verify knows this layout too (little endian).
 */
#ifndef TRUTH_TAG_H
#define TRUTH_TAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TAG_SECTOR	512
#define TAG_MAGIC	"ioBtag1\n"

struct tag {
	char magic[8];
	uint32_t crc;		/* CRC-32 of all that follows */
	uint32_t tgid;
	uint32_t tid;
	char kind[20];		/* ends in at least one zero */
	uint64_t job;		/* one writer's work on one file, see the manifest */
	uint64_t ino;		/* 0 on a raw block device */
	uint64_t off;		/* in the file or device, bytes */
	uint64_t seq;		/* 0, 1, 2.. within the job, without gaps */
	uint8_t fill[440];	/* noise, so that nothing here compresses */
};

_Static_assert(sizeof(struct tag) == TAG_SECTOR, "a tag is a sector");

static uint32_t tag_table[256];

/* Once, before anything else here and before there are threads */
static void tag_init(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int bit = 0; bit < 8; bit++)
			c = c & 1 ? 0xedb88320 ^ (c >> 1) : c >> 1;
		tag_table[i] = c;
	}
}

static uint32_t tag_crc(const struct tag *t)
{
	const uint8_t *p = (const uint8_t *)&t->tgid;
	const uint8_t *end = (const uint8_t *)(t + 1);
	uint32_t crc = ~0u;

	while (p < end)
		crc = tag_table[(crc ^ *p++) & 255] ^ (crc >> 8);
	return ~crc;
}

/* Noise that differs from sector to sector */
static void tag_noise(void *buf, size_t len, uint64_t seed)
{
	uint64_t *p = buf;
	uint64_t x = seed * 0x9e3779b97f4a7c15ull | 1;

	for (size_t i = 0; i < len / sizeof(*p); i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		p[i] = x;
	}
}

/* Complete a tag of which everything but magic, fill and crc is set */
static void tag_seal(struct tag *t)
{
	memcpy(t->magic, TAG_MAGIC, sizeof(t->magic));
	tag_noise(t->fill, sizeof(t->fill), t->job ^ (t->seq << 20));
	t->crc = tag_crc(t);
}

static bool tag_valid(const struct tag *t)
{
	return !memcmp(t->magic, TAG_MAGIC, sizeof(t->magic)) &&
	       t->crc == tag_crc(t);
}

#endif
