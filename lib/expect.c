/* SPDX-License-Identifier: BSD-3-Clause */
#include "expect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MIN_PERIODS = 6, /* two in each third */
};

#define HELD 0.9

static double
percent(double reached, uint64_t expected)
{
	return expected == 0 ? NAN : 100 * reached / (double)expected;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the values. */
static double
median(double *value, size_t n)
{
	qsort(value, n, sizeof(*value), compare);
	return n % 2 == 1 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

/*
 * Rates of the periods from the first with frames to the last with frames, without these two of a
 * receiver, which it may have seen only a part of.
 */
static size_t
rates(const struct sample_run *samples, bool rx, double *rate)
{
	size_t n = 0, last = 0;

	for (size_t i = 0; i < sample_series_len(samples); i++) {
		struct sample_interval in;
		double pps;

		sample_series_get(samples, i, &in);
		pps = rx ? in.rx.pps : in.tx.pps;
		if (n == 0 && !(pps > 0))
			continue;
		rate[n++] = pps;
		if (pps > 0)
			last = n;
	}
	n = last;
	if (!rx || n < 2)
		return n;
	memmove(rate, rate + 1, (n - 2) * sizeof(*rate));
	return n - 2;
}

void
expect_judge(const struct expect *expect, const struct sample_summary *summary,
	const struct sample_run *samples, bool rx, struct expect_result *out)
{
	const struct sample_rate *mean = rx ? &summary->rx.rate : &summary->tx.rate;
	double *rate;
	size_t n;

	*out = (struct expect_result){.asked = expect->pps != 0 || expect->bps != 0};
	if (!out->asked)
		return;
	out->pps_pct = percent(mean->pps, expect->pps);
	out->bps_pct = percent(mean->bps, expect->bps);
	/* A rate that is not known has not reached anything. */
	out->met = (expect->pps == 0 || out->pps_pct >= expect->minimum) &&
		   (expect->bps == 0 || out->bps_pct >= expect->minimum);
	rate = calloc(sample_series_len(samples) + 1, sizeof(*rate));
	if (rate == NULL)
		return;
	n = rates(samples, rx, rate);
	out->steady = n >= MIN_PERIODS;
	if (out->steady) {
		out->first = median(rate, n / 3);
		out->last = median(rate + n - n / 3, n / 3);
		out->stepped = out->last < HELD * out->first;
	}
	free(rate);
}
