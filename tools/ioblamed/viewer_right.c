// SPDX-License-Identifier: GPL-2.0
/* Pure: the one place that decides who sees what. */
#include "peer.h"

/**
 * viewer_may_see_user - whether a viewer may see what a user did
 * @right: the viewer's
 * @uid:   the user; UINT32_MAX: not known, and nobody's
 */
bool viewer_may_see_user(const struct viewer_right *right, uint32_t uid)
{
	if (right->all)
		return true;
	return uid != UINT32_MAX && right->uid != (uid_t)-1 && uid == right->uid;
}

/**
 * viewer_may_see - whether a viewer may see a usage
 * @right: the viewer's
 * @key:   the usage's
 *
 * The user of a process that ended early is not known, and is nobody's.
 */
bool viewer_may_see(const struct viewer_right *right, const struct usage_key *key)
{
	return viewer_may_see_user(right, key->uid);
}
