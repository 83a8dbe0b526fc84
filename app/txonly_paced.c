/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream that keeps to a rate: each poll sends what is due by then. Frames that the device
 * refuses stay due; those whose time is past (pace.h) count as offered and unsent.
 */
#include <rte_cycles.h>
#include <rte_malloc.h>

#include "txonly.h"
#include "txonly_state.h"

static void
note_departure(struct txonly_paced *p, uint64_t now, uint16_t sent)
{
	if (p->last != 0)
		hist_record(&p->between, now - p->last, 1);
	if (sent > 1)
		hist_record(&p->between, 0, sent - 1u);
	p->last = now;
}

static unsigned
txonly_burst_paced(struct stream *s)
{
	struct txonly *t = s->state;
	struct txonly_paced *p = t->paced;
	uint64_t now = rte_rdtsc();
	struct pace_now due = pace_due(&p->pace, now, s->nb_burst);
	uint16_t sent;

	if (due.frames == 0)
		return 0;
	sent = t->send(s, (uint16_t)due.frames);
	pace_sent(&p->pace, sent);
	p->given_up += due.dropped;
	if (due.late > p->late)
		p->late = due.late;
	if (sent > 0)
		note_departure(p, now, sent);
	account(s, t, sent + due.dropped, sent);
	return sent;
}

int
txonly_set_pace(struct stream *s, const struct pace *pace)
{
	struct txonly *t = s->state;

	t->paced = rte_zmalloc_socket("paced", sizeof(*t->paced), RTE_CACHE_LINE_SIZE, s->socket);
	if (t->paced == NULL)
		return -1;
	t->paced->pace = *pace;
	s->burst = txonly_burst_paced;
	return 0;
}

bool
txonly_add_paced(const struct stream *s, struct txonly_paced *sum)
{
	const struct txonly *t = s->state;

	if (!s->sends || t == NULL || t->paced == NULL)
		return false;
	sum->late = RTE_MAX(sum->late, t->paced->late);
	sum->given_up += t->paced->given_up;
	hist_add(&sum->between, &t->paced->between);
	return true;
}
