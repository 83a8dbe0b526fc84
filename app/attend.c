/* SPDX-License-Identifier: BSD-3-Clause */
/* Main's part while the workers run: control frames, queues that no stream polls, leases. */
#include <rte_lcore.h>

#include "clock.h"
#include "run.h"

enum {
	MAIN_BURST = 32,
	LEASE_NS = 1000000000,
};

/* The worker that sends on a port and runs; NULL: its queues are main's. */
static struct worker *
sender_of(struct run *r, const struct port *p)
{
	for (unsigned i = 0; i < r->plan.nb_streams; i++) {
		const struct stream *s = &r->streams[i];

		if (s->sends && s->port == p->id && r->workers[s->worker].launched)
			return &r->workers[s->worker];
	}
	return NULL;
}

void
run_send(struct run *r, struct port *p, struct rte_mbuf *m)
{
	struct worker *w = sender_of(r, p);

	m->port = p->id;
	m->ol_flags = 0;
	if (w != NULL) {
		if (rte_ring_sp_enqueue(w->control.from_main, m) != 0)
			rte_pktmbuf_free(m);
	} else if (p->used.txq > 0 && rte_eth_tx_burst(p->id, 0, &m, 1) == 1) {
		p->control_tx++;
	} else {
		rte_pktmbuf_free(m);
	}
}

static struct port *
port_of(struct run *r, uint16_t id)
{
	for (unsigned i = 0; i < r->nb_ports; i++) {
		if (r->ports[i].id == id)
			return &r->ports[i];
	}
	return NULL;
}

void
run_take(struct run *r, struct rte_mbuf *m)
{
	struct port *p = port_of(r, m->port);

	if (p != NULL)
		p->control_rx++;
	if (p != NULL && peers_take(r, p, m))
		return;
	control_count(m, &r->control);
	/* The answer takes the question's place: nobody else may have the mbuf. */
	if (p == NULL || !p->answers || m->nb_segs != 1 || rte_mbuf_refcnt_read(m) != 1 ||
		neighbour_answer(rte_pktmbuf_mtod(m, uint8_t *), m->data_len, &p->self) ==
			NEIGHBOUR_NOT_FOR_US) {
		rte_pktmbuf_free(m);
		return;
	}
	r->control.answered++;
	run_send(r, p, m);
}

unsigned
run_receive(const struct port *p, struct rte_mbuf **pkts, unsigned room)
{
	unsigned n = 0;

	for (uint16_t q = 0; q < p->used.rxq && n < room; q++)
		n += rte_eth_rx_burst(p->id, q, pkts + n, (uint16_t)(room - n));
	return n;
}

void
run_open_leases(struct run *r)
{
	for (unsigned i = 0; i < r->nb_ports; i++)
		lease_open(&r->leases[i], r->ports[i].name, r->notes);
}

static void
renew_leases(struct run *r)
{
	uint64_t now = clock_mono_ns();

	if (now < r->lease_due_ns)
		return;
	for (unsigned i = 0; i < r->plan.nb_workers; i++) {
		const struct worker *w = &r->workers[i];

		if (!w->launched || counter_get(&w->turns) == w->turns_seen)
			return;
	}
	for (unsigned i = 0; i < r->plan.nb_workers; i++)
		r->workers[i].turns_seen = counter_get(&r->workers[i].turns);
	for (unsigned i = 0; i < r->nb_ports; i++)
		lease_renew(&r->leases[i], r->notes);
	r->lease_due_ns = now + LEASE_NS;
}

void
run_attend(struct run *r)
{
	struct rte_mbuf *pkts[MAIN_BURST];

	for (unsigned i = 0; i < r->plan.nb_workers; i++) {
		void *m;

		/* No more than a ring holds: a flood must not keep main here. */
		for (unsigned k = 0; k < CONTROL_RING &&
				     rte_ring_sc_dequeue(r->workers[i].control.to_main, &m) == 0;
			k++)
			run_take(r, m);
	}
	for (unsigned i = 0; i < r->nb_ports; i++) {
		struct port *p = &r->ports[i];
		unsigned n = p->engine->receives ? 0 : run_receive(p, pkts, MAIN_BURST);

		for (unsigned k = 0; k < n; k++)
			run_take(r, pkts[k]);
	}
	peers_attend(r);
	renew_leases(r);
}
