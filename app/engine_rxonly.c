/* SPDX-License-Identifier: BSD-3-Clause */
/* Receives, counts and frees. */
#include <assert.h>

#include <rte_ethdev.h>

#include "control.h"
#include "engine.h"
#include "mbuf_free.h"
#include "simd.h"

static void
count(struct stream *s, uint16_t n, uint64_t bytes)
{
	counters_begin(&s->count);
	counter_add(&s->count.rx_packets, n);
	counter_add(&s->count.rx_bytes, bytes);
	counters_end(&s->count);
}

/* Bursts with control frames, chains, shared or foreign mbufs in them, or with checksums to see. */
static unsigned
take_with_care(struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	uint64_t bytes = 0, bad = 0;

	n = control_hand_over(s->control, pkts, n);
	for (uint16_t i = 0; i < n; i++) {
		bytes += pkts[i]->pkt_len;
		bad += (pkts[i]->ol_flags & RTE_MBUF_F_RX_L4_CKSUM_MASK) ==
			       RTE_MBUF_F_RX_L4_CKSUM_BAD ||
		       (pkts[i]->ol_flags & RTE_MBUF_F_RX_IP_CKSUM_MASK) ==
			       RTE_MBUF_F_RX_IP_CKSUM_BAD;
	}
	rte_pktmbuf_free_bulk(pkts, n);
	count(s, n, bytes);
	if (s->count_bad_cksum)
		counter_add(&s->count.rx_bad_cksum, bad);
	return n;
}

/* What the quick look took for odd may be IPv6 test traffic, or anything else that is plain. */
static bool
needs_care(const struct stream *s, struct rte_mbuf **pkts, uint16_t n)
{
	uint64_t odd = s->count_bad_cksum;

	for (uint16_t i = 0; i < n; i++)
		odd |= mbuf_oddity(pkts[i], pkts[0]->pool) | control_is_control(pkts[i]);
	return odd != 0;
}

static unsigned
rxonly_burst(struct stream *s)
{
	struct rte_mbuf *pkts[CONFIG_MAX_BURST];
	uint64_t bytes = 0, odd = s->count_bad_cksum;
	struct rte_mempool *pool;
	uint16_t n;

	simd_leave();
	n = rte_eth_rx_burst(s->port, s->queue, pkts, s->nb_burst);
	if (n == 0)
		return 0;
	pool = pkts[0]->pool;
	for (uint16_t i = 0; i < n; i++) {
		bytes += pkts[i]->pkt_len;
		odd |= mbuf_oddity(pkts[i], pool) | control_suspicion(pkts[i]);
	}
	if (unlikely(odd != 0) && needs_care(s, pkts, n))
		return take_with_care(s, pkts, n);
	rte_mempool_put_bulk(pool, (void *const *)pkts, n);
	count(s, n, bytes);
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
