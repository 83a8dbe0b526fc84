/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The other sides of a run, and what they and we say to each other (peer_proto.h). All of it is
 * main's work: workers only hand the frames over.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "peer_receiver.h"
#include "peer_sender.h"
#include "sample.h"

struct account;
struct port;
struct rte_mbuf;
struct run;

/* The conversation of a port that sends. */
struct peers_asker {
	bool on; /* it has somebody to ask, and queues to hear from */
	struct peer_sender s;
	struct peer_addr to;
	struct peer_sent sent; /* as of now; the window once it is known */
	uint64_t base_packets; /* at the start of the measured time */
	uint64_t base_bytes;
};

struct peers {
	struct peers_asker *asker;      /* owned, one for each port; NULL: nobody is asked */
	struct peer_receiver *receiver; /* owned; NULL: this side receives nothing to speak of */
	struct account **account;       /* owned, of all receive queues, with the receiver */
	struct sample_snapshot begin;   /* devices' counters before */
	uint64_t end_ns;                /* planned; UINT64_MAX: none */
	uint64_t measure_ns;            /* when the measured time began; 0: not yet */
	enum peer_phase phase;
	uint64_t malformed; /* frames that were meant to be said, and were not well said */
	uint64_t foreign;   /* questions to senders, answers to nobody's question */
};

/* After run_build(). @return 0 or -1; peers_fini() in both cases */
int peers_init(struct run *r, struct err *e);

/*
 * Before anything is sent, while receivers receive: waits a moment for the other sides.
 * @return whether there was somebody to ask
 */
bool peers_find(struct run *r);

/* Main's share, in each round. */
void peers_attend(struct run *r);

/* Takes a frame, if it is one of theirs: then it is gone. */
bool peers_take(struct run *r, struct port *p, struct rte_mbuf *m);

/* The measured time begins, and ends. */
void peers_measure(struct run *r);
void peers_stop(struct run *r);

/* Nothing is sent any more: settles the end with the other sides, in bounded time. */
void peers_end(struct run *r);

void peers_fini(struct run *r);
