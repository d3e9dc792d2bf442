// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of a function that ioblame hooks, out of the handler of a kprobe: a kprobe at that function
 * is not served then.
 *
 * The parameter `path` takes the path of a file that has a page.  __folio_cancel_dirty() is called
 * ten times for the clean page: it changes nothing.
 */
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>

static struct folio *subject;

static noinline void iobtest_missed_place(void)
{
	barrier();
}

/* Preemption is off, maybe interrupts. */
static int place_hit(struct kprobe *kp, struct pt_regs *regs)
{
	int i;

	for (i = 0; i < 10; i++)
		__folio_cancel_dirty(subject);
	return 0;
}

static struct kprobe place_kprobe = {
	.symbol_name = "iobtest_missed_place",
	.pre_handler = place_hit,
};

static int path_set(const char *text, const struct kernel_param *param)
{
	struct file *file = filp_open(text, O_RDONLY, 0);

	if (IS_ERR(file))
		return PTR_ERR(file);
	subject = read_mapping_folio(file->f_mapping, 0, file);
	if (!IS_ERR(subject)) {
		folio_lock(subject);
		iobtest_missed_place();
		folio_unlock(subject);
		folio_put(subject);
	}
	filp_close(file, NULL);
	return PTR_ERR_OR_ZERO(subject);
}

static const struct kernel_param_ops path_ops = { .set = path_set };
module_param_cb(path, &path_ops, NULL, 0200);

static int __init missed_calls_init(void)
{
	return register_kprobe(&place_kprobe);
}

static void __exit missed_calls_exit(void)
{
	unregister_kprobe(&place_kprobe);
}

module_init(missed_calls_init);
module_exit(missed_calls_exit);
MODULE_DESCRIPTION("ioblame's tests: calls out of a kprobe's handler");
MODULE_LICENSE("GPL");
