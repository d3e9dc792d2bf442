// SPDX-License-Identifier: GPL-2.0
/*
 * What a view that wants arrays of md beside the disks watches, alone, along with others, and by
 * ioblamed.  The module, the disks and the arrays are fakes.
 */
#include "fake_dir.h"
#include "fake_msg.h"
#include "test.h"

#include "session.c"

enum {
	DISK = 8 << 20, ARRAY = 9 << 20,
};

static const char *enable, *devs;
static unsigned int disks, arrays, set;
static struct device was_set[DEVICES_MAX];

static struct device device_of(uint32_t dev)
{
	struct device d = { .dev = dev, .disk = dev };

	snprintf(d.number, sizeof(d.number), "%u:%u", dev >> 20, dev & 0xfffff);
	snprintf(d.name, sizeof(d.name), "%s%u", dev >> 20 == 9 ? "md" : "disk", dev & 0xfffff);
	return d;
}

bool device_lookup(const char *word, struct device *d)
{
	unsigned int major, minor;

	if (sscanf(word, "%u:%u", &major, &minor) != 2)
		return false;
	*d = device_of(major << 20 | minor);
	return true;
}

static unsigned int list(struct device **all, uint32_t first, unsigned int nr)
{
	unsigned int i;

	*all = must(realloc(*all, (nr + 1) * sizeof(**all)));
	for (i = 0; i < nr; i++)
		(*all)[i] = device_of(first + i);
	return nr;
}

unsigned int device_every(struct device **all)
{
	return list(all, DISK, disks);
}

unsigned int device_arrays(struct device **all)
{
	*all = NULL;
	return list(all, ARRAY, arrays);
}

const char *dir_path(void)
{
	return "/iob";
}

char *dir_read(const char *name)
{
	(void)name;
	return strdup(devs);
}

char *dir_read_word(const char *name)
{
	(void)name;
	return strdup(enable);
}

int lock_take(bool (*give_up)(void))
{
	(void)give_up;
	return 0;
}

void lock_drop(void) {}

bool stop_asked(void)
{
	return false;
}

void name_put(const struct name_key *key, const char *name)
{
	(void)key;
	(void)name;
}

void users_find(struct users *u)
{
	memset(u, 0, sizeof(*u));
}

int restore_begin(bool counters)
{
	(void)counters;
	return 0;
}

int restore_set_counters(const char *const *specs)
{
	(void)specs;
	return 0;
}

int restore_set_devices(const struct device *device, unsigned int nr)
{
	memcpy(was_set, device, nr * sizeof(*device));
	set = nr;
	return 0;
}

int restore_switch_on(void)
{
	return 0;
}

void restore_switch_off(void (*read)(void *arg), void *arg)
{
	(void)read;
	(void)arg;
}

void restore_end(void) {}

char *status_read(void)
{
	return NULL;
}

void status_parse(struct status *st, const char *text)
{
	(void)st;
	(void)text;
}

void store_free_head(struct store_head *head)
{
	(void)head;
}

static void begins(const char *is_on, const char *are_set, unsigned int nr_disks,
		   unsigned int nr_arrays, bool wants)
{
	static struct session s;
	int ret;

	enable = is_on;
	devs = are_set;
	disks = nr_disks;
	arrays = nr_arrays;
	set = 0;
	*said = '\0';
	memset(&s, 0, sizeof(s));
	s.arrays = wants;
	ret = session_begin(&s, NULL, 0, NULL);
	session_ready();
	if (ret)
		fail("%u disks, %u arrays: status %d, it says %s", nr_disks, nr_arrays, ret, said);
}

static bool was_array_set(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < set && was_set[i].dev != ARRAY + nr; i++)
		;
	return i < set;
}

/* Of any number of disks; what the command line can name is no bound. */
static void alone(void)
{
	static const unsigned int nr[] = { 1, 2, 15, 16, 17, 33, 500 };
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(nr); i++) {
		for (k = 0; k < ARRAY_SIZE(nr); k++) {
			begins("0", "", nr[i], nr[k], true);
			if (set != nr[i] + nr[k] || !was_array_set(0) || !was_array_set(nr[k] - 1))
				fail("%u disks, %u arrays: %u are watched", nr[i], nr[k], set);
			if (*said)
				fail("%u disks, %u arrays: it says %s", nr[i], nr[k], said);
		}
	}
	begins("0", "", 3, 2, false);
	if (set != 3)
		fail("another view watches %u", set);
	begins("0", "", 0, 1, true);
	if (set != 1)
		fail("an array without a disk: %u are watched", set);
}

/* Devices that are set stay, and an array among them is not there twice. */
static void beside_set(void)
{
	begins("0", "8:2 disk2\n9:1 md1\n", 4, 2, true);
	if (set != 3 || was_set[0].dev != (DISK | 2) || !was_array_set(0) || !was_array_set(1))
		fail("%u are watched", set);
}

static void says(const char *what, const char *want)
{
	if (strcmp(said, want))
		fail("%s: it says %s", what, said);
}

/* What is said to choose some takes as many as are to be chosen: -D has no list. */
static void no_room(void)
{
	begins("0", "", DEVICES_MAX - 1, 3, true);
	says("arrays", "more than 1024 devices cannot be watched: 2 arrays of md are not; choose some: ioblame config devices only DEVICE..., or -D DEVICE");
	if (set != DEVICES_MAX)
		fail("arrays: %u are watched", set);
	begins("0", "", DEVICES_MAX + 7, 0, false);
	says("disks", "more than 1024 disks cannot be watched: 7 are not; choose some: ioblame config devices only DEVICE..., or -D DEVICE");
	if (set != DEVICES_MAX)
		fail("disks: %u are watched", set);
	/* which are what was said */
	begins("0", "8:2000 disk2000\n", DEVICES_MAX + 7, 0, false);
	if (set != 1 || was_set[0].dev != (DISK | 2000) || *said)
		fail("chosen: %u are watched, it says %s", set, said);
}

/* Nobody asked for the arrays by name: that others do not watch them is no error. */
static void along(void)
{
	begins("1", "8:0 disk0\n9:1 md1\n", 2, 4, true);
	says("along", "arrays of md that are not watched are left out: md0, md2, md3; add them: echo 9:0 9:2 9:3 >> /iob/devs");
	begins("1", "8:0 disk0\n9:0 md0\n", 2, 1, true);
	says("it is watched", "ioblame was switched on already, and nobody reads it; reading along");
	begins("1", "8:0 disk0\n", 2, 1, false);
	says("another view", "ioblame was switched on already, and nobody reads it; reading along");
}

static void is_served(const char *what, const struct device *want, unsigned int nr, bool wants,
		      bool good, const char *says_so)
{
	static struct store_device watched[] = { { .dev = DISK }, { .dev = ARRAY | 1 } };
	struct store_head head = { .device = watched, .nr_devices = ARRAY_SIZE(watched) };
	static struct session s;

	arrays = 3;
	*said = '\0';
	memset(&s, 0, sizeof(s));
	s.arrays = wants;
	if (session_served(&s, &head, want, nr) != good)
		fail("%s: it is %s", what, good ? "refused" : "served");
	if (s.nr_devices != 2)
		fail("%s: of %u devices", what, s.nr_devices);
	says(what, says_so);
}

static void served(void)
{
	const struct device disk = device_of(DISK), array = device_of(ARRAY);

	is_served("served", NULL, 0, true, true,
		  "arrays of md that ioblamed does not watch are left out: md0, md2; root adds them: ioblame config devices add md0 md2");
	is_served("another view", NULL, 0, false, true, "");
	/* who names devices has asked for them, and for no others */
	is_served("a disk", &disk, 1, true, true, "");
	is_served("an array", &array, 1, true, false,
		  "md0 is not among what ioblamed watches; root adds it: ioblame config devices add md0");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(alone), TEST(beside_set), TEST(no_room), TEST(along), TEST(served),
	};

	return run_tests("tool_session", tests, ARRAY_SIZE(tests));
}
