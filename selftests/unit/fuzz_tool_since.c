// SPDX-License-Identifier: GPL-2.0
/* Any text is a moment or none; a moment that is taken can be printed and taken again. */
#include "fuzz.h"
#include "since.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz_text(data, size), printed[64];
	int64_t now = 1795608000LL * 1000000000, ns, again;

	setenv("TZ", "UTC", 1);
	if (since_parse(text, now, &ns)) {
		since_text(ns, printed, sizeof(printed));
		REQUIRE(since_parse(printed, now, &again));
		REQUIRE(again == ns / 1000000000 * 1000000000);
	}
	free(text);
	return 0;
}
