// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dir.h"
#include "file.h"
#include "kernel.h"
#include "msg.h"
#include "name.h"
#include "settings.h"
#include "sums.h"

static struct sums sums = { .fd = -1, .intents = -1, .for_users = true };
static struct usage_list gathered;	/* since kernel_pass() */
static char state[160];
static bool no_files;		/* the module is there, but not its files */
static bool begun, needs_start;
static const char held[] =
	"a program that was switching ioblame on or off is stopped; waiting for it";

/* Note how it stands, and say it if it stood otherwise. */
static void set_state(const char *now, int err)
{
	char text[sizeof(state)];

	snprintf(text, sizeof(text), "%s%s%s", now, err ? ": " : "", err ? strerror(err) : "");
	if (!strcmp(state, text))
		return;
	memcpy(state, text, sizeof(state));
	msg("%s", state);
}

/* What was said last, for systemctl status. */
const char *kernel_state(void)
{
	return state;
}

/* True if the module's files are in use. */
bool kernel_is_open(void)
{
	return sums.fd >= 0;
}

static bool is_loaded(void)
{
	char *text = file_read("/sys/module/ioblame/initstate");
	bool live = text && !strncmp(text, "live", 4);

	free(text);
	return live;
}

/* Find the module's files.  It says what is wrong, once. */
static bool find_files(void)
{
	bool failed;

	msg_quiet(no_files);
	failed = dir_find();
	msg_quiet(false);
	/* once asked for, until the files are there: SIGHUP looks, too, between two intervals */
	if (!failed)
		needs_start = false;
	else if (!no_files && begun && getenv("INVOCATION_ID"))
		needs_start = true;
	no_files = failed;
	return !failed;
}

/*
 * A command that ended while the sums were not open did not find us reading, and has switched them
 * off again.  Return: 0 or an errno.
 */
static int take_sums_again(void)
{
	char *text = dir_read_word("sums");
	bool off = text && !strcmp(text, "0");

	free(text);
	return off ? -settings_take() : 0;
}

/* Find the module, let it keep sums, and open them. */
static bool open_sums(void)
{
	int err;

	if (!is_loaded()) {
		set_state("the module is not loaded; waiting for it (modprobe ioblame)", 0);
		no_files = false;
		return false;
	}
	if (!find_files()) {
		snprintf(state, sizeof(state), "the module's files cannot be used");
		return false;
	}
	err = -settings_take();
	if (err == ETIMEDOUT)
		set_state(held, 0);
	else if (err == ENOENT)
		set_state("the module that is loaded has no sums: load the one of this version", 0);
	else if (err)
		set_state("ioblame cannot be switched on", err);
	if (err)
		return false;
	err = sums_open(&sums);
	if (!err) {
		err = take_sums_again();
		if (err)
			sums_close(&sums);
	}
	set_state(err ? "the sums cannot be opened" : "watching", err);
	return !err;
}

/* Somebody switched it off: a command that ended, say. */
static void switch_on_again(void)
{
	int err = -settings_take();

	set_state("ioblame was switched off by somebody else", 0);
	if (err == ETIMEDOUT)
		set_state(held, 0);
	else if (err)
		set_state("ioblame cannot be switched on again", err);
	else
		set_state("watching again", 0);
}

/**
 * kernel_mount - mount the module's own file system, if it is loaded and debugfs is closed
 *
 * To be called as root with all capabilities.
 * Return: the exit status, after saying what is wrong.
 */
int kernel_mount(void)
{
	return is_loaded() ? dir_find() : EXIT_OK;
}

/* Begin to watch, if that can be. */
void kernel_begin(void)
{
	/* a daemon before may have been killed */
	if (settings_kept())
		msg("going on with the settings of the daemon before, which did not put them back");
	open_sums();
	begun = true;
}

/*
 * True if systemd must start the service again.  It may mount nothing, but what systemd runs
 * before it does: where the module came later, or was unmounted when it was let go, only a new
 * start finds the files.  Those that were not there at the start are not tried again so.
 */
bool kernel_needs_start(void)
{
	return needs_start;
}

/* Say when names begin to take too much memory. */
static void say_no_room(void)
{
	static uint64_t before;
	static bool said;
	uint64_t now = sums.no_room + name_no_room();

	if (now != before && !said)
		msg("names take too much memory: some files are shown as numbers or as %s",
		    USAGE_OTHERS);
	said = now != before;
	before = now;
}

/* Within a long interval: take what is new, so that the module need not keep it for so long. */
void kernel_gather(void)
{
	int err;

	if (!kernel_is_open())
		return;
	err = sums_gather(&sums, &gathered);
	if (!err)
		return;
	sums_close(&sums);
	set_state("the sums cannot be read; opening them again", err);
	open_sums();
}

/**
 * kernel_pass - what was done since the last pass
 * @list: gets the usages; its texts live until the next pass
 *
 * Return: false if nothing is known, as nothing was watched.
 */
bool kernel_pass(struct usage_list *list)
{
	if (kernel_is_open())
		kernel_gather();
	else
		open_sums();
	usage_clear(list);
	*list = gathered;
	memset(&gathered, 0, sizeof(gathered));
	if (!list->until_ns || !kernel_is_open())
		return list->until_ns;
	if (!sums.on)
		switch_on_again();
	settings_add_disks();
	say_no_room();
	return true;
}

/* Close the module's files until the next pass, so that it can be unloaded. */
void kernel_let_go(void)
{
	if (!kernel_is_open())
		return;
	sums_close(&sums);
	set_state("let go of the module; it is opened again when the interval ends", 0);
}

/* Put the settings back, if the service is not started again. */
void kernel_end(void)
{
	int err;

	if (kernel_is_open())
		sums_close(&sums);
	if (needs_start)
		return;
	err = -settings_restore();
	if (err)
		msg("the settings cannot be put back: %s", strerror(err));
}
