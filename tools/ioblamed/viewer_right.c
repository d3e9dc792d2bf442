// SPDX-License-Identifier: GPL-2.0
/* Pure: the one place that decides who sees what. */
#include "viewers.h"

/**
 * viewer_may_see - whether a viewer may see a usage
 * @right: the viewer's
 * @key:   the usage's
 *
 * The user of a process that ended early is not known, and is nobody's.
 */
bool viewer_may_see(const struct viewer_right *right, const struct usage_key *key)
{
	if (right->all)
		return true;
	return key->uid != UINT32_MAX && right->uid != (uid_t)-1 && key->uid == right->uid;
}
