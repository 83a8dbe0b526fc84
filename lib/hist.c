/* SPDX-License-Identifier: BSD-3-Clause */
#include "hist.h"

#include <math.h>

void
hist_add(struct hist *to, const struct hist *from)
{
	to->count += from->count;
	to->max = from->max > to->max ? from->max : to->max;
	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

/* The highest value that falls into a bucket. */
static uint64_t
highest_of(unsigned index)
{
	unsigned power;

	if (index < 2 * HIST_LINEAR)
		return index;
	power = index / HIST_LINEAR - 1;
	return ((uint64_t)(index % HIST_LINEAR + HIST_LINEAR + 1) << power) - 1;
}

uint64_t
hist_percentile(const struct hist *h, double percent)
{
	double rank = ceil(percent / 100 * (double)h->count);
	uint64_t wanted = rank < 1 ? 1 : (uint64_t)rank, seen = 0;

	if (h->count == 0)
		return 0;
	for (unsigned i = 0; i < HIST_BUCKETS; i++) {
		seen += h->bucket[i];
		if (seen >= wanted) {
			uint64_t value = highest_of(i);

			return value < h->max ? value : h->max;
		}
	}
	return h->max;
}
