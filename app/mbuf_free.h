/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

/*
 * Frees a burst of received mbufs. Single, direct and unshared segments of one pool, which is
 * what nearly all are, go back in one go without a look at their second cache line: such a mbuf
 * meets rte_mbuf_raw_free()'s conditions as it stands. Anything else goes the long way.
 */
static inline void
mbuf_free_burst(struct rte_mbuf **pkts, uint16_t n)
{
	struct rte_mempool *pool;
	bool plain = true;

	if (unlikely(n == 0))
		return;
	pool = pkts[0]->pool;
	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *m = pkts[i];

		plain &= (m->pool == pool) & (m->nb_segs == 1) & RTE_MBUF_DIRECT(m) &
			(rte_mbuf_refcnt_read(m) == 1);
	}
	if (likely(plain))
		rte_mempool_put_bulk(pool, (void *const *)pkts, n);
	else
		rte_pktmbuf_free_bulk(pkts, n);
}
