// SPDX-License-Identifier: GPL-2.0
#include "epoch.h"

atomic_t iob_epoch = ATOMIC_INIT(1);
