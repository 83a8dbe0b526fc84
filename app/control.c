/* SPDX-License-Identifier: BSD-3-Clause */
#include "control.h"

#include <stdio.h>

#include <rte_errno.h>
#include <rte_ethdev.h>

#include "stream.h"
#include "worker.h"

enum {
	BURST = 16,
	TRIES = 4096, /* rounds of a worker: some milliseconds on a ring that is always full */
};

int
control_init(struct control_queue *q, unsigned lcore, int socket, struct err *e)
{
	const unsigned flags = RING_F_SP_ENQ | RING_F_SC_DEQ;
	char name[RTE_RING_NAMESIZE];

	snprintf(name, sizeof(name), "to_main_%u", lcore);
	q->to_main = rte_ring_create(name, CONTROL_RING, socket, flags);
	snprintf(name, sizeof(name), "from_main_%u", lcore);
	q->from_main = rte_ring_create(name, CONTROL_RING, socket, flags);
	if (q->to_main == NULL || q->from_main == NULL)
		return err_set(e, EXIT_MACHINE, "lcore %u: cannot create its control rings: %s",
			lcore, rte_strerror(rte_errno));
	return 0;
}

static void
drain(struct rte_ring *ring)
{
	void *m;

	while (ring != NULL && rte_ring_sc_dequeue(ring, &m) == 0)
		rte_pktmbuf_free(m);
	rte_ring_free(ring);
}

void
control_fini(struct control_queue *q)
{
	rte_pktmbuf_free(q->unsent);
	q->unsent = NULL;
	drain(q->to_main);
	drain(q->from_main);
	q->to_main = q->from_main = NULL;
}

uint16_t
control_hand_over(struct control_queue *q, struct rte_mbuf **pkts, uint16_t n)
{
	uint16_t kept = 0;

	for (uint16_t i = 0; i < n; i++) {
		if (!control_is_control(pkts[i])) {
			pkts[kept++] = pkts[i];
		} else if (rte_ring_sp_enqueue(q->to_main, pkts[i]) == 0) {
			counter_add(&q->handed, 1);
		} else {
			rte_pktmbuf_free(pkts[i]);
			counter_add(&q->dropped, 1);
		}
	}
	return kept;
}

static struct stream *
sender_on(struct worker *w, uint16_t port)
{
	for (unsigned k = 0; k < w->nb_streams; k++) {
		if (w->streams[k]->sends && w->streams[k]->port == port)
			return w->streams[k];
	}
	return NULL;
}

/* @return false: the device has no room now */
static bool
send_one(struct worker *w, struct rte_mbuf *m)
{
	struct stream *out = sender_on(w, m->port);

	if (out == NULL) {
		rte_pktmbuf_free(m);
		return true;
	}
	if (rte_eth_tx_burst(out->port, out->queue, &m, 1) != 1)
		return false;
	counter_add(&out->count.tx_control, 1);
	return true;
}

void
control_send_for_main(struct worker *w)
{
	struct control_queue *q = &w->control;

	for (unsigned i = 0; i < BURST; i++) {
		if (q->unsent == NULL &&
			rte_ring_sc_dequeue(q->from_main, (void **)&q->unsent) != 0) {
			q->unsent = NULL;
			return;
		}
		if (!send_one(w, q->unsent)) {
			if (++q->tries < TRIES)
				return;
			rte_pktmbuf_free(q->unsent);
		}
		q->unsent = NULL;
		q->tries = 0;
	}
}

void
control_count(const struct rte_mbuf *m, struct control_stats *stats)
{
	const struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, const struct rte_ether_hdr *);

	if (!control_is_control(m))
		stats->other++;
	else if (eth->ether_type == RTE_BE16(RTE_ETHER_TYPE_ARP))
		stats->arp++;
	else if (eth->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV4) &&
		 rte_pktmbuf_mtod(m, const uint8_t *)[23] == IPPROTO_UDP)
		stats->apart++;
	else if (eth->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV4) ||
		 eth->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV6))
		stats->icmp++;
	else
		stats->link++;
}
