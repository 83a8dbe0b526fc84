/* SPDX-License-Identifier: BSD-3-Clause */
#include "control.h"

#include <stdio.h>

#include <rte_errno.h>
#include <rte_ethdev.h>

#include "stream.h"
#include "worker.h"

enum {
	RING_SIZE = 256,
	BURST = 16,
};

int
control_init(struct control_queue *q, unsigned lcore, int socket, struct err *e)
{
	const unsigned flags = RING_F_SP_ENQ | RING_F_SC_DEQ;
	char name[RTE_RING_NAMESIZE];

	snprintf(name, sizeof(name), "to_main_%u", lcore);
	q->to_main = rte_ring_create(name, RING_SIZE, socket, flags);
	snprintf(name, sizeof(name), "from_main_%u", lcore);
	q->from_main = rte_ring_create(name, RING_SIZE, socket, flags);
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

void
control_send_for_main(struct worker *w)
{
	struct rte_mbuf *m;

	for (unsigned i = 0;
		i < BURST && rte_ring_sc_dequeue(w->control.from_main, (void **)&m) == 0; i++) {
		struct stream *out = NULL;

		for (unsigned k = 0; k < w->nb_streams && out == NULL; k++) {
			if (w->streams[k]->sends && w->streams[k]->port == m->port)
				out = w->streams[k];
		}
		if (out != NULL && rte_eth_tx_burst(out->port, out->queue, &m, 1) == 1)
			counter_add(&w->control.sent, 1);
		else
			rte_pktmbuf_free(m);
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
	else if (eth->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV4) ||
		 eth->ether_type == RTE_BE16(RTE_ETHER_TYPE_IPV6))
		stats->icmp++;
	else
		stats->link++;
}
