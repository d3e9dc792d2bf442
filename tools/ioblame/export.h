/* SPDX-License-Identifier: GPL-2.0 */
/*
 * export - records in the formats of other tools, each a view
 */
#ifndef IOBLAME_EXPORT_H
#define IOBLAME_EXPORT_H

#include "view.h"

extern const struct view export_blktrace;
extern size_t export_blktrace_most;
extern const struct view export_trace_event;

#endif
