/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A worker is an lcore in the one loop that calls the engines' burst functions. Workers share
 * nothing: each has its own streams, pool and counters.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "control.h"
#include "stream.h"

/* Main moves it forward only; workers follow within one round of their streams. */
enum worker_phase {
	WORKER_READY,  /* launched; waits, so that all begin together */
	WORKER_LISTEN, /* receives, and does not send yet */
	WORKER_RUN,
	WORKER_DRAIN, /* no more sending: what is under way is still received */
	WORKER_STOP,
};

struct worker {
	/* Set before the run. */
	unsigned lcore;
	int cpu;    /* -1: several */
	int node;   /* -1: unknown */
	int socket; /* where its memory is, as rte_malloc takes it */
	unsigned nb_streams;
	struct stream **streams; /* owned, as polled; the streams themselves are struct run's */
	struct stream **polled;  /* owned, as large: the worker's own list of those still to poll */
	const _Atomic int *phase; /* main writes */
	struct control_queue control;
	bool launched; /* main's own, as is the next */
	uint64_t turns_seen;

	/* The worker writes, at housekeeping and at its end; anybody reads. */
	alignas(RTE_CACHE_LINE_SIZE) _Atomic uint64_t busy_cycles; /* in polls that moved frames */
	_Atomic uint64_t frames;
	_Atomic uint64_t first_tsc; /* before its first busy poll; 0: none yet */
	_Atomic uint64_t last_tsc;  /* after its last busy poll */
	_Atomic uint64_t turns;     /* housekeepings: it goes on, busy or not */
	_Atomic bool running;
};

/* The thread's function, for rte_eal_remote_launch(); arg is a struct worker. */
int worker_main(void *arg);
