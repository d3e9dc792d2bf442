/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_CTYPE_H
#define SHIM_LINUX_CTYPE_H

#include <ctype.h>

#endif
