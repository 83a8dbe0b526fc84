/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tagged frames (tag.h). The sequence of each flow is the number of passes over the table and its
 * start, so nothing is kept by flow; the time is taken once a burst. Words are made for a whole
 * burst first, in a loop that compilers turn into vector code: a quarter of the cycles of one by
 * one.
 */
#include <rte_byteorder.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>

#include "simd.h"
#include "txonly.h"
#include "txonly_state.h"

static uint64_t
time_ns(const struct txonly_tag *tag)
{
	return (uint64_t)((unsigned __int128)rte_rdtsc() * tag->ns_per_cycle >> 32) &
	       UINT64_C(0xffffffffffff);
}

/*
 * The end of a checksum: folded, inverted, and as it lies in the frame. 0 on the wire means "not
 * computed" (RFC 768).
 */
static inline uint32_t
finish_cksum(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~sum & 0xffff;
	sum = sum == 0 ? 0xffff : sum;
	return (sum >> 8 | sum << 8) & 0xffff;
}

/* Of a datagram whose checksum field has the pseudo header's sum. */
static uint16_t
finish_cksum_of(const uint8_t *udp, size_t len)
{
	uint16_t cksum = (uint16_t)~frame_fold(frame_sum(udp, len, 0));

	return cksum == 0 ? 0xffff : cksum;
}

static inline uint32_t
swapped(uint32_t v)
{
	return v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
}

/* For compilers to make vector code of: no calls, no aliases, one width. */
static inline void
make_words(const struct txonly *t, uint16_t n, struct txonly_words *restrict w)
{
	const uint32_t *restrict sum = t->tag.sum + t->cursor;
	const uint32_t *restrict pass = t->tag.pass + t->cursor;
	uint64_t time = time_ns(&t->tag);
	uint32_t time_sum = tag_sum48(time), first = t->pass;

	w->time = rte_cpu_to_be_64(time) >> 16;
	for (unsigned i = 0; i < n; i++) {
		uint32_t sequence = first + pass[i];

		w->sequence[i] = swapped(sequence);
		w->cksum[i] = finish_cksum(sum[i] + time_sum + tag_sum32(sequence));
	}
	/* The device's or nobody's: they are in the table. */
	if (unlikely(!t->tag.sums))
		memset(w->cksum, 0, n * sizeof(w->cksum[0]));
}

void
txonly_tag_words(const struct txonly *t, uint16_t n, struct txonly_words *w)
{
	make_words(t, n, w);
}

static inline uint16_t
send_tagged(struct stream *s, uint16_t n)
{
	struct txonly *t = s->state;
	struct rte_mbuf *pkts[CONFIG_MAX_BURST];
	struct txonly_words w;
	uint16_t sent = 0;

	if (likely(rte_mempool_get_bulk(s->pool, (void **)pkts, n) == 0)) {
		for (uint16_t i = 0; i < n; i++)
			__builtin_prefetch(frame_of(pkts[i]) + FRAME_UDP_OFFSET, 1);
		make_words(t, n, &w);
		for (uint16_t i = 0; i < n; i++) {
			write_tagged(pkts[i], t, &w, i);
			reset_mbuf(pkts[i], &t->fresh);
		}
		simd_leave();
		sent = rte_eth_tx_burst(s->port, s->queue, pkts, n);
		if (unlikely(sent < n))
			rte_mempool_put_bulk(s->pool, (void **)&pkts[sent], n - sent);
	}
	return sent;
}

uint16_t
txonly_send_tagged(struct stream *s, uint16_t n)
{
	return send_tagged(s, n);
}

unsigned
txonly_burst_tagged(struct stream *s)
{
	uint16_t sent = send_tagged(s, s->nb_burst);

	account(s, s->state, s->nb_burst, sent);
	return sent;
}

void
txonly_prime_frame(const struct stream *s, uint32_t flow, const struct frame_spec *spec,
	uint8_t run, uint8_t *frame)
{
	const struct txonly *t = s->state;
	const struct tag tag = {.kind = TAG_PRIME, .run = run, .flow = flow};
	uint8_t *udp = frame + FRAME_UDP_OFFSET;
	struct frame_spec pseudo = *spec;
	uint64_t word;

	pseudo.cksum = FRAME_CKSUM_PSEUDO;
	frame_build(frame, &pseudo);
	word = frame_udp_word(&pseudo, 0, 0);
	memcpy(udp, &word, sizeof(word));
	/* The ports: the rest of the table's header is of the test's frames. */
	memcpy(udp, &t->word[flow], 4);
	tag_write(frame + TAG_OFFSET, &tag);
	frame_put(udp + 6, finish_cksum_of(udp, spec->len - FRAME_UDP_OFFSET), 2);
}

void
txonly_set_run(struct stream *s, uint8_t before, uint8_t run)
{
	struct txonly *t = s->state;
	uint32_t entries = t->period + s->nb_burst;

	/* In sums modulo 0xffff, which that is the same as 0 in. */
	for (uint32_t i = 0; t->tag.flow != NULL && t->tag.sums && i < entries; i++)
		t->tag.sum[i] = frame_fold((uint64_t)t->tag.sum[i] + 0xffff - before + run);
}

int
txonly_tag_setup(struct stream *s, const struct engine_env *env, const struct frame_spec *spec)
{
	struct txonly *t = s->state;
	struct txonly_tag *tag = &t->tag;
	uint32_t entries = t->period + s->nb_burst, flows = s->flows;
	uint32_t head = rte_be_to_cpu_32(tag_head(TAG_DATA, env->run));

	if (!config_tagged(env->cfg))
		return 0;
	tag->flow = rte_zmalloc_socket(
		"tags", 3 * entries * sizeof(uint32_t), RTE_CACHE_LINE_SIZE, s->socket);
	if (tag->flow == NULL)
		return -1;
	tag->sum = tag->flow + entries;
	tag->pass = tag->sum + entries;
	tag->sums = spec->cksum == FRAME_CKSUM_FULL;
	tag->ns_per_cycle = (uint64_t)(((unsigned __int128)1000000000 << 32) / rte_get_tsc_hz());
	for (uint32_t i = 0; i < entries; i++) {
		uint32_t flow = env->sender * env->worker_flows + i % flows * env->tx_queues +
				env->tx_index;

		tag->flow[i] = rte_cpu_to_be_32(flow);
		tag->pass[i] = i / flows + tag_start(flow);
		if (tag->sums) {
			uint16_t cksum = rte_be_to_cpu_16((uint16_t)(t->word[i] >> 48));

			/* With the checksum's complement in place of what it is made of. */
			tag->sum[i] = frame_fold(
				(uint16_t)~cksum + (uint64_t)tag_sum32(flow) + tag_sum32(head));
			t->word[i] &= UINT64_C(0xffffffffffff);
		}
	}
	return 0;
}
