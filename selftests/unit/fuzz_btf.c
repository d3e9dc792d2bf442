// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as BTF, and their second part as a module's: they are refused, or answers are in
 * bounds.  The first byte is how many of the 32 parts the module's has.
 */
#include "core/btf.h"
#include "fuzz.h"

static void ask_all(const struct iob_btf *b)
{
	struct iob_btf_ask ask[] = {
		{ "a", "a" }, { "a", "b|c" }, { "thing", "count" }, { "", "" },
	};
	unsigned int i;

	iob_btf_ask(b, ask, sizeof(ask) / sizeof(ask[0]));
	for (i = 0; i < sizeof(ask) / sizeof(ask[0]); i++) {
		REQUIRE(ask[i].answer <= IOB_BTF_TWO);
		REQUIRE(ask[i].answer != IOB_BTF_UNKNOWN || (!ask[i].offset && !ask[i].size));
		REQUIRE(ask[i].size <= 256U << 20);
	}
}

/* A copy of exactly this size: what reads more is seen. */
static u8 *copy_of(const u8 *data, size_t size)
{
	u8 *copy = malloc(size ? size : 1);

	memcpy(copy, data, size);
	return copy;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct iob_btf kernel, module;
	u8 *first, *second;
	u32 *at, *more;
	size_t cut;

	if (size < 4)
		return 0;
	size -= 4;
	cut = (size * (32 - data[0] % 33) / 32) & ~(size_t)3;
	first = copy_of(data + 4, cut);
	second = copy_of(data + 4 + cut, size - cut);
	if (!iob_btf_open(&kernel, first, cut, NULL)) {
		at = malloc((kernel.nr + 1) * sizeof(*at));
		iob_btf_index(&kernel, at);
		ask_all(&kernel);
		if (!iob_btf_open(&module, second, size - cut, &kernel)) {
			more = malloc((module.nr + 1) * sizeof(*more));
			iob_btf_index(&module, more);
			ask_all(&module);
			free(more);
		}
		free(at);
	}
	free(second);
	free(first);
	return 0;
}
