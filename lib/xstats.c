/* SPDX-License-Identifier: BSD-3-Clause */
#include "xstats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void
xstats_free(struct xstats *x)
{
	free(x->list);
	*x = (struct xstats){0};
}

/* Drivers keep their order as long as they keep their queues: it is looked for there first. */
static uint64_t
value_of(const struct xstats *x, const char *name, size_t guess)
{
	if (guess < x->n && strcmp(x->list[guess].name, name) == 0)
		return x->list[guess].value;
	for (size_t i = 0; i < x->n; i++) {
		if (strcmp(x->list[i].name, name) == 0)
			return x->list[i].value;
	}
	return 0;
}

struct xstats
xstats_grown(const struct xstats *base, const struct xstats *now)
{
	struct xstats grown = {0};

	if (now->n == 0)
		return grown;
	grown.list = calloc(now->n, sizeof(*grown.list));
	for (size_t i = 0; grown.list != NULL && i < now->n; i++) {
		uint64_t before = value_of(base, now->list[i].name, i);

		if (now->list[i].value <= before)
			continue;
		grown.list[grown.n] = now->list[i];
		grown.list[grown.n++].value -= before;
	}
	return grown;
}

static const char *
limit_of(const char *name)
{
	static const struct {
		const char *name;
		const char *limit;
	} known[] = {
		{"bw_in_allowance_exceeded", "inbound bandwidth"},
		{"bw_out_allowance_exceeded", "outbound bandwidth"},
		{"pps_allowance_exceeded", "packets a second"},
		{"conntrack_allowance_exceeded", "tracked connections"},
		{"linklocal_allowance_exceeded", "packets a second to local services"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(known[i].name, name) == 0)
			return known[i].limit;
	}
	return NULL;
}

void
xstats_note_limits(const struct xstats *grown, unsigned port, struct notes *notes)
{
	for (size_t i = 0; i < grown->n; i++) {
		const struct xstat *x = &grown->list[i];
		const char *limit = limit_of(x->name);

		if (limit != NULL)
			notes_warn(notes,
				"port %u: this instance reached its limit of %s: the cloud queued "
				"or dropped %" PRIu64 " frames (%s), so the figures are the "
				"instance's and not the NIC's",
				port, limit, x->value, x->name);
	}
}
