// SPDX-License-Identifier: GPL-2.0
/*
 * A clock source that is what kvm-clock is to a reader.
 *
 * QEMU has kvm-clock (and Hyper-V's clock) under KVM only, and the bench counts
 * instructions under TCG.  So this registers a source of the same name, which reads a page
 * of struct pvclock_vcpu_time_info as arch/x86/kernel/kvmclock.c does, on a host whose TSC is
 * stable; the page says how many ns the TSC counts.  It is chosen by writing its name to
 * /sys/devices/system/clocksource/clocksource0/current_clocksource.
 */
#include <linux/clocksource.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <asm/pvclock.h>
#include <asm/tsc.h>

static DEFINE_PER_CPU_ALIGNED(struct pvclock_vcpu_time_info, page);

static noinline u64 pvclock_read(struct pvclock_vcpu_time_info *src)
{
	unsigned int version;
	u64 ns;

	do {
		version = pvclock_read_begin(src);
		ns = __pvclock_read_cycles(src, rdtsc_ordered());
	} while (pvclock_read_retry(src, version));
	return ns;
}

static u64 kvmclock_read(struct clocksource *cs)
{
	u64 ns;

	preempt_disable_notrace();
	ns = pvclock_read(this_cpu_ptr(&page));
	preempt_enable_notrace();
	return ns;
}

static struct clocksource source = {
	.name = "kvm-clock",
	.read = kvmclock_read,
	.rating = 100,	/* fine enough, and not chosen by itself */
	.mask = CLOCKSOURCE_MASK(64),
	.flags = CLOCK_SOURCE_IS_CONTINUOUS,
	.owner = THIS_MODULE,
};

static int __init kvmclock_init(void)
{
	/* ns = (tsc << shift) * mul >> 32, shift positive: a TSC of up to 1 GHz and some */
	s8 shift = 0;
	u64 mul = div_u64(1000000ULL << 32, tsc_khz);
	int cpu;

	for (; mul >> 32; mul >>= 1)
		shift++;
	for_each_possible_cpu(cpu) {
		struct pvclock_vcpu_time_info *src = per_cpu_ptr(&page, cpu);

		src->tsc_to_system_mul = mul;
		src->tsc_shift = shift;
		src->flags = PVCLOCK_TSC_STABLE_BIT;
	}
	return clocksource_register_hz(&source, NSEC_PER_SEC);
}

static void __exit kvmclock_exit(void)
{
	clocksource_unregister(&source);
}

module_init(kvmclock_init);
module_exit(kvmclock_exit);
MODULE_DESCRIPTION("a clock source like kvm-clock, for ioblame's bench");
MODULE_LICENSE("GPL");
