// SPDX-License-Identifier: GPL-2.0
/*
 * status: print the module's `status`
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "dir.h"
#include "escape.h"
#include "json.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "text.h"

/* Add the "KEY=N" words of a line to an object. */
static void add_numbers(struct json_object *o, char *words)
{
	char *word, *rest, *value;

	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		value = strchr(word, '=');
		if (!value)
			continue;
		*value++ = '\0';
		json_n(o, word, strtoull(value, NULL, 10));
	}
}

/* Take the next word of a line, "" at its end. */
static char *word_of(char **line)
{
	char *word = strsep(line, " ");

	return word ? word : "";
}

static void add_sums(struct json_object *list, char *rest, bool total)
{
	struct json_object *o = json_object_new_object();

	if (!total)
		json_text(o, "device", word_of(&rest));
	json_text(o, "op", word_of(&rest));
	if (rest)
		add_numbers(o, rest);
	json_object_array_add(list, o);
}

static void add_hook(struct json_object *list, char *rest)
{
	struct json_object *o = json_object_new_object();

	json_text(o, "kind", word_of(&rest));
	json_text(o, "name", word_of(&rest));
	json_text(o, "state", rest ? rest : "");
	json_object_array_add(list, o);
}

/* A private struct that the module reads. */
static void add_layout(struct json_object *list, char *rest)
{
	struct json_object *o = json_object_new_object();

	json_text(o, "name", word_of(&rest));
	json_text(o, "state", rest ? rest : "");
	json_object_array_add(list, o);
}

static void add_loss(struct json_object *o, char *rest)
{
	char *name = word_of(&rest);

	json_n(o, name, strtoull(rest ? rest : "0", NULL, 10));
}

static void add_plain(struct json_object *o, const char *key, char *rest)
{
	struct json_object *numbers;
	char *value;
	uint64_t n;

	if (!strcmp(key, "reclaimed") || !strcmp(key, "known")) {
		numbers = json_object_new_object();
		add_numbers(numbers, rest);
		json_object_object_add(o, key, numbers);
		return;
	}
	value = word_of(&rest);

	if (text_parse_u64(value, &n))
		json_n(o, key, n);
	else
		json_text(o, key, value);
}

static void print_json(char *text)
{
	struct json_object *o = json_begin("status");
	struct json_object *devs = json_object_new_array(), *disks = json_object_new_array();
	struct json_object *totals = json_object_new_array(), *hooks = json_object_new_array();
	struct json_object *lost = json_object_new_object(), *events = json_object_new_object();
	struct json_object *layouts = json_object_new_array();
	char *line, *rest, *key, safe[1024];

	json_n(o, "schema", JSON_SCHEMA);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		char *p = safe;

		escape_text(safe, sizeof(safe), line, strlen(line));
		key = word_of(&p);
		if (!p)
			continue;
		if (!strcmp(key, "dev"))
			json_object_array_add(devs, json_object_new_string(p));
		else if (!strcmp(key, "disk") || !strcmp(key, "total"))
			add_sums(*key == 'd' ? disks : totals, p, *key == 't');
		else if (!strcmp(key, "hook"))
			add_hook(hooks, p);
		else if (!strcmp(key, "layout"))
			add_layout(layouts, p);
		else if (!strcmp(key, "loss") || !strcmp(key, "event"))
			add_loss(*key == 'l' ? lost : events, p);
		else
			add_plain(o, key, p);
	}
	json_object_object_add(o, "devices", devs);
	json_object_object_add(o, "disks", disks);
	json_object_object_add(o, "totals", totals);
	json_object_object_add(o, "lost", lost);
	json_object_object_add(o, "events", events);
	json_object_object_add(o, "hooks", hooks);
	json_object_object_add(o, "layouts", layouts);
	json_print(o);
}

static void print_lines(char *text)
{
	char *line, *rest, safe[1024];

	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		escape_text(safe, sizeof(safe), line, strlen(line));
		out_printf("%s\n", safe);
	}
}

int cmd_status(const struct opts *o)
{
	int ret = dir_find();
	char *text;

	if (ret)
		return ret;
	text = dir_read("status");
	if (!text)
		return dir_refused(errno, "status");
	if (o->format == FORMAT_JSON)
		print_json(text);
	else
		print_lines(text);
	free(text);
	out_flush();
	return EXIT_OK;
}
