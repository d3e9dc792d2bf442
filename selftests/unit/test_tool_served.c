// SPDX-License-Identifier: GPL-2.0
/*
 * What ioblamed sends arrives in pieces of any length, and may end anywhere: each chunk is taken
 * once, whole, and in its order.
 */
#include <sys/socket.h>
#include <unistd.h>

#include "recording.h"
#include "served.h"
#include "store.h"
#include "test.h"

/* What was taken, as text: "TYPE:CONTENT;" of each chunk */
static char taken[4096];

bool recording_take(struct recording *r, struct store_head *head, struct stream *to,
		    const struct store_chunk *chunk, const char *data)
{
	size_t n = strlen(taken);

	(void)r;
	(void)head;
	(void)to;
	if (strlen(data) < chunk->len)
		fail("a chunk of %u bytes has no such text", chunk->len);
	if (strlen(data) > chunk->len)
		fail("a chunk of %u bytes has no end", chunk->len);
	snprintf(taken + n, sizeof(taken) - n, "%u:%.40s;", chunk->type, data);
	return chunk->type == STORE_RECORDS;
}

static char image[4096];
static size_t length;

static void make_image(void)
{
	static const struct {
		uint32_t type;
		const char *text;
	} chunks[] = {
		{ STORE_HEAD, "cpus 2\n" }, { STORE_STATUS_BEFORE, "enabled 1\n" },
		{ STORE_NAME, "a name" }, { STORE_RECORDS, "records" }, { STORE_LOST, "\1\1\1\1\1\1\1\1" },
		{ STORE_NOTE, "" }, { 99, "of a later version" }, { STORE_RECORDS, "more" },
		{ STORE_STATUS_AFTER, "enabled 1\nloss a 1 (b)\n" },
	};
	FILE *f = fmemopen(image, sizeof(image), "w");
	unsigned int i;

	store_begin(f);
	for (i = 0; i < ARRAY_SIZE(chunks); i++)
		store_write(f, chunks[i].type, chunks[i].text, strlen(chunks[i].text));
	fflush(f);
	length = ftell(f);
	fclose(f);
}

static const char whole[] =
	"1:cpus 2\n;5:enabled 1\n;3:a name;4:records;8:\1\1\1\1\1\1\1\1;9:;99:of a later version;"
	"4:more;6:enabled 1\nloss a 1 (b)\n;";

/* Send the first @len bytes in pieces of @most at most, and the end.  Return: what came of it. */
static struct served send_pieces(const char *bytes, size_t len, size_t most)
{
	struct recording r = { 0 };
	struct store_head head = { 0 };
	struct stream to = { 0 };
	struct served s = { 0 };
	uint64_t got = 0;
	size_t at = 0, n;
	int fd[2];

	*taken = '\0';
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd))
		fail("no socket");
	s.fd = fd[0];
	while (at < len && !s.ended) {
		n = len - at < most ? len - at : most;
		if (write(fd[1], bytes + at, n) != (ssize_t)n)
			fail("it cannot be sent");
		at += n;
		served_read(&s, &r, &head, &to, &got);
	}
	close(fd[1]);
	if (served_read(&s, &r, &head, &to, &got))
		fail("it has no end");
	if (got > len || (!s.refused && got != len))
		fail("%llu bytes of %zu", (u64)got, len);
	return s;
}

static void pieces(void)
{
	struct served s;
	size_t most;

	make_image();
	for (most = 1; most <= length; most++) {
		s = send_pieces(image, length, most);
		if (strcmp(taken, whole) || s.refused || !s.has_head)
			fail("by %zu bytes: %s", most, taken);
		if (s.lost != 0x0101010101010101ULL || strcmp(s.before, "enabled 1\n") ||
		    !strstr(s.after, "loss a"))
			fail("by %zu bytes: what is said of it", most);
		served_close(&s);
	}
}

/* It ends anywhere: what is whole was taken. */
static void torn(void)
{
	struct served s;
	size_t len;

	make_image();
	for (len = 0; len < length; len++) {
		s = send_pieces(image, len, 7);
		if (strncmp(taken, whole, strlen(taken)) || !strcmp(taken, whole))
			fail("%zu bytes: %s", len, taken);
		served_close(&s);
	}
}

static void refused(void)
{
	static const char *const answers[] = { "error not you\n", "nonsense and more nonsense" };
	struct served s;
	unsigned int i, most;

	for (i = 0; i < ARRAY_SIZE(answers); i++) {
		for (most = 1; most < 40; most++) {
			s = send_pieces(answers[i], strlen(answers[i]), most);
			if (!s.refused || *taken || (!i && strcmp(s.refused, "not you")))
				fail("\"%s\": %s", answers[i], s.refused ? s.refused : "taken");
			served_close(&s);
		}
	}
	/* what the daemon says is text */
	s = send_pieces("error \033[1m\n", 11, 11);
	if (!s.refused || strchr(s.refused, '\033'))
		fail("an escape sequence comes through");
	served_close(&s);
}

/* A length that no chunk has ends it. */
static void endless(void)
{
	const struct store_chunk chunk = { .type = STORE_NAME, .len = STORE_CHUNK_MAX + 1 };
	struct served s;

	make_image();
	memcpy(image + STORE_START, &chunk, sizeof(chunk));
	s = send_pieces(image, STORE_START + sizeof(chunk), 100);
	if (!s.ended || *taken)
		fail("it waits for %u bytes", chunk.len);
	served_close(&s);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(pieces), TEST(torn), TEST(refused), TEST(endless),
	};

	return run_tests("tool_served", tests, ARRAY_SIZE(tests));
}
