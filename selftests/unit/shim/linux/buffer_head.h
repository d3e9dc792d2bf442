/* SPDX-License-Identifier: GPL-2.0 */
/* A test that needs buffers has its own. */
#ifndef SHIM_LINUX_BUFFER_HEAD_H
#define SHIM_LINUX_BUFFER_HEAD_H

struct buffer_head;

#endif
