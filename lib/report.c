/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ranges.h"

const struct reporter *const report_table[] = {
	&report_console,
	&report_json,
	NULL,
};

const struct reporter *
report_find(const char *name)
{
	for (size_t i = 0; report_table[i] != NULL; i++) {
		if (strcmp(report_table[i]->name, name) == 0)
			return report_table[i];
	}
	return NULL;
}

static bool
same_group(const struct report_queue *a, const struct report_queue *b)
{
	return a->port == b->port && a->tx == b->tx;
}

/* Whether an earlier queue is of the same port and direction. */
static bool
seen_before(const struct report_queue *q, size_t i)
{
	for (size_t k = i; k-- > 0;) {
		if (same_group(&q[k], &q[i]))
			return true;
	}
	return false;
}

void
report_shares(struct report_queue *q, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t total = 0;

		if (seen_before(q, i))
			continue;
		for (size_t k = i; k < n; k++)
			total += same_group(&q[k], &q[i]) ? q[k].packets : 0;
		for (size_t k = i; k < n; k++) {
			if (same_group(&q[k], &q[i]))
				q[k].share_pct =
					total == 0 ? NAN
						   : 100 * (double)q[k].packets / (double)total;
		}
	}
}

static void
note_clamp(struct notes *notes, uint16_t port, const char *what, unsigned asked, unsigned used)
{
	if (asked != 0 && asked != used)
		notes_add(notes, "port %u: %s: asked %u, used %u", port, what, asked, used);
}

void
report_begin_notes(const struct report *r, struct notes *notes)
{
	const struct report_traffic *t = &r->traffic;

	for (size_t i = 0; i < r->n_ports; i++) {
		const struct report_port *p = &r->ports[i];

		/* Clamped queues are the plan's to note. */
		note_clamp(notes, p->port, "rx descriptors", p->asked.rxd, p->used.rxd);
		note_clamp(notes, p->port, "tx descriptors", p->asked.txd, p->used.txd);
	}
	if (!r->sends)
		return;
	if (t->default_ips)
		notes_setup(notes,
			"addresses are defaults: on a real network set --src-ip and --dst-ip");
	if (t->default_mac)
		notes_setup(notes,
			"the destination MAC is the default: on a real network set --dst-mac");
}

static bool
is_silent(const struct report_queue *q, bool stalled)
{
	return q->packets == 0 && (q->tx && q->offered > 0) == stalled;
}

/* Warns of the queues in first's group, from first on, that are silent while others worked. */
static void
warn_silent(const struct report_queue *first, size_t n, bool stalled, size_t working,
	struct notes *notes)
{
	char list[NOTE_TEXT / 2]; /* the other half is for the words */
	char more[40] = "";
	struct ranges silent;
	const char *what;

	ranges_init(&silent, list, sizeof(list));
	for (size_t i = 0; i < n; i++) {
		if (same_group(&first[i], first) && is_silent(&first[i], stalled))
			ranges_add(&silent, first[i].queue);
	}
	ranges_end(&silent);
	if (silent.count == 0)
		return;
	if (!first->tx)
		what = "received nothing";
	else if (stalled)
		what = "stalled (the device accepted none of what was offered)";
	else
		what = "stood idle (nothing was offered)";
	if (silent.unnamed > 0)
		snprintf(more, sizeof(more), " and %zu more", silent.unnamed);
	notes_warn(notes, "port %u: %s queue%s %s%s %s while %zu other%s worked", first->port,
		first->tx ? "tx" : "rx", silent.count > 1 ? "s" : "", list, more, what, working,
		working > 1 ? "s" : "");
}

static void
warn_silent_queues(const struct report_queue *q, size_t n, struct notes *notes)
{
	for (size_t i = 0; i < n; i++) {
		size_t working = 0;

		if (seen_before(q, i))
			continue;
		for (size_t k = i; k < n; k++)
			working += same_group(&q[k], &q[i]) && q[k].packets > 0;
		/* None at all is the verdict's business. */
		if (working == 0)
			continue;
		warn_silent(&q[i], n - i, true, working, notes);
		warn_silent(&q[i], n - i, false, working, notes);
	}
}

static void
note_unsteady(struct notes *notes, const char *dir, const struct sample_window *w)
{
	if (w->rate.packets > 0 && w->periods == 0)
		notes_add(notes,
			"%s: no steady window: less than one whole stats period in its "
			"%.3f s, so there is no minimum, median and maximum; run longer",
			dir, w->window_s);
}

void
report_end_notes(const struct report *r, struct notes *notes)
{
	const struct sample_summary *s = r->summary;

	warn_silent_queues(r->queues, r->n_queues, notes);
	if (s->reset_seen)
		notes_warn(notes, "a device counter stepped back during the run: something reset "
				  "it, so what it counted is not known");
	if (!s->measured) {
		notes_warn(notes, "the run ended in its warm-up: nothing was measured");
		return;
	}
	if (r->stats_period_ns == 0)
		return;
	if (r->sends)
		note_unsteady(notes, "tx", &s->tx);
	if (r->receives)
		note_unsteady(notes, "rx", &s->rx);
}

uint64_t
report_lost(const struct report_sender *s)
{
	if (!s->sent_known)
		return s->came.missing;
	/* A frame that came on two queues is told on each. */
	return s->sent > s->came.received ? s->sent - s->came.received : 0;
}

/* All of a sender's ports are in one account of a receiver: of its frames they are told once. */
static bool
is_told_before(const struct report_peer *peers, size_t i)
{
	for (size_t k = 0; k < i; k++) {
		if (peers[k].exact && peers[k].instance == peers[i].instance)
			return true;
	}
	return false;
}

struct report_loss
report_sum_peers(const struct report_peer *peers, size_t n)
{
	struct report_loss loss = {0};

	for (size_t i = 0; i < n; i++) {
		const struct report_peer *p = &peers[i];

		if (p->rx == NULL || !p->exact)
			continue;
		loss.known = true;
		loss.sent += p->sent;
		if (is_told_before(peers, i))
			continue;
		loss.received += p->rx[PEER_R_RECEIVED];
		loss.duplicated += p->rx[PEER_R_DUPLICATED];
		loss.reordered += p->rx[PEER_R_REORDERED];
	}
	loss.lost = loss.sent > loss.received ? loss.sent - loss.received : 0;
	return loss;
}

void
report_add_loss(struct report_loss *sum, const struct report_loss *loss)
{
	sum->known = sum->known || loss->known;
	sum->sent += loss->sent;
	sum->received += loss->received;
	sum->lost += loss->lost;
	sum->duplicated += loss->duplicated;
	sum->reordered += loss->reordered;
}

struct report_loss
report_sum_loss(const struct report_account *a)
{
	struct report_loss loss = {0};

	for (size_t i = 0; i < a->n_senders; i++) {
		const struct report_sender *s = &a->senders[i];

		if (!s->sent_known)
			continue;
		loss.known = true;
		loss.sent += s->sent;
		loss.received += s->came.received;
		loss.lost += report_lost(s);
		loss.duplicated += s->came.duplicated;
		loss.reordered += s->came.reordered;
	}
	return loss;
}
