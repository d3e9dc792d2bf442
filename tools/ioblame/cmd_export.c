// SPDX-License-Identifier: GPL-2.0
/*
 * export: what was recorded, in files that other tools read
 */
#include "cmd.h"
#include "export.h"
#include "opts.h"
#include "view.h"

int cmd_export(const struct opts *o)
{
	static const struct view *const formats[NR_EXPORTS] = {
		[EXPORT_BLKTRACE] = &export_blktrace,
		[EXPORT_TRACE_EVENT] = &export_trace_event,
	};

	return view_run(o, formats[o->export]);
}
