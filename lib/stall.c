/* SPDX-License-Identifier: BSD-3-Clause */
#include "stall.h"

/* Less may be a scheduler's doing; a little less than a second, for a period is never exact. */
#define SHORTEST_S 0.95

static void
keep_longer(struct stall *longest, const struct stall *s)
{
	double length = s->to_s - s->from_s;

	if (s->seen && length >= SHORTEST_S && length > longest->to_s - longest->from_s)
		*longest = *s;
}

struct stall
stall_find(const struct sample_run *samples, bool rx, bool tail)
{
	struct stall longest = {0}, now = {0};
	bool passed = false;

	for (size_t i = 0; i < sample_series_len(samples); i++) {
		struct sample_interval in;

		sample_series_get(samples, i, &in);
		if ((rx ? in.rx.packets : in.tx.packets) > 0) {
			keep_longer(&longest, &now);
			passed = true;
			now.seen = false;
		} else if (passed) {
			if (!now.seen)
				now.from_s = in.t_s - in.length_s;
			now.seen = true;
			now.to_s = in.t_s;
		}
	}
	now.to_end = true;
	if (tail)
		keep_longer(&longest, &now);
	return longest;
}

void
stall_note(const struct stall *s, bool rx, struct notes *notes)
{
	if (!s->seen)
		return;
	notes_warn(notes, "%s from %.1f s to %.1f s of the measured time, %s",
		rx ? "no frame came" : "the device accepted no frame", s->from_s, s->to_s,
		s->to_end ? "which was its end"
			  : "but before and after it: the rates are means "
			    "over that gap, too");
}
