// SPDX-License-Identifier: GPL-2.0
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/ioblame.h>

#include "clock.h"
#include "container.h"
#include "escape.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "path.h"
#include "unit.h"
#include "user.h"

enum {
	/* names in a map, about 250 bytes each */
	NAMES_MAX = 32768,
	/* of those that are looked up, whose length their owners choose */
	NAMES_BYTES = 64 << 20,
	/* of those that are served: what ioblamed forgets it sends again, so keep more than it */
	SERVED_MAX = 4 * NAMES_MAX,
	/* of a unit of a user or container: two parts of a path, whose bytes may be escaped */
	UNIT_ROOM = 2 * ESCAPE_SIZE(NAME_MAX) + 8,
};

/* A path is looked up again after this time: files are renamed. */
static uint64_t stale_ns = 5000000000ULL;
/* A user after this time, if that is longer: his number may be another one's, or come late */
static const uint64_t uid_stale_ns = 300000000000ULL;
/* And after this time if nobody could be asked for it */
static const uint64_t again_ns = 1000000000;

static struct map names = { .key_len = sizeof(struct name_key) };
static struct map numbers = { .key_len = sizeof(struct name_key) };
static bool offline, served;

/* Another process that looks up, as this one may not; NULL: this one does */
static char *(*other_asks)(const struct name_key *key, bool *asked);

/* Is called for each name that is used */
static void (*watcher)(struct name *name, void *arg);
static void *watcher_arg;

/* What the names of a recording take, and those that would take more: the file may be forged */
#define RECORDED_BYTES	(1ULL << 30)
static uint64_t recorded, no_room;

/* Lookups in advance that are left in this second, and in each; 0: no limit */
static unsigned int may_ask, most_asked;
static uint64_t second_ns;

/* What the names take that are looked up, and may; the longest of them, 0: any */
static size_t names_bytes, most_bytes = NAMES_BYTES, longest_name;

/* Who holds names, and what those take that are held */
static void (*holder)(const void *arg);
static const void *holder_arg;
static size_t held_nr, held_bytes;

/* Look a name up again after this time, and not after five seconds. */
void name_stale_after(uint64_t ns)
{
	stale_ns = ns;
}

/**
 * name_bound - bound the memory of names that are looked up
 * @longest: bytes of a name, of which the tail remains, after "..."; not of a cgroup's path, in
 *           which the container is looked for
 * @bytes:   of all names together
 */
void name_bound(size_t longest, size_t bytes)
{
	longest_name = longest;
	most_bytes = bytes;
}

/* From now on, look up nothing on this machine. */
void name_offline(void)
{
	offline = true;
}

/* The same, where name_put() is given names that ioblamed knows now. */
void name_served(void)
{
	offline = true;
	served = true;
}

/*
 * Let @ask look up what this process may not: it returns a text as name_ask() does.  It says if it
 * has asked at all: only what has no answer then waits until it is stale.
 */
void name_ask_by(char *(*ask)(const struct name_key *key, bool *asked))
{
	other_asks = ask;
}

static size_t bytes_of(const struct name *name)
{
	return sizeof(*name) + (name->text ? strlen(name->text) + 1 : 0);
}

static struct name *new_name(const struct name_key *key)
{
	struct name *name = must(calloc(1, sizeof(*name)));

	name->key = *key;
	map_put(&names, name);
	names_bytes += sizeof(*name);
	return name;
}

static void set_text(struct name *name, char *text)
{
	names_bytes -= name->text ? strlen(name->text) + 1 : 0;
	free(name->text);
	name->text = text;
	names_bytes += strlen(text) + 1;
}

/* How many names had no room, each time that one was wanted. */
uint64_t name_no_room(void)
{
	return no_room;
}

/* Add a name of a recording.  Escape it: the file may be forged. */
void name_put(const struct name_key *key, const char *text)
{
	struct name *name = map_get(&names, key);
	size_t size = 4 * strlen(text) + sizeof(*name);
	size_t before = name ? name->recorded : 0;
	char *safe;

	/* what comes again takes the place of what was there: ioblamed's tapes repeat names */
	if (size > RECORDED_BYTES - recorded + before) {
		no_room++;
		return;
	}
	if (!name)
		name = new_name(key);
	/* those that are served are as many as name_tidy() leaves */
	name->recorded = served ? 0 : size;
	recorded += name->recorded - before;
	name->used_ns = served ? clock_ns() : 0;
	safe = must(escape_again(text, strlen(text)));
	/* who records has the text before */
	if (name->text && strcmp(name->text, safe))
		name->saved = 0;
	set_text(name, safe);
}

/* Cut a name that is too long, and give back what it no longer takes. */
static char *cut_name(const struct name_key *key, char *text)
{
	if (!text || !longest_name || key->kind == NAME_CGROUP || strlen(text) <= longest_name)
		return text;
	escape_tail(text, longest_name);
	return must(realloc(text, strlen(text) + 1));
}

static bool is_kind_of_process(uint32_t kind)
{
	return kind == NAME_USER || kind == NAME_COMMAND;
}

static bool is_of_process(const struct name *name)
{
	return is_kind_of_process(name->key.kind);
}

/*
 * Whether a name may be told to a user: what is of a process only if this user ran it when it was
 * looked up.  A process of another one may have had the same id and the same name.
 */
bool name_is_of_user(const struct name *name, uint32_t uid)
{
	return !is_of_process(name) || (uid != USER_NONE && name->asked_uid1 == uid + 1);
}

static uint64_t stale_after(const struct name_key *key)
{
	return key->kind == NAME_UID && stale_ns < uid_stale_ns ? uid_stale_ns : stale_ns;
}

/* Ask here, or another process; a process's id may be another one's before and behind that. */
static char *ask_now(struct name *name)
{
	bool process = other_asks && is_of_process(name);
	uint32_t uid = process ? user_of_process(name->key.nr) : USER_NONE;
	bool asked = true;
	char *text = (other_asks ? other_asks : name_ask_here)(&name->key, &asked);

	if (!asked)
		name->asked_ns += again_ns - stale_after(&name->key);
	/* the text of before stays where there is none now, and so does whose it is */
	if (text && process)
		name->asked_uid1 = user_of_process(name->key.nr) == uid ? uid + 1 : 0;
	return text;
}

/* The number of the user who runs a process, if nothing else is known. */
static char *number_of_user(struct name *name)
{
	uint32_t uid = user_of_process(name->key.nr);
	char number[16];

	if (uid == USER_NONE)
		return NULL;
	snprintf(number, sizeof(number), "%u", uid);
	name->asked_uid1 = uid + 1;
	return must(strdup(number));
}

/* Ask for the text, escaped and allocated; NULL if there is none now. */
static char *ask_text(struct name *name)
{
	char *text = ask_now(name);

	if (!text && !name->text && name->key.kind == NAME_USER)
		text = number_of_user(name);
	return cut_name(&name->key, text);
}

/* The same of a process: no text of another one that has the id of one that ended. */
static char *ask_process(struct name *name, uint64_t now)
{
	bool begun = process_begin(&name->process, name->key.nr, now);
	uint32_t uid1 = name->asked_uid1;
	char *text = ask_text(name);

	if (!text || process_is_still(&name->process, name->key.nr, begun, now))
		return text;
	free(text);
	name->asked_uid1 = uid1;
	return NULL;
}

/* Files, processes and cgroups come and go without end; of others there are few. */
static bool are_many(uint32_t kind)
{
	return kind == NAME_FILE || is_kind_of_process(kind) || kind == NAME_CGROUP;
}

/* The name as it is known now, NULL if it never was looked up; it may have no text. */
static struct name *look_up(const struct name_key *key)
{
	struct name *name = map_get(&names, key);
	uint64_t now;
	char *text;

	if (offline && !(served && name))
		return name;
	now = clock_ns();
	if (offline) {
		name->used_ns = now;
		return name;
	}
	if (!name && names_bytes >= most_bytes && are_many(key->kind)) {
		no_room++;
		return NULL;
	}
	if (!name)
		name = new_name(key);
	name->used_ns = now;
	if (name->asked_ns && now - name->asked_ns < stale_after(key))
		return name;
	name->asked_ns = now;
	text = is_of_process(name) ? ask_process(name, now) : ask_text(name);
	/* keep the last name of a file that is gone */
	if (!text || (name->text && !strcmp(text, name->text))) {
		free(text);
		return name;
	}
	set_text(name, text);
	name->saved = 0;
	return name;
}

static const char *get_name(const struct name_key *key)
{
	struct name *name = look_up(key);

	if (!name || !name->text)
		return NULL;
	if (watcher)
		watcher(name, watcher_arg);
	return name->text;
}

/* Keep a number as the name of what has none. */
static const char *number_name(const struct name_key *key, const char *text)
{
	struct name *name = map_get(&numbers, key);

	if (!name) {
		name = must(calloc(1, sizeof(*name)));
		name->key = *key;
		map_put(&numbers, name);
	}
	name->used_ns = clock_ns();
	if (name->text && !strcmp(name->text, text))
		return name->text;
	free(name->text);
	name->text = must(strdup(text));
	return name->text;
}

/* The name of a disk in /dev, or MAJ:MIN. */
const char *name_disk(uint32_t dev)
{
	const struct name_key key = { .kind = NAME_DISK, .dev = dev };
	const char *text = get_name(&key);
	char number[32];

	if (text)
		return text;
	snprintf(number, sizeof(number), "%u:%u", dev >> 20, dev & 0xfffff);
	return number_name(&key, number);
}

/* The scheduler of a disk; "-" if it has none, or it is not known. */
const char *name_sched(uint32_t dev)
{
	const struct name_key key = { .kind = NAME_SCHED, .dev = dev };
	const char *text = get_name(&key);

	return text ? text : "-";
}

/* A process id is used again: what runs under another name is asked about anew. */
static struct name_key key_of_process(enum name_kind kind, uint32_t tgid, const char *comm)
{
	uint32_t h = 0x811c9dc5;
	unsigned int i;

	for (i = 0; i < IOB_COMM_LEN && comm[i]; i++)
		h = (h ^ (unsigned char)comm[i]) * 0x01000193;
	return (struct name_key){ .kind = kind, .nr = tgid, .gen = h ? h : 1 };
}

/* Recordings of before have names of ids alone. */
static const char *name_of_process(enum name_kind kind, uint32_t tgid, const char *comm)
{
	struct name_key key;
	const char *text;

	if (!tgid)
		return NULL;
	key = key_of_process(kind, tgid, comm);
	text = get_name(&key);
	key.gen = 0;
	return !text && offline ? get_name(&key) : text;
}

/* The user of a process, as it was when it was seen; "-" if it was gone then. */
const char *name_user(uint32_t tgid, const char *comm)
{
	const char *text = name_of_process(NAME_USER, tgid, comm);

	return text ? text : "-";
}

/* The name of a user, else the number. */
const char *name_uid(uint32_t uid)
{
	const struct name_key key = { .kind = NAME_UID, .nr = uid };
	/* not get_name(): recordings have the users of processes */
	const struct name *name = look_up(&key);
	char number[16];

	if (name && name->text)
		return name->text;
	snprintf(number, sizeof(number), "%u", uid);
	return number_name(&key, number);
}

/* The command line of a process, or NULL. */
const char *name_command(uint32_t tgid, const char *comm)
{
	return name_of_process(NAME_COMMAND, tgid, comm);
}

/*
 * The name of IO without a file: metadata of a file system, or a device.  A file
 * system has the number of its disk; one of btrfs has a number of its own.
 */
static const char *name_of_no_file(uint32_t dev, uint64_t ino)
{
	const struct name_key key = { .kind = NAME_MOUNT, .dev = dev };
	/* the device itself and each of its inodes have a text of their own */
	const struct name_key number = { .kind = NAME_MOUNT, .dev = dev, .nr = ino };
	const char *mount = get_name(&key), *disk = name_disk(dev);
	char text[PATH_MAX + 64];

	if (mount)
		snprintf(text, sizeof(text), "%.4000s: metadata", mount);
	else if (ino)
		snprintf(text, sizeof(text), "%u:%u:%llu", dev >> 20, dev & 0xfffff,
			 (unsigned long long)ino);
	else
		snprintf(text, sizeof(text), "/dev/%.60s", disk);
	return number_name(&number, escape_cut(text));
}

/**
 * name_file - the name of a file
 * @dev: number of its file system
 * @ino: number of its inode
 * @gen: generation of its inode
 *
 * Return: its path; MAJ:MIN:INO if the path is not known; or a word for metadata.
 */
const char *name_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	const struct name_key key = {
		.kind = NAME_FILE, .dev = dev, .nr = ino, .gen = gen,
	};
	const char *text;
	char number[64];

	if (ino <= 2)
		return name_of_no_file(dev, ino);
	text = get_name(&key);
	if (text)
		return text;
	snprintf(number, sizeof(number), "%u:%u:%llu", dev >> 20, dev & 0xfffff,
		 (unsigned long long)ino);
	return number_name(&key, number);
}

/* Limit the lookups of name_note_file(). */
void name_note_at_most(unsigned int per_second)
{
	most_asked = per_second;
}

/**
 * name_note_file - look up the name of a file while it exists
 * @dev: number of its file system
 * @ino: number of its inode
 * @gen: generation of its inode
 *
 * A file is looked up once.
 */
void name_note_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	const struct name_key key = {
		.kind = NAME_FILE, .dev = dev, .nr = ino, .gen = gen,
	};
	uint64_t now;
	struct name *name;

	if (offline || ino <= 2)
		return;
	now = clock_ns();
	name = map_get(&names, &key);
	if (name) {
		name->used_ns = now;
		return;
	}
	if (most_asked) {
		if (now - second_ns >= 1000000000) {
			second_ns = now;
			may_ask = most_asked;
		}
		if (!may_ask)
			return;
		may_ask--;
	}
	get_name(&key);
}

/* The path of a cgroup below the mount point of cgroup2, or "cgroup-N"; "-" for 0. */
const char *name_cgroup(uint64_t id)
{
	const struct name_key key = { .kind = NAME_CGROUP, .nr = id };
	const char *text;
	char number[32];

	if (!id)
		return "-";
	text = get_name(&key);
	if (text)
		return text;
	snprintf(number, sizeof(number), "cgroup-%llu", (unsigned long long)id);
	return number_name(&key, number);
}

/* The container; else the unit of unit_of(). */
const char *name_unit(uint64_t id)
{
	const struct name_key key = { .kind = NAME_CONTAINER, .nr = id };
	const char *path = name_cgroup(id), *text;
	char label[CONTAINER_LABEL], unit[UNIT_ROOM];
	struct container c;

	if (container_find(path, &c)) {
		text = get_name(&key);
		return text ? text : number_name(&key, container_short(&c, label, sizeof(label)));
	}
	text = unit_of(path, unit, sizeof(unit));
	return text == unit ? number_name(&key, unit) : text;
}

static void free_number(void *value)
{
	struct name *name = value;

	free(name->text);
	free(name);
}

static void free_name(void *value)
{
	const struct name *name = value;

	/* others can be asked for again */
	no_room += name->wanted && is_of_process(name);
	names_bytes -= bytes_of(name);
	free_number(value);
}

/**
 * name_held_by - let who has sums hold the names that they will be shown with
 * @hold: is called before names are dropped, and calls name_hold_...(), the most important first;
 *        NULL: nobody
 * @arg:  for it
 */
void name_held_by(void (*hold)(const void *arg), const void *arg)
{
	holder = hold;
	holder_arg = arg;
}

static size_t most_names(void)
{
	return served ? SERVED_MAX : NAMES_MAX;
}

/* The rest of the room is for names that come. */
static void hold(struct name *name)
{
	size_t bytes = bytes_of(name);

	if (name->held)
		return;
	/* those that are served are as long as ioblamed lets them be */
	name->wanted = held_nr >= most_names() / 4 * 3 ||
		       (!served && held_bytes + bytes > most_bytes / 4);
	if (name->wanted)
		return;
	name->held = true;
	held_nr++;
	held_bytes += bytes;
}

static void hold_key(const struct name_key *key)
{
	struct name *name = map_get(&names, key);

	if (name)
		hold(name);
}

/* Hold what name_user() and name_command() know of a process. */
void name_hold_process(uint32_t tgid, const char *comm)
{
	const struct name_key user = key_of_process(NAME_USER, tgid, comm);
	const struct name_key command = key_of_process(NAME_COMMAND, tgid, comm);

	hold_key(&user);
	hold_key(&command);
}

void name_hold_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	const struct name_key key = {
		.kind = NAME_FILE, .dev = dev, .nr = ino, .gen = gen,
	};

	hold_key(&key);
}

void name_hold_cgroup(uint64_t id)
{
	const struct name_key cgroup = { .kind = NAME_CGROUP, .nr = id };
	const struct name_key container = { .kind = NAME_CONTAINER, .nr = id };

	hold_key(&cgroup);
	hold_key(&container);
}

/* Hold what has few names: ioblamed sends those once. */
static void hold_disks(void)
{
	struct name *name;
	size_t i;

	map_for_each(&names, i, name) {
		if (name->key.kind == NAME_DISK || name->key.kind == NAME_MOUNT ||
		    name->key.kind == NAME_SCHED)
			hold(name);
	}
}

/* Find anew which names are held. */
static void hold_names(void)
{
	struct name *name;
	size_t i;

	held_nr = 0;
	held_bytes = 0;
	map_for_each(&names, i, name) {
		name->held = false;
		name->wanted = false;
	}
	hold_disks();
	if (holder)
		holder(holder_arg);
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static bool used_since(const void *value, const void *since)
{
	const struct name *name = value;

	return name->held || name->used_ns > *(const uint64_t *)since;
}

/* Of those that are not held, drop the half unused for longest; more if many were used at once. */
static void drop_half(struct map *map, void (*free_value)(void *value))
{
	uint64_t *times, median;
	struct name *name;
	size_t i, nr = 0;

	times = must(malloc((map->nr + 1) * sizeof(*times)));
	map_for_each(map, i, name) {
		if (!name->held)
			times[nr++] = name->used_ns;
	}
	qsort(times, nr, sizeof(*times), compare_times);
	median = nr ? times[nr / 2] : 0;
	free(times);
	map_keep(map, used_since, &median, free_value);
}

/* Bound the memory.  No name that was returned before is valid after this. */
void name_tidy(void)
{
	/* a recording has each name once: keep them */
	bool many = (!offline || served) && names.nr >= most_names();
	/* half of the bytes are for the names that come until the next time */
	bool large = !offline && names_bytes > most_bytes / 2;

	if (many || large)
		hold_names();
	if (many)
		drop_half(&names, free_name);
	while (!offline && names.nr > held_nr && names_bytes > most_bytes / 2)
		drop_half(&names, free_name);
	if (numbers.nr >= NAMES_MAX)
		drop_half(&numbers, free_number);
}

/* Call @one for each name that has a text, whenever it is used from now on; NULL: no longer. */
void name_watch(void (*one)(struct name *name, void *arg), void *arg)
{
	watcher = one;
	watcher_arg = arg;
}

/* A tape begins that has this bit: no name is in it. */
void name_not_saved(uint64_t bit)
{
	struct name *name;
	size_t i;

	map_for_each(&names, i, name)
		name->saved &= ~bit;
}

/* Close mount points, so that they can be unmounted. */
void name_done(void)
{
	path_close();
}
