/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "report_text.h"

enum {
	LISTED = 8,         /* the result file has all */
	QUEUES_LISTED = 16, /* shares of queues on the console */
};

static const char *
rate_text(uint64_t packets, uint64_t bytes, uint64_t ns, char *buf, size_t size)
{
	char pps[UNITS_LEN], bps[UNITS_LEN];

	if (ns == 0 || ns == PEER_NOT_KNOWN)
		snprintf(buf, size, "rate n/a");
	else
		snprintf(buf, size, "%s, %s L2 in %.3f s by its clock",
			units_format_pps(units_per_second(packets, ns), pps),
			units_format_bps(8 * units_per_second(bytes, ns), bps), (double)ns / 1e9);
	return buf;
}

static void
say_where(struct report_sink *s, uint64_t lost, const uint64_t *w)
{
	uint64_t known = 0;

	if (lost == 0)
		return;
	for (unsigned i = PEER_R_MISSED; i <= PEER_R_ERRORS; i++)
		known += w[i] == PEER_NOT_KNOWN ? 0 : w[i];
	if (w[PEER_R_SENDERS] > 1 || known > lost || w[PEER_R_MISSED] == PEER_NOT_KNOWN) {
		report_text(s, 12, "  where     not known: its device doesn't say what it dropped");
		return;
	}
	report_text(s, 12,
		"  where     %" PRIu64 " missed by its device, %" PRIu64
		" for want of mbufs, %" PRIu64 " with errors, %" PRIu64 " in between",
		w[PEER_R_MISSED], w[PEER_R_NOMBUF] == PEER_NOT_KNOWN ? 0 : w[PEER_R_NOMBUF],
		w[PEER_R_ERRORS] == PEER_NOT_KNOWN ? 0 : w[PEER_R_ERRORS], lost - known);
}

static void
say_queues(struct report_sink *s, const struct report_peer *p)
{
	char list[QUEUES_LISTED * 8 + 1];
	size_t used = 0;

	if (p->nb_queues < 2 || p->rx[PEER_R_RECEIVED] == 0)
		return;
	for (unsigned i = 0; i < p->nb_queues && i < QUEUES_LISTED; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, " %.2f",
			100.0 * (double)p->queue[i] / (double)p->rx[PEER_R_RECEIVED]);
	report_text(s, 12, "  queues   %s %%%s", list,
		p->nb_queues > QUEUES_LISTED ? ", and more" : "");
}

static void
say_receiver(struct report_sink *s, const struct report_peer *p)
{
	char ip[ADDR_IPV4_LEN], rate[3 * UNITS_LEN];
	const uint64_t *w = p->rx;
	uint64_t lost;

	/* What nobody said is among the verdict's reasons. */
	if (w == NULL)
		return;
	addr_format_ipv4(p->ip, ip);
	lost = p->sent > w[PEER_R_RECEIVED] ? p->sent - w[PEER_R_RECEIVED] : 0;
	report_text(s, 2, "ARRIVED at %s, as it says%s%s", ip, p->exact ? "" : "; ",
		p->exact ? "" : p->state);
	report_text(s, 12, "  mean      %s",
		rate_text(w[PEER_R_WINDOW_PACKETS], w[PEER_R_WINDOW_BYTES], w[PEER_R_WINDOW_NS],
			rate, sizeof(rate)));
	report_text(s, 12,
		"  whole run %" PRIu64 " packets of %" PRIu64 " sent: %" PRIu64 " lost; %" PRIu64
		" twice, %" PRIu64 " out of order",
		w[PEER_R_RECEIVED], p->sent, lost, w[PEER_R_DUPLICATED], w[PEER_R_REORDERED]);
	say_where(s, lost, w);
	say_queues(s, p);
}

static void
say_sender(struct report_sink *s, const struct report_peer *p)
{
	char ip[ADDR_IPV4_LEN], rate[3 * UNITS_LEN];
	const struct peer_sent *t = p->tx;

	addr_format_ipv4(p->ip, ip);
	report_text(s, 2, "SENT by %s run %u port %u, as it says%s%s", ip, p->run, p->port,
		p->exact ? "" : "; ", p->exact ? "" : p->state);
	if (t->phase == PEER_ENDED)
		report_text(s, 12, "  mean      %s",
			rate_text(t->window_packets, t->window_bytes, t->window_ns, rate,
				sizeof(rate)));
	report_text(s, 12,
		"  whole run %" PRIu64 " offered, %" PRIu64 " accepted by its device, %" PRIu64
		" bytes",
		t->offered, t->packets, t->bytes);
}

void
report_text_peers(struct report_sink *s, const struct report *r)
{
	for (size_t i = 0; i < r->n_peers && i < LISTED; i++) {
		if (r->peers[i].is_sender)
			say_sender(s, &r->peers[i]);
		else
			say_receiver(s, &r->peers[i]);
	}
	if (r->n_peers > LISTED)
		report_text(
			s, 2, "and %zu more other sides: in the result file", r->n_peers - LISTED);
}
