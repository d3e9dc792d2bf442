// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "choice.h"
#include "color.h"
#include "json.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "source.h"
#include "status.h"
#include "text.h"

/* The time of day of a record's time, in nanoseconds since 1970. */
uint64_t run_wall_ns(const struct run *run, uint64_t ns)
{
	return ns + source_wall_ns(&run->source, ns);
}

/* The date and the time of day as text: 2026-11-25 17:54:03.123456 */
void run_time(const struct run *run, uint64_t ns, char *to, unsigned int size)
{
	uint64_t wall = run_wall_ns(run, ns);
	time_t secs = wall / 1000000000;
	struct tm tm;
	char text[24];

	localtime_r(&secs, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(to, size, "%s.%06u", text, (unsigned int)(wall % 1000000000 / 1000));
}

/**
 * run_took - whether the filters take a record
 * @run: the run
 *
 * For views that get all records, once for each.  (Asking the filters again would count it twice.)
 */
bool run_took(struct run *run)
{
	bool took = run->records != run->asked;

	run->asked = run->records;
	return took;
}

/* Print what JSON begins with. */
void run_print_head(const struct run *run)
{
	const struct store_head *head = &run->source.head;
	struct json_object *o;
	unsigned int i;
	struct json_object *list;

	if (run->opts->format != FORMAT_JSON)
		return;
	o = json_begin("header");
	json_n(o, "schema", JSON_SCHEMA);
	json_text(o, "version", VERSION);
	json_text(o, "command", choice_commands[run->opts->command]);
	json_text(o, "kernel", head->kernel);
	json_text(o, "host", *head->host ? head->host : NULL);
	json_time(o, run_wall_ns(run, head->start_ns));
	json_object_object_add(o, "replayed",
			       json_object_new_boolean(!source_is_live(&run->source)));
	list = json_object_new_array();
	for (i = 0; i < run->session.nr_devices; i++)
		json_object_array_add(list, json_object_new_string(run->session.device[i].name));
	for (i = 0; i < head->nr_devices; i++)
		json_object_array_add(list, json_object_new_string(head->device[i].name));
	json_object_object_add(o, "devices", list);
	json_print(o);
	out_flush();
}

/* The same of records that somebody else read.  Return: as losses_since_begin(). */
static const char *losses_of_recording(const struct run *run, struct status *st)
{
	const struct recording *r = &run->source.recording;

	*st = r->after;
	/* of several that are shown as one, the last one may be whole, and has a status */
	if (r->damaged)
		return "the recording is damaged";
	if (r->several || (r->has_status && r->has_before && !status_follows(st, &r->before)))
		return "these are records of several sessions of the module";
	status_since(st, &r->before);
	status_add_loss(st, "viewer", SERVED_LOSS, run->source.served.lost);
	if (r->has_status)
		return NULL;
	return source_is_live(&run->source) ? "the module's status cannot be read" :
	       r->torn ? "the recording ends early" : "the recording was not read to its end";
}

/* The totals and losses from the beginning until now.  Return: why they are not known, or NULL. */
static const char *losses_since_begin(const struct run *run, struct status *st)
{
	if (!source_is_live(&run->source) || run->source.kind == SOURCE_SERVED)
		return losses_of_recording(run, st);
	if (!status_now(st))
		return "the module's status cannot be read";
	if (run->session.before.session && !status_follows(st, &run->session.before))
		return "another session of the module has begun";
	status_since(st, &run->session.before);
	return NULL;
}

static double percent_of(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

/* What is missing of how many bytes, as items of a list. */
static size_t print_less(const struct status *st, char *to, size_t size)
{
	static const char *const what[] = {
		[LESS_INTENT] = "the stack",
		[LESS_FILE] = "the file, in counters,",
		[LESS_ROLE] = "all that is known",
	};
	char bytes[TEXT_NUMBER];
	unsigned int i;
	size_t n = 0;

	for (i = 0; i < NR_LESS && n < size; i++) {
		if (st->less[i])
			n += snprintf(to + n, size - n, "%s%s of %s", n ? ", " : "", what[i],
				      text_bytes(bytes, st->less[i]));
	}
	return n;
}

/* How sure the blame is of what was shown. */
static size_t print_sure(const struct run *run, char *to, size_t size)
{
	uint64_t bytes = 0;
	char all[TEXT_NUMBER];
	unsigned int i;

	for (i = 0; i < IOB_NR_HOWS; i++)
		bytes += run->bytes[i];
	if (!bytes)
		return 0;
	return snprintf(to, size, "Of %s: %.1f %% exact, %.1f %% inherited, "
			"%.1f %% submitter only, %.1f %% nobody.\n",
			text_bytes(all, bytes), percent_of(run->bytes[IOB_HOW_EXACT], bytes),
			percent_of(run->bytes[IOB_HOW_INHERITED], bytes),
			percent_of(run->bytes[IOB_HOW_SUBMITTER], bytes),
			percent_of(run->bytes[IOB_HOW_LOST], bytes));
}

/* What was not understood, behind the @begun bytes of the line.  Return: the bytes of it. */
static size_t print_dropped(uint64_t dropped, char *to, size_t size, size_t begun)
{
	if (!dropped)
		return 0;
	return snprintf(to, size, "%s%llu records not understood", begun ? "; " : "",
			(unsigned long long)dropped);
}

/**
 * run_lost - print how sure the blame is of what was shown, and what was lost of all
 * @run:  the run
 * @to:   the text, of one or two lines
 * @size: bytes of @to
 */
void run_lost(const struct run *run, char *to, unsigned int size)
{
	struct status st;
	const char *why = losses_since_begin(run, &st);
	uint64_t dropped = source_dropped(&run->source);
	unsigned int i;
	size_t n, begun;

	if (why) {
		n = print_sure(run, to, size);
		n += snprintf(to + n, size - n, "Losses are not known: %s", why);
		n += print_dropped(dropped, to + n, size - n, n);
		snprintf(to + n, size - n, "\n");
		return;
	}
	n = print_sure(run, to, size);
	n += snprintf(to + n, size - n, run->cut || filter_selects(run->opts) ?
		      "Lost, of all IO: " : "Lost: ");
	begun = n;
	n += print_less(&st, to + n, size - n);
	for (i = 0; i < st.nr_losses && n < size; i++)
		n += snprintf(to + n, size - n, "%s%s %llu (%s)", n == begun ? "" : ", ",
			      st.loss[i].name, (unsigned long long)st.loss[i].nr,
			      st.loss[i].what);
	if (n == begun && !dropped)
		n += snprintf(to + n, size - n, "nothing");
	if (n < size)
		n += print_dropped(dropped, to + n, size - n, n - begun);
	if (st.missing && n < size)
		n += snprintf(to + n, size - n, "; %u hooks are missing (ioblame status)",
			      st.missing);
	if (n < size)
		snprintf(to + n, size - n, "\n");
}

/* The totals of all IO that was watched. */
static void add_totals(struct json_object *o, const struct status *st)
{
	struct json_object *less = json_object_new_object();
	unsigned int i;
	char key[64];

	json_n(o, "ios", st->ios);
	json_n(o, "bytes", status_all_bytes(st));
	for (i = 0; i < IOB_NR_HOWS; i++) {
		snprintf(key, sizeof(key), "%s_bytes", rec_how_name(i));
		json_n(o, key, st->bytes[i]);
	}
	for (i = 0; i < NR_LESS; i++)
		json_n(less, status_less_name(i), st->less[i]);
	json_object_object_add(o, "less_known_bytes", less);
}

static void print_end_json(const struct run *run)
{
	struct json_object *o = json_begin("end"), *lost;
	struct status st;
	unsigned int i;
	char key[64];

	json_n(o, "schema", JSON_SCHEMA);
	json_n(o, "shown_ios", run->ios);
	json_n(o, "shown_records", run->records);
	for (i = 0; i < IOB_NR_HOWS; i++) {
		snprintf(key, sizeof(key), "shown_%s_bytes", rec_how_name(i));
		json_n(o, key, run->bytes[i]);
	}
	if (!losses_since_begin(run, &st)) {
		if (!st.own)
			add_totals(o, &st);
		lost = json_object_new_object();
		for (i = 0; i < st.nr_losses; i++)
			json_n(lost, st.loss[i].name, st.loss[i].nr);
		json_object_object_add(o, "lost", lost);
		json_n(o, "missing_hooks", st.missing);
	}
	json_n(o, "unknown_records", source_dropped(&run->source));
	json_object_object_add(o, "complete", json_object_new_boolean(!run->ended_by_others &&
								      !run->source.recording.torn));
	json_object_object_add(o, "damaged",
			       json_object_new_boolean(run->source.recording.damaged));
	json_print(o);
}

/* Print the end of every view: on stdout with a table or JSON, else as messages. */
void run_print_end(const struct run *run)
{
	char text[4096], *line, *rest;
	bool shown = run->opts->format == FORMAT_TABLE && run->opts->command != CMD_STACKS &&
		     run->opts->command != CMD_RECORD && run->opts->command != CMD_EXPORT;
	enum mark mark;

	if (run->opts->format == FORMAT_JSON) {
		print_end_json(run);
		return;
	}
	run_lost(run, text, sizeof(text));
	if (shown)
		out_puts("\n");
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		mark = strncmp(line, "Lost", 4) || strstr(line, ": nothing") ? MARK_NONE : MARK_BAD;
		if (shown)
			out_printf("%s%s%s\n", color_begin(mark), line, color_end(mark));
		else
			msg("%s", line);
	}
}
