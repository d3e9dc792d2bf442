// SPDX-License-Identifier: GPL-2.0
/* Who may read: what is not understood opens no door. */
#include <crypt.h>

#include "../../tools/ioblamed/metrics_web.h"
#include "test.h"

#define HASH	"$2y$04$abcdefghijklmnopqrstuu5s2h0oJvH0Yv7xNxkPZk1nVvYq0b7mC"

static bool parse(struct metrics_web *web, const char *text, char *wrong)
{
	wrong[0] = '\0';
	return metrics_web_parse(web, text, strlen(text), wrong, 256);
}

static void right(void)
{
	struct metrics_web web;
	char wrong[256];

	if (!parse(&web, "", wrong) || web.nr_users || *web.cert_file)
		fail("an empty file: %s", wrong);
	if (!parse(&web, "# nothing\nbasic_auth_users:\n", wrong) || web.nr_users)
		fail("no users: %s", wrong);
	if (!parse(&web, "tls_server_config:\n  cert_file: a.crt\n  key_file: \"b.key\"\n"
		   "  min_version: TLS13\nbasic_auth_users:\n  me: " HASH "\n  you: '" HASH "'\n",
		   wrong))
		fail("whole: %s", wrong);
	if (strcmp(web.cert_file, "a.crt") || strcmp(web.key_file, "b.key") || !web.tls13 ||
	    web.nr_users != 2 || strcmp(web.users[1].name, "you") ||
	    strcmp(web.users[1].hash, HASH))
		fail("values");
}

static void refused(void)
{
	static const char *const cases[] = {
		"x", "- a\n", "a: b\n", "http_server_config:\n  http2: true\n",
		"tls_server_config:\n  cert_file: a\n", "tls_server_config:\n  key_file: a\n",
		"tls_server_config:\n  client_auth_type: RequireAndVerifyClientCert\n",
		"tls_server_config:\n  cert_file: a\n  key_file: b\n  min_version: TLS10\n",
		"tls_server_config:\n  cert_file: [a]\n  key_file: b\n",
		"tls_server_config: a\n",
		"basic_auth_users:\n  me: password\n", "basic_auth_users:\n  me: $1$a$b\n",
		"basic_auth_users:\n  me: $2y$15$abcdefghijklmnopqrstuu5s2h0oJvH0Yv7xNxkPZk1nVvYq0b7mC\n",
		"basic_auth_users:\n  me: " HASH "x\n",
		"basic_auth_users:\n  a: " HASH "\n  a: " HASH "\n",
		"basic_auth_users:\n  'a:b': " HASH "\n", "basic_auth_users: [" HASH "]\n",
		"a: [\n", "\"\\0\": b\n", "\t:\n",
	};
	struct metrics_web web;
	char wrong[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (parse(&web, cases[i], wrong))
			fail("taken: %s", cases[i]);
		else if (strncmp(wrong, "line ", 5))
			fail("%s: \"%s\" does not say where", cases[i], wrong);
	}
}

/* The clock, and how long a hash takes by it */
static u64 now, hash_takes;

static uint64_t clock_that_goes(void)
{
	u64 is = now;

	/* (it is asked before a hash, and after one) */
	now += hash_takes;
	return is;
}

static bool reads(struct metrics_web *web, const char *name, const char *password, u64 at)
{
	now = at;
	return metrics_web_user(web, name, password, clock_that_goes);
}

static void passwords(void)
{
	struct metrics_web web = { .nr_users = 1 };
	char salt[64], wrong[METRICS_WEB_PASSWORD + 10];
	const u64 second = 1000000000;

	strcpy(web.users[0].name, "me");
	crypt_gensalt_rn("$2b$", 4, NULL, 0, salt, sizeof(salt));
	snprintf(web.users[0].hash, sizeof(web.users[0].hash), "%s", crypt("secret", salt));
	if (!reads(&web, "me", "secret", second))
		fail("the right one");
	if (reads(&web, "me", "Secret", 2 * second) ||
	    reads(&web, "you", "secret", 4 * second) ||
	    reads(&web, "me", "", 6 * second))
		fail("a wrong one");
	/* one that was right before is not refused for another's mistake */
	if (!reads(&web, "me", "secret", 6 * second))
		fail("the right one after a wrong one");
	web.users[0].password[0] = '\0';
	if (reads(&web, "me", "secret", 6 * second + 1) ||
	    !reads(&web, "me", "secret", 7 * second))
		fail("after a wrong one all are refused for a second");
	memset(wrong, 'a', sizeof(wrong) - 1);
	wrong[sizeof(wrong) - 1] = '\0';
	if (reads(&web, "me", wrong, 9 * second))
		fail("a long one");
	web.nr_users = 0;
	if (!reads(&web, "", "", 0))
		fail("without users everyone may read");
}

/* A hash of the highest cost takes longer than a second: the next one waits behind its end. */
static void long_hash(void)
{
	struct metrics_web web = { .nr_users = 1 };
	const u64 second = 1000000000;
	char salt[64];

	strcpy(web.users[0].name, "me");
	crypt_gensalt_rn("$2b$", 4, NULL, 0, salt, sizeof(salt));
	snprintf(web.users[0].hash, sizeof(web.users[0].hash), "%s", crypt("secret", salt));
	hash_takes = 2 * second;
	if (reads(&web, "me", "wrong", 10 * second))
		fail("a wrong one");
	/* it ended at 12 s */
	if (reads(&web, "me", "secret", 12 * second) || reads(&web, "me", "secret", 31 * second))
		fail("another one is tried too soon");
	if (!reads(&web, "me", "secret", 32 * second))
		fail("the right one, after a rest");
	hash_takes = 0;
}

int main(void)
{
	static const struct test tests[] = {
		TEST(right), TEST(refused), TEST(passwords), TEST(long_hash),
	};

	return run_tests("daemon_web", tests, ARRAY_SIZE(tests));
}
