/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A histogram of any 64-bit values with a bounded relative error, after HdrHistogram's contract:
 * exact below 256, and within 1/128 above, whatever the range. Recording is a few instructions and
 * never fails. One writer; whoever reads waits for its end.
 */
#pragma once

#include <stdint.h>

enum {
	HIST_LINEAR = 128, /* buckets in each power of two from 128 on */
	HIST_BUCKETS = 128 + 57 * HIST_LINEAR,
};

struct hist {
	uint64_t count;
	uint64_t max;
	uint64_t bucket[HIST_BUCKETS];
};

static inline unsigned
hist_index(uint64_t value)
{
	unsigned top = value < HIST_LINEAR ? 7 : 63 - (unsigned)__builtin_clzll(value);

	return (top - 7) * HIST_LINEAR + (unsigned)(value >> (top - 7));
}

/* The same value so many times. */
static inline void
hist_record(struct hist *h, uint64_t value, uint64_t times)
{
	h->count += times;
	h->bucket[hist_index(value)] += times;
	if (value > h->max)
		h->max = value;
}

/* Adds what another histogram has. */
void hist_add(struct hist *to, const struct hist *from);

/*
 * @param percent 0 to 100
 * @return the highest value of the bucket at or below which so many percent of all values are, at
 * most the maximum; 0 for an empty histogram
 */
uint64_t hist_percentile(const struct hist *h, double percent);
