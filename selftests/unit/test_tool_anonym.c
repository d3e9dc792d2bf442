// SPDX-License-Identifier: GPL-2.0
/* Names and addresses become pseudonyms, and what reports of the kernel say stays. */
#include "anonym.h"
#include "test.h"

/* In @want, '@' stands for the number of a pseudonym. */
static void line_is(const char *line, const char *want)
{
	char *got = anonym_line(line);
	const char *g = got, *w = want;

	while (*w && *g) {
		if (*w == '@' && *g >= '0' && *g <= '9') {
			while (*g >= '0' && *g <= '9')
				g++;
			w++;
		} else if (*w++ != *g++) {
			break;
		}
	}
	if (*w || *g)
		fail("'%s' instead of '%s'", got, want);
	free(got);
}

/* A line without the numbers of pseudonyms */
static char *without_numbers(const char *line)
{
	char *got = anonym_line(line), *from, *to;

	for (from = to = got; *from; from++) {
		if (to == got || to[-1] != '-' || *from < '0' || *from > '9')
			*to++ = *from;
	}
	*to = '\0';
	return got;
}

static void reports(void)
{
	anonym_keep("6.1.0-50-amd64");
	anonym_keep("vda1");
	line_is("WARNING: CPU: 1 PID: 4711 at fs/ext4/inode.c:123 iob_act_get+0x10/0x80 [ioblame]",
		"WARNING: CPU: 1 PID: 4711 at fs/ext4/inode.c:123 iob_act_get+0x10/0x80 [ioblame]");
	line_is("CPU: 0 PID: 1 Comm: secretd Tainted: G        W  OE     6.1.0-50-amd64 #1",
		"CPU: 0 PID: 1 Comm: word-@ Tainted: G        W  OE     6.1.0-50-amd64 #1");
	line_is("Comm: ABC Tainted: [W]=WARN, [O]=OOT_MODULE secret ABC",
		"Comm: word-@ Tainted: [W]=WARN, [O]=OOT_MODULE word-@ word-@");
	line_is("to fe80::5054:ff:fe12:3456/64, 12:34:56", "to addr-@word-@, addr-@");
	line_is("CPU: 0 PID: 9 Comm: kworker/u4:1 Not tainted", "CPU: 0 PID: 9 Comm: kworker/u4:1 Not tainted");
	line_is("RIP: 0010:f2fs_write+0x1/0x2 [f2fs]", "RIP: 0010:f2fs_write+0x1/0x2 [f2fs]");
	line_is("RAX: ffff888012345678 RBX: 0000000000000000", "RAX: addr-@ RBX: 0000000000000000");
	line_is("Code: 48 8b 05 <0f> 0b", "Code: 48 8b 05 <0f> 0b");
	line_is("Modules linked in: secretmod(OE) ext4", "Modules linked in: secretmod(OE) ext4");
	line_is("at /home/me/x/src/core/act.c:9", "at src/core/act.c:9");
	line_is("EXT4-fs (vda1): mounted /srv/clients", "word-@ (vda1): word-@ word-@");
	line_is("52:54:00:12:34:56 dead", "addr-@ dead");
}

/* Bytes in hex are text, too: they stay in code only, and the text beside them goes with them. */
static void dumps(void)
{
	static const char *const lines[] = {
		"00000000: 58 44 42 33 73 65 63 72 65 74 2e 74 78 74 00 00  XDB3secret.txt..",
		"00000010: 73 65 63                                         sec",
		"00000020: 31                                               1 read of file 42",
		"Object ffff888012345678: 73 65 63 72 65 74 00 5a  secret.Z",
		"Object   00000000deadbeef: 73 65  secret",
		"ll header: 00000000: ff ff ff ff ff ff 52 54 00 12 34 56 08 06  ......RT..4V..",
		"    73 65 63 72 65 74 20 32  secret 2",
		"raw 0x73, 0x65, 0x63, 0x72 secret",
		"00000000: 6573 7263 7465 3230  secret20",
		"00000000: 73656372 65743230  secret20",
		"00000000: 31313131  1111",
		"Code 73 65 63 72 65 74",
		"xx Code: 73 65 63 72",
		"from 52:54:00:12:34:56_x 73 65 secret",
	};
	static const char *const leaks[] = {
		"sec", "73", "65", "52", "54", "58", "44", "6573", "7263", "31", "42", "11", "ret", "ff ",
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		char *got = without_numbers(lines[i]);

		for (k = 0; k < ARRAY_SIZE(leaks); k++) {
			if (strstr(got, leaks[k]))
				fail("'%s' has %s", got, leaks[k]);
		}
		free(got);
	}
	line_is("Code: 73 65 63 72 65 74 <0f> 0b", "Code: 73 65 63 72 65 74 <0f> 0b");
	line_is("CPU: 12 PID: 34 at 56", "CPU: 12 PID: 34 at 56");
	line_is("section 1234 at cd 4711 5a", "section 1234 at word-@ 4711 word-@");
	line_is("00000000: 73 65 63 72  secr", "00000000: word-@");
	line_is("lost 52:54:00:12:34:56.", "lost addr-@.");
	line_is("lost 52:54:00:12:34:56. It is", "lost addr-@. It is");
	line_is("from 64:ff9b::10.9.8.7, 64:ff9b::10.9.8.7.", "from addr-@, addr-@.");
}

/* Who mounts a file system in userspace gives its type a name. */
static void fs_types(void)
{
	static const struct { const char *type; size_t len; } types[] = {
		{ "fuse.secret", 4 }, { "fuseblk.secret", 7 }, { "fuse", 4 }, { "ext4", 4 },
	};
	size_t i;

	if (anonym_fs_type("fuse.secret") != strlen("fuse.secret"))
		fail("nothing is left out yet");
	anonym_on();
	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (anonym_fs_type(types[i].type) != types[i].len)
			fail("%s: %zu", types[i].type, anonym_fs_type(types[i].type));
	}
}

static void names(void)
{
	static const char *const secret[] = {
		"secret", "it's-me", "a.b", "2024-plan", "fe80::5054", "10.0.0.1", "/a/b.c",
		"me/fs/ext4/x.c", "src/secret/x.c", "kworker/x", "sdaisy", "md_home", "dm-home",
		"nvme0n1secret", "b\303\244ckup", "name+0x", "deadbeefcafe", "x@y",
	};
	static const char *const leaks[] = {
		"secret", "me", "a.b", "2024-plan", "fe80", "10.0.0.1", "a/b", "ext4/x", "secret/x",
		"kworker/x", "sdaisy", "home", "home", "secret", "ckup", "name", "cafe", "x@y",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(secret); i++) {
		char line[64], *got;

		snprintf(line, sizeof(line), "Comm: %s [ioblame]", secret[i]);
		got = anonym_line(line);
		if (strstr(got + 5, leaks[i]) && strcmp(leaks[i], "me"))
			fail("'%s' has %s", got, leaks[i]);
		free(got);
	}
}

/* Equal names have equal numbers, whatever they are of. */
static void equal(void)
{
	char a[ANONYM_SIZE], b[ANONYM_SIZE], c[ANONYM_SIZE];

	anonym_name(a, ANONYM_FILE, "one", 3);
	anonym_name(b, ANONYM_FILE, "two", 3);
	anonym_name(c, ANONYM_HOST, "ones", 3);
	if (!strcmp(a, b) || strcmp(strchr(a, '-'), strchr(c, '-')))
		fail("%s %s %s", a, b, c);
}

static void disks(void)
{
	static const char *const kernel[] = {
		"sda", "sda1", "vdb12", "nvme0n1", "nvme0n1p3", "nvme1c0n1", "dm-0", "md127", "loop3",
		"mmcblk0p1", "zram0", "ram1", "nullb0",
	};
	static const char *const chosen[] = {
		"", "sd", "sdsecret", "md", "md_home", "dm-x", "loop", "vda1x", "backup", "nvme",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kernel); i++) {
		if (!anonym_is_kernel_disk(kernel[i], strlen(kernel[i])))
			fail("%s", kernel[i]);
	}
	for (i = 0; i < ARRAY_SIZE(chosen); i++) {
		if (anonym_is_kernel_disk(chosen[i], strlen(chosen[i])))
			fail("%s", chosen[i]);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(reports),
		TEST(dumps),
		TEST(fs_types),
		TEST(names),
		TEST(equal),
		TEST(disks),
	};

	return run_tests("tool_anonym", tests, ARRAY_SIZE(tests));
}
