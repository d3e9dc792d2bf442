// SPDX-License-Identifier: GPL-2.0
/*
 * Sums of what ended long ago are shown with the names that were looked up at first, however many
 * came since; and the memory of names is bounded.
 */
#include "agg.h"
#include "blamed.h"
#include "clock.h"
#include "container.h"
#include "group.h"
#include "intent.h"
#include "label.h"
#include "name.h"
#include "path.h"
#include "tally.h"
#include "test.h"
#include "user.h"

/* from the address sanitizer, whose headers gcc may lack */
size_t __sanitizer_get_current_allocated_bytes(void);

enum {
	FIRST = 1 << 23,	/* no process has such a number, and no user folder */
	OTHERS = 40000,
	AT_ONCE = 100,		/* records of a batch */
};

static u64 now = 1000000000ULL;
static unsigned int ended;	/* processes up to this one are gone, and so are their files */
static unsigned int longer;	/* bytes of a command line, besides */

uint64_t clock_ns(void)
{
	return now;
}

char *path_of_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	(void)dev;
	(void)ino;
	(void)gen;
	abort();
}

char *path_of_mount(uint32_t dev)
{
	(void)dev;
	return NULL;
}

char *path_of_cgroup(uint64_t id)
{
	(void)id;
	abort();
}

/* not asked, as ask() is */
uint32_t user_of_process(uint32_t tgid)
{
	(void)tgid;
	return USER_NONE;
}

char *user_name(uint32_t uid)
{
	(void)uid;
	abort();
}

char *user_name_in_time(uint32_t uid, bool *asked)
{
	(void)uid;
	(void)asked;
	abort();
}

char *container_name(const struct container *c)
{
	(void)c;
	return NULL;
}

void path_close(void) {}

/* In the place of ask.c: processes of an even number are of one user, the others of another. */
static char *ask(const struct name_key *key, bool *asked)
{
	char *text = NULL;

	*asked = true;
	if (key->nr <= ended)
		return NULL;
	switch (key->kind) {
	case NAME_USER:
		return strdup(key->nr % 2 ? "odd" : "even");
	case NAME_COMMAND:
		if (asprintf(&text, "cc %llu%*s", (u64)key->nr, (int)longer, "") < 0)
			abort();
		return text;
	case NAME_FILE:
		if (asprintf(&text, "/src/%llu.o", (u64)key->nr) < 0)
			abort();
		return text;
	case NAME_CGROUP:
		return strdup("/build");
	}
	return NULL;
}

/* Process @who, in a cgroup of its own, writes file @n. */
static struct iob_iolog_bin_record record_of(u32 who, u32 n, u32 bytes)
{
	return (struct iob_iolog_bin_record){
		.op = 'W', .role_kind = ROLE_PROCESS, .tgid = FIRST + who, .pid = FIRST + who,
		.id = FIRST + who, .comm = "cc1", .dev = 8 << 20, .disk = 8 << 20,
		.ino = FIRST + n, .cgroup = FIRST + who, .bytes = bytes, .complete_ns = now,
	};
}

static void end_batch(u32 n, u32 who)
{
	now += 1000000;
	if (n % AT_ONCE == 0) {
		ended = FIRST + who;
		name_tidy();
	}
}

static void hold_agg(const void *arg)
{
	agg_hold_names(arg);
}

static void all_end(void)
{
	now += 60000000000ULL;
	ended = UINT32_MAX;
	name_tidy();
}

/* Processes write so many files each, and end; the first file has @heavy bytes. */
static void sum_up(struct agg *agg, enum pivot by, unsigned int files, u32 heavy)
{
	struct iob_iolog_bin_record rec;
	u32 i;

	ended = 0;
	agg_init(agg, FIELD_TOTAL, by);
	name_held_by(hold_agg, agg);
	for (i = 0; i <= OTHERS; i++) {
		rec = record_of(i / files, i, i ? 4096 : heavy);
		agg_add(agg, &rec);
		if (i % AT_ONCE == 0)
			agg_squeeze(agg);
		end_batch(i, i / files);
	}
	all_end();
}

static void done(struct agg *agg)
{
	name_held_by(NULL, NULL);
	agg_free(agg);
}

/* As in `ioblame report --by user -- make -j64`: 4000 processes write ten files each. */
static void users(void)
{
	struct row *rows;
	struct agg agg;
	size_t i, nr;

	sum_up(&agg, BY_USER, 10, 4096);
	nr = group_rows(&agg, BY_USER, SORT_BYTES, &rows);
	for (i = 0; i < nr; i++) {
		const char *user = label_row(rows[i].atoms, BY_USER, NULL, 0);

		if (rows[i].all_ios != OTHERS / 2 + !strcmp(user, "even"))
			fail("%s has %llu IOs", user, (u64)rows[i].all_ios);
	}
	if (nr != 2)
		fail("there are %zu users", nr);
	free(rows);
	done(&agg);
}

/* The first one did most: its command line, file and cgroup are shown. */
static void heaviest(enum pivot by)
{
	char command[128];
	struct row *rows;
	struct agg agg;
	const char *text, *want = by == BY_COMMAND ? "cc 8388608" : "/src/8388608.o";

	sum_up(&agg, by, 1, 1 << 30);
	group_rows(&agg, by, SORT_BYTES, &rows);
	text = label_row(rows[0].atoms, by, command, sizeof(command));
	if (strncmp(text, want, strlen(want)))
		fail("the heaviest one is %.40s", text);
	text = name_cgroup(rows[0].atoms->key.cgroup);
	if (strcmp(text, "/build"))
		fail("the heaviest one is in %s", text);
	free(rows);
	done(&agg);
}

static void heaviest_ones(void)
{
	heaviest(BY_COMMAND);
	heaviest(BY_FILE);
}

static uint64_t bytes_of(const struct tally *t)
{
	return t->all_bytes;
}

/* The same of files, flush, errors and pattern */
static void tallies(void)
{
	struct tallies t = { .value = bytes_of };
	struct iob_iolog_bin_record rec;
	struct tally **list;
	u32 i;

	ended = 0;
	for (i = 0; i <= OTHERS; i++) {
		rec = record_of(i, i, i ? 4096 : 1 << 30);
		tally_add(&t, &rec, BY_USER, TALLY_FILE, 0);
		end_batch(i, i);
	}
	all_end();
	tally_sorted(&t, &list);
	if (strcmp(label_file(&list[0]->label), "/src/8388608.o") ||
	    strcmp(label_row(&list[0]->label, BY_USER, NULL, 0), "even"))
		fail("the heaviest one is %s, of %s", label_file(&list[0]->label),
		     label_row(&list[0]->label, BY_USER, NULL, 0));
	free(list);
	name_held_by(NULL, NULL);
	tally_clear(&t);
}

/* The same of stat, where a line has the name of its first IO */
static void blamed(void)
{
	struct iob_iolog_bin_record rec;
	struct blamed **list;
	struct blamed_sums s;
	unsigned int nr;
	u32 i;

	ended = 0;
	blamed_init(&s, BY_USER);
	name_held_by(blamed_hold_names, &s);
	for (i = 0; i <= OTHERS; i++) {
		rec = record_of(i, i, 4096);
		blamed_add(&s, &rec, true, 0);
		end_batch(i, i);
	}
	all_end();
	nr = blamed_list(&s, 8 << 20, &list);
	for (i = 0; i < nr; i++) {
		if (!strcmp(label_row(&list[i]->label, BY_USER, NULL, 0), "-"))
			fail("line %u of %u has no user", i, nr);
	}
	free(list);
	name_held_by(NULL, NULL);
	blamed_clear(&s);
}

/* Command lines as long as can be: not all have room, those of the heaviest do, and it is said. */
static void long_names(void)
{
	size_t before = __sanitizer_get_current_allocated_bytes(), bytes;
	u64 lost = name_no_room();

	longer = 4000;
	heaviest(BY_COMMAND);
	longer = 0;
	bytes = __sanitizer_get_current_allocated_bytes() - before;
	note("%zu KiB", bytes >> 10);
	if (bytes > 48 << 20)
		fail("%zu bytes", bytes);
	if (name_no_room() == lost)
		fail("none is said to have no room");
}

/* What ioblamed has sent once: it sends a name again only when it has forgotten it itself. */
static void served(void)
{
	struct name_key key = { .kind = NAME_DISK, .dev = 8 << 20 };
	struct iob_iolog_bin_record rec = record_of(1, 1, 1 << 30);
	struct agg agg;
	struct row *rows;
	u32 i;

	name_served();
	name_put(&key, "sda");
	key = (struct name_key){ .kind = NAME_FILE, .dev = 8 << 20, .nr = FIRST + 1 };
	name_put(&key, "/src/a.o");
	agg_init(&agg, FIELD_TOTAL, BY_FILE);
	name_held_by(hold_agg, &agg);
	agg_add(&agg, &rec);
	for (i = 2; i < 8 * OTHERS; i++) {
		key.nr = FIRST + i;
		name_put(&key, "/src/b.o");
		end_batch(i, i);
	}
	group_rows(&agg, BY_FILE, SORT_BYTES, &rows);
	if (strcmp(label_file(rows[0].atoms), "/src/a.o") ||
	    strcmp(name_disk(8 << 20), "sda"))
		fail("it is %s on %s", label_file(rows[0].atoms), name_disk(8 << 20));
	free(rows);
	done(&agg);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(users), TEST(heaviest_ones), TEST(tallies), TEST(blamed), TEST(long_names),
		TEST(served),
	};

	name_ask_by(ask);
	return run_tests("tool_held", tests, ARRAY_SIZE(tests));
}
