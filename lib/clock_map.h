/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stamps of the TSC as time on CLOCK_MONOTONIC. Workers stamp with the TSC since it costs them
 * least; every rate is over monotonic time. Two anchors, each a reading of both clocks at the same
 * moment, give the line between them. What the platform announces as the TSC's frequency is never
 * used for it, only compared: some clouds announce a wrong one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock_anchor {
	uint64_t tsc;     /* cycles */
	uint64_t mono_ns; /* nanoseconds */
};

struct clock_map {
	struct clock_anchor start;
	struct clock_anchor end;
};

/* Deviation of the announced frequency above which a run says so: 0.1 %. */
#define CLOCK_MAP_TOLERANCE 0.001

/*
 * Makes the map from a reading at the start and one at the end. The longer between, the better; a
 * millisecond is enough for a first look.
 * @return 0; -1 when either clock did not move forward, and the map is not usable
 */
int clock_map_init(struct clock_map *m, struct clock_anchor start, struct clock_anchor end);

/*
 * The monotonic time of a stamp in nanoseconds; stamps before, between and after the anchors all
 * do. Times that 64 bits cannot hold end at 0 and UINT64_MAX.
 */
uint64_t clock_map_ns(const struct clock_map *m, uint64_t tsc);

/* The measured TSC frequency in Hz. */
double clock_map_hz(const struct clock_map *m);

/* How far announced_hz is from the measured frequency, as a share of the latter: -0.31 is 31 % low.
 */
double clock_map_deviation(const struct clock_map *m, uint64_t announced_hz);

/*
 * Writes the note a user should read when the deviation is above CLOCK_MAP_TOLERANCE.
 * @return whether there is something to note; buf is the empty string if not
 */
bool clock_map_note(const struct clock_map *m, uint64_t announced_hz, char *buf, size_t len);
