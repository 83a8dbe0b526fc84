/* SPDX-License-Identifier: BSD-3-Clause */
/* A run: ports, workers and streams made from a plan, and what main does with them. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "config.h"
#include "control.h"
#include "err.h"
#include "host.h"
#include "lease.h"
#include "memory.h"
#include "notes.h"
#include "peers.h"
#include "plan.h"
#include "port.h"
#include "sample.h"
#include "stream.h"
#include "worker.h"

struct run {
	const struct config *cfg;
	const struct memory_in *mem;
	struct notes *notes;

	unsigned nb_ports;
	struct port ports[CONFIG_MAX_PORTS];
	struct plan plan;
	struct worker *workers; /* plan.nb_workers of them; each on a cache line of its own */
	struct stream *streams; /* plan.nb_streams of them, in the plan's order */
	struct rte_mempool *main_pool; /* of receive queues that no stream polls */

	uint8_t tag_run; /* of the frames sent: tells them from those of another run */

	_Atomic int phase; /* enum worker_phase; main writes, workers read */
	struct lease leases[CONFIG_MAX_PORTS];
	uint64_t lease_due_ns;
	struct control_stats control;
	struct peers peers;
	uint64_t asked_pps; /* of --rate; 0: as fast as it goes */
};

/*
 * Makes everything up to started ports: pools, queues, streams with their engines' state. r holds
 * cfg, mem, notes, ports and the plan already.
 * @return 0 or -1; the caller calls run_free() in both cases
 */
int run_build(struct run *r, struct err *e);

/*
 * Waits until the ports that send have a link, 5 s at most, or a signal; a moment more after one
 * came up. Notes those without.
 */
void run_wait_link(struct run *r);

/*
 * Gives each stream that sends its part of --rate, if there is one. Links are up by then.
 * @param hz cycles of the TSC a second, as measured
 * @return 0 or -1
 */
int run_pace(struct run *r, double hz, struct err *e);

/* Puts each worker on its lcore, where it waits for run_begin(). @return 0 or -1 */
int run_launch(struct run *r, struct err *e);

/* Those that receive begin now; nothing is sent yet but what main sends. */
void run_listen(struct run *r);

/* All begin now. */
void run_begin(struct run *r);

/* Looks at the links again: notes those that went down during the run. */
void run_note_link(struct run *r);

/* Ends sending; what is under way is still received until run_stop(). */
void run_drain(struct run *r);

/*
 * Ends the workers, waiting 2 s at most: a driver may be stuck in its burst function.
 * @return how many did not end; their ports must not be touched any more
 */
unsigned run_stop(struct run *r);

/* All totals as of now. */
void run_snapshot(const struct run *r, struct sample_snapshot *s);

/* Frames received so far, without the devices' counters: cheap. */
uint64_t run_received(const struct run *r);

/*
 * Main's share of the work: control frames, and queues that no stream polls. Renews the leases once
 * a second, if every worker went on since the last time: a stuck one is no progress.
 */
void run_attend(struct run *r);

/*
 * Sends a frame of main's by a worker that sends on the port, or by queue 0 where none does or
 * before they run. Never waits; the mbuf is gone in any case.
 */
void run_send(struct run *r, struct port *p, struct rte_mbuf *m);

/* Takes a frame that is no test traffic: counts it, answers it if it is a question to us. */
void run_take(struct run *r, struct rte_mbuf *m);

/* Receives on a port whose queues are main's. @return how many frames, room at most */
unsigned run_receive(const struct port *p, struct rte_mbuf **pkts, unsigned room);

/* Sets where a port's frames go. No worker runs yet and no device holds a frame. */
void run_set_dst_mac(struct run *r, struct port *p, struct mac mac);

/* The same for the number of the run in the frames' tags. */
void run_set_tag_run(struct run *r, uint8_t run);

/* Opens the leases of all ports; run_free() closes them. */
void run_open_leases(struct run *r);

/* Stops and frees what run_build() made, as far as it got. */
void run_free(struct run *r);
