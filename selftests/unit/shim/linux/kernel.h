/* SPDX-License-Identifier: GPL-2.0 */
/* The few helpers that pure files take from the kernel. */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H

#include <stdarg.h>
#include <stdio.h>
#include <linux/types.h>

#define U8_MAX		((u8)~0U)
#define U16_MAX		((u16)~0U)
#define U32_MAX		((u32)~0U)
#define S32_MAX		((s32)(U32_MAX >> 1))
#define S64_MAX		((s64)(U64_MAX >> 1))
#define U64_MAX		((u64)~0ULL)

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define IS_ALIGNED(x, a)	(!((x) & ((a) - 1)))
#define BUILD_BUG_ON(c)	((void)sizeof(char[1 - 2 * !!(c)]))

/* these do not evaluate twice what the kernel's do once */
#define min(a, b) __extension__ ({				\
	__typeof__(a) min_a = (a);				\
	__typeof__(b) min_b = (b);				\
	min_a < min_b ? min_a : min_b;				\
})
#define max(a, b) __extension__ ({				\
	__typeof__(a) max_a = (a);				\
	__typeof__(b) max_b = (b);				\
	max_a > max_b ? max_a : max_b;				\
})
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	max((type)(a), (type)(b))
#define clamp_t(type, v, lo, hi)	min_t(type, max_t(type, v, lo), hi)
#define clamp(v, lo, hi)	min(max(v, lo), hi)

#define __printf(a, b)	__attribute__((format(printf, a, b)))
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

/* snprintf() that returns what is in the buffer, not what would have been */
__printf(3, 4)
static inline int scnprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(buf, size, fmt, args);
	va_end(args);
	if (!size)
		return 0;
	return (size_t)len < size ? len : (int)size - 1;
}

#endif
