/* SPDX-License-Identifier: GPL-2.0 */
/*
 * flame_sums - the flame graph of sums: who, its functions, why
 */
#ifndef IOBLAME_FLAME_SUMS_H
#define IOBLAME_FLAME_SUMS_H

#include "agg.h"
#include "choice.h"
#include "flame.h"

struct flame *flame_of_sums(const struct agg *agg, enum weight weight);

#endif
