// SPDX-License-Identifier: GPL-2.0
/*
 * Lets calls of ioblame.ko fail, at chosen places: kernels of distributions inject no faults.
 *
 * A site is a call instruction in ioblame, or a jump that ends a function.  It gets a kprobe,
 * which counts, and which returns what the called function returns without memory, instead of
 * calling it.  So the place is exact, in any context, and no other module is touched.
 *
 * Sites are kept while ioblame comes and goes: their kprobes are registered before its first
 * code runs, and go after its last.  A hit inside another kprobe's handler is not seen.
 *
 * debugfs iob_fail, one command in each write:
 *	site OFFSET VALUE	a site, at an offset from where the module's code begins
 *	fail NR SKIP TIMES	let hits fail, after SKIP; -1: all; its counts become 0
 *	zero			all counts become 0, and no site fails
 *	clear			there is no site any more
 * A read shows where that was last, then "NR HITS FAILED ERROR" for each site.
 *
 * M: sites_mutex.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define MAX_SITES	512
#define CALL		0xe8
#define JUMP		0xe9
#define CALL_SIZE	5

struct site {
	struct kprobe kp;
	unsigned long offset;	/* from the module's code */
	bool is_call;
	bool registered;	/* M */
	int error;		/* M: of registering */
	long value;		/* returned instead of a call */
	unsigned int skip;	/* hits that do not fail */
	unsigned int times;	/* hits that do, behind these */
	atomic_t hits;
	atomic_t failed;
};

static DEFINE_MUTEX(sites_mutex);
static struct site sites[MAX_SITES];	/* M */
static unsigned int nr_sites;		/* M */
static struct module *watched;		/* M: ioblame, while it is there */
static unsigned long text_base;		/* M: of the last one */
static struct dentry *file;

static unsigned long text_of(const struct module *mod)
{
#ifdef MODULE_HAS_MEM
	return (unsigned long)mod->mem[MOD_TEXT].base;
#else
	return (unsigned long)mod->core_layout.base;
#endif
}

/* Whether this hit fails. */
static int site_hit(struct kprobe *kp, struct pt_regs *regs)
{
	struct site *s = container_of(kp, struct site, kp);
	unsigned int hit = atomic_inc_return(&s->hits) - 1, skip = READ_ONCE(s->skip);

	if (hit < skip || hit - skip >= READ_ONCE(s->times))
		return 0;
	atomic_inc(&s->failed);
	regs->ax = s->value;
	if (s->is_call) {
		regs->ip = (unsigned long)kp->addr + CALL_SIZE;
	} else {
		regs->ip = *(unsigned long *)regs->sp;
		regs->sp += sizeof(long);
	}
	return 1;
}

/* A kprobe with one of these is never made a jump, which could not change where to go on. */
static void site_hit_after(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

/* M; the module is coming or live */
static int site_register(struct site *s)
{
	u8 *at = (u8 *)(text_base + s->offset);

	if (*at != CALL && *at != JUMP)
		return -ENOEXEC;
	s->is_call = *at == CALL;
	memset(&s->kp, 0, sizeof(s->kp));
	s->kp.addr = at;
	s->kp.pre_handler = site_hit;
	s->kp.post_handler = site_hit_after;
	return register_kprobe(&s->kp);
}

static void site_begin(struct site *s)
{
	s->error = site_register(s);
	s->registered = !s->error;
}

/* M */
static void sites_end(void)
{
	static struct kprobe *kps[MAX_SITES];
	unsigned int i, nr = 0;

	for (i = 0; i < nr_sites; i++) {
		if (sites[i].registered)
			kps[nr++] = &sites[i].kp;
		sites[i].registered = false;
	}
	/* all at once: each call waits for a grace period */
	if (nr)
		unregister_kprobes(kps, nr);
}

static int module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;
	unsigned int i;

	if (strcmp(mod->name, "ioblame"))
		return NOTIFY_OK;
	mutex_lock(&sites_mutex);
	if (event == MODULE_STATE_COMING) {
		watched = mod;
		text_base = text_of(mod);
		for (i = 0; i < nr_sites; i++)
			site_begin(&sites[i]);
	} else if (event == MODULE_STATE_GOING) {
		sites_end();
		watched = NULL;
	}
	mutex_unlock(&sites_mutex);
	return NOTIFY_OK;
}

/* Before that of kprobes, which when the module goes ends those in it by force. */
static struct notifier_block module_notifier = {
	.notifier_call = module_event,
	.priority = 10,
};

static int add_site(unsigned long offset, long value)
{
	struct site *s = &sites[nr_sites];

	if (nr_sites == MAX_SITES)
		return -ENOSPC;
	memset(s, 0, sizeof(*s));
	s->offset = offset;
	s->value = value;
	nr_sites++;
	if (watched)
		site_begin(s);
	return 0;
}

static void site_set(struct site *s, unsigned int skip, unsigned int times)
{
	WRITE_ONCE(s->times, 0);
	WRITE_ONCE(s->skip, skip);
	atomic_set(&s->hits, 0);
	atomic_set(&s->failed, 0);
	WRITE_ONCE(s->times, times);
}

static int run_command(const char *text)
{
	unsigned long offset;
	unsigned int nr, skip;
	long value, times;

	if (sscanf(text, "site %lx %li", &offset, &value) == 2)
		return add_site(offset, value);
	if (sscanf(text, "fail %u %u %li", &nr, &skip, &times) == 3) {
		if (nr >= nr_sites)
			return -EINVAL;
		site_set(&sites[nr], skip, times < 0 ? UINT_MAX : times);
		return 0;
	}
	if (!strncmp(text, "zero", 4)) {
		for (nr = 0; nr < nr_sites; nr++)
			site_set(&sites[nr], 0, 0);
		return 0;
	}
	if (!strncmp(text, "clear", 5)) {
		sites_end();
		nr_sites = 0;
		return 0;
	}
	return -EINVAL;
}

static ssize_t sites_write(struct file *f, const char __user *from, size_t count, loff_t *pos)
{
	char *text;
	int err;

	if (count > PAGE_SIZE)
		return -E2BIG;
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	mutex_lock(&sites_mutex);
	err = run_command(text);
	mutex_unlock(&sites_mutex);
	kfree(text);
	return err ? err : count;
}

static int sites_show(struct seq_file *m, void *v)
{
	unsigned int i;

	mutex_lock(&sites_mutex);
	seq_printf(m, "%lx\n", text_base);
	for (i = 0; i < nr_sites; i++) {
		const struct site *s = &sites[i];

		seq_printf(m, "%u %u %u %d\n", i, atomic_read(&s->hits),
			   atomic_read(&s->failed), s->error);
	}
	mutex_unlock(&sites_mutex);
	return 0;
}

static int sites_open(struct inode *inode, struct file *f)
{
	return single_open_size(f, sites_show, NULL, 64 * MAX_SITES);
}

static const struct file_operations sites_fops = {
	.owner = THIS_MODULE,
	.open = sites_open,
	.read = seq_read,
	.write = sites_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init fail_init(void)
{
	int err = register_module_notifier(&module_notifier);

	if (err)
		return err;
	file = debugfs_create_file("iob_fail", 0600, NULL, NULL, &sites_fops);
	if (IS_ERR(file)) {
		unregister_module_notifier(&module_notifier);
		return PTR_ERR(file);
	}
	return 0;
}
module_init(fail_init);

static void __exit fail_exit(void)
{
	debugfs_remove(file);
	unregister_module_notifier(&module_notifier);
	sites_end();
}
module_exit(fail_exit);

MODULE_DESCRIPTION("Failures at chosen places of ioblame, for its tests");
MODULE_LICENSE("GPL");
