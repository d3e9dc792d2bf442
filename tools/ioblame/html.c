// SPDX-License-Identifier: GPL-2.0
/*
 * The page has the lines of `report --json`, which its script shows as tables, and besides
 * them what charts need.  All is bounded, whatever was recorded: a table by its rows and
 * bytes, a chart by its bins.  It loads nothing, and the browser is told to allow no more.
 * Names are hostile: the script only puts them where they are text.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "chart.h"
#include "chart_json.h"
#include "choice.h"
#include "device.h"
#include "escape.h"
#include "file.h"
#include "group.h"
#include "html.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "rows.h"
#include "recording.h"
#include "run.h"
#include "story.h"
#include "sum.h"
#include "view.h"
#include "web.h"

enum {
	ROWS_MOST = 500,
	/* of a table; all tables together are below half a megabyte */
	TABLE_BYTES = 64 << 10,
	/* what was lost, of all kinds that there are; no sentence is longer */
	PAGE_TEXT = 4096,
};

static FILE *page;
static struct chart *chart;
static struct story story;
static uint64_t began_ns, ended_ns;

static int begin_page(struct run *run)
{
	const struct opts *o = run->opts;
	char name[ESCAPE_SIZE(256)];

	if (recording_is(o->input, o->html))
		return EXIT_FAILED;
	sum_begin(run);
	chart = chart_new(run->source.head.start_ns);
	if (device_under_path(o->html, run->session.device, run->session.nr_devices))
		msg("the page is on a disk that is watched: writing it is IO, too");
	/* now: who watched for an hour does not want to hear it then */
	page = file_create(o->html);
	if (!page) {
		escape_text(name, sizeof(name), o->html, 256);
		msg("%s: %s", name, strerror(errno));
		return EXIT_FAILED;
	}
	out_keep();
	return EXIT_OK;
}

static void add_record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	sum_record(run, rec);
	chart_add(chart, rec);
	story_add(&story, rec);
}

static void note_end(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	(void)run;
	(void)last;
	began_ns = from_ns;
	ended_ns = to_ns;
}

/* Print the rows of each table as JSON, as far as there is room. */
static void print_tables(const struct run *run)
{
	const struct rows_look look = { .from_ns = began_ns, .to_ns = ended_ns };
	unsigned int most = run->opts->rows ? run->opts->rows : ROWS_MOST;
	struct row *rows;
	enum pivot by;
	size_t at, nr;

	for (by = 0; by <= BY_WHY; by++) {
		at = out_length();
		rows_print(run, &summed, by, most, &look);
		out_cut(at + TABLE_BYTES);
		nr = group_rows(&summed, by, SORT_BYTES, &rows);
		free(rows);
		out_printf("{\"type\":\"rows\",\"of\":\"%s\",\"rows\":%zu}\n", choice_pivots[by],
			   nr);
	}
}

/* JSON within a script element: a '<' could end it, and stands in strings only. */
static void write_lines(const char *lines)
{
	size_t n;

	for (; *lines; lines += n) {
		n = strcspn(lines, "<");
		fwrite(lines, 1, n, page);
		if (lines[n] == '<') {
			fputs("\\u003c", page);
			n++;
		}
	}
}

static void write_text(const char *tag, const char *text)
{
	/* "&quot;" is six of one */
	char safe[PAGE_TEXT * 6];

	fprintf(page, "<%s>%s</%s>\n", tag, escape_xml(safe, sizeof(safe), text), tag);
}

/* What is read without a script, too */
static void write_story(const struct run *run)
{
	char sentence[STORY_SENTENCES][STORY_TEXT], lost[PAGE_TEXT], *line, *rest;
	unsigned int i;

	story_tell(&story, &summed, ended_ns - began_ns, sentence);
	fputs("<section id=\"story\"><h2>What happened</h2>\n<p>\n", page);
	for (i = 0; i < STORY_SENTENCES; i++)
		write_text("span", escape_cut(sentence[i]));
	fputs("</p></section>\n<section id=\"lost\"><h2>How sure it is, and what was lost</h2>\n",
	      page);
	run_lost(run, lost, sizeof(lost));
	for (line = strtok_r(lost, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		write_text("p", escape_cut(line));
	fputs("</section>\n", page);
}

/* Print a member of an object, its words as one text. */
static void write_words(const char *key, const char *const *word, unsigned int nr)
{
	char text[ESCAPE_SIZE(512)];
	unsigned int i;

	if (!nr)
		return;
	fprintf(page, ",\"%s\":[", key);
	for (i = 0; i < nr; i++) {
		escape_text(text, sizeof(text), word[i], 512);
		fputs(i ? "," : "", page);
		chart_json_text(page, text);
	}
	putc(']', page);
}

/* How it was recorded, and what was left out */
static void write_about(const struct run *run)
{
	const struct opts *o = run->opts;
	const char *rw = o->rw;
	unsigned int i, nr = 0;

	for (i = 0; o->run && o->run[i] && i < OPTS_LIST; i++)
		nr++;
	fprintf(page, "\"seconds\":%.9f,\"by\":\"%s\"", (double)(ended_ns - began_ns) / 1e9,
		choice_pivots[o->by]);
	write_words("recording", &o->input, o->input ? 1 : 0);
	write_words("ran", (const char *const *)o->run, nr);
	write_words("device", o->device, o->nr_devices);
	write_words("comm", o->comm, o->nr_comms);
	write_words("cgroup", o->cgroup, o->nr_cgroups);
	write_words("file", o->file, o->nr_files);
	write_words("rw", &rw, *rw ? 1 : 0);
	if (o->nr_pids)
		fputs(",\"pid\":[", page);
	for (i = 0; i < o->nr_pids; i++)
		fprintf(page, "%s%llu", i ? "," : "", (unsigned long long)o->pid[i]);
	if (o->nr_pids)
		putc(']', page);
}

static void write_page(const struct run *run, const char *lines)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<title>ioblame report</title>\n<style>\n", page);
	fputs(web_style, page);
	fputs("</style>\n</head>\n<body>\n<main>\n<h1>ioblame report</h1>\n", page);
	write_story(run);
	fputs(web_body, page);
	fputs("</main>\n<script type=\"application/json\" id=\"lines\">\n", page);
	write_lines(lines);
	fputs("</script>\n<script type=\"application/json\" id=\"charts\">\n{", page);
	write_about(run);
	/* on the clock of the charts, which may have begun before the run did */
	fprintf(page, ",\"until_ns\":%llu,",
		(unsigned long long)(ended_ns > chart->begin_ns ? ended_ns - chart->begin_ns : 0));
	chart_json(page, chart, &summed);
	putc(',', page);
	chart_json_flames(page, &summed);
	fprintf(page, "}\n</script>\n<!--\n%s-->\n<script>\n", web_licence);
	fputs(web_script, page);
	fputs("</script>\n</body>\n</html>\n", page);
}

static int end_page(struct run *run)
{
	int ret = EXIT_OK;
	bool bad;

	print_tables(run);
	write_page(run, out_kept());
	bad = ferror(page);
	bad |= fclose(page) != 0;
	if (bad) {
		msg("cannot write the page: %s", strerror(errno));
		ret = EXIT_FAILED;
	}
	chart_free(chart);
	sum_end(run);
	return ret;
}

/* Watch or replay, and write the page. */
int html_report(const struct opts *o)
{
	static const struct view view = {
		.begin = begin_page, .record = add_record, .filled = sum_filled,
		.interval = note_end, .end = end_page,
	};
	struct opts json = *o;

	json.format = FORMAT_JSON;
	return view_run(&json, &view);
}
