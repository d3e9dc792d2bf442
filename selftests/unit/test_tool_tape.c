// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings that are written at the same time: each has the names and intents of its own records,
 * before them, and those of no other.
 */
#include <unistd.h>

#include "clock.h"
#include "container.h"
#include "intent.h"
#include "name.h"
#include "path.h"
#include "store.h"
#include "tape.h"
#include "test.h"

static u64 now = 1000000000ULL;
static const char *renamed;	/* what file 100 is called now */

uint64_t clock_ns(void)
{
	return now;
}

char *path_of_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	char text[64];

	(void)dev;
	(void)gen;
	if (ino == 100 && renamed)
		return strdup(renamed);
	snprintf(text, sizeof(text), "/file-%llu", (u64)ino);
	return strdup(text);
}

char *path_of_mount(uint32_t dev)
{
	(void)dev;
	return strdup("/mnt");
}

/* no container has a name here */
char *container_name(const struct container *c)
{
	(void)c;
	return NULL;
}

char *path_of_cgroup(uint64_t id)
{
	char text[64];

	snprintf(text, sizeof(text), "/system.slice/unit-%llu", (u64)id);
	return strdup(text);
}

void path_close(void) {}

/* who runs process 7 from its next look-up on, as it is asked before and behind it */
static u32 runs[2];
static unsigned int looked;
static const char *runs_command = "alice's";	/* NULL: it is gone */

uint32_t user_of_process(uint32_t tgid)
{
	(void)tgid;
	return runs[looked++ % 2];
}

char *user_name(uint32_t uid)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", uid);
	return strdup(text);
}

char *user_name_in_time(uint32_t uid, bool *asked)
{
	(void)uid;
	(void)asked;
	abort();
}

static char *ask_another(const struct name_key *key, bool *asked)
{
	*asked = true;
	if (key->kind != NAME_COMMAND)
		return name_ask(key);
	return runs_command ? strdup(runs_command) : NULL;
}

/* A recording in memory */
struct taped {
	struct tape *tape;
	char *bytes;
	size_t len;
	FILE *file;
};

/* What was found in one */
struct found {
	unsigned int records, batches, intents, files[8], others;
	bool late;		/* something came after the record that uses it */
	char last[64];		/* name of file 100 */
	char status[64];
	uint32_t types;		/* a bit for each */
};

static void begin(struct taped *t, bool packed)
{
	struct store_head head = { .cpus = 2, .host = "here" };

	t->file = open_memstream(&t->bytes, &t->len);
	t->tape = tape_begin(t->file, &head, packed);
	if (!t->tape)
		fail("no recording");
}

static void end(struct taped *t)
{
	uint64_t written;

	if (tape_end(t->tape, &written))
		fail("it went wrong");
	fclose(t->file);
	if (written >= t->len)
		fail("%llu bytes of %zu", (u64)written, t->len);
}

static void add(struct taped *t, u64 ino, u32 intent)
{
	const struct iob_iolog_bin_record rec = {
		.len = sizeof(rec), .ver = IOB_IOLOG_BIN_VER, .op = 'W', .disk = 8 << 20,
		.dev = 8 << 20, .ino = ino, .gen = 1, .cgroup = ino, .intent_nr = intent,
	};

	tape_add(t->tape, &rec);
}

static void look_at(struct found *f, const struct store_chunk *c, const char *data)
{
	const struct iob_iolog_bin_record *rec = (const void *)data;
	struct name_key key;
	size_t i;

	f->types |= 1U << c->type;
	switch (c->type) {
	case STORE_NAME:
		memcpy(&key, data, sizeof(key));
		if (key.kind != NAME_FILE)
			f->others++;
		else if (key.nr >= 100 && key.nr < 108)
			f->files[key.nr - 100]++;
		if (key.kind == NAME_FILE && key.nr == 100)
			snprintf(f->last, sizeof(f->last), "%s", data + sizeof(key));
		break;
	case STORE_INTENT:
		f->intents |= 1U << atoi(data + 1);
		break;
	case STORE_RECORDS:
		f->batches++;
		for (i = 0; i < c->len / sizeof(*rec); i++, f->records++)
			f->late |= !f->files[rec[i].ino - 100] ||
				   !(f->intents & 1U << rec[i].intent_nr);
		break;
	case STORE_STATUS_AFTER:
		snprintf(f->status, sizeof(f->status), "%s", data);
		break;
	}
}

static struct found read_back(struct taped *t)
{
	FILE *file = fmemopen(t->bytes, t->len, "r");
	struct found f = { 0 };
	struct store_chunk c;
	enum store_got got;
	char *data;

	if (store_open(file) != STORE_CHUNK)
		fail("no recording");
	while ((got = store_read(file, &c, &data)) == STORE_CHUNK) {
		look_at(&f, &c, data);
		free(data);
	}
	if (got != STORE_END)
		fail("it is torn");
	fclose(file);
	free(t->bytes);
	return f;
}

static void know_intents(const char *frame)
{
	char text[128];
	u32 nr;

	for (nr = 0; nr < 8; nr++) {
		snprintf(text, sizeof(text), "#%u modifier=0x0\n[0] %s+0x1/0x2\n", nr, frame);
		intent_parse(text);
	}
}

/* Two at a time: neither has what only the other one uses. */
static void apart(void)
{
	struct taped one, two;
	struct found f;

	know_intents("one");
	begin(&one, false);
	add(&one, 100, 2);
	begin(&two, false);
	add(&two, 100, 3);
	add(&two, 101, 4);
	add(&one, 102, 2);
	add(&one, 100, 2);
	tape_flush(one.tape);
	tape_text(two.tape, STORE_STATUS_AFTER, "enabled 1\n");
	end(&one);
	add(&two, 102, 3);
	end(&two);
	f = read_back(&one);
	if (f.records != 3 || f.files[0] != 1 || f.files[1] || f.files[2] != 1 || f.late ||
	    f.intents != 1 << 2 || *f.status)
		fail("the first: %u records, intents %#x, late %d", f.records, f.intents, f.late);
	f = read_back(&two);
	if (f.records != 3 || f.files[0] != 1 || f.files[1] != 1 || f.files[2] != 1 || f.late ||
	    f.intents != (1 << 3 | 1 << 4) || strcmp(f.status, "enabled 1\n"))
		fail("the second: %u records, intents %#x, late %d", f.records, f.intents, f.late);
}

static void know_intents_of(u64 module, u64 session, const char *name)
{
	intent_note_session(module, session);
	if (intent_get(2))
		fail("%llu, %llu: intents of before are known", module, session);
	know_intents(name);
	/* nothing is forgotten while it is the same */
	intent_note_session(module, session);
}

/* Records of a session are before the intents of the next one, which have the same numbers. */
static void in_order(void)
{
	struct store_chunk c;
	char order[32], *data;
	size_t nr = 0;
	struct taped t;
	FILE *file;

	know_intents_of(7, 1, "first");
	begin(&t, false);
	add(&t, 101, 2);
	know_intents_of(7, 2, "second");
	add(&t, 102, 2);
	/* the module was loaded anew, and this is its second session, too */
	know_intents_of(8, 2, "third");
	add(&t, 103, 2);
	end(&t);
	file = fmemopen(t.bytes, t.len, "r");
	store_open(file);
	while (nr < sizeof(order) - 1 && store_read(file, &c, &data) == STORE_CHUNK) {
		if (c.type == STORE_INTENT || c.type == STORE_RECORDS)
			order[nr++] = c.type == STORE_INTENT ? 'i' : 'r';
		free(data);
	}
	order[nr] = '\0';
	if (strcmp(order, "iririr"))
		fail("intents and records are in the order %s", order);
	fclose(file);
	free(t.bytes);
}

/* A name that changes is written again, and an intent of another session. */
static void anew(void)
{
	struct taped t;
	struct found f;

	know_intents("one");
	begin(&t, false);
	add(&t, 100, 2);
	renamed = "/renamed";
	now += 10000000000ULL;
	add(&t, 100, 2);
	add(&t, 100, 2);
	tape_flush(t.tape);
	intent_forget();
	know_intents("two");
	add(&t, 100, 2);
	end(&t);
	if (!memmem(t.bytes, t.len, "two+0x1", 7))
		fail("the intent of the session after is not there");
	f = read_back(&t);
	if (f.files[0] != 2 || strcmp(f.last, "/renamed") || f.records != 4)
		fail("%u names, the last %s", f.files[0], f.last);
	/* one that begins later has all anew */
	begin(&t, false);
	add(&t, 100, 2);
	end(&t);
	f = read_back(&t);
	if (f.files[0] != 1 || f.late)
		fail("a later one lacks names");
}

static void many(void)
{
	struct store_head head = { 0 };
	struct taped t[TAPES_MOST];
	struct found f;
	unsigned int i;
	FILE *null = fopen("/dev/null", "w");

	for (i = 0; i < TAPES_MOST; i++) {
		begin(&t[i], false);
		add(&t[i], 100 + i % 8, 2);
	}
	if (tape_begin(null, &head, false))
		fail("more than can be told apart");
	fclose(null);
	for (i = 0; i < 20000; i++)
		add(&t[5], 105, 2);
	for (i = 0; i < TAPES_MOST; i++) {
		end(&t[i]);
		f = read_back(&t[i]);
		if (f.files[i % 8] != 1 || f.late || f.records != (i == 5 ? 20001U : 1U))
			fail("tape %u: %u records", i, f.records);
		if (i == 5 && f.batches < 2)
			fail("one chunk of %u records", f.records);
	}
}

/* Packed: the names are behind the mark, and cannot be read as they are. */
static void packed(void)
{
	struct taped t;

	begin(&t, true);
	add(&t, 101, 2);
	end(&t);
#ifdef HAVE_ZSTD
	if (memmem(t.bytes, t.len, "file-101", 8))
		fail("the name can be read");
#endif
	free(t.bytes);
}

/* A disk that is full is told, once and for all. */
static void full(void)
{
	struct store_head head = { 0 };
	FILE *f = fopen("/dev/full", "w");
	struct taped t = { .tape = tape_begin(f, &head, false) };

	add(&t, 100, 2);
	if (tape_flush(t.tape) || !tape_error(t.tape))
		fail("nothing went wrong");
	if (tape_end(t.tape, NULL) != ENOSPC)
		fail("another error");
	fclose(f);
}

/* So is one that ioblamed tells, and tells anew.  From here on nobody else is asked for names. */
static void told_anew(void)
{
	const struct name_key key = { .kind = NAME_FILE, .dev = 8 << 20, .nr = 105, .gen = 1 };
	struct taped t;
	struct found f;

	name_served();
	begin(&t, false);
	name_put(&key, "/db.tmp");
	add(&t, 105, 0);
	name_put(&key, "/db.tmp");
	add(&t, 105, 0);
	tape_flush(t.tape);
	name_put(&key, "/db");
	add(&t, 105, 0);
	end(&t);
	if (!memmem(t.bytes, t.len, "/db", 4))
		fail("the later name is not there");
	f = read_back(&t);
	if (f.files[5] != 2 || f.records != 3 || f.late)
		fail("%u names of %u records", f.files[5], f.records);
}

static void add_of_process(struct taped *t)
{
	const struct iob_iolog_bin_record rec = {
		.len = sizeof(rec), .ver = IOB_IOLOG_BIN_VER, .op = 'W', .disk = 8 << 20,
		.dev = 8 << 20, .ino = 100, .gen = 1, .cgroup = 1, .intent_nr = 2,
		.tgid = 7, .pid = 7, .comm = "same",
	};

	/* a name is looked up again after five seconds */
	now += 10000000000ULL;
	looked = 0;
	tape_add(t->tape, &rec);
}

static bool has_text(struct taped *t, const char *text)
{
	tape_flush(t->tape);
	return memmem(t->bytes, t->len, text, strlen(text));
}

/* A user's process gets id and name of another's that is gone: its command line is not told. */
static void of_user(void)
{
	struct taped all, bob;

	name_ask_by(ask_another);
	begin(&all, false);
	begin(&bob, false);
	tape_only_of(bob.tape, 1002);
	runs[0] = runs[1] = 1001;
	add_of_process(&all);
	if (!has_text(&all, "alice's"))
		fail("who may see all is not told the command line");
	/* bob's process has the id now, and is gone again before it is looked up */
	runs_command = NULL;
	runs[0] = runs[1] = 1002;
	add_of_process(&bob);
	/* or while it is */
	runs_command = "alice's again";
	runs[0] = 1001;
	add_of_process(&bob);
	runs[0] = 1002;
	runs[1] = 1001;
	add_of_process(&bob);
	if (has_text(&bob, "alice's"))
		fail("bob is told of alice's process");
	if (!has_text(&bob, "/file-100") && !has_text(&bob, "/renamed"))
		fail("bob is not told the name of his file");
	runs_command = "bob's";
	runs[1] = 1002;
	add_of_process(&bob);
	if (!has_text(&bob, "bob's"))
		fail("bob is not told of his own process");
	end(&all);
	end(&bob);
	free(all.bytes);
	free(bob.bytes);
	name_ask_by(NULL);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(apart), TEST(anew), TEST(in_order), TEST(many), TEST(packed), TEST(full),
		TEST(of_user), TEST(told_anew),
	};

	return run_tests("tool_tape", tests, ARRAY_SIZE(tests));
}
