// SPDX-License-Identifier: GPL-2.0
/*
 * Attach a BPF program to each place that is named, as bpftrace and perf do, until SIGTERM.
 *
 *	bpfprobe KIND:NAME...
 *
 * KIND: kprobe, kretprobe, fentry, fexit, raw_tp (a tracepoint), multi or retmulti (kprobes by
 * one call; NAME has several functions, separated by commas).  The program counts.
 * "no KIND:NAME ERROR" is printed for what this kernel cannot do, then "ready", and at the end
 * "KIND:NAME HITS".
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/perf_event.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define MAX_PLACES	256
#define MAX_MULTI	64
/* not in the headers of 5.10 */
#define KPROBE_MULTI	42

/* union bpf_attr of BPF_LINK_CREATE for kprobes by one call, which 5.10's headers lack */
struct multi_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint32_t multi_flags, cnt;
	uint64_t syms, addrs, cookies;
};

static int counts;	/* the map */
static char log_text[8192];

static int bpf(int cmd, void *attr, unsigned int size)
{
	return syscall(SYS_bpf, cmd, attr, size);
}

static int map_create(unsigned int nr)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 8, .max_entries = nr,
	};

	return bpf(BPF_MAP_CREATE, &attr, sizeof(attr));
}

static uint64_t map_read(uint32_t key)
{
	uint64_t value = 0;
	union bpf_attr attr = {
		.map_fd = counts, .key = (uintptr_t)&key, .value = (uintptr_t)&value,
	};

	bpf(BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr));
	return value;
}

#define INSN(c, d, s, o, i)	\
	((struct bpf_insn){ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) })

/* A program that adds 1 to @key of the map; @btf: the function it is for, or 0 */
static int prog_load(enum bpf_prog_type type, uint32_t attach, uint32_t btf, uint32_t key)
{
	struct bpf_insn insn[] = {
		INSN(BPF_ST | BPF_MEM | BPF_W, BPF_REG_10, 0, -4, key),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_2, BPF_REG_10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_2, 0, 0, -4),
		INSN(BPF_LD | BPF_IMM | BPF_DW, BPF_REG_1, BPF_PSEUDO_MAP_FD, 0, counts),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_map_lookup_elem),
		INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 2, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_1, 0, 0, 1),
		INSN(BPF_STX | BPF_XADD | BPF_DW, BPF_REG_0, BPF_REG_1, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = {
		.prog_type = type, .insn_cnt = ARRAY_SIZE(insn), .insns = (uintptr_t)insn,
		.license = (uintptr_t)"GPL", .expected_attach_type = attach, .attach_btf_id = btf,
		.log_buf = (uintptr_t)log_text, .log_size = sizeof(log_text), .log_level = 1,
	};

	return bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
}

/* How many bytes follow a struct btf_type of this kind. */
static size_t btf_behind(const struct btf_type *t)
{
	unsigned int nr = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_INT: return 4;
	case BTF_KIND_ARRAY: return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: return nr * sizeof(struct btf_member);
	case BTF_KIND_ENUM: return nr * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO: return nr * sizeof(struct btf_param);
	case BTF_KIND_VAR: return sizeof(struct btf_var);
	case BTF_KIND_DATASEC: return nr * sizeof(struct btf_var_secinfo);
	case 17: return 4;			/* DECL_TAG */
	case 19: return nr * 12;		/* ENUM64 */
	default: return 0;
	}
}

static char *file_read(const char *name)
{
	char *data = NULL;
	struct stat st;
	ssize_t got, done = 0;
	int fd = open(name, O_RDONLY);

	if (fd < 0 || fstat(fd, &st))
		return NULL;
	data = malloc(st.st_size);
	while (data && done < st.st_size) {
		got = read(fd, data + done, st.st_size - done);
		if (got <= 0)
			break;
		done += got;
	}
	close(fd);
	return data;
}

/* The number of a function of the kernel proper, or 0. */
static uint32_t btf_function(const char *name)
{
	static char *data;
	const struct btf_header *head;
	const char *types, *end, *names;
	uint32_t id = 1;

	if (!data)
		data = file_read("/sys/kernel/btf/vmlinux");
	if (!data)
		return 0;
	head = (const void *)data;
	types = data + head->hdr_len + head->type_off;
	end = types + head->type_len;
	names = data + head->hdr_len + head->str_off;
	for (; types < end; id++) {
		const struct btf_type *t = (const void *)types;

		if (BTF_INFO_KIND(t->info) == BTF_KIND_FUNC && !strcmp(names + t->name_off, name))
			return id;
		types += sizeof(*t) + btf_behind(t);
	}
	return 0;
}

static int attach_traced(const char *name, uint32_t attach, uint32_t key)
{
	union bpf_attr attr = { };
	uint32_t btf = btf_function(name);
	int fd;

	if (!btf) {
		errno = ENOENT;
		return -1;
	}
	fd = prog_load(BPF_PROG_TYPE_TRACING, attach, btf, key);
	attr.raw_tracepoint.prog_fd = fd;
	return fd < 0 ? fd : bpf(BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
}

static int attach_tracepoint(const char *name, uint32_t key)
{
	union bpf_attr attr = { };
	int fd = prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, key);

	attr.raw_tracepoint.name = (uintptr_t)name;
	attr.raw_tracepoint.prog_fd = fd;
	return fd < 0 ? fd : bpf(BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
}

static int pmu_type(void)
{
	char *text = file_read("/sys/bus/event_source/devices/kprobe/type");

	return text ? atoi(text) : -1;
}

/* A kprobe of perf's with a program */
static int attach_kprobe(const char *name, bool returns, uint32_t key)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = pmu_type(), .config = returns,
		.config1 = (uintptr_t)name, .sample_period = 1, .wakeup_events = 1,
	};
	int prog = prog_load(BPF_PROG_TYPE_KPROBE, 0, 0, key), fd;

	if (prog < 0)
		return prog;
	fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -1;
	return fd;
}

static int attach_multi(char *names, bool returns, uint32_t key)
{
	uint64_t sym[MAX_MULTI];
	struct multi_attr attr = {
		.attach_type = KPROBE_MULTI, .multi_flags = returns, .syms = (uintptr_t)sym,
	};
	char *name;

	while ((name = strsep(&names, ",")) && attr.cnt < MAX_MULTI)
		sym[attr.cnt++] = (uintptr_t)name;
	attr.prog_fd = prog_load(BPF_PROG_TYPE_KPROBE, KPROBE_MULTI, 0, key);
	return (int)attr.prog_fd < 0 ? -1 : bpf(BPF_LINK_CREATE, &attr, sizeof(attr));
}

static int attach(char *place, uint32_t key)
{
	char *name = strchr(place, ':');
	size_t len = name ? name - place : 0;

	if (!name++)
		return -1;
	if (!strncmp(place, "kprobe", len))
		return attach_kprobe(name, false, key);
	if (!strncmp(place, "kretprobe", len))
		return attach_kprobe(name, true, key);
	if (!strncmp(place, "fentry", len))
		return attach_traced(name, BPF_TRACE_FENTRY, key);
	if (!strncmp(place, "fexit", len))
		return attach_traced(name, BPF_TRACE_FEXIT, key);
	if (!strncmp(place, "raw_tp", len))
		return attach_tracepoint(name, key);
	if (!strncmp(place, "multi", len))
		return attach_multi(strdup(name), false, key);
	if (!strncmp(place, "retmulti", len))
		return attach_multi(strdup(name), true, key);
	errno = EINVAL;
	return -1;
}

int main(int argc, char **argv)
{
	struct rlimit unlimited = { RLIM_INFINITY, RLIM_INFINITY };
	static bool there[MAX_PLACES];
	sigset_t set;
	int i, nr;

	if (argc < 2 || argc > MAX_PLACES)
		return 2;
	setrlimit(RLIMIT_MEMLOCK, &unlimited);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	counts = map_create(argc);
	if (counts < 0) {
		perror("bpfprobe: no map");
		return 1;
	}
	for (i = 1; i < argc; i++) {
		there[i] = attach(argv[i], i) >= 0;
		if (!there[i])
			printf("no %s %s\n", argv[i], strerror(errno));
	}
	printf("ready\n");
	fflush(stdout);
	sigwait(&set, &nr);
	for (i = 1; i < argc; i++) {
		if (there[i])
			printf("%s %llu\n", argv[i], (unsigned long long)map_read(i));
	}
	return 0;
}
