// SPDX-License-Identifier: GPL-2.0
/*
 * Free text, such as a report of the kernel, is taken apart into words.  A word stays if it is
 * in the vocabulary of such reports, a small number, a function with its offset, the name that
 * the kernel gives to one of its threads, or if the caller says so.  All other words get
 * pseudonyms: so a name need not be known to be left out.  Bytes in hex stay in lines of code only,
 * as they are text, too: a dump of them is one word to the end of its line, where the text stands.
 */
#include <ctype.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "anonym.h"
#include "msg.h"
#include "text.h"

/* What stands between words */
#define BETWEEN		" \t\n,;:()[]{}<>=\"'!?|&"

/* So many words of bytes in hex are a dump of memory */
#define DUMP_WORDS	4

/* Words of reports, and of the module's messages.  Case does not matter. */
static const char vocabulary[] =
	" a about access acquire acquired address addresses after again all alloc allocate allocated"
	" allocation already an and any are around as at atomic attach attached attempted attempting"
	" avoid bad balance been before being blocked block bug bugs bus busy but by bytes call called"
	" caller can cannot chain check checking circular class clock code comm conditions config"
	" configured context contexts control corrupted corruption could count counter cpu cpus cr0 cr2"
	" cr3 cr4 create current currently cut cycles data dead deadlock debug debugfs default delay"
	" dependency depth dereference detected device different disabled disables disk division do"
	" double ds dump eax ebp ebx echo ecx edi edx eflags eip elevated enable enabled end ended entry"
	" error errors es esi esp event exception exceeded existing exit expected false fatal fault"
	" faulting file filesystem find first fixing flags folder following for found fp frame free"
	" freed freeing from fs ftrace function functions gfp gfp_mask general gs gs_base hardirq"
	" hardirqs hardware has held here hook hooks hung hypervisor id idle if illegal implementation"
	" in in_atomic in_hardirq in_softirq incorrect info inconsistent index info init input instead"
	" instruction interrupt interrupts into invalid io ioblame irq irq_count irqs irqs_disabled"
	" irqsave is isn it its jbd2 jiffies jump kasan kcsan kernel key kfence kill kmemleak knlgs"
	" kobject kprobe last leak least len length level limit line linked list lock lockdep locks"
	" lockup long loss lost lsm map max mem memory message mismatch missing mode modified module"
	" modules more mount name need needed needs neither new next no nmi node non non_block none"
	" nonzero not null of off offset oom oops on one only oom-killer oopsed open operation optional or"
	" order original other out over owner page pages panic param parameter paging parent part"
	" pending per percpu pgd pid pmd pointer pool possible possibly prev preempt preempt_count"
	" preempt_rt preemption present previous print private probe problem proc process processor"
	" prohibited pte pud r08 r09 r10 r11 r12 r13 r14 r15 race range rax rbp rbx rcu rcu_bh"
	" rcu_preempt rcu_sched rcx rdi rdx read reached read_lock reason recursive redzone ref refcount"
	" refcount_t reference region registers release released relevant rep replaced report reported"
	" request reset resource restricted rip rsi rsp run running safe scheduled scheduler scheduling"
	" section see seconds segment self-detected set shadow shorter show size slab slab-out-of-bounds"
	" slab-use-after-free sleep sleeping slot smp soft softirq softirqs spinlock stack"
	" stack-out-of-bounds stall stalled stalls start starvation state still stuck supervisor"
	" suspicious switch symbol system t table taint tainted task task_stack tasks than that the there"
	" these this thread threads ticks time timed timeout timer to too trace trying type ubsan uaf uid"
	" unable undefined unexpected unhandled unknown unlock unlocked unprivileged unreferenced unsafe"
	" unwind unreliable usage use use-after-free used user user-memory-access using value variable"
	" version vm vmalloc vmalloc-out-of-bounds wait waiting warning was watchdog watched when where"
	" which while will with without word work workqueue would write wrong you your zero /0x /proc/sys"
	" amd64 debian dynamic preempt_dynamic debug_pagealloc nopti pti numa kcsan_value ++ --- -- =="
	" - # * + . .. ... / | ------------ \\|/ iob_ kernel.ftrace_enabled tracepoint tracepoints"
	" config_debug_fs off bit bits in_task irq_work sched rt idle_task vfs sysfs ext4 xfs btrfs f2fs"
	" vfat md dm loop nvme virtio_blk scsi ";

struct known {
	char *name;
	unsigned int nr;
};

static bool on;
static void *known, *kept;		/* trees of tsearch(3) */
static unsigned int nr_known;

void anonym_on(void)
{
	on = true;
}

bool anonym_is_on(void)
{
	return on;
}

static int compare_known(const void *a, const void *b)
{
	return strcmp(((const struct known *)a)->name, ((const struct known *)b)->name);
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The number of a name, a new one if it is not known. */
static unsigned int number_of(const char *name, size_t len)
{
	struct known *k = must(malloc(sizeof(*k))), **found;

	k->name = must(strndup(name, len));
	found = must(tsearch(k, &known, compare_known));
	if (*found == k) {
		k->nr = ++nr_known;
		return k->nr;
	}
	free(k->name);
	free(k);
	return (*found)->nr;
}

/**
 * anonym_name - the pseudonym of a name
 * @to:   gets it
 * @kind: what the name is of
 * @name: the name
 * @len:  bytes of @name
 *
 * Return: @to.
 */
const char *anonym_name(char to[ANONYM_SIZE], enum anonym_kind kind, const char *name, size_t len)
{
	static const char *const kinds[NR_ANONYM_KINDS] = {
		"addr", "disk", "file", "host", "name", "word",
	};

	snprintf(to, ANONYM_SIZE, "%s-%u", kinds[kind], number_of(name, len));
	return to;
}

/* A name, or its pseudonym if names are left out; allocated. */
char *anonym_dup(enum anonym_kind kind, const char *name)
{
	char to[ANONYM_SIZE];

	return must(strdup(on ? anonym_name(to, kind, name, strlen(name)) : name));
}

/*
 * The length of a file system's type.  What follows a dot ("fuse.NAME", "fuseblk.NAME") is the name
 * of a program, which anybody chooses.
 */
size_t anonym_fs_type(const char *type)
{
	return strcspn(type, on ? "." : "");
}

/* This word stays: the kernel's release, the name that the kernel gave to a disk. */
void anonym_keep(const char *word)
{
	must(tsearch(must(strdup(word)), &kept, compare_text));
}

static bool all_of(const char *s, size_t len, const char *set)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (!strchr(set, s[i]))
			return false;
	}
	return len;
}

#define DIGITS	"0123456789"
#define HEX	DIGITS "abcdefABCDEF"
#define LOWER	"abcdefghijklmnopqrstuvwxyz"
#define UPPER	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define WORDS	LOWER UPPER DIGITS "_."

static size_t digits_at(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && isdigit((unsigned char)s[n]))
		n++;
	return n;
}

static bool starts(const char *s, size_t len, const char *with)
{
	return len >= strlen(with) && !strncmp(s, with, strlen(with));
}

/**
 * anonym_is_kernel_disk - true if the kernel itself gave a disk its name
 * @name: such as sda1, nvme0n1p2 or dm-0; not the name of an array, which a user may choose
 * @len:  bytes of @name
 */
bool anonym_is_kernel_disk(const char *name, size_t len)
{
	static const char *const lettered[] = { "sd", "vd", "xvd", "hd" };
	static const char *const numbered[] = {
		"dm-", "md", "loop", "ram", "zram", "nullb", "sr", "nbd", "rbd", "mmcblk", "pmem", "fd",
		"drbd", "nvme", "bcache",
	};
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(lettered); i++) {
		n = strlen(lettered[i]);
		if (!starts(name, len, lettered[i]) || n == len)
			continue;
		while (n < len && islower((unsigned char)name[n]))
			n++;
		if (n > strlen(lettered[i]) && n <= strlen(lettered[i]) + 4 &&
		    n + digits_at(name + n, len - n) == len)
			return true;
	}
	for (i = 0; i < ARRAY_SIZE(numbered); i++) {
		n = strlen(numbered[i]);
		/* nvme0n1p1, nvme0c0n1, mmcblk0p1, md0p1 */
		if (starts(name, len, numbered[i]) && digits_at(name + n, len - n) &&
		    all_of(name + n, len - n, DIGITS "ncp"))
			return true;
	}
	return false;
}

static bool is_kernel_thread(const char *s, size_t len)
{
	static const char *const threads[] = {
		"kworker/u", "kworker/", "swapper/", "ksoftirqd/", "migration/", "kswapd", "cpuhp/",
		"rcuop/", "rcuos/", "kcompactd", "watchdog/",
	};
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		n = strlen(threads[i]);
		if (starts(s, len, threads[i]) && all_of(s + n, len - n, DIGITS))
			return true;
	}
	return false;
}

/* A function and an offset, as "iob_act_get+0x10/0x80". */
static bool is_symbol(const char *s, size_t len)
{
	const char *plus = memchr(s, '+', len);
	size_t n = plus ? (size_t)(plus - s) : 0;

	return n && all_of(s, n, WORDS) && starts(plus, len - n, "+0x") &&
	       all_of(plus + 3, len - n - 3, HEX "x/");
}

/* A file of the source: the kernel's, or the module's, whose folder is cut off. */
static const char *source_file(const char *s, size_t *len)
{
	static const char *const folders[] = {
		"arch/", "block/", "crypto/", "drivers/", "fs/", "include/", "init/", "io_uring/",
		"kernel/", "lib/", "mm/", "net/", "security/",
		"src/core/", "src/io/", "src/blame/", "src/hooks/", "src/fs/", "src/stack/",
		"src/stacked/", "src/debugfs/", "src/main.c", "src/registry.c",
	};
	size_t i, at, n = *len;

	if (n < 3 || s[n - 2] != '.' || !strchr("chS", s[n - 1]) || !all_of(s, n, WORDS "/-"))
		return NULL;
	for (at = 0; at < n; at++) {
		for (i = 0; i < ARRAY_SIZE(folders); i++) {
			/* the module's anywhere, the kernel's at the beginning only */
			if (starts(s + at, n - at, folders[i]) &&
			    (!at || (s[at - 1] == '/' && !strncmp(folders[i], "src/", 4)))) {
				*len = n - at;
				return s + at;
			}
		}
	}
	return NULL;
}

static bool in_vocabulary(const char *s, size_t len)
{
	char word[40];
	size_t i;

	if (len + 3 > sizeof(word))
		return false;
	word[0] = ' ';
	for (i = 0; i < len; i++)
		word[i + 1] = text_lower(s[i]);
	word[len + 1] = ' ';
	word[len + 2] = '\0';
	return strstr(vocabulary, word);
}

static bool is_kept(const char *s, size_t len)
{
	char *word = must(strndup(s, len));
	bool found = tfind(word, &kept, compare_text);

	free(word);
	return found;
}

/* Only digits and letters to F: an address if it is long.  0x may stand before it. */
static bool is_address(const char *s, size_t len)
{
	size_t zeros = 0;

	if (starts(s, len, "0x")) {
		s += 2;
		len -= 2;
		if (len < 5)
			return false;
	}
	while (zeros < len && s[zeros] == '0')
		zeros++;
	return len >= 5 && zeros < len && all_of(s, len, HEX) &&
	       (len >= 8 || digits_at(s, len) < len);
}

/* @code: in a line of machine code */
static bool is_small_number(const char *s, size_t len, bool code)
{
	if (len && strchr("#-+", *s)) {
		s++;
		len--;
	}
	if (starts(s, len, "0x"))
		return all_of(s + 2, len - 2, HEX) && len <= 6;
	/* zeros of any length */
	if ((code && len == 2 && all_of(s, len, HEX)) || all_of(s, len, "0"))
		return true;
	/* seconds, as 22s or 1.5: an address of the network has more than one dot */
	if (len > 1 && len < 8 && s[len - 1] == 's')
		len--;
	return len < 16 && all_of(s, len, DIGITS ".") && isdigit((unsigned char)*s) &&
	       memchr(s, '.', len) == memrchr(s, '.', len) && (len < 8 || memchr(s, '.', len));
}

/*
 * The length of "52:54:00:12:34:56", "fe80::1" or "64:ff9b::10.0.0.1" at @s, where a word begins;
 * 0: it is none.  A full stop behind it ends a sentence.
 */
static size_t network_address(const char *s)
{
	size_t len = strspn(s, HEX ":"), i, colons = 0;

	for (i = 0; i < len; i++)
		colons += s[i] == ':';
	if (s[len] == '.')
		len += strspn(s + len, HEX ".");
	while (len && s[len - 1] == '.')
		len--;
	return colons >= 2 && strchr(BETWEEN "/%.", s[len]) ? len : 0;
}

/* The length of a word at @s that is a byte in hex, or 2 to @most of them; 0: it is another word */
static size_t hex_bytes(const char *s, size_t most)
{
	size_t zerox = starts(s, strlen(s), "0x") ? 2 : 0;
	size_t len = strspn(s + zerox, HEX);

	if (!strchr(BETWEEN, s[zerox + len]) || len > 2 * most)
		return 0;
	return len == 2 || len == 4 || len == 8 || len == 16 ? zerox + len : 0;
}

/* What a dump of memory has before the bytes of a line: an address or an offset of 8 digits */
static bool is_dump_address(const char *s, size_t len)
{
	return len >= 8 && all_of(s, len, HEX) && !strncmp(s + len, ": ", 2);
}

/*
 * True if the bytes of a line of a dump begin at @s.  @address: that of a dump is before them;
 * without it, words of 4 and 8 bytes are addresses and registers.
 */
static bool is_dump(const char *s, bool address)
{
	unsigned int nr = 0;
	size_t n;

	if (address && hex_bytes(s, 8))
		return true;
	while (nr < DUMP_WORDS && (n = hex_bytes(s, 2)) > 0) {
		s += n;
		s += strspn(s, BETWEEN);
		nr++;
	}
	return nr == DUMP_WORDS;
}

/* Print a word of free text, or its pseudonym. */
static void print_word(FILE *f, const char *s, size_t len, bool code)
{
	char to[ANONYM_SIZE];
	size_t n = len;
	const char *file = source_file(s, &n);

	if (file)
		fprintf(f, "%.*s", (int)n, file);
	else if (is_address(s, len) && !in_vocabulary(s, len))
		fputs(anonym_name(to, ANONYM_ADDR, s, len), f);
	else if (in_vocabulary(s, len) || is_symbol(s, len) || is_small_number(s, len, code) ||
		 is_kernel_thread(s, len) || is_kept(s, len) ||
		 all_of(s, len, "-=_*"))
		fprintf(f, "%.*s", (int)len, s);
	else
		fputs(anonym_name(to, ANONYM_WORD, s, len), f);
}

/**
 * anonym_line - free text without names and addresses
 * @line: the text
 *
 * Return: an allocated text.
 */
char *anonym_line(const char *line)
{
	static const char modules[] = "Modules linked in:";
	const char *s = line;
	char to[ANONYM_SIZE], *text;
	bool symbol = false, taints = false, address = false, code = !strncmp(s, "Code:", 5);
	size_t n;
	FILE *f = must(open_memstream(&text, &n));

	/* (modules have no secret names, and their states stand in parentheses) */
	if (!strncmp(s, modules, strlen(modules))) {
		fputs(s, f);
		s += strlen(s);
	}
	while (*s) {
		n = strspn(s, BETWEEN);
		/* the module of the function before */
		symbol = symbol && n == 2 && !strncmp(s, " [", 2);
		fprintf(f, "%.*s", (int)n, s);
		s += n;
		n = network_address(s);
		if (n) {
			fputs(anonym_name(to, ANONYM_ADDR, s, n), f);
			s += n;
			continue;
		}
		if (!code && is_dump(s, address)) {
			fputs(anonym_name(to, ANONYM_WORD, s, strlen(s)), f);
			break;
		}
		n = strcspn(s, BETWEEN);
		address = is_dump_address(s, n);
		/* a full stop ends a sentence */
		if (n > 1 && s[n - 1] == '.')
			n--;
		taints = taints && all_of(s, n, UPPER "_");
		if (taints || (symbol && s[n] == ']' && all_of(s, n, WORDS)))
			fprintf(f, "%.*s", (int)n, s);
		else if (n)
			print_word(f, s, n, code);
		symbol = is_symbol(s, n);
		/* letters of taints follow, or [W]=WARN */
		taints = taints || (n == strlen("Tainted") && !strncmp(s, "Tainted:", n + 1));
		s += n;
	}
	if (fclose(f))
		must(NULL);
	return text;
}

/**
 * anonym_addresses - a line whose words are the kernel's own, without its addresses
 * @line: a line
 *
 * Return: an allocated text.
 */
char *anonym_addresses(const char *line)
{
	const char *s = line;
	char to[ANONYM_SIZE], *text;
	size_t n;
	FILE *f = must(open_memstream(&text, &n));

	while (*s) {
		n = strspn(s, BETWEEN);
		fprintf(f, "%.*s", (int)n, s);
		s += n;
		n = strcspn(s, BETWEEN);
		if (n && is_address(s, n) && n >= 8)
			fputs(anonym_name(to, ANONYM_ADDR, s, n), f);
		else
			fprintf(f, "%.*s", (int)n, s);
		s += n;
	}
	if (fclose(f))
		must(NULL);
	return text;
}
