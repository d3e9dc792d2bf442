// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "history.h"
#include "joined.h"
#include "joined_choose.h"
#include "moment_file.h"
#include "msg.h"

/* What --past names: the folder itself, or the database that it is beside.  Allocated. */
static char *folder_of(const struct opts *o)
{
	const char *past = o->nr_pasts ? o->past[0] : MOMENT_FOLDER;
	const char *slash = strrchr(past, '/');
	struct stat st;
	char *folder;

	if (!o->nr_pasts || stat(past, &st) || S_ISDIR(st.st_mode))
		return must(strdup(past));
	if (asprintf(&folder, "%.*smoments", slash ? (int)(slash - past) + 1 : 0, past) < 0)
		must(NULL);
	return folder;
}

/* The recordings that the command line asks for become its input.  Return: as joined_find(). */
int joined_choose(struct opts *o)
{
	static struct joined chosen;
	char *folder = folder_of(o);
	int ret = joined_find(&chosen, folder, o->since_ns, history_until(o));

	free(folder);
	if (ret)
		return ret;
	o->joined = &chosen;
	o->input = chosen.path[0];
	return EXIT_OK;
}
