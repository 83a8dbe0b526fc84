/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock.h"

#include <errno.h>
#include <time.h>

#include <rte_cycles.h>

uint64_t
clock_mono_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

struct clock_anchor
clock_anchor_now(void)
{
	struct clock_anchor best = {0};
	uint64_t narrowest = UINT64_MAX;

	/* Of a few readings the one least torn apart by an interruption. */
	for (int i = 0; i < 8; i++) {
		uint64_t before = rte_rdtsc_precise();
		uint64_t mono = clock_mono_ns();
		uint64_t after = rte_rdtsc_precise();

		if (after - before < narrowest) {
			narrowest = after - before;
			best.tsc = before + narrowest / 2;
			best.mono_ns = mono;
		}
	}
	return best;
}

void
clock_sleep_ns(uint64_t ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}
