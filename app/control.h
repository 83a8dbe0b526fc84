/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control frames between the workers and main. Workers own the queues, so main neither receives
 * nor sends on them: a worker hands frames that are not test traffic (ARP, ICMP, LLDP) to main
 * through one ring, and sends main's frames from another. Both rings have one producer and one
 * consumer.
 */
#pragma once

#include <assert.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include "err.h"
#include "tag.h"

struct worker;

enum {
	CONTROL_RING = 256, /* frames that wait for main, or for a worker */
};

/* One for each worker. */
struct control_queue {
	struct rte_ring *to_main; /* the worker enqueues, main dequeues */
	struct rte_ring
		*from_main;       /* main enqueues, the worker dequeues; mbuf->port says where to */
	_Atomic uint64_t handed;  /* frames put on to_main. The worker writes */
	_Atomic uint64_t dropped; /* frames to_main had no room for. The worker writes */
	struct rte_mbuf *unsent;  /* the device had no room for it: the worker tries again */
	unsigned tries;           /* so many times by now */
};

/* What main did with control frames. Main writes and reads. */
struct control_stats {
	uint64_t arp;
	uint64_t icmp;     /* and ICMPv6, IGMP */
	uint64_t link;     /* neither IP nor ARP: LLDP, spanning tree, ... */
	uint64_t apart;    /* what peers say to each other, and what is to prime switches */
	uint64_t other;    /* test traffic on queues that no engine polls */
	uint64_t dropped;  /* by workers, for want of room */
	uint64_t answered; /* of those above */
};

/*
 * True if a frame is for main: what a network says by itself. ARP, LLDP, LACP, LLC (spanning tree);
 * of IPv4 ICMP and IGMP, and what has a tag (tag.h) but no data; of IPv6 ICMP, behind
 * hop-by-hop options, too. Looks at the first 46 bytes, which every mbuf has room for. Without a
 * branch, for the sake of engines.
 */
static inline bool
control_is_control(const struct rte_mbuf *m)
{
	const uint8_t *p = rte_pktmbuf_mtod(m, const uint8_t *);
	bool icmp = (p[23] == IPPROTO_ICMP) | (p[23] == IPPROTO_IGMP);
	bool icmpv6 = (p[20] == IPPROTO_ICMPV6) | (p[20] == IPPROTO_HOPOPTS);
	/* What lies behind a short frame is an older one's. */
	bool peer = (p[23] == IPPROTO_UDP) & (m->data_len >= TAG_MIN_FRAME) & tag_is_apart(p);
	uint16_t type;

	memcpy(&type, p + 12, sizeof(type));
	type = rte_be_to_cpu_16(type);
	/* Up to 1535 it is a length; 0 is what net_null makes. */
	return (type == RTE_ETHER_TYPE_ARP) | (type == RTE_ETHER_TYPE_LLDP) |
	       (type == RTE_ETHER_TYPE_SLOW) | ((uint16_t)(type - 1) < 1535) |
	       ((type == RTE_ETHER_TYPE_IPV4) & (icmp | peer)) |
	       ((type == RTE_ETHER_TYPE_IPV6) & icmpv6);
}

/*
 * 0 for what cannot be control at first sight: IPv4 that is neither ICMP nor IGMP, and the zeros of
 * net_null. What engines ask of every frame they receive, for it takes half the instructions; a
 * burst with another answer in it is to be looked at again, by control_is_control().
 */
static inline unsigned
control_suspicion(const struct rte_mbuf *m)
{
	const uint8_t *p = rte_pktmbuf_mtod(m, const uint8_t *);
	uint16_t type;

	static_assert(IPPROTO_ICMP == 1 && IPPROTO_IGMP == 2, "one comparison for both");
	memcpy(&type, p + 12, sizeof(type));
	return (type & (uint16_t)~RTE_BE16(RTE_ETHER_TYPE_IPV4)) | ((uint8_t)(p[23] - 1) < 2);
}

/*
 * Moves the control frames of a burst to main and closes the gaps.
 * @return how many frames are left in pkts
 */
uint16_t control_hand_over(struct control_queue *q, struct rte_mbuf **pkts, uint16_t n);

/*
 * Creates the rings of a worker on a socket.
 * @return 0 or -1; control_fini() is called in both cases
 */
int control_init(struct control_queue *q, unsigned lcore, int socket, struct err *e);

/* Frees the rings and the frames in them. The worker has ended. */
void control_fini(struct control_queue *q);

/* The worker's part: sends what main put on the ring. A few frames at most. */
void control_send_for_main(struct worker *w);

/* Main's part: counts a frame by kind. */
void control_count(const struct rte_mbuf *m, struct control_stats *stats);
