/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "ranges.h"
#include "report.h"
#include "report_text.h"
#include "units.h"

enum {
	HEADER_EVERY = 20, /* lines of intervals */
	QUEUES_LISTED = 8, /* more than these are summed up; the result file has all */
	CELL = 48,
};

/* "n/a" for what nobody can know; 0 would claim that nothing happened. */
static const char *
count_text(struct sample_count c, char *buf)
{
	if (!c.known)
		return "n/a";
	snprintf(buf, CELL, "%" PRIu64, c.value);
	return buf;
}

static const char *
fixed_text(double v, int decimals, char *buf)
{
	if (!isfinite(v))
		return "n/a";
	snprintf(buf, CELL, "%.*f", decimals, v);
	return buf;
}

static const char *
int_text(int v, char *buf)
{
	if (v < 0)
		return "n/a";
	snprintf(buf, CELL, "%d", v);
	return buf;
}

/* In units of a million or a billion; slow rates keep their digits. */
static const char *
scaled_text(double v, double unit, char *buf)
{
	v /= unit;
	return fixed_text(v, v > 0 && v < 0.1 ? 6 : 3, buf);
}

static const char *
share_text(uint64_t part, uint64_t whole, char *buf)
{
	return fixed_text(100 * (double)part / (double)whole, 2, buf);
}

static void
say_notes(struct report_sink *s, const struct report *r)
{
	const struct notes *l = r->notes;

	if (l == NULL)
		return;
	for (; s->notes_said < l->nb; s->notes_said++) {
		const struct note *note = &l->note[s->notes_said];

		if (!s->quiet || !note->setup)
			report_text(s, 2, "%s: %s", note->warning ? "warning" : "note", note->text);
	}
}

static void
say_port(struct report_sink *s, const struct report_port *p)
{
	char numa[CELL], link[CELL] = "n/a", mtu[CELL] = "n/a";

	if (p->link_mbps > 0)
		snprintf(link, sizeof(link), "%" PRIu32 " Mbit/s", p->link_mbps);
	if (p->mtu > 0)
		snprintf(mtu, sizeof(mtu), "%u", p->mtu);
	report_text(s, 2, "port %u: %s, %s (%s), MAC %s", p->port, p->mode, p->name, p->driver,
		p->mac != NULL ? p->mac : "n/a");
	report_text(s, 4, "  NUMA node %s, link %s, MTU %s", int_text(p->numa, numa), link, mtu);
	report_text(s, 4, "  queues: %u rx of %u descriptors, %u tx of %u descriptors", p->used.rxq,
		p->used.rxd, p->used.txq, p->used.txd);
}

/* The lcores of l[0]'s node, from l[0] on. */
static void
say_node(struct report_sink *s, const struct report_lcore *l, size_t n)
{
	char list[REPORT_TEXT - 64], node[CELL];
	struct ranges lcores;

	ranges_init(&lcores, list, sizeof(list));
	for (size_t i = 0; i < n; i++) {
		if (l[i].numa == l->numa)
			ranges_add(&lcores, l[i].lcore);
	}
	ranges_end(&lcores);
	report_text(s, 2, "lcores on NUMA node %s: %s", int_text(l->numa, node), list);
}

static void
say_lcores(struct report_sink *s, const struct report_lcore *l, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool said = false;

		for (size_t k = 0; k < i && !said; k++)
			said = l[k].numa == l[i].numa;
		if (!said)
			say_node(s, &l[i], n - i);
	}
}

static void
say_traffic(struct report_sink *s, const struct report_traffic *t)
{
	report_text(s, 2, "flows: %" PRIu32 " for each sending lcore, %" PRIu64 " in all%s%s",
		t->flows_per_core, t->flows, t->udp_ports != NULL ? ", UDP ports " : "",
		t->udp_ports != NULL ? t->udp_ports : "");
	report_text(s, 2, "addresses: %s to %s%s", t->src_ip, t->dst_ip,
		t->default_ips ? " (default)" : "");
	report_text(s, 2, "destination MAC: %s%s", t->dst_mac, t->default_mac ? " (default)" : "");
}

static void
say_title(struct report_sink *s, const struct report *r)
{
	char whole[2 * REPORT_COLUMNS];
	int len = snprintf(whole, sizeof(whole), "pmdperf %s, DPDK %s, run %s, %s", r->version,
		r->dpdk, r->id, r->started_utc);

	/* Long versions cost the id its tail. */
	if (len <= REPORT_COLUMNS)
		report_text(s, 2, "%s", whole);
	else
		report_text(s, 2, "pmdperf %s, DPDK %s, run %.8s..., %s", r->version, r->dpdk,
			r->id, r->started_utc);
}

static void
say_setup(struct report_sink *s, const struct report *r)
{
	char warmup[UNITS_LEN], duration[UNITS_LEN];

	say_title(s, r);
	for (size_t i = 0; i < r->n_ports; i++)
		say_port(s, &r->ports[i]);
	say_lcores(s, r->lcores, r->n_lcores);
	if (r->frame_len > 0)
		report_text(s, 2, "frames: %" PRIu32 " B without CRC", r->frame_len);
	if (r->sends)
		say_traffic(s, &r->traffic);
	units_format_duration(r->warmup_ns, warmup);
	units_format_duration(r->duration_ns, duration);
	report_text(s, 2, "time: %s of warm-up, then %s measured", warmup,
		r->duration_ns > 0 ? duration : "until a signal");
}

static int
console_begin(struct report_sink *s, const struct report *r)
{
	if (!s->quiet) {
		say_setup(s, r);
		say_notes(s, r);
	}
	return 0;
}

/* Only the columns of what this process does. */
static void
say_header(struct report_sink *s, const struct report *r)
{
	report_text(s, 2, "%8s%s%s", "time s", r->sends ? "   tx Mpps  Gbit/s L2  unsent %" : "",
		r->receives ? "   rx Mpps  Gbit/s L2      drops" : "");
}

static int
console_interval(struct report_sink *s, const struct report *r, const struct sample_interval *iv)
{
	char tx[2 * CELL] = "", rx[2 * CELL] = "";
	char mpps[CELL], gbps[CELL], lost[CELL];

	if (s->quiet)
		return 0;
	if (s->lines++ % HEADER_EVERY == 0)
		say_header(s, r);
	if (r->sends)
		snprintf(tx, sizeof(tx), " %9.20s %10.20s %9.20s",
			scaled_text(iv->tx.pps, 1e6, mpps), scaled_text(iv->tx.bps, 1e9, gbps),
			share_text(iv->unsent, iv->offered, lost));
	if (r->receives)
		snprintf(rx, sizeof(rx), " %9.20s %10.20s %10.20s",
			scaled_text(iv->rx.pps, 1e6, mpps), scaled_text(iv->rx.bps, 1e9, gbps),
			iv->reset_seen ? "reset" : count_text(iv->drops, lost));
	report_text(s, 2, "%8.3f%s%s%s", iv->t_s, tx, rx,
		iv->waiting  ? " waiting"
		: iv->warmup ? " warm-up"
			     : "");
	say_notes(s, r);
	return 0;
}

/* The length that the formula took: of every frame, or the mean one. */
static const char *
length_text(const struct sample_rate *rate, char *buf)
{
	if (rate->packets == 0)
		return "frame length";
	if (rate->bytes % rate->packets == 0)
		snprintf(buf, CELL, "%" PRIu64 " B", rate->bytes / rate->packets);
	else
		snprintf(buf, CELL, "mean of %.1f B", (double)rate->bytes / (double)rate->packets);
	return buf;
}

static void
say_periods(struct report_sink *s, const struct report *r, const struct sample_window *w)
{
	char median[UNITS_LEN], min[UNITS_LEN], max[UNITS_LEN], period[UNITS_LEN];

	if (r->stats_period_ns == 0)
		return;
	units_format_duration(r->stats_period_ns, period);
	if (w->periods == 0) {
		report_text(s, 12, "  periods   no steady window: no whole period of %s", period);
		return;
	}
	report_text(s, 12, "  periods   %" PRIu64 " of %s: median %s, min %s, max %s", w->periods,
		period, units_format_pps(w->pps_median, median), units_format_pps(w->pps_min, min),
		units_format_pps(w->pps_max, max));
}

static void
say_rates(struct report_sink *s, const struct report *r, const struct sample_window *w)
{
	char rate[UNITS_LEN], length[CELL];

	report_text(s, 12, "  mean      %s", units_format_pps(w->rate.pps, rate));
	say_periods(s, r, w);
	report_text(s, 12, "  L2        %s (PPS x %s x 8)", units_format_bps(w->rate.bps, rate),
		length_text(&w->rate, length));
	report_text(s, 12, "  L1        %s (+%d B/frame: preamble 8, gap 12, CRC 4)",
		units_format_bps(w->rate.bps_l1, rate), UNITS_L1_BYTES_PER_FRAME);
	report_text(s, 12, "  window    %.3f s: %" PRIu64 " packets, %" PRIu64 " bytes",
		w->window_s, w->rate.packets, w->rate.bytes);
}

static void
say_received(struct report_sink *s, const struct report *r)
{
	const struct sample_summary *sum = r->summary;
	char missed[CELL], nombuf[CELL], errors[CELL];

	report_text(s, 2, "RECEIVED");
	say_rates(s, r, &sum->rx);
	report_text(s, 12, "  device    missed %s, no mbuf %s, errors %s (in the measured time)",
		count_text(sum->missed, missed), count_text(sum->nombuf, nombuf),
		count_text(sum->errors, errors));
	report_text(s, 12, "  whole run %" PRIu64 " packets, %" PRIu64 " bytes",
		sum->rx.total_packets, sum->rx.total_bytes);
	report_text_account(s, &r->account);
}

static void
say_pacing(struct report_sink *s, const struct report_pacing *p, const struct sample_window *w)
{
	char asked[UNITS_LEN], got[UNITS_LEN], share[CELL];

	report_text(s, 12, "  rate      %s asked, %s achieved: %s %%",
		units_format_pps((double)p->asked_pps, asked), units_format_pps(w->rate.pps, got),
		fixed_text(100 * w->rate.pps / (double)p->asked_pps, 3, share));
	report_text(s, 12,
		"            late by %" PRIu64 " ns at most, %" PRIu64
		" frames given up; between frames of a queue p50 %" PRIu64 " ns, p99 %" PRIu64
		" ns",
		p->late_max_ns, p->given_up, p->gap_p50_ns, p->gap_p99_ns);
}

static void
say_sent(struct report_sink *s, const struct report *r)
{
	const struct sample_summary *sum = r->summary;
	char errors[CELL], share[CELL];

	report_text(s, 2, "ACCEPTED by the device (what arrived, only a receiver can say)");
	say_rates(s, r, &sum->tx);
	report_text(s, 12,
		"  offered   %" PRIu64 ": %" PRIu64 " accepted, %" PRIu64 " unsent (%s %%)",
		sum->offered, sum->tx.rate.packets, sum->unsent,
		share_text(sum->unsent, sum->offered, share));
	if (r->pacing.kept)
		say_pacing(s, &r->pacing, &sum->tx);
	report_text(s, 12, "  device    tx errors %s (in the measured time)",
		count_text(sum->tx_errors, errors));
	report_text(s, 12,
		"  whole run %" PRIu64 " offered, %" PRIu64 " accepted, %" PRIu64 " bytes",
		sum->total_offered, sum->tx.total_packets, sum->tx.total_bytes);
}

/* Adds up our count of a port's packets in one direction. @return whether there are such queues */
static bool
own_packets(const struct report *r, uint16_t port, bool tx, uint64_t *total)
{
	bool any = false;

	*total = 0;
	for (size_t i = 0; i < r->n_queues; i++) {
		if (r->queues[i].port == port && r->queues[i].tx == tx) {
			*total += r->queues[i].packets;
			any = true;
		}
	}
	return any;
}

static void
say_ports(struct report_sink *s, const struct report *r)
{
	char a[CELL], b[CELL], c[CELL], d[CELL];
	uint64_t own;

	report_text(s, 2, "%6s %3s %19s %19s %8s %8s %8s", "port", "dir", "own packets",
		"device packets", "missed", "no mbuf", "errors");
	for (size_t i = 0; i < r->n_ports; i++) {
		const struct report_port *p = &r->ports[i];

		if (own_packets(r, p->port, false, &own))
			report_text(s, 2, "%6u %3s %19" PRIu64 " %19s %8s %8s %8s", p->port, "rx",
				own, count_text(p->ipackets, a), count_text(p->imissed, b),
				count_text(p->nombuf, c), count_text(p->errors, d));
		if (own_packets(r, p->port, true, &own))
			report_text(s, 2, "%6u %3s %19" PRIu64 " %19s %8s %8s %8s", p->port, "tx",
				own, count_text(p->opackets, a), "-", "-",
				count_text(p->tx_errors, d));
	}
}

static void
say_lcore_table(struct report_sink *s, const struct report *r)
{
	report_text(s, 2, "%6s %5s %5s %8s %20s %7s %14s", "lcore", "cpu", "node", "streams",
		"packets", "busy %", "cycles/packet");
	for (size_t i = 0; i < r->n_lcores; i++) {
		const struct report_lcore *l = &r->lcores[i];
		char cpu[CELL], numa[CELL], busy[CELL], cycles[CELL];

		report_text(s, 2, "%6u %5s %5s %8u %20" PRIu64 " %7.20s %14.20s", l->lcore,
			int_text(l->cpu, cpu), int_text(l->numa, numa), l->streams, l->packets,
			fixed_text(l->busy_pct, 1, busy),
			fixed_text(l->cycles_per_packet, 1, cycles));
	}
}

static void
say_queue_table(struct report_sink *s, const struct report *r)
{
	report_text(s, 2, "%6s %5s %3s %20s %22s %8s", "port", "queue", "dir", "packets", "bytes",
		"share %");
	for (size_t i = 0; i < r->n_queues; i++) {
		const struct report_queue *q = &r->queues[i];
		char share[CELL];

		report_text(s, 2, "%6u %5u %3s %20" PRIu64 " %22" PRIu64 " %8s", q->port, q->queue,
			q->tx ? "tx" : "rx", q->packets, q->bytes,
			fixed_text(q->share_pct, 2, share));
	}
}

/* One port's queues of one direction, summed up: the extremes, and those without packets. */
static void
say_queue_group(struct report_sink *s, const struct report *r, uint16_t port, bool tx)
{
	const struct report_queue *least = NULL, *most = NULL;
	char idle_list[REPORT_TEXT / 2], min[CELL], max[CELL];
	struct ranges idle;
	size_t n = 0;

	ranges_init(&idle, idle_list, sizeof(idle_list));
	for (size_t i = 0; i < r->n_queues; i++) {
		const struct report_queue *q = &r->queues[i];

		if (q->port != port || q->tx != tx)
			continue;
		n++;
		if (least == NULL || q->packets < least->packets)
			least = q;
		if (most == NULL || q->packets > most->packets)
			most = q;
		if (q->packets == 0)
			ranges_add(&idle, q->queue);
	}
	ranges_end(&idle);
	if (n == 0)
		return;
	report_text(s, 4,
		"  port %u %s: %zu queues, share min %s %% (queue %u), max %s %% (queue %u)", port,
		tx ? "tx" : "rx", n, fixed_text(least->share_pct, 2, min), least->queue,
		fixed_text(most->share_pct, 2, max), most->queue);
	if (idle.count > 0)
		report_text(s, 4, "    without packets: %s", idle_list);
}

static void
say_queues(struct report_sink *s, const struct report *r)
{
	if (r->n_queues <= QUEUES_LISTED) {
		say_queue_table(s, r);
		return;
	}
	for (size_t i = 0; i < r->n_ports; i++) {
		say_queue_group(s, r, r->ports[i].port, false);
		say_queue_group(s, r, r->ports[i].port, true);
	}
}

static void
say_verdict(struct report_sink *s, const struct verdict *v)
{
	report_text(s, 2, "VERDICT %s (exit status %d)", verdict_name(v->status),
		(int)verdict_exit(v->status));
	for (unsigned i = 0; i < v->reasons.nb; i++)
		report_text(s, 4, "  %s", v->reasons.note[i].text);
}

static int
console_end(struct report_sink *s, const struct report *r)
{
	if (s->quiet)
		say_title(s, r);
	report_text(s, 2, "RESULT of %.3f s measured%s", r->summary->measure_s,
		r->summary->measured ? "" : ": the run ended in its warm-up");
	if (r->receives)
		say_received(s, r);
	if (r->sends)
		say_sent(s, r);
	report_text_peers(s, r);
	report_text(s, 2, "WHOLE RUN, with warm-up; own counts beside the device's");
	say_ports(s, r);
	say_lcore_table(s, r);
	say_queues(s, r);
	say_notes(s, r);
	if (r->notes != NULL && r->notes->lost > 0)
		report_text(s, 2, "note: %u more notes found no room", r->notes->lost);
	say_verdict(s, r->verdict);
	return 0;
}

const struct reporter report_console = {
	.name = "console",
	.help = "lines for people, without need of a terminal",
	.begin = console_begin,
	.interval = console_interval,
	.end = console_end,
};
