// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel and the machine, as a bundle has them: what is listed here, and nothing else.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "anonym.h"
#include "bundle.h"
#include "file.h"
#include "msg.h"

/* Print the lines of a text that begin with one of some words. */
struct choice_of_lines {
	FILE *f;
	const char *const *words;	/* ends with NULL */
};

static void print_chosen(char *line, void *arg)
{
	const struct choice_of_lines *c = arg;
	const char *const *word;

	for (word = c->words; *word; word++) {
		if (!strncmp(line, *word, strlen(*word))) {
			fprintf(c->f, "%s\n", line);
			return;
		}
	}
}

/* The same of a configuration: texts, as of who signs modules, and with which PIN, are left out. */
static void print_setting(char *line, void *arg)
{
	const char *value = strchr(line, '=');

	if (!value || !value[1 + strspn(value + 1, "ymnx0123456789abcdef")])
		print_chosen(line, arg);
}

static void copy_lines(FILE *f, const char *path, const char *const *words)
{
	struct choice_of_lines c = { f, words };
	char *text = bundle_read(path, path);

	bundle_lines(text, print_chosen, &c);
	free(text);
}

/* Run a command of the shell, and copy what it prints; @label is its name for people. */
static void copy_output(FILE *f, const char *label, const char *command)
{
	char line[512];
	bool any = false;
	FILE *p;

	snprintf(line, sizeof(line), "exec 2>/dev/null; %s", command);
	p = popen(line, "re");

	while (p && fgets(line, sizeof(line), p)) {
		fputs(line, f);
		any = true;
	}
	if (p && pclose(p))
		any = false;
	if (!any)
		bundle_missing(label, "it failed, or printed nothing");
}

void bundle_versions(FILE *f)
{
	/* (a pretty name may be a company's) */
	static const char *const release[] = {
		"ID=", "ID_LIKE=", "VERSION_ID=", "VERSION_CODENAME=", NULL
	};
	struct utsname name;

	fprintf(f, "command %s\n", VERSION);
	if (access("/sys/module/ioblame", F_OK)) {
		bundle_missing("/sys/module/ioblame", "the module is not loaded");
	} else {
		bundle_copy(f, "/sys/module/ioblame/version");
		bundle_copy(f, "/sys/module/ioblame/srcversion");
		bundle_copy(f, "/sys/module/ioblame/taint");
		bundle_copy(f, "/sys/module/ioblame/refcnt");
		bundle_copy(f, "/sys/module/ioblame/initstate");
	}
	/* of the module that is installed, which may be another one */
	if (!uname(&name)) {
		fputs("installed, by modinfo: vermagic, srcversion\n", f);
		copy_output(f, "modinfo: vermagic", "modinfo -F vermagic ioblame");
		copy_output(f, "modinfo: srcversion", "modinfo -F srcversion ioblame");
	}
	copy_lines(f, "/etc/os-release", release);
}

/* Words of the command line that are shown with their value; others may hold secrets. */
static const char *const shown_words[] = {
	"amd_pstate", "cgroup_disable", "clocksource", "console", "crashkernel", "debug",
	"debugfs", "elevator", "ftrace", "hugepages", "idle", "init_on_alloc", "init_on_free",
	"iommu", "isolcpus", "kasan_multi_shot", "kasan.fault", "kfence.sample_interval",
	"lockdown", "lsm", "maxcpus", "mem", "mitigations", "module.sig_enforce",
	"module_blacklist", "nohz", "nohz_full", "nokaslr", "noapic", "nolapic", "nosmp",
	"nosmt", "nowatchdog", "nr_cpus", "numa", "numa_balancing", "oops", "page_poison",
	"panic", "panic_on_oops", "panic_on_warn", "possible_cpus", "preempt", "quiet", "ro",
	"rw", "rcu_nocbs", "slub_debug", "slab_debug", "systemd.unified_cgroup_hierarchy",
	"threadirqs", "transparent_hugepage", "tsc", "vsyscall", "psi", "swapaccount",
	"zswap.enabled",
};

static bool is_shown_word(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(shown_words); i++) {
		if (strlen(shown_words[i]) == len && !strncmp(word, shown_words[i], len))
			return true;
	}
	return false;
}

/* The command line of the kernel: without values that may be secret; see shown_words. */
static void print_command_line(FILE *f)
{
	char *text = bundle_read("/proc/cmdline", "/proc/cmdline"), *word, *rest;
	unsigned int left = 0;
	size_t len;

	if (!text)
		return;
	fputs("command line:", f);
	for (word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		len = strcspn(word, "=");
		if (is_shown_word(word, len))
			fprintf(f, " %s", word);
		else if (word[len] && !anonym_is_on())
			fprintf(f, " %.*s=...", (int)len, word);
		else
			left++;
	}
	fprintf(f, " (and %u more)\n", left);
	free(text);
}

void bundle_kernel(FILE *f)
{
	static const char *const cpu[] = { "model name", "flags", NULL };
	static const char *const files[] = {
		"/proc/sys/kernel/tainted", "/sys/kernel/security/lockdown",
		"/sys/module/module/parameters/sig_enforce", "/proc/sys/kernel/ftrace_enabled",
		"/proc/sys/kernel/kptr_restrict", "/proc/sys/kernel/dmesg_restrict",
		"/proc/sys/kernel/perf_event_paranoid", "/proc/sys/kernel/panic",
		"/proc/sys/kernel/panic_on_oops", "/proc/sys/kernel/panic_on_warn",
		"/proc/sys/vm/dirty_ratio", "/proc/sys/vm/dirty_background_ratio",
		"/proc/sys/vm/dirty_bytes", "/proc/sys/vm/dirty_background_bytes",
		"/proc/sys/vm/dirty_expire_centisecs", "/proc/sys/vm/dirty_writeback_centisecs",
		"/sys/kernel/mm/transparent_hugepage/enabled",
		"/sys/devices/system/cpu/possible", "/sys/devices/system/cpu/present",
		"/sys/devices/system/cpu/online",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource",
		"/sys/fs/cgroup/cgroup.controllers", "/proc/uptime", "/proc/loadavg",
	};
	struct utsname name;
	char *text, *end;
	size_t i;

	if (!uname(&name)) {
		anonym_keep(name.release);
		fprintf(f, "%s %s %s %s\n", name.sysname, name.release, name.version, name.machine);
	}
	for (i = 0; i < ARRAY_SIZE(files); i++)
		bundle_copy(f, files[i]);
	print_command_line(f);
	/* one processor stands for all */
	text = bundle_read("/proc/cpuinfo", "/proc/cpuinfo");
	end = text ? strstr(text, "\n\n") : NULL;
	if (end)
		end[1] = '\0';
	bundle_lines(text, print_chosen, &(struct choice_of_lines){ f, cpu });
	free(text);
}

static const char *const config_words[] = {
	"CONFIG_BLK", "CONFIG_BTRFS", "CONFIG_CC_IS", "CONFIG_CFI", "CONFIG_CGROUP",
	"CONFIG_CLANG_VERSION", "CONFIG_DEBUG_", "CONFIG_DM_", "CONFIG_DYNAMIC_", "CONFIG_EXT4",
	"CONFIG_F2FS", "CONFIG_FAULT", "CONFIG_FORTIFY", "CONFIG_FRAME", "CONFIG_FTRACE",
	"CONFIG_FUNCTION", "CONFIG_GCC_VERSION", "CONFIG_HAVE_DYNAMIC", "CONFIG_HARDENED",
	"CONFIG_HZ", "CONFIG_HOTPLUG_CPU", "CONFIG_IO_URING", "CONFIG_KALLSYMS", "CONFIG_KASAN",
	"CONFIG_KCSAN", "CONFIG_KFENCE", "CONFIG_KPROBE", "CONFIG_LIVEPATCH", "CONFIG_LOCKDEP",
	"CONFIG_LOCK_DOWN", "CONFIG_MD_", "CONFIG_MEMCG", "CONFIG_MEMORY_HOTPLUG",
	"CONFIG_MODULE", "CONFIG_MITIGATION", "CONFIG_NO_HZ", "CONFIG_NR_CPUS", "CONFIG_NUMA",
	"CONFIG_PAGE_", "CONFIG_PREEMPT", "CONFIG_PROVE", "CONFIG_RANDOMIZE", "CONFIG_RCU",
	"CONFIG_SECURITY_LOCKDOWN", "CONFIG_SLAB", "CONFIG_SLUB", "CONFIG_SMP",
	"CONFIG_SPARSEMEM", "CONFIG_STACK", "CONFIG_TRACE", "CONFIG_TRANSPARENT",
	"CONFIG_UBSAN", "CONFIG_UNWINDER", "CONFIG_USER_NS", "CONFIG_VMAP_STACK",
	"CONFIG_X86_KERNEL_IBT", "CONFIG_XFS", NULL,
};

void bundle_config(FILE *f)
{
	struct choice_of_lines c = { f, config_words };
	char path[512], *text;
	struct utsname name;

	if (uname(&name))
		return;
	snprintf(path, sizeof(path), "/boot/config-%s", name.release);
	if (access(path, R_OK))
		snprintf(path, sizeof(path), "/lib/modules/%s/config", name.release);
	if (access(path, R_OK))
		snprintf(path, sizeof(path), "/lib/modules/%s/build/.config", name.release);
	if (!access(path, R_OK)) {
		text = bundle_read(path, path);
		bundle_lines(text, print_setting, &c);
		free(text);
	} else if (!access("/proc/config.gz", R_OK)) {
		copy_output(f, "/proc/config.gz", "gzip -dc /proc/config.gz | grep -E '^CONFIG_[A-Z0-9_]*=[ym0-9]*$'");
	} else {
		bundle_missing("the kernel's configuration",
			       "neither /boot/config-RELEASE nor /proc/config.gz");
	}
}

void bundle_memory(FILE *f)
{
	static const char *const memory[] = {
		"MemTotal", "MemFree", "MemAvailable", "Cached", "SwapTotal", "SwapFree", "Dirty",
		"Writeback:", "Slab", "SReclaimable", "SUnreclaim", "VmallocUsed", "Percpu", NULL
	};
	static const char *const slabs[] = { "slabinfo", "# name", "iob_", NULL };
	static const char *const buddy[] = { "Node", NULL };

	copy_lines(f, "/proc/meminfo", memory);
	copy_lines(f, "/proc/slabinfo", slabs);
	copy_lines(f, "/proc/buddyinfo", buddy);
}

/* The name, the size, the users and the taints of a module, without its address */
static void print_module(char *line, void *arg)
{
	char *address = strstr(line, " 0x"), *taints = address ? strchr(address + 1, ' ') : NULL;
	FILE *f = arg;

	if (address)
		*address = '\0';
	fprintf(f, "%s%s\n", line, taints ? taints : "");
}

void bundle_modules(FILE *f)
{
	char *text = bundle_read("/proc/modules", "/proc/modules");
	struct dirent *e;
	DIR *dir;

	bundle_lines(text, print_module, f);
	free(text);
	dir = opendir("/sys/kernel/livepatch");
	while (dir && (e = readdir(dir)) != NULL) {
		if (e->d_name[0] != '.')
			fprintf(f, "live patch %s\n", e->d_name);
	}
	if (dir)
		closedir(dir);
}
