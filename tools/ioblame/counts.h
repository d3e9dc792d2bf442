/* SPDX-License-Identifier: GPL-2.0 */
/*
 * counts - the module's own histograms, as hist prints those that it makes of the log
 *
 * No record is read: the kernel counts, for each act, in slots of powers of two.  A counter has
 * eight slots, so four of them count up to 2^31.  Example: slot 2 of counter 1 is slot 10 of
 * bars.h, 512 to 1023 us.
 *
 * A slot of an act has 32 bits, so all are read every few minutes.  The file stays open between
 * these: what a reader who closes it has seen, the module may free, and an act that comes again
 * begins at 0.
 */
#ifndef IOBLAME_COUNTS_H
#define IOBLAME_COUNTS_H

#include "opts.h"

int counts_run(const struct opts *o);

#endif
