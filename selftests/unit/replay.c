// SPDX-License-Identifier: GPL-2.0
/*
 * Gives a fuzzer each input of a file: a line each, in which \xNN is a byte.
 */
#include "fuzz.h"

static size_t unescape(char *line)
{
	char *from = line, *to = line;
	unsigned int byte;

	while (*from && *from != '\n') {
		if (*from == '\\') {
			REQUIRE(sscanf(from, "\\x%2x", &byte) == 1);
			*to++ = byte;
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	return to - line;
}

int main(int argc, char **argv)
{
	static char line[1 << 20];
	unsigned int nr = 0;
	FILE *f;

	REQUIRE(argc == 2);
	f = fopen(argv[1], "r");
	if (!f) {
		perror(argv[1]);
		return 1;
	}
	while (fgets(line, sizeof(line), f)) {
		size_t len = unescape(line);
		/* of exactly this size: what is read beyond it is seen */
		u8 *data = malloc(len ? len : 1);

		memcpy(data, line, len);
		LLVMFuzzerTestOneInput(data, len);
		free(data);
		nr++;
	}
	fclose(f);
	/* a corpus that is not read tests nothing */
	REQUIRE(nr);
	printf("ok replay %s # %u inputs\n", strstr(argv[0], "replay_") + 7, nr);
	return 0;
}
