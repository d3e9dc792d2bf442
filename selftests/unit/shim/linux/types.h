/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's short types, for pure files built in userspace. */
#ifndef SHIM_LINUX_TYPES_H
#define SHIM_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include_next <linux/types.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
/* not uint64_t: in the kernel it is what %llu prints, on any machine */
typedef unsigned long long u64;
typedef long long s64;

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

#endif
