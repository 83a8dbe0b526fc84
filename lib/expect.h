/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What was promised against what was reached: an instance's advertised packets a second and
 * bandwidth, and whether the rate held. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "sample.h"

struct expect {
	uint64_t pps;     /* 0: nothing is expected of it */
	uint64_t bps;     /* L2, bits per second; 0: the same */
	uint32_t minimum; /* percent of each that is to be reached */
};

struct expect_result {
	bool asked;     /* something was expected; the rest is 0 without it */
	bool met;       /* each share is at least the minimum */
	double pps_pct; /* reached of what was expected, percent; NAN: not asked, or not known */
	double bps_pct; /* the same */
	bool steady;    /* there were periods enough to tell whether the rate held */
	bool stepped;   /* it did not: the last third is below nine tenths of the first */
	double first, last; /* their medians, frames per second */
};

/*
 * Judges the mean rates of a direction's window, and the stats periods inside it.
 * @param rx judge what was received, else what the device accepted
 */
void expect_judge(const struct expect *expect, const struct sample_summary *summary,
	const struct sample_run *samples, bool rx, struct expect_result *out);
