/* SPDX-License-Identifier: BSD-3-Clause */
/* What sets up the txonly engine's surroundings: its pools, and the flows it will send. */
#pragma once

#include <stdint.h>

#include <rte_mempool.h>

#include "config.h"
#include "flow.h"
#include "frame.h"
#include "hist.h"
#include "pace.h"
#include "stream.h"

/*
 * Writes the run's frame into every mbuf of a worker's pool. The pool must be whole: no device may
 * hold a mbuf of it. Its data room holds the first segment of the frame.
 * @param run of the tags
 */
void txonly_fill(struct rte_mempool *pool, const struct config *cfg, struct mac src, struct mac dst,
	uint8_t run);

/*
 * Writes a frame of a stream's flow that is in no count: 64 bytes or more, tagged TAG_PRIME.
 * @param flow of the stream, below its flows
 * @param frame spec->len bytes
 */
void txonly_prime_frame(const struct stream *s, uint32_t flow, const struct frame_spec *spec,
	uint8_t run, uint8_t *frame);

/*
 * From now on a stream's tags are of another run; its pool is to be filled again, too. No worker
 * sends yet. Nothing to do for one that sends none.
 */
void txonly_set_run(struct stream *s, uint8_t before, uint8_t run);

/* What pacing of one stream, or of several together, came to. In cycles. */
struct txonly_paced {
	struct pace pace;    /* the worker's */
	uint64_t last;       /* departure */
	uint64_t late;       /* the most */
	uint64_t given_up;   /* frames that were due and never sent */
	struct hist between; /* departures */
};

/*
 * From now on the stream keeps to a rate. No worker runs yet.
 * @param pace as pace_init() made it
 * @return 0 or -1: no memory
 */
int txonly_set_pace(struct stream *s, const struct pace *pace);

/* Adds what pacing of a stream came to. Its worker has ended. @return false: it is not paced */
bool txonly_add_paced(const struct stream *s, struct txonly_paced *sum);

/*
 * The ports of a worker's flow i: those of flow.h, or with --tx-udp the given destination and
 * sources that count up from the given one over all senders.
 * @param sender the worker's place among those that send, from 0
 * @param worker_flows flows of each worker
 */
struct flow_ports txonly_flow(const struct config *cfg, unsigned lcore, unsigned sender,
	uint32_t worker_flows, uint32_t i);
