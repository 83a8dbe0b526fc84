/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who polls what: from the machine, the lcores, the ports and the numbers asked for to streams.
 * Pure functions, run twice: before EAL starts, when the limits of devices are not known yet, and
 * after, when they are.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "err.h"
#include "lcores.h"
#include "notes.h"
#include "topology.h"

enum plan_dir {
	PLAN_TX,
	PLAN_RX,
};

enum {
	PLAN_LIMIT_UNKNOWN = UINT16_MAX, /* of a port's queues, before the device is known */
};

struct plan_port_in {
	uint16_t port_id;
	int node;                  /* TOPOLOGY_NODE_UNKNOWN is not node 0 */
	bool tx, rx;               /* directions its engine works in */
	uint16_t max_txq, max_rxq; /* the device's limits or PLAN_LIMIT_UNKNOWN */
};

struct plan_in {
	const struct topology *topo;
	const struct plan_port_in *ports;
	unsigned nb_ports;
	bool lcores_given;   /* by the user, not chosen by plan_choose_lcores() */
	bool main_given;     /* --main-lcore, without a list of lcores */
	unsigned main_lcore; /* if main_given: its CPU */
	unsigned nb_cores;   /* workers; 0: all */
	bool nb_cores_given;
	uint16_t txq, rxq;
	bool txq_given, rxq_given;
	uint32_t flows_per_core;
	bool flows_given;
};

/* A port's queues in both directions, whether or not its engine polls them. */
struct plan_port {
	uint16_t port_id;
	int node;
	bool tx, rx;
	uint16_t asked_txq, used_txq;
	uint16_t asked_rxq, used_rxq;
};

struct plan_worker {
	unsigned lcore;
	int cpu;        /* -1: may run on several */
	int node;       /* TOPOLOGY_NODE_UNKNOWN if not known or on several */
	unsigned nb_tx; /* streams */
	unsigned nb_rx;
	uint32_t flows; /* over all its TX queues; 0 without any */
};

/* What a worker polls. Each (port, direction, queue) has exactly one. */
struct plan_stream {
	uint16_t port_id;
	uint16_t queue;
	enum plan_dir dir;
	unsigned port;     /* index into plan.ports */
	unsigned worker;   /* index into plan.workers */
	unsigned tx_index; /* TX: place among its worker's TX queues; flow i is on i mod nb_tx */
	uint32_t flows;    /* TX: how many of its worker's flows it carries */
	bool crossing;     /* worker and port are known to be on different nodes */
};

struct plan {
	int main_lcore;
	int main_cpu; /* -1: may run on several */
	int main_node;
	bool main_shares;            /* its CPU with a worker */
	unsigned asked_cores;        /* 0: all */
	uint32_t asked_flows;        /* per lcore */
	uint32_t used_flows;         /* the same, or one for each TX queue of an lcore */
	unsigned nb_workers;         /* in use, every one with at least one stream */
	struct plan_worker *workers; /* owned */
	unsigned nb_ports;
	struct plan_port *ports; /* owned */
	unsigned nb_streams;
	struct plan_stream *streams; /* owned; ordered by port, direction, queue */
};

struct memory_need; /* memory.h */

/*
 * Chooses lcores when the user gave none. Workers stand on the nodes of the ports, in proportion
 * to their queues, one on each physical core, at most one for each queue. Main gets CPU 0 if it is
 * allowed (the kernel is busiest there), else the lowest allowed CPU of the workers' node.
 * Without nb_cores only free cores of the ports' own nodes are taken. With it, sibling threads,
 * then other nodes and at last main's own CPU serve too: main sleeps most of the time. What the
 * machine cannot give is clamped with a note. The id of an lcore is that of its CPU where
 * max_lcore allows and main does not have it already, else a free small one.
 * @param out an empty list, filled; the caller frees it
 * @return 0, or -1 with EXIT_MACHINE: no CPU may be used, or memory is short
 */
int plan_choose_lcores(const struct plan_in *in, unsigned max_lcore, struct lcores *out,
	struct notes *notes, struct err *e);

/*
 * Gives every queue its lcore. Lcores get equally many queues to within one, in contiguous blocks,
 * and of all such ways one with the fewest queues on a foreign node. Queues above a device's limit
 * and lcores without a queue are left out with a note; refused with EXIT_USAGE: more lcores than
 * queues where the user gave both numbers and no device limit is the cause, nb_cores above the
 * workers the user listed, fewer flows than TX queues of an lcore where flows were given; with
 * EXIT_MACHINE: a port without queues in the direction it is to work in.
 * @param out filled; the caller calls plan_free() in any case
 * @return 0 or -1
 */
int plan_streams(const struct plan_in *in, const struct lcores *lcores, struct plan *out,
	struct notes *notes, struct err *e);

void plan_free(struct plan *plan);

/* @return how many of an lcore's flows its k-th of q TX queues carries (flow i is on i mod q) */
uint32_t plan_flows_of(uint32_t flows, unsigned q, unsigned k);

/*
 * Prints the plan in lines below 80 columns, ASCII only: lcores with CPU, node and queues, ports,
 * memory by node, notes.
 * @param mem may be NULL
 * @param notes may be NULL
 */
void plan_print(FILE *out, const struct plan *plan, const struct memory_need *mem,
	const struct notes *notes);
