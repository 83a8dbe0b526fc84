/* SPDX-License-Identifier: BSD-3-Clause */
/* The DPDK ports of a run: what they can do, what was asked of them, what they do. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <rte_ethdev.h>

#include "config.h"
#include "engine.h"
#include "err.h"
#include "neighbour.h"
#include "notes.h"
#include "plan.h"
#include "report.h"
#include "sample.h"
#include "xstats.h"

struct port {
	uint16_t id;
	char name[RTE_ETH_NAME_MAX_LEN];
	const struct engine *engine;
	int node;   /* -1: unknown */
	int socket; /* where to allocate for it */
	struct rte_eth_dev_info info;
	struct mac mac;
	struct mac dst_mac;
	bool default_dst_mac;
	struct neighbour_self self; /* MAC and IPv4 address that it answers for */
	bool answers;               /* ARP and ICMP echo, by itself */
	struct report_rings asked, used;
	uint16_t mtu;        /* in force; 0: the device does not say */
	uint16_t mtu_before; /* when it was found; 0: not looked at */
	bool mtu_raised;     /* to give back */
	uint64_t tx_offloads, rx_offloads;
	bool configured, started;
	uint32_t link_mbps; /* 0: unknown. Set by port_wait_link() */
	bool link_up;
	struct rte_eth_stats base; /* the device's counters at the start of the run */
	bool base_known;
	uint64_t control_rx, control_tx; /* frames in no other count that main took, and sent */
	struct xstats base_xstats;       /* freed by port_close() */
};

/*
 * Lists the ports to use: those of --portmask, or all; each with its engine.
 * @param ports room for CONFIG_MAX_PORTS
 * @return how many; -1 with EXIT_USAGE or EXIT_MACHINE: none there, one named that is not there,
 * one without an engine
 */
int port_discover(struct port *ports, const struct config *cfg, struct notes *notes, struct err *e);

/*
 * Refuses a port that is not there if an option names it.
 * @param found how many are there
 * @return 0 if none does, or -1 with EXIT_USAGE
 */
int port_refuse_named(const struct config *cfg, uint16_t id, unsigned found, struct err *e);

/* What the plan needs to know of a port. */
struct plan_port_in port_plan_in(const struct port *p);

/*
 * Sets p->used's descriptors of each queue: those asked for, or as many as the driver prefers,
 * within the device's limits. Pools are sized by them, so this comes before everything else.
 * @return 0 or -1
 */
int port_descriptors(struct port *p, const struct config *cfg, struct err *e);

/*
 * Configures a port for its planned numbers of queues: MTU, offloads, RSS, descriptors within the
 * device's limits. What is clamped or left out is noted; what cannot be sent is refused.
 * @return 0 or -1; port_close() is called in both cases
 */
int port_configure(struct port *p, const struct config *cfg, const struct plan_port *planned,
	struct notes *notes, struct err *e);

/* Sets up one queue. @return 0 or -1 */
int port_rx_queue(
	struct port *p, uint16_t queue, int socket, struct rte_mempool *pool, struct err *e);
int port_tx_queue(struct port *p, uint16_t queue, int socket, struct err *e);

/* Starts a configured port and takes the baseline of its counters. @return 0 or -1 */
int port_start(struct port *p, struct err *e);

/* Whether the link is up now; keeps speed and state in the port. */
bool port_link(struct port *p);

/* Adds the device's own counters. One that this driver does not keep stays unknown. */
void port_add_counters(const struct port *p, struct sample_snapshot *s);

/* Fills what a report says of the device's own counters, as deltas from the start of the run. */
void port_report_counters(const struct port *p, struct report_port *r);

/* The driver's own counters as they are. Owned by the caller, with xstats_free(). */
struct xstats port_xstats(const struct port *p);

/* Stops and closes the port, as far as it got, and gives back its MTU. */
void port_close(struct port *p);
