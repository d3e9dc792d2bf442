/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/tracepoint - let the compiler choose the probe that fits
 *
 * Hides: tracepoints change their arguments between releases, and distributions backport
 * such changes.  The kernel's headers declare check_trace_callback_type_NAME() for each
 * tracepoint, exported or not; its parameter has the type of a probe.
 *
 * IOB_PROBE(NAME, a, b) is the probe of the two that has this type.  If neither has it, the
 * result is void, and the table of hooks does not compile.
 */
#ifndef IOB_COMPAT_TRACEPOINT_H
#define IOB_COMPAT_TRACEPOINT_H

#include <linux/tracepoint.h>

#define IOB_PROBE_FITS(name, probe)					\
	__builtin_types_compatible_p(typeof(check_trace_callback_type_##name), \
				     void (typeof(probe) *))

#define IOB_PROBE(name, a, b)						\
	__builtin_choose_expr(IOB_PROBE_FITS(name, a), (void *)&(a),	\
	__builtin_choose_expr(IOB_PROBE_FITS(name, b), (void *)&(b),	\
			      (void)0))

#endif
