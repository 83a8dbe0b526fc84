/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A direction that stood still in the middle of a run: a link that went down, a function that was
 * taken away. A mean rate hides it.
 */
#pragma once

#include <stdbool.h>

#include "notes.h"
#include "sample.h"

struct stall {
	bool seen;
	bool to_end;   /* it was still going on when the measured time ended */
	double from_s; /* in measured time */
	double to_s;
};

/*
 * Finds the longest stretch of at least a second, in whole stats periods, in which no frame passed
 * after one had passed before.
 * @param rx what was received, else what the device accepted
 * @param tail whether the end of the run may be a part of it; that a sender has ended is no stall
 */
struct stall stall_find(const struct sample_run *samples, bool rx, bool tail);

/* Warns of it, if it was seen. */
void stall_note(const struct stall *s, bool rx, struct notes *notes);
