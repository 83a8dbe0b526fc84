/* SPDX-License-Identifier: BSD-3-Clause */
/* What the burst functions of txonly share: a stream's state, and the writing of a frame. */
#pragma once

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_mbuf.h>

#include "config.h"
#include "engine.h"
#include "frame.h"
#include "tag.h"

/*
 * What a fresh mbuf has from data_off on, in one piece: half a cache line, one store. The names and
 * places are struct rte_mbuf's.
 */
struct fresh {
	uint16_t data_off;
	uint16_t refcnt;
	uint16_t nb_segs;
	uint16_t port;
	uint64_t ol_flags;
	uint32_t packet_type;
	uint32_t pkt_len;
	uint16_t data_len;
	uint16_t vlan_tci;
	uint32_t rss;
};

#define SAME_PLACE(field)                                                                       \
	static_assert(offsetof(struct rte_mbuf, field) - offsetof(struct rte_mbuf, data_off) == \
			      offsetof(struct fresh, field),                                    \
		#field)
SAME_PLACE(refcnt);
SAME_PLACE(nb_segs);
SAME_PLACE(port);
SAME_PLACE(ol_flags);
SAME_PLACE(packet_type);
SAME_PLACE(pkt_len);
SAME_PLACE(data_len);
SAME_PLACE(vlan_tci);
static_assert(sizeof(struct fresh) == 32, "no gaps, one store");
static_assert(RTE_PKTMBUF_HEADROOM == 128, "memory.h counts on it");

/*
 * What tagged frames need besides, entry by entry as word[]. Arrays of their own, so that four or
 * more entries are worked on at once.
 */
struct txonly_tag {
	uint32_t *flow;        /* NULL: frames have no tag. Big-endian, as it goes into the frame */
	uint32_t *sum;         /* of the datagram's checksum: all but the sequence and the time */
	uint32_t *pass;        /* what the entry's sequence is beyond the first entry's */
	bool sums;             /* checksums are ours to compute */
	uint64_t ns_per_cycle; /* times 2^32 */
};

/* What is new in each frame of a burst, as it goes into the frames. */
struct txonly_words {
	uint32_t sequence[CONFIG_MAX_BURST];
	uint32_t cksum[CONFIG_MAX_BURST]; /* 16 bits; 0: the table has it */
	uint64_t time;
};

struct txonly {
	struct fresh fresh; /* of a whole frame in one mbuf */
	uint64_t offload;   /* header lengths, for the device's checksum */
	uint32_t cursor;    /* of the next frame, below period. The worker writes */
	uint32_t period;    /* a multiple of the flows, at least a burst: one step back at most */
	uint16_t len;
	uint16_t nb_segs;
	uint16_t seg_len[CONFIG_MAX_SEGS];
	uint32_t passes; /* over all flows in a period */
	uint32_t pass;   /* sequence of the flow that word[0] is of. The worker writes */
	struct txonly_tag tag;
	uint16_t (*send)(struct stream *s, uint16_t n); /* @return how many the device took */
	struct txonly_paced *paced;                     /* NULL: as fast as it goes */
	uint64_t word[]; /* UDP headers by flow, repeated to period plus a burst */
};

/* The frame in a pool's mbuf: pools have no private area and the default headroom. */
static inline uint8_t *
frame_of(struct rte_mbuf *m)
{
	return (uint8_t *)(m + 1) + RTE_PKTMBUF_HEADROOM;
}

static inline void
write_udp(struct rte_mbuf *m, uint64_t word)
{
	memcpy(frame_of(m) + FRAME_UDP_OFFSET, &word, sizeof(word));
}

/* @param i of the burst */
static inline void
write_tagged(struct rte_mbuf *m, const struct txonly *t, const struct txonly_words *w, unsigned i)
{
	uint8_t *p = frame_of(m);
	uint64_t udp = t->word[t->cursor + i] | (uint64_t)w->cksum[i] << 48;
	uint64_t tag = t->tag.flow[t->cursor + i] | (uint64_t)w->sequence[i] << 32;

	memcpy(p + FRAME_UDP_OFFSET, &udp, sizeof(udp));
	memcpy(p + TAG_FLOW_OFFSET, &tag, sizeof(tag));
	memcpy(p + TAG_TIME_OFFSET, &w->time, sizeof(w->time));
}

static inline void
reset_mbuf(struct rte_mbuf *m, const struct fresh *fresh)
{
	memcpy((uint8_t *)m + offsetof(struct rte_mbuf, data_off), fresh, sizeof(*fresh));
}

/* Counts a burst and steps the cursor over what the device took. */
static inline void
account(struct stream *s, struct txonly *t, uint64_t offered, uint16_t sent)
{
	counters_begin(&s->count);
	counter_add(&s->count.tx_packets, sent);
	counter_add(&s->count.tx_unsent, offered - sent);
	counter_add(&s->count.tx_bytes, (uint64_t)sent * t->len);
	counters_end(&s->count);
	t->cursor += sent;
	if (t->cursor >= t->period) {
		t->cursor -= t->period;
		t->pass += t->passes;
	}
}

/*
 * Gives the stream's frames tags, if they have room for them and tags are wanted.
 * @param spec of the frames
 * @return 0 or -1: no memory
 */
int txonly_tag_setup(struct stream *s, const struct engine_env *env, const struct frame_spec *spec);

/* The words of the next n frames. */
void txonly_tag_words(const struct txonly *t, uint16_t n, struct txonly_words *w);

/* Sends tagged frames of one segment that need nothing of the device, without counting them. */
uint16_t txonly_send_tagged(struct stream *s, uint16_t n);

/* A burst of tagged frames of one segment that need nothing of the device. */
unsigned txonly_burst_tagged(struct stream *s);
