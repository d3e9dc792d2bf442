// SPDX-License-Identifier: GPL-2.0
/* Pure: the one place that decides who sees what, and how many may look. */
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

/**
 * peer_places_add - count a place that is taken
 * @taken: how many are, as @right is concerned
 * @by:    who has it
 * @right: who wants one
 */
void peer_places_add(struct peer_places *taken, const struct viewer_right *by,
		     const struct viewer_right *right)
{
	taken->all++;
	taken->of_others += !by->all;
	taken->of_user += by->uid == right->uid;
}

/* Whether there is a place for @right; the last are for root and the group. */
bool peer_places_left(const struct peer_places *most, const struct peer_places *taken,
		      const struct viewer_right *right)
{
	return taken->all < most->all && (!right->uid || taken->of_user < most->of_user) &&
	       (right->all || taken->of_others < most->of_others);
}
