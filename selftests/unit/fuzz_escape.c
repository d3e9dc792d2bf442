// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a name: what comes out is harmless, fits, and is cut between characters only.
 * The first byte is the room, the second whether spaces are escaped.
 */
#include "debugfs/escape.h"
#include "fuzz.h"

/* No control character, of one byte or two; and no space if they are escaped. */
static void check_harmless(const u8 *s, bool spaces)
{
	for (; *s; s++) {
		REQUIRE(*s >= ' ' && *s != 0x7f);
		REQUIRE(!(s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f));
		REQUIRE(!(spaces && *s == ' '));
		/* the only backslash is that of an escape */
		if (*s == '\\') {
			REQUIRE(s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
				s[3] >= '0' && s[3] <= '7');
			s += 3;
		}
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t room, len, whole;
	char *to, *all, *name;
	bool spaces;

	if (size < 2)
		return 0;
	room = 1 + data[0];
	spaces = data[1] & 1;
	len = size - 2;
	/* of exactly this size: what reads or writes more is seen */
	name = malloc(len ? len : 1);
	memcpy(name, data + 2, len);
	to = malloc(room);
	all = malloc(4 * len + 1);
	iob_escape(to, room, name, len, spaces);
	whole = iob_escape(all, 4 * len + 1, name, len, spaces);
	REQUIRE(strlen(to) < room && strlen(all) == whole);
	REQUIRE(!strncmp(all, to, strlen(to)));
	check_harmless((u8 *)to, spaces);
	check_harmless((u8 *)all, spaces);
	free(all);
	free(to);
	free(name);
	return 0;
}
