/* SPDX-License-Identifier: BSD-3-Clause */
/* A received burst and its queue's account. */
#pragma once

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>

#include "account.h"
#include "config.h"
#include "control.h"
#include "mbuf_free.h"
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

/* What a look at each frame of a burst found. */
struct account_pass {
	uint64_t bytes;      /* of all frames */
	uint64_t odd;        /* not 0: mbufs that cannot go back as they are; see mbuf_oddity() */
	bool control;        /* there are frames for main, in no account */
	uint64_t rest;       /* frames that were not the next of the sender's flows, */
	uint64_t rest_bytes; /* by now in the account if they belong there */
};

static inline void
account_rest(struct account *a, const struct rte_mbuf *m, struct account_pass *pass)
{
	pass->rest++;
	pass->rest_bytes += m->pkt_len;
	if (control_is_control(m))
		pass->control = true;
	else
		account_one(a, m);
}

/* Of flows in the first piece: it is in the cache anyhow. */
static inline void
account_near(struct account *a, const struct account_sender *s, uint64_t key,
	struct rte_mbuf **pkts, uint16_t n, struct account_pass *pass)
{
	const struct rte_mempool *pool = pkts[0]->pool;
	struct account_flow *const flow = s->piece[0];
	const uint32_t nb_flows = s->nb_flows;
	uint64_t bytes = 0, odd = 0;

	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *m = pkts[i];
		const uint8_t *p = rte_pktmbuf_mtod(m, const uint8_t *);
		uint64_t number = account_number(p);

		bytes += m->pkt_len;
		odd |= mbuf_oddity(m, pool);
		if (unlikely(account_key(p) != key || number >> 32 >= nb_flows ||
			     m->data_len < TAG_MIN_FRAME ||
			     !account_is_next(&flow[number >> 32], (uint32_t)number)))
			account_rest(a, m, pass);
	}
	pass->bytes = bytes;
	pass->odd = odd;
}

/* The same with many flows: their states are asked for first, all at once. */
static inline void
account_far(struct account *a, const struct account_sender *s, uint64_t key, struct rte_mbuf **pkts,
	uint16_t n, struct account_pass *pass)
{
	const struct rte_mempool *pool = pkts[0]->pool;
	struct account_flow *state[CONFIG_MAX_BURST];
	uint32_t sequence[CONFIG_MAX_BURST];

	for (uint16_t i = 0; i < n; i++) {
		const struct rte_mbuf *m = pkts[i];
		const uint8_t *p = rte_pktmbuf_mtod(m, const uint8_t *);
		uint64_t number = account_number(p);
		bool known = account_key(p) == key && m->data_len >= TAG_MIN_FRAME;

		pass->bytes += m->pkt_len;
		pass->odd |= mbuf_oddity(m, pool);
		state[i] = known ? account_flow_of(s, number >> 32) : NULL;
		sequence[i] = (uint32_t)number;
		__builtin_prefetch(state[i], 1);
	}
	for (uint16_t i = 0; i < n; i++) {
		if (unlikely(state[i] == NULL || !account_is_next(state[i], sequence[i])))
			account_rest(a, pkts[i], pass);
	}
}

/*
 * A burst whose first frame is tagged. Mostly it is one sender's, whose frames come in order: they
 * are counted together at the end, and what is the next of a flow is no control frame.
 */
static inline struct account_pass
account_burst(struct account *a, struct rte_mbuf **pkts, uint16_t n)
{
	uint64_t key = account_key(rte_pktmbuf_mtod(pkts[0], const uint8_t *));
	struct account_sender *s = account_sender_of(a, key);
	struct account_pass pass = {0};

	if (likely(s->nb_flows <= ACCOUNT_PIECE))
		account_near(a, s, key, pkts, n, &pass);
	else
		account_far(a, s, key, pkts, n, &pass);
	counter_add(&s->count.received, n - pass.rest);
	counter_add(&s->count.bytes, pass.bytes - pass.rest_bytes);
	return pass;
}
