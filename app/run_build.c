/* SPDX-License-Identifier: BSD-3-Clause */
/* From a plan to started ports, and back. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_random.h>

#include "io.h"
#include "run.h"
#include "txonly.h"

static int
make_pool(struct run *r, struct rte_mempool **pool, const char *what, unsigned lcore, unsigned port,
	int socket, const struct memory_pool *size, struct err *e)
{
	uint32_t room = r->mem->mbuf_size;
	char name[RTE_MEMPOOL_NAMESIZE];

	snprintf(name, sizeof(name), "%s_%u_%u", what, lcore, port);
	/* Never single-producer or -consumer: a device may hand mbufs to another lcore to free. */
	*pool = rte_pktmbuf_pool_create(name, size->mbufs, size->cache, 0, (uint16_t)room, socket);
	if (*pool == NULL)
		return err_set(e, EXIT_MACHINE,
			"lcore %u: cannot create a pool of %u mbufs of %u B: %s%s", lcore,
			size->mbufs, room, rte_strerror(rte_errno),
			rte_errno == ENOMEM ? "; fewer queues or descriptors need less, pmdperf "
					      "--plan shows how much"
					    : "");
	return 0;
}

/* Zeros for segments after the first: their bytes are part of the frames' checksums. */
static void
zero_mbuf(struct rte_mempool *pool, void *arg, void *obj, unsigned i)
{
	struct rte_mbuf *m = obj;

	(void)pool;
	(void)arg;
	(void)i;
	memset((uint8_t *)m->buf_addr, 0, m->buf_len);
}

/* The pools of the first stream that a worker has on a port in a direction. */
static int
make_stream_pools(struct run *r, struct stream *s, const struct plan_stream *planned, struct err *e)
{
	const struct worker *w = &r->workers[planned->worker];
	const struct port *p = &r->ports[planned->port];
	struct memory_pool size;

	if (memory_pool_of(&r->plan, planned->worker, planned->port, planned->dir, r->mem, &size,
		    e) != 0 ||
		make_pool(r, &s->pool, s->sends ? "tx" : "rx", w->lcore, p->id, w->socket, &size,
			e) != 0)
		return -1;
	if (!s->sends)
		return 0;
	txonly_fill(s->pool, r->cfg, p->mac, p->dst_mac, r->tag_run);
	if (r->cfg->nb_txpkts == 1)
		return 0;
	size.mbufs *= r->cfg->nb_txpkts - 1u;
	if (make_pool(r, &s->seg_pool, "seg", w->lcore, p->id, w->socket, &size, e) != 0)
		return -1;
	rte_mempool_obj_iter(s->seg_pool, zero_mbuf, NULL);
	return 0;
}

static int
make_workers(struct run *r, struct err *e)
{
	unsigned nb = r->plan.nb_workers;

	r->workers = rte_zmalloc("workers", nb * sizeof(*r->workers), RTE_CACHE_LINE_SIZE);
	r->streams = rte_zmalloc(
		"streams", r->plan.nb_streams * sizeof(*r->streams), RTE_CACHE_LINE_SIZE);
	if (r->workers == NULL || r->streams == NULL)
		return err_set(e, EXIT_MACHINE, "no memory for %u workers and %u streams", nb,
			r->plan.nb_streams);
	for (unsigned i = 0; i < nb; i++) {
		const struct plan_worker *planned = &r->plan.workers[i];
		struct worker *w = &r->workers[i];
		size_t size = (planned->nb_tx + planned->nb_rx) * sizeof(*w->streams);

		w->lcore = planned->lcore;
		w->cpu = planned->cpu;
		w->node = planned->node;
		w->socket = (int)rte_lcore_to_socket_id(w->lcore);
		w->phase = &r->phase;
		w->streams = rte_zmalloc_socket("streams", size, RTE_CACHE_LINE_SIZE, w->socket);
		w->polled = rte_zmalloc_socket("polled", size, RTE_CACHE_LINE_SIZE, w->socket);
		if (w->streams == NULL || w->polled == NULL)
			return err_set(e, EXIT_MACHINE, "lcore %u: no memory", w->lcore);
		if (control_init(&w->control, w->lcore, w->socket, e) != 0)
			return -1;
	}
	return 0;
}

/* Streams of a worker get turns in proportion to their flows; those that receive all of them. */
static void
set_shares(struct worker *w)
{
	uint32_t max = 1;

	for (unsigned i = 0; i < w->nb_streams; i++)
		max = RTE_MAX(max, w->streams[i]->flows);
	for (unsigned i = 0; i < w->nb_streams; i++) {
		struct stream *s = w->streams[i];

		s->share_max = max;
		s->share = s->sends ? s->flows : max;
	}
}

/* A worker's streams on one port in one direction share their pools. */
static int
give_pools(struct run *r, unsigned i, struct err *e)
{
	const struct plan_stream *planned = r->plan.streams;
	struct stream *s = &r->streams[i];

	for (unsigned k = 0; k < i; k++) {
		if (planned[k].worker == planned[i].worker && planned[k].port == planned[i].port &&
			planned[k].dir == planned[i].dir) {
			s->pool = r->streams[k].pool;
			s->seg_pool = r->streams[k].seg_pool;
			return 0;
		}
	}
	s->owns_pools = true;
	return make_stream_pools(r, s, &planned[i], e);
}

static int
make_streams(struct run *r, struct err *e)
{
	for (unsigned i = 0; i < r->plan.nb_streams; i++) {
		const struct plan_stream *planned = &r->plan.streams[i];
		struct worker *w = &r->workers[planned->worker];
		struct port *p = &r->ports[planned->port];
		struct stream *s = &r->streams[i];

		s->engine = p->engine;
		s->port = p->id;
		s->queue = planned->queue;
		s->nb_burst = r->cfg->burst;
		s->sends = planned->dir == PLAN_TX;
		s->control = &w->control;
		s->worker = planned->worker;
		s->socket = w->socket;
		s->flows = planned->flows;
		s->count_bad_cksum = !s->sends && p->rx_offloads != 0;
		w->streams[w->nb_streams] = s;
		w->polled[w->nb_streams++] = s;
		if (give_pools(r, i, e) != 0)
			return -1;
	}
	for (unsigned i = 0; i < r->plan.nb_workers; i++)
		set_shares(&r->workers[i]);
	return 0;
}

static int
setup_engines(struct run *r, struct err *e)
{
	unsigned senders = 0;

	for (unsigned i = 0; i < r->plan.nb_workers; i++) {
		struct worker *w = &r->workers[i];
		const struct plan_worker *planned = &r->plan.workers[i];
		unsigned tx_index = 0;

		for (unsigned k = 0; k < w->nb_streams; k++) {
			struct stream *s = w->streams[k];
			const struct port *p = &r->ports[r->plan.streams[s - r->streams].port];
			struct engine_env env = {
				.cfg = r->cfg,
				.src_mac = p->mac,
				.dst_mac = p->dst_mac,
				.lcore = w->lcore,
				.sender = senders,
				.run = r->tag_run,
				.worker_flows = planned->flows,
				.tx_index = tx_index,
				.tx_queues = planned->nb_tx,
				.tx_offloads = p->tx_offloads,
			};

			if (s->engine->setup(s, &env, e) != 0)
				return -1;
			tx_index += s->sends;
		}
		senders += planned->nb_tx > 0;
	}
	return 0;
}

/* Queues without a stream are set up too: devices want one at least, and main reads them. */
static int
setup_queues(struct run *r, struct port *p, unsigned index, struct err *e)
{
	for (uint16_t q = 0; q < p->used.rxq; q++) {
		struct rte_mempool *pool = r->main_pool;
		int socket = p->socket;

		for (unsigned i = 0; i < r->plan.nb_streams; i++) {
			const struct plan_stream *s = &r->plan.streams[i];

			if (s->port == index && s->queue == q && s->dir == PLAN_RX) {
				pool = r->streams[i].pool;
				socket = r->workers[s->worker].socket;
			}
		}
		if (port_rx_queue(p, q, socket, pool, e) != 0)
			return -1;
	}
	for (uint16_t q = 0; q < p->used.txq; q++) {
		if (port_tx_queue(p, q, p->socket, e) != 0)
			return -1;
	}
	return 0;
}

void
run_set_dst_mac(struct run *r, struct port *p, struct mac mac)
{
	p->dst_mac = mac;
	p->default_dst_mac = false;
	for (unsigned i = 0; i < r->plan.nb_streams; i++) {
		const struct stream *s = &r->streams[i];

		if (s->sends && s->owns_pools && s->port == p->id)
			txonly_fill(s->pool, r->cfg, p->mac, p->dst_mac, r->tag_run);
	}
}

void
run_set_tag_run(struct run *r, uint8_t run)
{
	uint8_t before = r->tag_run;

	r->tag_run = run;
	for (unsigned i = 0; i < r->plan.nb_streams; i++) {
		struct stream *s = &r->streams[i];
		const struct port *p = NULL;

		for (unsigned k = 0; k < r->nb_ports; k++) {
			if (r->ports[k].id == s->port)
				p = &r->ports[k];
		}
		if (!s->sends || p == NULL)
			continue;
		txonly_set_run(s, before, run);
		if (s->owns_pools)
			txonly_fill(s->pool, r->cfg, p->mac, p->dst_mac, run);
	}
}

static int
make_main_pool(struct run *r, struct err *e)
{
	struct memory_pool size;

	if (memory_pool_of_main(&r->plan, r->mem, &size, e) != 0)
		return -1;
	if (size.mbufs == 0)
		return 0;
	return make_pool(
		r, &r->main_pool, "main", rte_get_main_lcore(), 0, (int)rte_socket_id(), &size, e);
}

/* The pools that an AF_XDP device is given for its queues. */
static void
spare_af_xdp(struct run *r)
{
	bool any = false;

	for (unsigned i = 0; i < r->nb_ports; i++) {
		const struct port *p = &r->ports[i];

		if (strcmp(p->info.driver_name, "net_af_xdp") != 0)
			continue;
		any = true;
		for (unsigned k = 0; k < r->plan.nb_streams; k++) {
			struct stream *s = &r->streams[k];

			if (s->port == p->id && !s->sends && s->owns_pools)
				io_hold_last(s->pool);
		}
	}
	if (any && r->main_pool != NULL)
		io_hold_last(r->main_pool);
}

int
run_build(struct run *r, struct err *e)
{
	r->tag_run = (uint8_t)rte_rand();
	if (make_main_pool(r, e) != 0 || make_workers(r, e) != 0 || make_streams(r, e) != 0)
		return -1;
	spare_af_xdp(r);
	for (unsigned i = 0; i < r->nb_ports; i++) {
		if (port_configure(&r->ports[i], r->cfg, &r->plan.ports[i], r->notes, e) != 0 ||
			setup_queues(r, &r->ports[i], i, e) != 0)
			return -1;
	}
	if (setup_engines(r, e) != 0)
		return -1;
	for (unsigned i = 0; i < r->nb_ports; i++) {
		if (port_start(&r->ports[i], e) != 0)
			return -1;
	}
	return 0;
}

void
run_free(struct run *r)
{
	for (unsigned i = r->nb_ports; i-- > 0;)
		port_close(&r->ports[i]);
	for (unsigned i = 0; i < r->nb_ports; i++)
		lease_close(&r->leases[i]);
	/* Control frames first: what a worker did not come to send lies in the streams' pools. */
	for (unsigned i = 0; r->workers != NULL && i < r->plan.nb_workers; i++)
		control_fini(&r->workers[i].control);
	for (unsigned i = 0; r->streams != NULL && i < r->plan.nb_streams; i++) {
		struct stream *s = &r->streams[i];

		if (s->engine != NULL && s->engine->teardown != NULL)
			s->engine->teardown(s);
		if (s->owns_pools) {
			rte_mempool_free(s->pool);
			rte_mempool_free(s->seg_pool);
		}
	}
	for (unsigned i = 0; r->workers != NULL && i < r->plan.nb_workers; i++) {
		rte_free(r->workers[i].streams);
		rte_free(r->workers[i].polled);
	}
	peers_fini(r);
	rte_mempool_free(r->main_pool);
	rte_free(r->workers);
	rte_free(r->streams);
	plan_free(&r->plan);
}
