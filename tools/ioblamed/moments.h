/* SPDX-License-Identifier: GPL-2.0 */
/*
 * moments - recordings around moments that stand out
 *
 * A tap of the log (records.h) keeps the latest records in memory (reel.h) and has them judged
 * (moment_judge.h).  When something stands out, the memory goes to a recording as it is, and what
 * comes for some seconds more; another memory begins.  The work is done a bit at a time, so that
 * the log is read on.  What stands out meanwhile has a part in the same recording, under a name
 * of its own.  What cannot be kept is said, and ends nothing.
 */
#ifndef IOBLAMED_MOMENTS_H
#define IOBLAMED_MOMENTS_H

#include <sys/types.h>

#include "conf.h"

struct moments;

struct moments *moments_begin(const struct conf_moments *conf, gid_t group);
void moments_watch(struct moments *m);
void moments_interval(struct moments *m);
void moments_end(struct moments *m);

#endif
