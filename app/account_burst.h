/* SPDX-License-Identifier: BSD-3-Clause */
/* A received burst and its queue's account. */
#pragma once

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>

#include "account.h"
#include "config.h"
#include "stream.h"

static inline void
account_one(struct account *a, const struct rte_mbuf *m)
{
	const struct account_frame f = {
		.p = rte_pktmbuf_mtod(m, const uint8_t *),
		.in_one = m->data_len,
		.len = m->pkt_len,
	};

	(void)account_with_care(a, &f);
}

/* Frames of a sender that came next, counted together: mostly a whole burst's. */
static inline void
add_received(struct account_sender *from, uint64_t frames, uint64_t bytes)
{
	counter_add(&from->count.received, frames);
	counter_add(&from->count.bytes, bytes);
}

/* Plain frames of at least a tag's length, some of them tagged. */
static inline void
account_burst(struct account *a, struct rte_mbuf **pkts, uint16_t n)
{
	struct account_sender *from[CONFIG_MAX_BURST], *last = NULL;
	struct account_flow *flow[CONFIG_MAX_BURST];
	uint64_t frames = 0, bytes = 0;

	for (uint16_t i = 0; i < n; i++) {
		from[i] = account_find(a, rte_pktmbuf_mtod(pkts[i], const uint8_t *), &flow[i]);
		__builtin_prefetch(flow[i], 1);
	}
	for (uint16_t i = 0; i < n; i++) {
		uint32_t sequence = account_sequence(rte_pktmbuf_mtod(pkts[i], const uint8_t *));

		if (unlikely(flow[i] == NULL || !account_is_next(flow[i], sequence))) {
			account_one(a, pkts[i]);
			continue;
		}
		if (unlikely(from[i] != last)) {
			if (last != NULL)
				add_received(last, frames, bytes);
			last = from[i];
			frames = bytes = 0;
		}
		frames++;
		bytes += pkts[i]->pkt_len;
	}
	if (last != NULL)
		add_received(last, frames, bytes);
}
