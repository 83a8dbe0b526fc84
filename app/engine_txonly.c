/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends UDP frames as fast as the device takes them.
 *
 * Every mbuf of the lcore's pool holds a finished frame before the run starts (txonly_fill). A
 * burst takes mbufs from the pool's cache and writes, for each, the eight bytes of the UDP header
 * from a table of the stream's flows, in turn. The mbuf's metadata is written too, whole words at a
 * time: a driver may have moved the data, cut it or set flags before it freed the mbuf, and the
 * line is loaded anyway. What a device refuses goes back and the table's cursor with it.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include "engine.h"
#include "flow.h"
#include "frame.h"
#include "simd.h"
#include "txonly.h"
#include "txonly_state.h"

static inline uint16_t
send_plain(struct stream *s, uint16_t n)
{
	struct txonly *t = s->state;
	struct rte_mbuf *pkts[CONFIG_MAX_BURST];
	const uint64_t *word = &t->word[t->cursor];
	uint16_t sent = 0;

	if (likely(rte_mempool_get_bulk(s->pool, (void **)pkts, n) == 0)) {
		/*
		 * A receiver on another core (vhost) has read these lines: getting them back takes
		 * long, so all are asked for at once.
		 */
		for (uint16_t i = 0; i < n; i++)
			__builtin_prefetch(frame_of(pkts[i]) + FRAME_UDP_OFFSET, 1);
		for (uint16_t i = 0; i < n; i++) {
			write_udp(pkts[i], word[i]);
			reset_mbuf(pkts[i], &t->fresh);
		}
		simd_leave();
		sent = rte_eth_tx_burst(s->port, s->queue, pkts, n);
		if (unlikely(sent < n))
			rte_mempool_put_bulk(s->pool, (void **)&pkts[sent], n - sent);
	}
	return sent;
}

/* The same with the device computing UDP checksums; drivers want to look at each frame first. */
static uint16_t
send_offload(struct stream *s, uint16_t n)
{
	struct txonly *t = s->state;
	struct rte_mbuf *pkts[CONFIG_MAX_BURST];
	struct txonly_words w;
	const uint64_t *word = &t->word[t->cursor];
	uint16_t sent = 0;

	if (likely(rte_mempool_get_bulk(s->pool, (void **)pkts, n) == 0)) {
		if (t->tag.flow != NULL)
			txonly_tag_words(t, n, &w);
		for (uint16_t i = 0; i < n; i++) {
			if (t->tag.flow != NULL)
				write_tagged(pkts[i], t, &w, i);
			else
				write_udp(pkts[i], word[i]);
			reset_mbuf(pkts[i], &t->fresh);
			pkts[i]->tx_offload = t->offload;
		}
		simd_leave();
		sent = rte_eth_tx_prepare(s->port, s->queue, pkts, n);
		sent = rte_eth_tx_burst(s->port, s->queue, pkts, sent);
		if (unlikely(sent < n))
			rte_mempool_put_bulk(s->pool, (void **)&pkts[sent], n - sent);
	}
	return sent;
}

/*
 * Frames of several segments: the first from the pool of finished frames, the rest from one of
 * zeros. Freeing a chain takes it apart, so it is put together for every send.
 */
static uint16_t
send_segs(struct stream *s, uint16_t n)
{
	struct txonly *t = s->state;
	struct rte_mbuf *pkts[CONFIG_MAX_BURST];
	const uint64_t *word = &t->word[t->cursor];
	uint16_t built = 0, sent = 0;
	struct txonly_words w;

	if (t->tag.flow != NULL)
		txonly_tag_words(t, n, &w);
	for (; built < n; built++) {
		struct rte_mbuf *first, *seg[CONFIG_MAX_SEGS], **link;
		unsigned tail = t->nb_segs - 1u;

		if (rte_mempool_get(s->pool, (void **)&first) != 0)
			break;
		if (rte_mempool_get_bulk(s->seg_pool, (void **)seg, tail) != 0) {
			rte_mempool_put(s->pool, first);
			break;
		}
		if (t->tag.flow != NULL)
			write_tagged(first, t, &w, built);
		else
			write_udp(first, word[built]);
		reset_mbuf(first, &t->fresh);
		first->data_len = t->seg_len[0];
		first->tx_offload = t->offload;
		first->nb_segs = t->nb_segs;
		link = &first->next;
		for (unsigned i = 0; i < tail; i++) {
			reset_mbuf(seg[i], &t->fresh);
			seg[i]->data_len = t->seg_len[i + 1];
			seg[i]->pkt_len = t->seg_len[i + 1];
			*link = seg[i];
			link = &seg[i]->next;
		}
		*link = NULL;
		pkts[built] = first;
	}
	if (built > 0) {
		uint16_t ready = built;

		simd_leave();
		if (t->fresh.ol_flags != 0)
			ready = rte_eth_tx_prepare(s->port, s->queue, pkts, built);
		sent = rte_eth_tx_burst(s->port, s->queue, pkts, ready);
	}
	if (unlikely(sent < built))
		rte_pktmbuf_free_bulk(&pkts[sent], built - sent);
	return sent;
}

static unsigned
txonly_burst(struct stream *s)
{
	uint16_t sent = send_plain(s, s->nb_burst);

	account(s, s->state, s->nb_burst, sent);
	return sent;
}

static unsigned
txonly_burst_offload(struct stream *s)
{
	uint16_t sent = send_offload(s, s->nb_burst);

	account(s, s->state, s->nb_burst, sent);
	return sent;
}

static unsigned
txonly_burst_segs(struct stream *s)
{
	uint16_t sent = send_segs(s, s->nb_burst);

	account(s, s->state, s->nb_burst, sent);
	return sent;
}

static struct frame_spec
spec_of(const struct engine_env *env)
{
	static const enum frame_cksum cksum[] = {
		[TX_CKSUM_SOFTWARE] = FRAME_CKSUM_FULL,
		[TX_CKSUM_OFFLOAD] = FRAME_CKSUM_PSEUDO,
		[TX_CKSUM_NONE] = FRAME_CKSUM_NONE,
	};

	return (struct frame_spec){
		.src_mac = env->src_mac,
		.dst_mac = env->dst_mac,
		.src_ip = env->cfg->src_ip,
		.dst_ip = env->cfg->dst_ip,
		.len = (uint16_t)config_frame_len(env->cfg),
		.cksum = cksum[env->cfg->tx_cksum],
	};
}

struct flow_ports
txonly_flow(const struct config *cfg, unsigned lcore, unsigned sender, uint32_t worker_flows,
	uint32_t i)
{
	if (cfg->tx_udp_src == 0)
		return flow_ports(lcore, worker_flows, i);
	return (struct flow_ports){
		.src = (uint16_t)(cfg->tx_udp_src + sender * worker_flows + i),
		.dst = cfg->tx_udp_dst,
	};
}

struct fill {
	const uint8_t *frame;
	uint16_t len;
};

static void
fill_mbuf(struct rte_mempool *pool, void *arg, void *obj, unsigned i)
{
	const struct fill *f = arg;
	struct rte_mbuf *m = obj;

	(void)pool;
	(void)i;
	memcpy(frame_of(m), f->frame, f->len);
}

void
txonly_fill(struct rte_mempool *pool, const struct config *cfg, struct mac src, struct mac dst,
	uint8_t run)
{
	const struct tag tag = {.kind = TAG_DATA, .run = run};
	static uint8_t frame[UINT16_MAX];
	struct engine_env env = {.cfg = cfg, .src_mac = src, .dst_mac = dst};
	struct frame_spec spec = spec_of(&env);

	frame_build(frame, &spec);
	if (config_tagged(cfg))
		tag_write(frame + TAG_OFFSET, &tag);
	/* Of several segments only the first is filled here; the rest of the payload is zeros. */
	rte_mempool_obj_iter(
		pool, fill_mbuf, &(struct fill){.frame = frame, .len = cfg->txpkts[0]});
}

static int
txonly_setup(struct stream *s, const struct engine_env *env, struct err *e)
{
	const struct config *cfg = env->cfg;
	struct frame_spec spec = spec_of(env);
	uint32_t flows = s->flows;
	uint32_t period = (s->nb_burst + flows - 1) / flows * flows;
	struct txonly *t;

	t = rte_zmalloc_socket("txonly", sizeof(*t) + (period + s->nb_burst) * sizeof(t->word[0]),
		RTE_CACHE_LINE_SIZE, s->socket);
	if (t == NULL)
		return err_set(e, EXIT_MACHINE,
			"port %u queue %u: no memory for the table of %" PRIu32 " flows", s->port,
			s->queue, flows);
	s->state = t;
	t->fresh = (struct fresh){
		.data_off = RTE_PKTMBUF_HEADROOM,
		.refcnt = 1,
		.nb_segs = 1,
		.port = s->port,
		.pkt_len = spec.len,
		.data_len = spec.len,
	};
	t->len = spec.len;
	t->period = period;
	t->passes = period / flows;
	t->nb_segs = cfg->nb_txpkts;
	memcpy(t->seg_len, cfg->txpkts, sizeof(t->seg_len));
	if (cfg->tx_cksum == TX_CKSUM_OFFLOAD) {
		struct rte_mbuf m = {};

		m.l2_len = FRAME_ETH_LEN;
		m.l3_len = FRAME_IP_LEN;
		t->fresh.ol_flags = RTE_MBUF_F_TX_UDP_CKSUM | RTE_MBUF_F_TX_IPV4;
		t->offload = m.tx_offload;
	}
	for (uint32_t i = 0; i < period + s->nb_burst; i++) {
		/* Flow k of the worker is on its queue k mod tx_queues. */
		uint32_t flow = i % flows * env->tx_queues + env->tx_index;
		struct flow_ports p =
			txonly_flow(cfg, env->lcore, env->sender, env->worker_flows, flow);

		t->word[i] = frame_udp_word(&spec, p.src, p.dst);
	}
	if (txonly_tag_setup(s, env, &spec) != 0)
		return err_set(e, EXIT_MACHINE,
			"port %u queue %u: no memory for the tags of %" PRIu32 " flows", s->port,
			s->queue, flows);
	if (cfg->nb_txpkts > 1) {
		s->burst = txonly_burst_segs;
		t->send = send_segs;
	} else if (t->fresh.ol_flags != 0) {
		s->burst = txonly_burst_offload;
		t->send = send_offload;
	} else if (t->tag.flow != NULL) {
		s->burst = txonly_burst_tagged;
		t->send = txonly_send_tagged;
	} else {
		s->burst = txonly_burst;
		t->send = send_plain;
	}
	return 0;
}

static void
txonly_teardown(struct stream *s)
{
	struct txonly *t = s->state;

	if (t != NULL) {
		rte_free(t->tag.flow);
		rte_free(t->paced);
	}
	rte_free(t);
	s->state = NULL;
}

const struct engine engine_txonly = {
	.name = "txonly",
	.help = "sends UDP frames, 16 flows for each lcore, and never reads",
	.sends = true,
	.setup = txonly_setup,
	.teardown = txonly_teardown,
};
