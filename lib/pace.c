/* SPDX-License-Identifier: BSD-3-Clause */
#include "pace.h"

/*
 * A hypervisor takes a CPU away for some milliseconds now and then; over 5 s that is a thousandth.
 * Longer, and the burst that makes up for it would be a test of its own.
 */
#define CREDIT_S  0.01
#define LONGEST_S 3600.0

bool
pace_init(struct pace *p, double hz, const struct pace_rate *rate, uint32_t phase_part,
	uint32_t phase_whole)
{
	/* In double first: 53 bits of it are less than a frame in a day off. */
	double interval = hz * rate->whole / ((double)rate->pps * rate->part);

	*p = (struct pace){0};
	if (!(interval < hz * LONGEST_S))
		return false;
	p->interval = (unsigned __int128)(interval * 4294967296.0);
	if (p->interval == 0)
		p->interval = 1;
	p->credit = (uint64_t)(hz * CREDIT_S);
	/* At low rates the credit would not hold a frame. */
	if (p->credit < 2 * (uint64_t)interval)
		p->credit = 2 * (uint64_t)interval;
	p->phase = (uint64_t)(interval * phase_part / phase_whole);
	return true;
}

/* Frames whose time came in a stretch that is given up, the due time moved over them. */
static uint64_t
drop(struct pace *p, unsigned __int128 now)
{
	unsigned __int128 oldest = now - ((unsigned __int128)p->credit << 32);
	uint64_t frames;

	if (p->due >= oldest)
		return 0;
	frames = (uint64_t)((oldest - p->due) / p->interval);
	p->due += p->interval * frames;
	return frames;
}

struct pace_now
pace_due(struct pace *p, uint64_t tsc, uint32_t most)
{
	unsigned __int128 now = (unsigned __int128)tsc << 32, at;
	struct pace_now found = {0};

	if (p->due == 0)
		p->due = now + ((unsigned __int128)p->phase << 32);
	if (p->due > now)
		return found;
	found.late = (uint64_t)((now - p->due) >> 32);
	if (found.late > p->credit)
		found.dropped = drop(p, now);
	at = p->due;
	while (found.frames < most && at <= now) {
		found.frames++;
		at += p->interval;
	}
	return found;
}
