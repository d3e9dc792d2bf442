// SPDX-License-Identifier: GPL-2.0
/*
 * config: show and change the module's settings
 */
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "choice.h"
#include "cmd.h"
#include "device.h"
#include "dir.h"
#include "escape.h"
#include "file.h"
#include "json.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "served.h"
#include "session.h"
#include "text.h"
#include "users.h"

static char *escape_and_free(char *text)
{
	char *safe = text ? must(escape_dup(text, strlen(text))) : NULL;

	free(text);
	return safe;
}

static unsigned int nr_counters(void)
{
	char *text = dir_read_word("nr_counters");
	unsigned int nr = text ? strtoul(text, NULL, 10) : 0;

	free(text);
	return nr < 256 ? nr : 256;
}

/* Call @one for each line of `devs`, escaped. */
static void each_device(void (*one)(const char *line, void *arg), void *arg)
{
	char *text = dir_read("devs"), *line, *rest = NULL;
	char safe[256];

	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		escape_text(safe, sizeof(safe), line, strlen(line));
		one(safe, arg);
	}
	free(text);
}

static void print_device(const char *line, void *arg)
{
	(void)arg;
	out_printf("device        %s\n", line);
}

static void json_device(const char *line, void *arg)
{
	json_object_array_add(arg, json_object_new_string(line));
}

static char *counter_part(unsigned int nr, const char *end)
{
	char name[64];

	snprintf(name, sizeof(name), "counters/%u%s", nr, end);
	return escape_and_free(dir_read_word(name));
}

static void print_counters(void)
{
	unsigned int i, nr = nr_counters();
	char *spec, *filter;

	for (i = 0; i < nr; i++) {
		spec = counter_part(i, "");
		filter = counter_part(i, "_filter");
		out_printf("counter %-5u %s", i, spec ? spec : "?");
		if (filter && strcmp(filter, "0"))
			out_printf("   if %s", filter);
		out_puts("\n");
		free(spec);
		free(filter);
	}
}

static void show_settings_json(void)
{
	struct json_object *o = json_begin("config"), *list = json_object_new_array(), *c;
	unsigned int nr = nr_counters();
	const char *const *settings;
	char *text;
	uint64_t n;
	int i, all;

	json_n(o, "schema", JSON_SCHEMA);
	settings = choice_config_after("set", &all);
	for (i = 0; i < all; i++) {
		text = escape_and_free(dir_read_word(settings[i]));
		if (text && text_parse_u64(text, &n))
			json_n(o, settings[i], n);
		else
			json_text(o, settings[i], text);
		free(text);
	}
	each_device(json_device, list);
	json_object_object_add(o, "devices", list);
	list = json_object_new_array();
	for (i = 0; i < (int)nr; i++) {
		c = json_object_new_object();
		text = counter_part(i, "");
		json_text(c, "spec", text);
		free(text);
		text = counter_part(i, "_filter");
		json_text(c, "filter", text);
		free(text);
		json_object_array_add(list, c);
	}
	json_object_object_add(o, "counters", list);
	json_print(o);
}

static int show_settings(const struct opts *o)
{
	const char *const *settings;
	char *text;
	int i, nr;

	if (o->format == FORMAT_JSON) {
		show_settings_json();
		return EXIT_OK;
	}
	settings = choice_config_after("set", &nr);
	for (i = 0; i < nr; i++) {
		text = escape_and_free(dir_read_word(settings[i]));
		out_printf("%-13s %s\n", settings[i], text ? text : "?");
		free(text);
	}
	each_device(print_device, NULL);
	print_counters();
	return EXIT_OK;
}

/* Print why a setting was refused.  Return: the exit status. */
static int setting_refused(int err, const char *name, const char *value)
{
	char safe[ESCAPE_SIZE(80)];

	escape_text(safe, sizeof(safe), value, 80);
	switch (err) {
	case EBUSY:
		if (dir_ftrace_off())
			return dir_refused(err, name);
		msg("%s cannot be changed while ioblame is switched on: ioblame config disable",
		    name);
		return EXIT_FAILED;
	case EINVAL:
	case E2BIG:
	case ERANGE:
		msg("%s cannot be '%s'; see: man ioblame", name, safe);
		return EXIT_FAILED;
	case ENOSPC:
		msg("more than 1024 devices cannot be watched");
		return EXIT_FAILED;
	default:
		return dir_refused(err, name);
	}
}

static int set_setting(const char *name, const char *value)
{
	int err = -dir_write(name, value, 0);

	return err ? setting_refused(err, name, value) : EXIT_OK;
}

/* Say it if ioblamed will undo what was set, of the switch or of the devices. */
static void say_daemon(bool devices)
{
	char *text = file_read(SERVED_SETTINGS);

	if (text && (!devices || served_chose_disks(text)))
		msg("ioblamed %s within its interval; to end it: systemctl stop ioblamed",
		    devices ? "watches the disks of its configuration again" : "switches ioblame on again");
	free(text);
}

/* Say it if a command that runs will undo what was set. */
static void say_undone(void)
{
	struct users u;

	users_find(&u);
	if (u.keeps)
		msg("process %d puts enable and devs back when it ends; set this again then",
		    u.keeps);
}

/*
 * Locked, so that a command that begins has noted its settings, or has not yet.  What it switched
 * on it switches off at its end; who switches off and on begins a session that is left alone.
 */
static int set_enable(const char *value)
{
	char *before, *now;
	int ret = session_lock();

	if (ret)
		return ret;
	before = dir_read_word("enable");
	ret = set_setting("enable", value);
	now = ret ? NULL : dir_read_word("enable");
	if (before && now && !strcmp(before, "1") && !strcmp(now, "1"))
		say_undone();
	if (now && !strcmp(now, "0"))
		say_daemon(false);
	session_ready();
	free(before);
	free(now);
	return ret;
}

/* Write the devices, which are checked. */
static int write_devices(char **args, int nr, bool remove, bool only)
{
	char word[300];
	struct device d;
	int i, err;

	for (i = 1; i < nr; i++) {
		snprintf(word, sizeof(word), "%s%.255s", remove ? "!" : "",
			 device_lookup(args[i], &d) ? d.number : args[i]);
		err = -dir_write("devs", word, only && i == 1 ? O_TRUNC : 0);
		if (err)
			return setting_refused(err, "devs", args[i]);
	}
	return EXIT_OK;
}

static int clear_devices(void)
{
	int fd = dir_open("devs", O_WRONLY | O_TRUNC);

	return fd < 0 ? dir_refused(errno, "devs") : close(fd) ? EXIT_FAILED : EXIT_OK;
}

/* devices [add|remove|only DEVICE...] | clear */
static int change_devices(char **args, int nr)
{
	bool remove = nr && !strcmp(args[0], "remove");
	bool only = nr && !strcmp(args[0], "only");
	bool clear = nr == 1 && !strcmp(args[0], "clear");
	struct device d;
	int i, ret;

	if (!nr) {
		each_device(print_device, NULL);
		return EXIT_OK;
	}
	if (!clear && ((strcmp(args[0], "add") && !remove && !only) || nr < 2)) {
		msg("config devices: add, remove or only DEVICE..., or clear");
		return EXIT_USAGE;
	}
	/* check all devices before the first change */
	for (i = 1; i < nr; i++) {
		if (!remove && !device_require(args[i], &d))
			return EXIT_FAILED;
	}
	ret = session_lock();
	if (ret)
		return ret;
	ret = clear ? clear_devices() : write_devices(args, nr, remove, only);
	if (!ret)
		say_undone();
	if (!ret && (remove || only || clear))
		say_daemon(true);
	session_ready();
	return ret;
}

/* Print the error that the module left in the filter's file. */
static int explain_filter(const char *name)
{
	char *text = dir_read(name), *line, *rest = NULL, *safe;

	msg("the filter is refused; the counter has no filter now:");
	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		safe = must(escape_dup(line, strlen(line)));
		msg("  %s", safe);
		free(safe);
	}
	free(text);
	return EXIT_FAILED;
}

/* counter NR SPEC, filter NR EXPRESSION */
static int set_counter(char **args, int nr, const char *end)
{
	char name[64];
	uint64_t n;
	int err;

	if (nr != 2 || !text_parse_u64(args[0], &n) || n > 255) {
		msg("it needs a number and one word in quotes; try: ioblame config --help");
		return EXIT_USAGE;
	}
	snprintf(name, sizeof(name), "counters/%llu%s", (unsigned long long)n, end);
	/* an empty write would not reach the module */
	err = -dir_write(name, *args[1] ? args[1] : "\n", 0);
	if (err == ENOENT) {
		msg("there is no counter %llu: ioblame config set nr_counters N",
		    (unsigned long long)n);
		return EXIT_FAILED;
	}
	if (err == EINVAL && *end)
		return explain_filter(name);
	return err ? setting_refused(err, name, args[1]) : EXIT_OK;
}

/* Return: whether a word follows one that takes none, after saying so. */
static bool has_too_much(const char *what, int nr)
{
	static const char *const alone[] = { "show", "counters", "enable", "disable" };
	size_t i;

	for (i = 0; nr > 0 && i < ARRAY_SIZE(alone); i++) {
		if (strcmp(what, alone[i]))
			continue;
		msg("config %s takes no value; try: ioblame config --help", what);
		return true;
	}
	return false;
}

int cmd_config(const struct opts *o)
{
	const char *what = o->nr_args ? o->args[0] : "show";
	char **args = o->args + 1;
	int nr = o->nr_args - 1, ret;

	/* (opts_parse() knows these words, and how many follow "set") */
	if (has_too_much(what, nr))
		return EXIT_USAGE;
	ret = dir_find();
	if (ret)
		return ret;
	if (!strcmp(what, "show"))
		ret = show_settings(o);
	else if (!strcmp(what, "set"))
		ret = strcmp(args[0], "enable") ? set_setting(args[0], args[1]) :
						  set_enable(args[1]);
	else if (!strcmp(what, "devices"))
		ret = change_devices(args, nr);
	else if (!strcmp(what, "counters"))
		print_counters();
	else if (!strcmp(what, "counter"))
		ret = set_counter(args, nr, "");
	else if (!strcmp(what, "filter"))
		ret = set_counter(args, nr, "_filter");
	else if (!strcmp(what, "enable"))
		ret = set_enable("1");
	else if (!strcmp(what, "disable"))
		ret = set_enable("0");
	out_flush();
	return ret;
}
