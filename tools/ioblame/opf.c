// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "opf.h"

static const struct {
	uint32_t bit;
	const char *word;
} flags[] = {
#define X(constant, bit, word)	{ OPF_##constant, word },
	OPF_FLAGS(X)
#undef X
};

/* The flags that are known, without the operation. */
uint32_t opf_flags(uint32_t opf)
{
	uint32_t known = 0;
	size_t i;

	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		known |= flags[i].bit;
	return opf & known;
}

/* Flags as words with commas: "sync,fua"; "-" if there are none. */
const char *opf_text(uint32_t opf, char *to, size_t size)
{
	size_t i, n = 0;

	snprintf(to, size, "-");
	for (i = 0; i < sizeof(flags) / sizeof(*flags) && n < size; i++) {
		if (opf & flags[i].bit)
			n += snprintf(to + n, size - n, "%s%s", n ? "," : "", flags[i].word);
	}
	return to;
}
