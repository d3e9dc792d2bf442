// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's root is on 9p, whose device does not come back once it was suspended.  While
 * this module is loaded, 9p's devices are left out when the machine suspends.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/pci.h>

/* virtio's 9p, as older and as newer machines name it */
static const unsigned int ids[] = { 0x1009, 0x1049 };

static void p9_devices_stay(bool stay)
{
	struct pci_dev *dev = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		while ((dev = pci_get_device(PCI_VENDOR_ID_REDHAT_QUMRANET, ids[i], dev)))
			dev_pm_syscore_device(&dev->dev, stay);
	}
}

static int __init stay_init(void)
{
	p9_devices_stay(true);
	return 0;
}

static void __exit stay_exit(void)
{
	p9_devices_stay(false);
}

module_init(stay_init);
module_exit(stay_exit);
MODULE_DESCRIPTION("leave 9p's devices out of a suspend");
MODULE_LICENSE("GPL");
