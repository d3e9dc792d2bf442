// SPDX-License-Identifier: GPL-2.0
#include "conf.h"

#define LIMIT_DEFAULT(name, value, most)	(value),

struct iob_conf iob_conf = {
	.max = { IOB_LIMITS(LIMIT_DEFAULT) },
	.ttl_secs = 120,
	.role = IOB_ROLE_THREAD,
};
