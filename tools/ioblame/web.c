// SPDX-License-Identifier: GPL-2.0
#include "web.h"
/* made by the Makefile: the texts, as numbers */
#include "web.inc"
