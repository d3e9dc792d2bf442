// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "history.h"
#include "joined.h"
#include "joined_choose.h"
#include "kept.h"
#include "msg.h"

/* What --past names: the folder itself, or the database that it is beside.  Allocated. */
static char *folder_of(const struct opts *o)
{
	struct stat st;

	if (o->nr_pasts && (stat(o->past[0], &st) || S_ISDIR(st.st_mode)))
		return must(strdup(o->past[0]));
	return kept_folder(o);
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
