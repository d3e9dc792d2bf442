/* SPDX-License-Identifier: GPL-2.0 */
/* What the fuzzers share. */
#ifndef UNIT_FUZZ_H
#define UNIT_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/types.h>

#define REQUIRE(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,	\
			__LINE__, #cond);				\
		abort();						\
	}								\
} while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* A string of its own, exactly as long as it is: to be freed. */
static inline char *fuzz_text(const u8 *data, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif
