/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Receives, counts and frees; and accounts for tagged frames, by sender and flow (account.h).
 */
#include <assert.h>
#include <inttypes.h>

#include <rte_ethdev.h>
#include <rte_malloc.h>

#include "account_burst.h"
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

/*
 * Bursts with control frames, chains, shared or foreign mbufs in them, or with checksums to see.
 * @param a for frames that are not in it yet; NULL: all are, or there is none
 */
static unsigned
take_with_care(struct stream *s, struct account *a, struct rte_mbuf **pkts, uint16_t n)
{
	uint64_t bytes = 0, bad = 0;

	n = control_hand_over(s->control, pkts, n);
	for (uint16_t i = 0; i < n; i++) {
		if (a != NULL)
			account_one(a, pkts[i]);
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

/* Whether some frame of the burst has a tag, or may have one. */
static bool
any_tagged(struct rte_mbuf **pkts, uint16_t n)
{
	bool any = false;

	for (uint16_t i = 0; i < n; i++)
		any |= account_may_be_tagged(rte_pktmbuf_mtod(pkts[i], const uint8_t *));
	return any;
}

/* A burst that does not begin with a tagged frame: mostly all of it has none. */
static inline unsigned
take_plain(struct stream *s, struct account *a, struct rte_mbuf **pkts, uint16_t n)
{
	uint64_t bytes = 0, odd = s->count_bad_cksum;
	struct rte_mempool *pool = pkts[0]->pool;

	for (uint16_t i = 0; i < n; i++) {
		bytes += pkts[i]->pkt_len;
		odd |= mbuf_oddity(pkts[i], pool) | control_suspicion(pkts[i]);
	}
	if (unlikely(odd != 0) && needs_care(s, pkts, n))
		return take_with_care(s, a, pkts, n);
	if (a != NULL && unlikely(any_tagged(pkts, n)))
		return take_with_care(s, a, pkts, n);
	if (a != NULL)
		counter_add(&a->untagged, n);
	rte_mempool_put_bulk(pool, (void *const *)pkts, n);
	count(s, n, bytes);
	return n;
}

static unsigned
rxonly_burst(struct stream *s)
{
	struct rte_mbuf *pkts[CONFIG_MAX_BURST];
	uint16_t n;

	simd_leave();
	n = rte_eth_rx_burst(s->port, s->queue, pkts, s->nb_burst);
	return n == 0 ? 0 : take_plain(s, NULL, pkts, n);
}

static unsigned
rxonly_burst_account(struct stream *s)
{
	struct rte_mbuf *pkts[CONFIG_MAX_BURST];
	struct account_pass pass;
	uint16_t n;

	simd_leave();
	n = rte_eth_rx_burst(s->port, s->queue, pkts, s->nb_burst);
	if (n == 0)
		return 0;
	if (unlikely(!account_may_be_tagged(rte_pktmbuf_mtod(pkts[0], const uint8_t *))))
		return take_plain(s, s->account, pkts, n);
	pass = account_burst(s->account, pkts, n);
	if (unlikely(pass.odd != 0 || pass.control || s->count_bad_cksum))
		return take_with_care(s, NULL, pkts, n);
	rte_mempool_put_bulk(pkts[0]->pool, (void *const *)pkts, n);
	count(s, n, pass.bytes);
	return n;
}

static int
rxonly_setup(struct stream *s, const struct engine_env *env, struct err *e)
{
	void *memory;

	s->burst = rxonly_burst;
	if (env->cfg->no_tag)
		return 0;
	memory = rte_zmalloc_socket(
		"account", account_size(env->cfg->rx_flows), RTE_CACHE_LINE_SIZE, s->socket);
	if (memory == NULL)
		return err_set(e, EXIT_MACHINE,
			"port %u queue %u: no memory for the account of %" PRIu32
			" flows; --rx-flows takes fewer, --no-tag none",
			s->port, s->queue, env->cfg->rx_flows);
	s->account = account_init(memory, env->cfg->rx_flows);
	s->burst = rxonly_burst_account;
	return 0;
}

static void
rxonly_teardown(struct stream *s)
{
	rte_free(s->account);
	s->account = NULL;
}

const struct engine engine_rxonly = {
	.name = "rxonly",
	.help = "receives, counts and frees every frame",
	.receives = true,
	.setup = rxonly_setup,
	.teardown = rxonly_teardown,
};
