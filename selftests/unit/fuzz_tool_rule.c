// SPDX-License-Identifier: GPL-2.0
/* Any text is a rule or none; a rule has a name that a file can have, and patterns that end. */
#include "fuzz.h"
#include "rule.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static const struct usage_key key = {
		.unit = "a.service", .program = "dd", .user = "root", .disk = "sda",
	};
	char *text = fuzz_text(data, size);
	struct rule rule;
	const char *wrong = rule_parse(&rule, text);

	REQUIRE(!wrong || *wrong);
	if (!wrong) {
		REQUIRE(*rule.name && strlen(rule.name) < sizeof(rule.name));
		REQUIRE(!strpbrk(rule.name, "/. \n") && *rule.name != '-');
		REQUIRE(rule.what < NR_RULE_WHATS && rule.of < NR_RULE_OFS);
		REQUIRE((rule.of == RULE_OF_ALL) == !*rule.pattern);
		REQUIRE(rule.what != RULE_UTIL || rule.limit < RULE_FULL);
		/* a pattern of many stars takes long, and is the user's own */
		if (strlen(rule.pattern) < 32)
			rule_wants(&rule, &key);
	}
	free(text);
	return 0;
}
