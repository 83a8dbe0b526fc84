/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives, counts and frees. */
#include "control.h"
#include "engine.h"
#include "mbuf_free.h"

#include <rte_ethdev.h>

static unsigned
rxonly_burst(struct stream *s)
{
	struct rte_mbuf *pkts[CONFIG_MAX_BURST];
	uint16_t n = rte_eth_rx_burst(s->port, s->queue, pkts, s->nb_burst);
	uint64_t bytes = 0;

	if (n == 0)
		return 0;
	n = control_filter(s->control, pkts, n);
	for (uint16_t i = 0; i < n; i++)
		bytes += pkts[i]->pkt_len;
	if (unlikely(s->count_bad_cksum)) {
		for (uint16_t i = 0; i < n; i++) {
			uint64_t l4 = pkts[i]->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK;

			counter_add(&s->count.rx_bad_cksum, l4 == RTE_MBUF_F_RX_L4_CKSUM_BAD);
		}
	}
	mbuf_free_burst(pkts, n);
	counter_add(&s->count.rx_packets, n);
	counter_add(&s->count.rx_bytes, bytes);
	return n;
}

static int
rxonly_setup(struct stream *s, const struct engine_env *env, struct err *e)
{
	(void)env;
	(void)e;
	s->burst = rxonly_burst;
	return 0;
}

const struct engine engine_rxonly = {
	.name = "rxonly",
	.help = "receives, counts and frees every frame",
	.receives = true,
	.setup = rxonly_setup,
};
