// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of BTF is written down here, and not taken from <linux/btf.h>: it is an interface
 * that stays, and this must build in userspace, too.
 *
 * A type is three words: where its name is among the strings; its kind, number of members and
 * a flag; its size or the type that it refers to.  More words follow, as the kind demands.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "btf.h"
#include "name_list.h"

#define BTF_MAGIC	0xeb9f
/* headers, and no type, are larger than this */
#define BTF_MAX		(256U << 20)
/* types that refer to types that refer ...: in real BTF far less */
#define BTF_MAX_STEPS	32

struct btf_header {
	u16 magic;
	u8 version, flags;
	u32 hdr_len;
	u32 type_off, type_len;		/* behind the header */
	u32 str_off, str_len;
};

struct btf_type {
	u32 name;
	u32 info;
	u32 size;	/* or the type that it refers to */
};

struct btf_member {
	u32 name;
	u32 type;
	u32 offset;	/* in bits; of a struct with bit fields their size, too */
};

struct btf_array {
	u32 type, index, nr;
};

enum {
	BTF_INT = 1,
	BTF_PTR,
	BTF_ARRAY,
	BTF_STRUCT,
	BTF_UNION,
	BTF_ENUM,
	BTF_FWD,
	BTF_TYPEDEF,
	BTF_VOLATILE,
	BTF_CONST,
	BTF_RESTRICT,
	BTF_FUNC,
	BTF_FUNC_PROTO,
	BTF_VAR,
	BTF_DATASEC,
	BTF_FLOAT,
	BTF_DECL_TAG,
	BTF_TYPE_TAG,
	BTF_ENUM64,
	BTF_KINDS,
};

/* What follows the three words of a type: bytes, and bytes for each of its members. */
static const struct {
	u8 once, each;
} btf_more[BTF_KINDS] = {
	[BTF_INT] = { 4, 0 },
	[BTF_ARRAY] = { sizeof(struct btf_array), 0 },
	[BTF_STRUCT] = { 0, sizeof(struct btf_member) },
	[BTF_UNION] = { 0, sizeof(struct btf_member) },
	[BTF_ENUM] = { 0, 8 },
	[BTF_FUNC_PROTO] = { 0, 8 },
	[BTF_VAR] = { 4, 0 },
	[BTF_DATASEC] = { 0, 12 },
	[BTF_DECL_TAG] = { 4, 0 },
	[BTF_ENUM64] = { 0, 12 },
};

/* newer releases have more members and kinds: bits that were 0 before */
static u32 btf_kind(const struct btf_type *t)
{
	return t->info >> 24 & 0x7f;
}

static u32 btf_nr(const struct btf_type *t)
{
	return t->info & 0xffffff;
}

static bool btf_has_bits(const struct btf_type *t)
{
	return t->info >> 31;
}

/* The bytes of the type at @left bytes before the end; 0 if it is none, or cut. */
static u32 btf_bytes(const struct btf_type *t, u32 left)
{
	u64 bytes = sizeof(*t);
	u32 kind;

	if (left < bytes)
		return 0;
	kind = btf_kind(t);
	if (!kind || kind >= BTF_KINDS)
		return 0;
	bytes += btf_more[kind].once + (u64)btf_more[kind].each * btf_nr(t);
	return bytes <= left ? bytes : 0;
}

static bool btf_count(struct iob_btf *b)
{
	u32 pos = 0, bytes;

	while (pos < b->types_len) {
		bytes = btf_bytes((const void *)(b->types + pos), b->types_len - pos);
		if (!bytes)
			return false;
		pos += bytes;
		b->nr++;
	}
	return true;
}

/**
 * iob_btf_open - check BTF
 * @b:    what iob_btf_index() is to be told next
 * @data: the BTF, aligned to words
 * @size: its bytes
 * @base: of a module: the BTF of vmlinux, with an index
 *
 * Return: 0, or -EINVAL if it is no BTF that is understood.
 */
int iob_btf_open(struct iob_btf *b, const void *data, size_t size, const struct iob_btf *base)
{
	const struct btf_header *h = data;
	u64 body;

	memset(b, 0, sizeof(*b));
	if (size < sizeof(*h) || size > BTF_MAX || h->magic != BTF_MAGIC || h->version != 1 ||
	    h->hdr_len < sizeof(*h) || h->hdr_len > size)
		return -EINVAL;
	body = size - h->hdr_len;
	if ((u64)h->type_off + h->type_len > body || (u64)h->str_off + h->str_len > body ||
	    (h->hdr_len | h->type_off | h->type_len) % sizeof(u32))
		return -EINVAL;
	b->base = base;
	b->types = (const u8 *)data + h->hdr_len + h->type_off;
	b->types_len = h->type_len;
	b->strings = (const char *)data + h->hdr_len + h->str_off;
	b->strings_len = h->str_len;
	/* type 0 is void, and in no table */
	b->first = base ? base->first + base->nr : 1;
	if (h->str_len && b->strings[h->str_len - 1])
		return -EINVAL;
	return btf_count(b) ? 0 : -EINVAL;
}

/**
 * iob_btf_index - note where each type is
 * @b:    after iob_btf_open()
 * @room: for @b->nr numbers; it must stay
 */
void iob_btf_index(struct iob_btf *b, u32 *room)
{
	u32 pos = 0, i;

	for (i = 0; i < b->nr; i++) {
		room[i] = pos;
		pos += btf_bytes((const void *)(b->types + pos), b->types_len - pos);
	}
	b->at = room;
}

/* The string at @name; "" if there is none. */
static const char *btf_name(const struct iob_btf *b, u32 name)
{
	if (b->base) {
		if (name < b->base->strings_len)
			return b->base->strings + name;
		name -= b->base->strings_len;
	}
	return name < b->strings_len ? b->strings + name : "";
}

static const struct btf_type *btf_type(const struct iob_btf *b, u32 id)
{
	if (b->base && id < b->first)
		b = b->base;
	if (id < b->first || id - b->first >= b->nr)
		return NULL;
	return (const void *)(b->types + b->at[id - b->first]);
}

/* The bytes of a type; 0 if that is not known, or nothing. */
static u32 btf_size(const struct iob_btf *b, u32 id)
{
	const struct btf_array *array;
	const struct btf_type *t;
	u64 nr = 1;
	int i;

	for (i = 0; i < BTF_MAX_STEPS; i++) {
		t = btf_type(b, id);
		if (!t)
			return 0;
		switch (btf_kind(t)) {
		case BTF_INT:
		case BTF_STRUCT:
		case BTF_UNION:
		case BTF_ENUM:
		case BTF_FLOAT:
		case BTF_ENUM64:
			nr *= t->size;
			return nr <= BTF_MAX ? nr : 0;
		case BTF_PTR:
			nr *= sizeof(void *);
			return nr <= BTF_MAX ? nr : 0;
		case BTF_ARRAY:
			array = (const void *)(t + 1);
			nr *= array->nr;
			if (nr > BTF_MAX)
				return 0;
			id = array->type;
			break;
		case BTF_TYPEDEF:
		case BTF_VOLATILE:
		case BTF_CONST:
		case BTF_RESTRICT:
		case BTF_TYPE_TAG:
			id = t->size;
			break;
		default:
			return 0;
		}
	}
	return 0;
}

/* The member of the struct @t, which is not a bit field; NULL if it has none. */
static const struct btf_member *btf_member(const struct iob_btf *b, const struct btf_type *t,
					   const char *names)
{
	const struct btf_member *m = (const void *)(t + 1);
	u32 i, nr = btf_nr(t);

	for (i = 0; i < nr; i++, m++) {
		if (iob_name_listed(names, btf_name(b, m->name)))
			return m->offset % 8 || (btf_has_bits(t) && m->offset >> 24) ? NULL : m;
	}
	return NULL;
}

static void btf_answer(const struct iob_btf *b, const struct btf_type *t,
		       struct iob_btf_ask *ask)
{
	const struct btf_member *m = btf_member(b, t, ask->member);
	struct iob_btf_ask one = *ask;

	if (!m)
		return;
	one.offset = (btf_has_bits(t) ? m->offset & 0xffffff : m->offset) / 8;
	one.size = btf_size(b, m->type);
	one.of = t->size;
	if (ask->answer != IOB_BTF_UNKNOWN &&
	    (ask->offset != one.offset || ask->size != one.size || ask->of != one.of))
		one.answer = IOB_BTF_TWO;
	else if (ask->answer == IOB_BTF_UNKNOWN)
		one.answer = IOB_BTF_FOUND;
	*ask = one;
}

/**
 * iob_btf_ask - look for members of structs
 * @b:   with an index; of its base too, if it has one
 * @ask: the questions, which get their answers
 * @nr:  how many
 *
 * Types of @b's own count.  Those that are in the base only, as vmlinux has the same struct,
 * are looked for there by a second call, with the base.
 */
void iob_btf_ask(const struct iob_btf *b, struct iob_btf_ask *ask, unsigned int nr)
{
	const struct btf_type *t;
	const char *name;
	unsigned int k;
	u32 i;

	for (i = 0; i < b->nr; i++) {
		t = (const void *)(b->types + b->at[i]);
		if (btf_kind(t) != BTF_STRUCT)
			continue;
		name = btf_name(b, t->name);
		for (k = 0; k < nr; k++) {
			if (!strcmp(ask[k].type, name))
				btf_answer(b, t, &ask[k]);
		}
	}
}
