/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Freeing received bursts in one go. Single, direct and unshared segments of one pool, which is
 * what nearly all are, may go back as they stand (rte_mbuf_raw_free()'s conditions) without a look
 * at their second cache line. A caller that passes over the burst anyhow collects the oddities of
 * each mbuf by or; a sum of 0 means that all are plain.
 */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

/* refcnt and nb_segs, which stand side by side in the rearm word, are both to be 1. */
static inline uint64_t
mbuf_oddity(const struct rte_mbuf *m, const struct rte_mempool *pool)
{
	uint32_t counts;

	static_assert(offsetof(struct rte_mbuf, nb_segs) == offsetof(struct rte_mbuf, refcnt) + 2,
		"one load for both");
	memcpy(&counts, &m->refcnt, sizeof(counts));
	return (counts ^ 0x00010001u) |
	       (m->ol_flags & (RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL)) |
	       ((uintptr_t)m->pool ^ (uintptr_t)pool);
}
