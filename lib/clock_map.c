/* SPDX-License-Identifier: BSD-3-Clause */
#include "clock_map.h"

#include <math.h>
#include <stdio.h>

/* Products of two 64-bit numbers. */
typedef unsigned __int128 uint128;

int
clock_map_init(struct clock_map *m, struct clock_anchor start, struct clock_anchor end)
{
	*m = (struct clock_map){.start = start, .end = end};
	return end.tsc > start.tsc && end.mono_ns > start.mono_ns ? 0 : -1;
}

uint64_t
clock_map_ns(const struct clock_map *m, uint64_t tsc)
{
	uint64_t cycles = m->end.tsc - m->start.tsc;
	uint64_t ns = m->end.mono_ns - m->start.mono_ns;
	uint128 distance;

	if (tsc < m->start.tsc) {
		distance = (uint128)(m->start.tsc - tsc) * ns / cycles;
		return distance > m->start.mono_ns ? 0 : m->start.mono_ns - (uint64_t)distance;
	}
	distance = (uint128)(tsc - m->start.tsc) * ns / cycles;
	if (distance > UINT64_MAX - m->start.mono_ns)
		return UINT64_MAX;
	return m->start.mono_ns + (uint64_t)distance;
}

double
clock_map_hz(const struct clock_map *m)
{
	return (double)(m->end.tsc - m->start.tsc) * 1e9 /
	       (double)(m->end.mono_ns - m->start.mono_ns);
}

double
clock_map_deviation(const struct clock_map *m, uint64_t announced_hz)
{
	return (double)announced_hz / clock_map_hz(m) - 1;
}

bool
clock_map_note(const struct clock_map *m, uint64_t announced_hz, char *buf, size_t len)
{
	double deviation = clock_map_deviation(m, announced_hz);

	if (len > 0)
		buf[0] = '\0';
	if (fabs(deviation) <= CLOCK_MAP_TOLERANCE)
		return false;
	snprintf(buf, len,
		"the TSC is announced at %.4f GHz but runs at %.4f GHz (%+.2f %%); "
		"all rates here are over the monotonic clock and stay right, "
		"programs that trust the announced frequency show wrong ones",
		(double)announced_hz / 1e9, clock_map_hz(m) / 1e9, deviation * 100);
	return true;
}
