/* SPDX-License-Identifier: BSD-3-Clause */
/* What sets up the txonly engine's surroundings: its pools, and the flows it will send. */
#pragma once

#include <stdint.h>

#include <rte_mempool.h>

#include "config.h"
#include "flow.h"

/*
 * Writes the run's frame into every mbuf of a worker's pool. The pool must be whole: no device may
 * hold a mbuf of it. Its data room holds the first segment of the frame.
 * @param run of the tags
 */
void txonly_fill(struct rte_mempool *pool, const struct config *cfg, struct mac src, struct mac dst,
	uint8_t run);

/*
 * The ports of a worker's flow i: those of flow.h, or with --tx-udp the given destination and
 * sources that count up from the given one over all senders.
 * @param sender the worker's place among those that send, from 0
 * @param worker_flows flows of each worker
 */
struct flow_ports txonly_flow(const struct config *cfg, unsigned lcore, unsigned sender,
	uint32_t worker_flows, uint32_t i);
