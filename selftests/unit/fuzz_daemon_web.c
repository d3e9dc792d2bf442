// SPDX-License-Identifier: GPL-2.0
/* Any bytes as the file that says who may read: it is taken, or it is said what is wrong. */
#include "../../tools/ioblamed/metrics_web.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct metrics_web web;
	char wrong[64] = "";
	unsigned int i;

	if (!metrics_web_parse(&web, (const char *)data, size, wrong, sizeof(wrong))) {
		REQUIRE(*wrong && strlen(wrong) < sizeof(wrong));
		return 0;
	}
	REQUIRE(!*web.cert_file == !*web.key_file);
	REQUIRE(web.nr_users <= METRICS_WEB_USERS);
	for (i = 0; i < web.nr_users; i++)
		REQUIRE(*web.users[i].name && !strncmp(web.users[i].hash, "$2", 2));
	return 0;
}
