// SPDX-License-Identifier: GPL-2.0
/*
 * The members of structs are found where they are.
 *
 * What is right comes from outside: gcc describes the structs below in BTF (-gbtf), and says by
 * offsetof() where it has put their members.  What gcc does not make (a module's part, broken
 * data) is made here by hand.
 */
#include <unistd.h>

#include "core/btf.h"
#include "test.h"

#define STRUCTS								\
	struct inner { char c; long l; };				\
	typedef const volatile long *pointer;				\
	typedef unsigned short small;					\
	enum color { RED, GREEN };					\
	struct first {							\
		int number; char name[5]; pointer p; small s[3];	\
		enum color color; struct inner inner[2]; double real;	\
		struct { int x; } nameless; void (*call)(int);		\
		unsigned int bits : 3; unsigned int more : 29;		\
		long end[]; };						\
	struct second { struct first *to; unsigned long number; };

STRUCTS

#define TEXT_(...)	#__VA_ARGS__
#define TEXT(...)	TEXT_(__VA_ARGS__)

static const char source[] = TEXT(STRUCTS) " struct first a; struct second b;";

static const struct {
	struct iob_btf_ask ask;
	size_t offset, size, of;
} right[] = {
#define RIGHT(type, member)						\
	{ { #type, #member }, offsetof(struct type, member),		\
	  sizeof(((struct type *)0)->member), sizeof(struct type) }
	RIGHT(first, number), RIGHT(first, name), RIGHT(first, p), RIGHT(first, s),
	RIGHT(first, color), RIGHT(first, inner), RIGHT(first, real), RIGHT(first, nameless),
	RIGHT(first, call), RIGHT(inner, c), RIGHT(inner, l), RIGHT(second, to),
	RIGHT(second, number),
	{ { "second", "count|number|nr" }, offsetof(struct second, number), sizeof(long),
	  sizeof(struct second) },
	{ { "first", "end" }, offsetof(struct first, end), 0, sizeof(struct first) },
};

/* of these nothing is to be found */
static const struct iob_btf_ask absent[] = {
	{ "first", "bits" }, { "first", "x" }, { "first", "" }, { "first", "numbe" },
	{ "first", "number2|num" }, { "third", "number" }, { "color", "RED" },
	{ "small", "number" }, { "", "number" },
};

/* Open and index; NULL: refused. */
static u32 *opened(struct iob_btf *b, const void *data, size_t size, const struct iob_btf *base)
{
	u32 *room;

	if (iob_btf_open(b, data, size, base))
		return NULL;
	room = malloc((b->nr + 1) * sizeof(*room));
	iob_btf_index(b, room);
	return room;
}

/* The BTF that gcc makes of the structs above; NULL: it cannot. */
static void *compiled(size_t *size)
{
	char dir[] = "/tmp/btfXXXXXX", command[256], path[64];
	void *data = NULL;
	FILE *f;
	long n;

	if (!mkdtemp(dir))
		return NULL;
	snprintf(path, sizeof(path), "%s/a.c", dir);
	f = fopen(path, "w");
	fputs(source, f);
	fclose(f);
	snprintf(command, sizeof(command),
		 "cd %s && gcc -gbtf -c a.c 2>&1 && objcopy -O binary --only-section=.BTF "
		 "--set-section-flags .BTF=alloc a.o a.btf", dir);
	if (!system(command)) {
		snprintf(path, sizeof(path), "%s/a.btf", dir);
		f = fopen(path, "r");
		fseek(f, 0, SEEK_END);
		n = ftell(f);
		rewind(f);
		data = malloc(n);
		*size = fread(data, 1, n, f);
		fclose(f);
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	if (system(command))
		fail("%s", command);
	return data;
}

static void as_gcc_says(void)
{
	struct iob_btf_ask ask;
	struct iob_btf b;
	size_t size = 0, i;
	void *data = compiled(&size);
	u32 *room;

	if (!data) {
		note("skipped: this gcc has no -gbtf");
		return;
	}
	room = opened(&b, data, size, NULL);
	if (!room) {
		fail("gcc's BTF of %zu bytes is refused", size);
		free(data);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(right); i++) {
		ask = right[i].ask;
		iob_btf_ask(&b, &ask, 1);
		if (ask.answer != IOB_BTF_FOUND || ask.offset != right[i].offset ||
		    ask.size != right[i].size || ask.of != right[i].of)
			fail("%s.%s: answer %d, at %u, %u bytes of %u", ask.type, ask.member,
			     ask.answer, ask.offset, ask.size, ask.of);
	}
	for (i = 0; i < ARRAY_SIZE(absent); i++) {
		ask = absent[i];
		iob_btf_ask(&b, &ask, 1);
		if (ask.answer != IOB_BTF_UNKNOWN)
			fail("%s.%s was found", ask.type, ask.member);
	}
	note("%zu bytes, %u types", size, b.nr);
	free(room);
	free(data);
}

/* BTF that is made by hand. */
struct made {
	u32 word[128];
	char strings[128];
	unsigned int words, chars;
	u8 data[1024];
	size_t size;
};

static u32 made_name(struct made *m, const char *name)
{
	u32 at = m->chars;

	strcpy(m->strings + at, name);
	m->chars += strlen(name) + 1;
	return at;
}

static void made_words(struct made *m, unsigned int nr, const u32 *word)
{
	memcpy(m->word + m->words, word, nr * sizeof(u32));
	m->words += nr;
}

#define WORDS(m, ...) do {						\
	const u32 w[] = { __VA_ARGS__ };					\
	made_words(m, ARRAY_SIZE(w), w);					\
} while (0)

#define KIND(kind, nr)	((u32)(kind) << 24 | (nr))

static void made_end(struct made *m)
{
	const u32 head[] = { 0x0001eb9f, 24, 0, m->words * 4, m->words * 4, m->chars };

	memcpy(m->data, head, sizeof(head));
	memcpy(m->data + 24, m->word, m->words * 4);
	memcpy(m->data + 24 + m->words * 4, m->strings, m->chars);
	m->size = 24 + m->words * 4 + m->chars;
}

/* vmlinux: type 1 is int, type 2 struct thing { int count; } */
static void make_kernel(struct made *m)
{
	u32 count, thing;

	memset(m, 0, sizeof(*m));
	made_name(m, "");
	WORDS(m, made_name(m, "int"), KIND(1, 0), 4, 32);
	thing = made_name(m, "thing");
	count = made_name(m, "count");
	WORDS(m, thing, KIND(4, 1), 4, count, 1, 0);
	made_end(m);
}

/*
 * A module's struct widget { void *p; struct thing t[3]; int count; }: types count on from 3, names
 * that vmlinux has are its own.
 */
static void make_module(struct made *m, const struct made *kernel)
{
	u32 base = kernel->chars, p, t, widget;

	memset(m, 0, sizeof(*m));
	widget = base + made_name(m, "widget");
	p = base + made_name(m, "p");
	t = base + made_name(m, "t");
	WORDS(m, 0, KIND(2, 0), 0);			/* 3: void * */
	WORDS(m, 0, KIND(3, 0), 0, 2, 1, 3);		/* 4: struct thing[3] */
	WORDS(m, widget, KIND(4, 3), 24, p, 3, 0, t, 4, 64, 11, 1, 160);
	made_end(m);
}

static void of_a_module(void)
{
	static const struct iob_btf_ask wanted[] = {
		{ "widget", "p", IOB_BTF_FOUND, 0, 8, 24 },
		{ "widget", "t", IOB_BTF_FOUND, 8, 12, 24 },
		{ "widget", "count", IOB_BTF_FOUND, 20, 4, 24 },
		{ "thing", "count", IOB_BTF_UNKNOWN },
	};
	struct iob_btf kernel, module;
	struct made a, b;
	u32 *first, *second;
	size_t i;

	make_kernel(&a);
	make_module(&b, &a);
	first = opened(&kernel, a.data, a.size, NULL);
	second = first ? opened(&module, b.data, b.size, &kernel) : NULL;
	if (!second) {
		fail("refused");
		free(first);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		struct iob_btf_ask ask = { wanted[i].type, wanted[i].member };

		iob_btf_ask(&module, &ask, 1);
		if (ask.answer != wanted[i].answer || ask.offset != wanted[i].offset ||
		    ask.size != wanted[i].size || ask.of != wanted[i].of)
			fail("%s.%s: answer %d, at %u, %u bytes of %u", ask.type, ask.member,
			     ask.answer, ask.offset, ask.size, ask.of);
	}
	free(first);
	free(second);
}

/* Two structs of one name count if they are the same. */
static void of_two(void)
{
	struct iob_btf_ask ask;
	unsigned int differ;
	struct iob_btf b;
	struct made m;
	u32 count, *room;

	for (differ = 0; differ < 2; differ++) {
		make_kernel(&m);
		/* "" int thing count: 0 1 5 11 */
		count = 11;
		WORDS(&m, 5, KIND(4, 1), 4 + 4 * differ, count, 1, 32 * differ);
		made_end(&m);
		room = opened(&b, m.data, m.size, NULL);
		if (!room) {
			fail("refused");
			return;
		}
		ask = (struct iob_btf_ask){ "thing", "count" };
		iob_btf_ask(&b, &ask, 1);
		if (ask.answer != (differ ? IOB_BTF_TWO : IOB_BTF_FOUND))
			fail("%u: answer %d", differ, ask.answer);
		free(room);
	}
}

/* Each word of it changed, and each length of it: refused, or nothing is read beside it. */
static void broken(void)
{
	unsigned int i, refused = 0, runs = 0;
	struct iob_btf_ask ask;
	struct iob_btf b;
	struct made m;
	size_t size;
	u32 *room, word;
	u8 *copy;

	make_kernel(&m);
	for (i = 0; i < 20000; i++) {
		size = i < m.size ? i : m.size;
		copy = malloc(size ? size : 1);
		memcpy(copy, m.data, size);
		if (i >= m.size) {
			word = rnd_value();
			memcpy(copy + rnd(size / 4) * 4, &word, 4);
		}
		runs++;
		room = opened(&b, copy, size, NULL);
		if (!room) {
			refused++;
		} else {
			ask = (struct iob_btf_ask){ "thing", "count" };
			iob_btf_ask(&b, &ask, 1);
		}
		free(room);
		free(copy);
	}
	if (refused < m.size)
		fail("only %u of %u are refused", refused, runs);
	note("%u of %u refused", refused, runs);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(as_gcc_says),
		TEST(of_a_module),
		TEST(of_two),
		TEST(broken),
	};

	return run_tests("btf", tests, ARRAY_SIZE(tests));
}
