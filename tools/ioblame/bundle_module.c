// SPDX-License-Identifier: GPL-2.0
/*
 * What the module says of itself, as a bundle has it.  Its files hold no names but those of
 * disks.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "anonym.h"
#include "bundle.h"
#include "dir.h"
#include "msg.h"

/* Print the name of a disk, or its pseudonym. */
static void print_disk(FILE *f, const char *name, size_t len)
{
	char to[ANONYM_SIZE];

	if (anonym_is_on() && !anonym_is_kernel_disk(name, len))
		fputs(anonym_name(to, ANONYM_DISK, name, len), f);
	else
		fprintf(f, "%.*s", (int)len, name);
}

/* "8:0 sda" */
static void print_device(char *line, void *arg)
{
	size_t n = strcspn(line, " ");
	FILE *f = arg;

	fprintf(f, "%.*s ", (int)n, line);
	if (line[n])
		print_disk(f, line + n + 1, strlen(line + n + 1));
	fputc('\n', f);
}

static void print_status(char *line, void *arg)
{
	char *end = strstr(line, " ios=");
	FILE *f = arg;

	if (!strncmp(line, "dev ", 4)) {
		fputs("dev ", f);
		print_device(line + 4, f);
	} else if (!strncmp(line, "disk ", 5) && end && end > line + 7) {
		/* before the end is the operation, a letter */
		fputs("disk ", f);
		print_disk(f, line + 5, end - line - 7);
		fprintf(f, "%s\n", end - 2);
	} else {
		fprintf(f, "%s\n", line);
	}
}

void bundle_status(FILE *f)
{
	char *text = bundle_read_module("status");

	bundle_lines(text, print_status, f);
	free(text);
}

static void print_module_file(FILE *f, const char *name)
{
	char *text = bundle_read_module(name);

	if (text)
		fprintf(f, "%s: %.*s\n", name, (int)strcspn(text, "\n"), text);
	free(text);
}

/* Print the files of a folder of the module. */
static void print_folder(FILE *f, const char *folder)
{
	char path[600], name[400];
	struct dirent **e;
	int i, nr;

	snprintf(path, sizeof(path), "%s/%s", dir_path(), folder);
	nr = scandir(path, &e, NULL, alphasort);
	if (nr < 0) {
		/* this notes why */
		free(bundle_read_module(folder));
		return;
	}
	for (i = 0; i < nr; i++) {
		snprintf(name, sizeof(name), "%s/%s", folder, e[i]->d_name);
		if (e[i]->d_name[0] != '.')
			print_module_file(f, name);
		free(e[i]);
	}
	free(e);
}

void bundle_settings(FILE *f)
{
	static const char *const names[] = {
		"enable", "log_at_enable", "role", "charge", "max_roles", "max_intents", "max_causes",
		"max_acts", "max_sums", "sums", "ttl_secs", "nr_counters",
	};
	static const char *const parameters[] = {
		"trust_tsc", "check_stacks", "attach", "without",
	};
	char path[64], *text;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		print_module_file(f, names[i]);
	text = bundle_read_module("devs");
	if (text)
		fputs("devs:\n", f);
	bundle_lines(text, print_device, f);
	free(text);
	print_folder(f, "counters");
	for (i = 0; i < ARRAY_SIZE(parameters); i++) {
		snprintf(path, sizeof(path), "/sys/module/ioblame/parameters/%s", parameters[i]);
		bundle_copy(f, path);
	}
}

void bundle_statistics(FILE *f)
{
	print_folder(f, "stats");
}

static void print_probe(char *line, void *arg)
{
	char *safe = anonym_is_on() ? anonym_addresses(line) : NULL;

	fprintf(arg, "%s\n", safe ? safe : line);
	free(safe);
}

/* Lines of all users of ftrace: another one at the same function may be the reason. */
void bundle_probes(FILE *f)
{
	static const char traced[] = "/sys/kernel/tracing/enabled_functions";
	static const char below[] = "/tracing/enabled_functions", kprobes[] = "/kprobes/list";
	char path[600], *text;

	snprintf(path, sizeof(path), "%s%s", dir_debugfs(), below);
	text = bundle_read("tracing/enabled_functions", access(traced, F_OK) ? path : traced);
	fputs("functions that ftrace watches (enabled_functions):\n", f);
	bundle_lines(text, print_probe, f);
	free(text);
	snprintf(path, sizeof(path), "%s%s", dir_debugfs(), kprobes);
	text = bundle_read("debugfs kprobes/list", path);
	fputs("kprobes:\n", f);
	bundle_lines(text, print_probe, f);
	free(text);
}
