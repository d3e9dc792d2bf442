/* SPDX-License-Identifier: GPL-2.0 */
/* Work that the test calls itself. */
#ifndef SHIM_LINUX_WORKQUEUE_H
#define SHIM_LINUX_WORKQUEUE_H

struct work_struct {
	void (*func)(struct work_struct *work);
};

struct delayed_work {
	struct work_struct work;
};

#define DECLARE_DELAYED_WORK(n, f)	struct delayed_work n = { .work.func = (f) }
#define DECLARE_DEFERRABLE_WORK(n, f)	DECLARE_DELAYED_WORK(n, f)
#define to_delayed_work(w)		((struct delayed_work *)(w))
#define INIT_DEFERRABLE_WORK(w, f)	((w)->work.func = (f))
#define cancel_delayed_work_sync(w)	((void)(w))

#endif
