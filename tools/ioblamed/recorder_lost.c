// SPDX-License-Identifier: GPL-2.0
#include "recorder_lost.h"

struct recorder_lost recorder_lost;
