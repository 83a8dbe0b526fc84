/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When a stream's next frames are due. One due time for each stream, kept to the 2^-32nd of a
 * cycle, so that no rounding adds up: the mean is the rate asked for. A poll sends what is due by
 * then, one frame at low rates. What a late poll could not send is made up for, but not more than
 * the credit: the rest is dropped and counted.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The worker's alone. */
struct pace {
	unsigned __int128 due;      /* cycles times 2^32; 0: not begun */
	unsigned __int128 interval; /* of two frames, the same */
	uint64_t credit;            /* cycles that are made up for at most */
	uint64_t phase;             /* cycles from the first poll to the first frame */
};

/* What pace_due() found. */
struct pace_now {
	uint32_t frames;  /* that are due */
	uint64_t late;    /* cycles since the first of them was */
	uint64_t dropped; /* frames for which the time is past */
};

/* A share of a rate: frames per second times part / whole. */
struct pace_rate {
	uint64_t pps;
	uint32_t part, whole;
};

/*
 * @param hz cycles per second, as measured
 * @param phase_part the stream's place among phase_whole that send at the same rate: they take
 * turns
 * @return false if the interval is longer than an hour
 */
bool pace_init(struct pace *p, double hz, const struct pace_rate *rate, uint32_t phase_part,
	uint32_t phase_whole);

/*
 * What is due at a time. The first call begins.
 * @param most frames that are asked for
 */
struct pace_now pace_due(struct pace *p, uint64_t tsc, uint32_t most);

/* So many of them were sent. */
static inline void
pace_sent(struct pace *p, uint32_t frames)
{
	p->due += p->interval * frames;
}
