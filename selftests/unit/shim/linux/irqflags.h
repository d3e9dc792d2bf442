/* SPDX-License-Identifier: GPL-2.0 */
/* Interrupts of one CPU; a test that has some looks whether they are off. */
#ifndef SHIM_LINUX_IRQFLAGS_H
#define SHIM_LINUX_IRQFLAGS_H

#include <linux/types.h>

static bool shim_irqs_off __attribute__((unused));

#define local_irq_save(flags)		((flags) = shim_irqs_off, shim_irqs_off = true)
#define local_irq_restore(flags)	((void)(shim_irqs_off = (flags)))

#endif
