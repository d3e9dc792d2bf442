// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fts.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "msg.h"
#include "own_files.h"

/* Set the group of a file, a folder or a link.  Return: 0 or an errno. */
static int own_one(const FTSENT *e, gid_t group)
{
	if (e->fts_info == FTS_DP)
		return 0;
	if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR || e->fts_info == FTS_NS)
		return e->fts_errno;
	/* (a chown of a folder keeps its setgid bit) */
	if (e->fts_statp->st_gid != group && lchown(e->fts_accpath, -1, group))
		return errno;
	return 0;
}

/**
 * own_files - give folders, and all that is in them, to a group
 * @folders: the last is NULL; one that is not there has nothing to be given
 * @group:   gets them
 *
 * Links are not followed, and other file systems are left alone.
 * Return: 0, or the first errno after saying each.
 */
int own_files(const char *const *folders, gid_t group)
{
	FTS *all = fts_open((char *const *)folders, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	int err, first = 0;
	FTSENT *e;

	if (!all)
		return errno;
	while ((e = fts_read(all))) {
		err = own_one(e, group);
		/* what goes meanwhile is no loss */
		if (!err || err == ENOENT)
			continue;
		msg("%s keeps its group: %s", e->fts_path, strerror(err));
		first = first ? first : err;
	}
	fts_close(all);
	return first;
}

/* The folders that ioblamed.service has.  Return: as own_files(). */
int own_files_of_service(gid_t group)
{
	static const char *const folders[] = { "/run/ioblame", "/var/lib/ioblame", NULL };

	return own_files(folders, group);
}
