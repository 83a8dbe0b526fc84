/* SPDX-License-Identifier: BSD-3-Clause */
/* A report of a process that sends on port 0 and receives on port 1, for the tests of reporters. */
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

struct fixture {
	struct report report;
	struct report_port port[2];
	struct report_lcore lcore[2];
	struct report_queue queue[4];
	struct report_hugepages huge;
	struct sample_run samples;
	struct sample_summary summary;
	struct verdict verdict;
	struct notes notes;
	struct report_sink sink;
	char *text; /* what the sink took, after fixture_text() */
	size_t len;
};

static const char *const fixture_argv[] = {"pmdperf", "--", "--txq=2"};
__attribute__((unused)) static const struct report_sender fixture_senders[] = {
	{.came = {.src_ip = 0xc6120001,
		 .run = 29,
		 .received = 990,
		 .bytes = 63360,
		 .duplicated = 3,
		 .reordered = 5,
		 .extent = 17,
		 .flows = 16,
		 .missing = 8},
		.sent_known = true,
		.sent = 1000},
	{.came = {.src_ip = 0xc6120009,
		 .run = 7,
		 .received = 50,
		 .bytes = 3200,
		 .unsure = 1,
		 .reordered = 2,
		 .untold = 4,
		 .missing = 6,
		 .flows = 2,
		 .moved = 1}},
};
static struct xstat fixture_xstats[] = {{"rx_q0_errors", 12}};

static inline struct sample_count
fixture_known(uint64_t v)
{
	return (struct sample_count){.value = v, .known = true};
}

/* Two seconds of 10 Mpps sent and 9 Mpps received, 64 B, after one second of warm-up. */
static inline void
fixture_samples(struct fixture *f)
{
	const uint64_t s = 1000000000;
	struct sample_snapshot snap = {.mono_ns = s, .missed = {.known = true}};
	struct sample_rx_stamps rx = {.seen = true, .first_ns = s, .last_ns = 4 * s};

	if (sample_init(&f->samples, s, &snap) != 0)
		abort();
	for (unsigned i = 1; i <= 3; i++) {
		snap.mono_ns += s;
		snap.tx.offered += 11000000;
		snap.tx.packets += 10000000;
		snap.tx.bytes += 640000000;
		snap.rx.packets += 9000000;
		snap.rx.bytes += 576000000;
		snap.missed.value += 1000000;
		if (i == 1)
			sample_warmup_end(&f->samples, &snap);
		else if (i == 2)
			sample_tick(&f->samples, &snap, NULL);
		else
			sample_stop(&f->samples, &snap, NULL);
	}
	sample_finish(&f->samples, &snap);
	sample_summarize(&f->samples, &rx, &f->summary);
}

static inline void
fixture_init(struct fixture *f)
{
	const struct report_rings asked = {.rxq = 48, .txq = 2, .rxd = 128, .txd = 128};
	const struct report_rings used = {.rxq = 2, .txq = 2, .rxd = 128, .txd = 128};

	*f = (struct fixture){0};
	for (uint16_t i = 0; i < 2; i++) {
		f->port[i] = (struct report_port){
			.port = i,
			.name = "net_null",
			.driver = "net_null",
			.mac = "02:00:00:00:00:01",
			.mode = i == 0 ? "txonly" : "rxonly",
			.numa = -1,
			.mtu = 1500,
			.asked = asked,
			.used = used,
			.imissed = fixture_known(3000000),
			.xstats = {fixture_xstats, 1},
		};
		f->lcore[i] = (struct report_lcore){
			.lcore = i + 1u,
			.cpu = i + 1,
			.numa = 0,
			.streams = 2,
			.packets = 30000000,
			.busy_pct = 99.54321,
			.cycles_per_packet = NAN,
		};
	}
	for (uint16_t i = 0; i < 4; i++)
		f->queue[i] = (struct report_queue){
			.port = i / 2,
			.queue = i % 2,
			.tx = i < 2,
			.offered = i < 2 ? 16500000 : 0,
			.packets = i < 2 ? 15000000 : 13500000,
			.bytes = 960000000,
		};
	report_shares(f->queue, 4);
	f->huge = (struct report_hugepages){.node = 0, .size = 2 << 20, .total = 512, .free = 100};
	fixture_samples(f);
	f->report = (struct report){
		.version = "1.2.3",
		.dpdk = "DPDK-less",
		.id = "run-id",
		.started_utc = "2026-01-02T03:04:05Z",
		.argv = fixture_argv,
		.argc = 3,
		.host = {.kernel = "6.1",
			.cpu_model = "A CPU",
			.cpus = 2,
			.numa_nodes = 1,
			.hugepages = &f->huge,
			.n_hugepages = 1},
		.ports = f->port,
		.n_ports = 2,
		.lcores = f->lcore,
		.n_lcores = 2,
		.sends = true,
		.receives = true,
		.frame_len = 64,
		.traffic = {.flows_per_core = 16,
			.flows = 32,
			.src_ip = "198.18.0.1",
			.dst_ip = "198.18.0.2",
			.dst_mac = "02:00:00:00:00:02",
			.udp_ports = "1024-1055",
			.default_ips = true,
			.default_mac = true},
		.warmup_ns = 1000000000,
		.duration_ns = 2000000000,
		.stats_period_ns = 1000000000,
		.notes = &f->notes,
		.queues = f->queue,
		.n_queues = 4,
		.samples = &f->samples,
		.summary = &f->summary,
		.verdict = &f->verdict,
	};
	verdict_decide(&(struct verdict_input){.sends = true,
			       .receives = true,
			       .measured = true,
			       .tx_offered = 22000000,
			       .tx_packets = 20000000,
			       .total_tx_offered = 33000000,
			       .total_tx_packets = 30000000,
			       .rx_packets = 18000000,
			       .total_rx_packets = 27000000},
		&f->verdict);
	f->sink.out = open_memstream(&f->text, &f->len);
	if (f->sink.out == NULL)
		abort();
}

/* What was written so far. */
static inline const char *
fixture_text(struct fixture *f)
{
	fflush(f->sink.out);
	return f->text;
}

static inline void
fixture_fini(struct fixture *f)
{
	fclose(f->sink.out);
	free(f->text);
	sample_fini(&f->samples);
}
