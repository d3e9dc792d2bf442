/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/relay - the callback when a sub-buffer begins
 *
 * Hides: 6.17 dropped prev_padding from subbuf_start; Kbuild looks for it.
 */
#ifndef IOB_COMPAT_RELAY_H
#define IOB_COMPAT_RELAY_H

#include <linux/relay.h>

#ifdef IOB_HAVE_RELAY_PREV_PADDING
#define IOB_RELAY_SUBBUF_START(name)					\
	static int name(struct rchan_buf *buf, void *subbuf,		\
			void *prev_subbuf, size_t prev_padding)
#else
#define IOB_RELAY_SUBBUF_START(name)					\
	static int name(struct rchan_buf *buf, void *subbuf,		\
			void *prev_subbuf)
#endif

#endif
