// SPDX-License-Identifier: GPL-2.0
/*
 * The rare side of sum.h: sums begin, are read, and are put together.
 *
 * Pure: builds in userspace too.
 */
#include <linux/cache.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "sum.h"

u32 iob_sum_generation __read_mostly = 1;

/**
 * iob_sum_init - begin at 0, under an id that no sum had before
 * @sum:  nobody counts in it yet
 * @disk: the disk
 * @key:  iob_sum_key()
 *
 * Any context.
 */
void iob_sum_init(struct iob_sum *sum, const struct iob_disk *disk, u32 key)
{
	static atomic64_t last_id = ATOMIC64_INIT(0);

	memset(sum, 0, sizeof(*sum));
	sum->disk = disk;
	sum->key = key;
	sum->generation = READ_ONCE(iob_sum_generation);
	sum->id = atomic64_inc_return(&last_id);
}

/* @values gets what was counted so far.  Any context; IOs may be counted meanwhile. */
void iob_sum_read(const struct iob_sum *sum, struct iob_sum_values *values)
{
	unsigned int i;

	values->ios = atomic64_read(&sum->ios);
	values->bytes = atomic64_read(&sum->bytes);
	values->ns = atomic64_read(&sum->ns);
	values->errors = atomic64_read(&sum->errors);
	memset(values->lat, 0, sizeof(values->lat));
	for (i = 0; i < IOB_SUM_KEPT; i++)
		values->lat[min_t(u32, i, IOB_SUM_SLOTS - 1)] += atomic_read(&sum->lat[i]);
}

/* Count all that another sum has counted.  Any context. */
void iob_sum_add(struct iob_sum *to, const struct iob_sum_values *values)
{
	unsigned int i;

	atomic64_add(values->ios, &to->ios);
	atomic64_add(values->bytes, &to->bytes);
	atomic64_add(values->ns, &to->ns);
	atomic64_add(values->errors, &to->errors);
	for (i = 0; i < IOB_SUM_SLOTS; i++)
		atomic_add(values->lat[i], &to->lat[i]);
}

/* True if nothing was counted yet. */
bool iob_sum_empty(const struct iob_sum *sum)
{
	return !atomic64_read(&sum->ios) && !atomic64_read(&sum->bytes) &&
	       !atomic64_read(&sum->errors);
}
