// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's root is on 9p, whose device does not come back once it was suspended.  While
 * this module is loaded, 9p's devices are left out when the machine suspends.
 *
 * No clock of QEMU is a wake-up device, so the module has one.  N written to its parameter `wake`
 * causes an event N seconds after the device was suspended, which is next to last: the machine
 * sleeps by then.  `slept` says how many milliseconds it did.
 */
#include <linux/device.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/suspend.h>
#include <linux/timer.h>

/* virtio's 9p, as older and as newer machines name it */
static const unsigned int ids[] = { 0x1009, 0x1049 };

static unsigned int wake;
module_param(wake, uint, 0600);

static unsigned int slept;
module_param(slept, uint, 0400);

static struct platform_device *waker;
static ktime_t began;

static void p9_devices_stay(bool stay)
{
	struct pci_dev *dev = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		while ((dev = pci_get_device(PCI_VENDOR_ID_REDHAT_QUMRANET, ids[i], dev)))
			dev_pm_syscore_device(&dev->dev, stay);
	}
}

static void wake_up_machine(struct timer_list *timer)
{
	pm_system_wakeup();
}

static DEFINE_TIMER(wake_timer, wake_up_machine);

static int waker_suspend(struct device *dev)
{
	began = ktime_get_boottime();
	if (wake)
		mod_timer(&wake_timer, jiffies + wake * HZ);
	return 0;
}

static int waker_resume(struct device *dev)
{
	slept = ktime_ms_delta(ktime_get_boottime(), began);
	return 0;
}

static const struct dev_pm_ops waker_pm_ops = {
	.suspend_noirq = waker_suspend,
	.resume_noirq = waker_resume,
};

static struct platform_driver waker_driver = {
	.driver = { .name = "iobtest-waker", .pm = &waker_pm_ops },
};

static int __init stay_init(void)
{
	int err = platform_driver_register(&waker_driver);

	if (err)
		return err;
	waker = platform_device_register_simple("iobtest-waker", -1, NULL, 0);
	if (IS_ERR(waker)) {
		platform_driver_unregister(&waker_driver);
		return PTR_ERR(waker);
	}
	p9_devices_stay(true);
	return 0;
}

static void __exit stay_exit(void)
{
	p9_devices_stay(false);
	platform_device_unregister(waker);
	platform_driver_unregister(&waker_driver);
	timer_delete_sync(&wake_timer);
}

module_init(stay_init);
module_exit(stay_exit);
MODULE_DESCRIPTION("leave 9p's devices out of a suspend, and end one");
MODULE_LICENSE("GPL");
