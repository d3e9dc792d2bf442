/* SPDX-License-Identifier: GPL-2.0 */
/*
 * conf - the settings of a session
 *
 * Example: `echo 1000 > max_roles` sets iob_conf.max[IOB_LIMIT_roles]; the next session has
 * up to 1000 roles.
 */
#ifndef IOB_IO_CONF_H
#define IOB_IO_CONF_H

#include <linux/types.h>

#include "core/role.h"

/*
 * The most objects of each kind that a session keeps: X(name, default, the
 * highest setting).  A setting max_NAME
 * and a line of `status` is made of each.
 */
#define IOB_LIMITS(X)		\
	X(roles, 65536, 1 << 18)		\
	X(intents, 16384, 1 << 24)		\
	/* with the roles' last resorts at most 1 << IOB_CAUSE_BITS */	\
	X(causes, 131072, (1 << 20) - (1 << 18))	\
	X(acts, 65536, 1 << 24)			\
	X(sums, 65536, 1 << 24)

#define IOB_LIMIT_NUMBER(name, value, most)	IOB_LIMIT_##name,

enum {
	IOB_LIMITS(IOB_LIMIT_NUMBER)
	IOB_NR_LIMITS,
};

#undef IOB_LIMIT_NUMBER

/* Settings; those marked D change only while disabled, S are the next session's. */
struct iob_conf {
	u32 max[IOB_NR_LIMITS];	/* D */
	u32 ttl_secs;
	u32 role;		/* D: enum iob_role_kind */
	u32 log_at_enable;	/* S: 0 or 1 */
	bool charge_first;	/* D */
};

extern struct iob_conf iob_conf;

#endif
