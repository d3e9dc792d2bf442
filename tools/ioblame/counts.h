/* SPDX-License-Identifier: GPL-2.0 */
/*
 * counts - the module's own histograms, as hist prints those that it makes of the log
 *
 * No record is read: the kernel counts, for each act, in slots of powers of two.  A counter has
 * eight slots, so four of them count up to 2^31.  Example: slot 2 of counter 1 is slot 10 of
 * bars.h, 512 to 1023 us.
 */
#ifndef IOBLAME_COUNTS_H
#define IOBLAME_COUNTS_H

#include "opts.h"

int counts_run(const struct opts *o);

#endif
