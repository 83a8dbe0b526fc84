/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An engine is one file and one line of the table in engine.c. The worker loop, the sampler, the
 * help and the reports walk the descriptors; nothing compares names.
 *
 * A burst function never loops without bound, prints, logs or makes a system call, and counts what
 * it moved in its stream's counters. Phases of a run are not its concern.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "err.h"
#include "stream.h"

/* What a stream's setup may know besides the stream. */
struct engine_env {
	const struct config *cfg;
	struct mac src_mac;
	struct mac dst_mac;
	unsigned lcore;        /* of the stream's worker */
	unsigned sender;       /* place of that worker among those that send, from 0 */
	uint8_t run;           /* of this run's tags */
	uint32_t worker_flows; /* of that worker, over all its queues */
	unsigned tx_index;     /* the stream's place among its worker's TX queues, of tx_queues */
	unsigned tx_queues;
	uint64_t tx_offloads; /* enabled on the port */
};

struct engine {
	const char *name;
	const char *help; /* one line */
	bool sends;
	bool receives;
	/*
	 * Prepares a stream: sets s->burst, and s->state if it needs some (on s->socket). Runs on
	 * main with the port configured and not yet started.
	 * @return 0, or -1; teardown is called in both cases
	 */
	int (*setup)(struct stream *s, const struct engine_env *env, struct err *e);
	/* Gives back s->state. NULL: there is nothing to give back. */
	void (*teardown)(struct stream *s);
};

extern const struct engine engine_rxonly;
extern const struct engine engine_txonly;
extern const struct engine engine_txrx;

/* @return the engine of that name, NULL if there is none */
const struct engine *engine_find(const char *name);

/* Names of all engines, ends with NULL. */
const char *const *engine_names(void);
