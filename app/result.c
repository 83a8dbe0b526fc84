/* SPDX-License-Identifier: BSD-3-Clause */
#include "result.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_version.h>

#include "flow.h"
#include "stall.h"

/* Shorter than a scheduler may keep an lcore waiting. */
#define BRIEF_S 0.02

const char *
result_udp_ports(const struct config *cfg, uint32_t flows, char *buf, size_t size)
{
	if (cfg->tx_udp_src == 0)
		snprintf(buf, size, "%u-%u", FLOW_PORT_FIRST, FLOW_PORT_LAST);
	else
		snprintf(buf, size, "%u-%" PRIu32 " to %u", cfg->tx_udp_src,
			cfg->tx_udp_src + flows - 1, cfg->tx_udp_dst);
	return buf;
}

static void
make_id(struct result *res)
{
	struct timespec now;
	struct tm tm;
	uint64_t id = 0;
	FILE *f = fopen("/dev/urandom", "re");

	clock_gettime(CLOCK_REALTIME, &now);
	if (f == NULL || fread(&id, sizeof(id), 1, f) != 1)
		id = rte_rdtsc() ^ (uint64_t)now.tv_nsec << 32;
	if (f != NULL)
		fclose(f);
	snprintf(res->id, sizeof(res->id), "%016" PRIx64, id);
	gmtime_r(&now.tv_sec, &tm);
	strftime(res->started_utc, sizeof(res->started_utc), "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static const char *
mac_text(const struct mac *mac)
{
	char *text = malloc(ADDR_MAC_LEN);

	return text == NULL ? NULL : addr_format_mac(mac, text);
}

static void
fill_ports(struct result *res, const struct run *r)
{
	for (unsigned i = 0; i < r->nb_ports; i++) {
		const struct port *p = &r->ports[i];

		res->ports[i] = (struct report_port){
			.port = p->id,
			.name = p->name,
			.driver = p->info.driver_name,
			.mac = mac_text(&p->mac),
			.mode = p->engine->name,
			.numa = p->node,
			.link_mbps = p->link_mbps,
			.mtu = p->mtu,
			.asked = p->asked,
			.used = p->used,
		};
	}
}

static void
fill_traffic(struct result *res, const struct run *r)
{
	const struct config *cfg = r->cfg;
	struct report *rep = &res->report;
	struct report_traffic *t = &rep->traffic;
	uint32_t flows = 0;

	for (unsigned i = 0; i < r->plan.nb_workers; i++) {
		flows += r->plan.workers[i].flows;
		t->flows_per_core = RTE_MAX(t->flows_per_core, r->plan.workers[i].flows);
	}
	t->flows = flows;
	t->src_ip = addr_format_ipv4(cfg->src_ip, res->src_ip);
	t->dst_ip = addr_format_ipv4(cfg->dst_ip, res->dst_ip);
	t->default_ips = (!config_given(cfg, "src-ip") && !cfg->has_own_src_ip) ||
			 !config_given(cfg, "dst-ip");
	t->udp_ports = result_udp_ports(cfg, flows, res->udp_ports, sizeof(res->udp_ports));
	for (unsigned i = 0; i < r->nb_ports; i++) {
		const struct port *p = &r->ports[i];

		rep->receives = rep->receives || p->engine->receives;
		if (!p->engine->sends)
			continue;
		rep->sends = true;
		t->dst_mac = addr_format_mac(&p->dst_mac, res->dst_mac);
		t->default_mac = t->default_mac || p->default_dst_mac;
	}
	if (rep->sends)
		rep->frame_len = config_frame_len(cfg);
}

static void put_used(struct result *res, const char *option, bool is_string, const char *format,
	...) __attribute__((format(printf, 4, 5)));

static void
put_used(struct result *res, const char *option, bool is_string, const char *format, ...)
{
	struct report_used *u = &res->used[res->report.n_used++];
	va_list ap;

	u->option = option;
	u->is_string = is_string;
	va_start(ap, format);
	vsnprintf(u->value, sizeof(u->value), format, ap);
	va_end(ap);
}

/* What was computed, or left to a driver, is known now. */
static void
fill_used(struct result *res, const struct run *r)
{
	const struct port *first = &r->ports[0];
	bool same_rxd = true, same_txd = true;

	for (unsigned i = 1; i < r->nb_ports; i++) {
		same_rxd = same_rxd && r->ports[i].used.rxd == first->used.rxd;
		same_txd = same_txd && r->ports[i].used.txd == first->used.txd;
	}
	put_used(res, "nb-cores", false, "%u", r->plan.nb_workers);
	put_used(res, "mbuf-size", false, "%" PRIu32, r->mem->mbuf_size);
	if (same_rxd && first->used.rxd != 0)
		put_used(res, "rxd", false, "%u", first->used.rxd);
	if (same_txd && first->used.txd != 0)
		put_used(res, "txd", false, "%u", first->used.txd);
	if (!res->report.sends)
		return;
	put_used(res, "flows-per-core", false, "%" PRIu32, res->report.traffic.flows_per_core);
	if (res->report.traffic.default_mac)
		put_used(res, "dst-mac", true, "%s", res->dst_mac);
}

int
result_begin(struct result *res, const struct run *r, const struct host *host, int argc,
	char **argv, struct err *e)
{
	struct report *rep = &res->report;

	memset(res, 0, sizeof(*res));
	make_id(res);
	res->ports = calloc(r->nb_ports, sizeof(*res->ports));
	res->lcores = calloc(r->plan.nb_workers, sizeof(*res->lcores));
	res->queues = calloc(r->plan.nb_streams, sizeof(*res->queues));
	if (res->ports == NULL || res->lcores == NULL || res->queues == NULL)
		return err_set(e, EXIT_MACHINE, "no memory for the report");
	fill_ports(res, r);
	for (unsigned i = 0; i < r->plan.nb_workers; i++) {
		const struct plan_worker *w = &r->plan.workers[i];

		res->lcores[i] = (struct report_lcore){
			.lcore = w->lcore,
			.cpu = w->cpu,
			.numa = w->node,
			.streams = w->nb_tx + w->nb_rx,
			.busy_pct = NAN,
			.cycles_per_packet = NAN,
		};
	}
	rep->version = PMDPERF_VERSION;
	rep->dpdk = rte_version();
	if (strncmp(rep->dpdk, "DPDK ", 5) == 0)
		rep->dpdk += 5;
	rep->id = res->id;
	rep->started_utc = res->started_utc;
	rep->argv = (const char *const *)argv;
	rep->argc = (size_t)argc;
	rep->host = host_report(host);
	rep->config = r->cfg;
	rep->used = res->used;
	rep->ports = res->ports;
	rep->n_ports = r->nb_ports;
	rep->lcores = res->lcores;
	rep->n_lcores = r->plan.nb_workers;
	rep->warmup_ns = r->cfg->warmup_ns;
	rep->duration_ns = r->cfg->duration_ns;
	rep->stats_period_ns = r->cfg->stats_period_ns;
	rep->notes = r->notes;
	fill_traffic(res, r);
	fill_used(res, r);
	report_begin_notes(rep, r->notes);
	return 0;
}

/* Over the whole run, from a worker's first busy poll to its last: waiting does not dilute it. */
static void
end_lcores(struct result *res, const struct run *r)
{
	for (unsigned i = 0; i < r->plan.nb_workers; i++) {
		const struct worker *w = &r->workers[i];
		uint64_t busy = counter_get(&w->busy_cycles);
		uint64_t frames = counter_get(&w->frames);
		uint64_t span = counter_get(&w->last_tsc) - counter_get(&w->first_tsc);

		res->lcores[i].packets = frames;
		if (frames == 0)
			continue;
		res->lcores[i].cycles_per_packet = (double)busy / (double)frames;
		if (span > 0)
			res->lcores[i].busy_pct = 100.0 * (double)busy / (double)span;
	}
}

static void
end_queues(struct result *res, const struct run *r)
{
	for (unsigned i = 0; i < r->plan.nb_streams; i++) {
		const struct stream *s = &r->streams[i];
		struct report_queue *q = &res->queues[i];
		struct stream_totals t;

		stream_read(s, &t);
		*q = (struct report_queue){
			.port = s->port,
			.queue = s->queue,
			.tx = s->sends,
			.offered = t.tx_packets + t.tx_unsent,
			.packets = s->sends ? t.tx_packets : t.rx_packets,
			.bytes = s->sends ? t.tx_bytes : t.rx_bytes,
		};
	}
	report_shares(res->queues, r->plan.nb_streams);
}

static void
end_control(struct result *res, const struct run *r)
{
	for (unsigned i = 0; i < r->nb_ports; i++) {
		struct report_port *p = &res->ports[i];

		p->control_rx = r->ports[i].control_rx;
		p->control_tx = r->ports[i].control_tx;
		for (unsigned k = 0; k < r->plan.nb_streams; k++) {
			if (r->streams[k].port == r->ports[i].id)
				p->control_tx += counter_get(&r->streams[k].count.tx_control);
		}
	}
}

static enum verdict_link
tx_link(const struct run *r)
{
	for (unsigned i = 0; i < r->nb_ports; i++) {
		if (r->ports[i].engine->sends && !r->ports[i].link_up)
			return VERDICT_LINK_DOWN;
	}
	return VERDICT_LINK_UP;
}

/* A sender is to send until its end, a receiver to receive if it set a time of its own. */
static void
note_stalls(const struct run *r, const struct sampler_result *s)
{
	bool whole = r->cfg->duration_ns != 0 && s->idle_from_ns == UINT64_MAX &&
		     s->summary.measure_s * 1e9 >= (double)r->cfg->duration_ns;
	bool sends = false, receives = false;

	for (unsigned i = 0; i < r->nb_ports; i++) {
		const struct port *p = &r->ports[i];

		sends = sends || p->engine->sends;
		receives = receives || p->engine->receives;
	}
	for (int rx = 0; rx <= 1; rx++) {
		struct stall stall = stall_find(&s->samples, rx != 0, rx == 0 || whole);

		if (rx != 0 ? receives : sends)
			stall_note(&stall, rx != 0, r->notes);
	}
}

static void
end_notes(const struct run *r, const struct sampler_result *s)
{
	uint64_t bad = 0, dropped = 0;
	char text[NOTE_TEXT];

	if (s->clock_known && clock_map_note(&s->clock, rte_get_tsc_hz(), text, sizeof(text)))
		notes_warn(r->notes, "%s", text);
	for (unsigned i = 0; i < r->plan.nb_streams; i++)
		bad += counter_get(&r->streams[i].count.rx_bad_cksum);
	if (bad > 0)
		notes_warn(r->notes,
			"%" PRIu64 " received frames have a wrong checksum, says the device", bad);
	for (unsigned i = 0; i < r->plan.nb_workers; i++)
		dropped += counter_get(&r->workers[i].control.dropped);
	if (r->control.arp + r->control.icmp + r->control.link + dropped > 0)
		notes_add(r->notes,
			"control frames received, in no other count: %" PRIu64 " ARP, %" PRIu64
			" ICMP or IGMP, %" PRIu64 " neither IP nor ARP, %" PRIu64
			" dropped unread; %" PRIu64 " answered",
			r->control.arp, r->control.icmp, r->control.link, dropped,
			r->control.answered);
	note_stalls(r, s);
	if (s->stuck > 0)
		notes_warn(r->notes,
			"%u lcores did not end within 2 s: a driver does not return from its burst "
			"function; their counts are as of then",
			s->stuck);
}

static void
judge_peers(const struct report *rep, struct verdict_input *in)
{
	bool all = true;

	for (size_t i = 0; i < rep->n_peers; i++) {
		const struct report_peer *p = &rep->peers[i];

		if (p->is_sender)
			continue;
		in->peers_asked = true;
		if (!p->exact) {
			all = false;
			in->peers_state = p->state;
		}
	}
	in->loss_known = rep->loss.known;
	in->sent = rep->loss.sent;
	in->lost = rep->loss.lost;
	in->max_loss = rep->config->max_loss;
	in->max_loss_given = config_given(rep->config, "max-loss");
	in->peers_told = in->peers_asked && all;
	in->peers_received = in->peers_told ? rep->loss.received : 0;
}

void
result_end(struct result *res, const struct run *r, const struct sampler_result *s)
{
	struct report *rep = &res->report;
	const struct sample_summary *sum = &s->summary;
	struct verdict_input in = {
		.sends = rep->sends,
		.receives = rep->receives,
		.measured = sum->measured,
		.no_traffic = s->no_traffic,
		.brief = sum->measure_s < BRIEF_S,
		.tx_offered = sum->offered,
		.tx_packets = sum->tx.rate.packets,
		.total_tx_offered = sum->total_offered,
		.total_tx_packets = sum->tx.total_packets,
		.rx_packets = sum->rx.rate.packets,
		.total_rx_packets = sum->rx.total_packets,
		.tx_link = tx_link(r),
		.control = r->control.arp + r->control.icmp + r->control.link,
		.udp_ports = rep->sends ? res->udp_ports : NULL,
		.expect = &res->expect,
	};
	const struct expect expect = {
		.pps = r->cfg->expect.pps,
		.bps = r->cfg->expect.bps,
		.minimum = r->cfg->expect_min,
	};

	end_control(res, r);
	for (unsigned i = 0; i < r->nb_ports; i++) {
		port_report_counters(&r->ports[i], &res->ports[i]);
		xstats_note_limits(&res->ports[i].xstats, r->ports[i].id, r->notes);
	}
	end_lcores(res, r);
	end_queues(res, r);
	result_account(res, r);
	result_peers(res, r);
	judge_peers(rep, &in);
	result_pacing(res, r, s);
	end_notes(r, s);
	rep->queues = res->queues;
	rep->n_queues = r->plan.nb_streams;
	rep->samples = &s->samples;
	rep->summary = sum;
	expect_judge(&expect, sum, &s->samples, rep->receives, &res->expect);
	rep->expect = &res->expect;
	verdict_decide(&in, &res->verdict);
	rep->verdict = &res->verdict;
	report_end_notes(rep, r->notes);
}

void
result_free(struct result *res)
{
	for (size_t i = 0; res->ports != NULL && i < res->report.n_ports; i++) {
		free((void *)(uintptr_t)res->ports[i].mac);
		xstats_free(&res->ports[i].xstats);
	}
	free(res->ports);
	free(res->lcores);
	free(res->queues);
	free(res->senders);
	free(res->peers);
}
