/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A driver's own counters by name ("extended statistics"), as they grow over a run. Some say what
 * no basic counter does: that the cloud, not the NIC, held frames back.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "notes.h"

enum {
	XSTAT_NAME = 64, /* bytes, with the end: as in DPDK */
};

struct xstat {
	char name[XSTAT_NAME];
	uint64_t value;
};

/* n is 0 and list NULL when a driver has none, or none could be read. */
struct xstats {
	struct xstat *list; /* owned: xstats_free() */
	size_t n;
};

void xstats_free(struct xstats *x);

/*
 * What grew, by how much, in the order of now. Counters are matched by their names; one that base
 * has not counts from 0, one that went down (somebody reset it) is left out.
 * @return owned by the caller, with xstats_free(); empty also when memory runs out
 */
struct xstats xstats_grown(const struct xstats *base, const struct xstats *now);

/*
 * Warns of each counter which says that the cloud held frames of this port back. Source: the
 * documentation of EC2's network performance metrics; ENA's driver gives them as they are named
 * there.
 */
void xstats_note_limits(const struct xstats *grown, unsigned port, struct notes *notes);
