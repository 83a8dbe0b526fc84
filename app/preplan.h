/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan before EAL starts: which ports there will be, and which lcores to give to EAL. */
#pragma once

#include "config.h"
#include "eal_args.h"
#include "err.h"
#include "host.h"
#include "memory.h"
#include "plan.h"

/*
 * The ports EAL will find by its words and by what sysfs shows: PCI NICs held by a driver for
 * DPDK, then vdevs, as EAL numbers them. Limits of their queues are unknown.
 * @param ports room for CONFIG_MAX_PORTS
 * @return how many are to be used; -1 with EXIT_USAGE: a port without an engine, or a port mask
 * that leaves none
 */
int preplan_ports(const struct config *cfg, const struct eal_args *args, struct plan_port_in *ports,
	struct err *e);

/* What the user must know when there is no port at all. Returns -1. */
int preplan_no_port(const struct eal_args *args, struct err *e);

/* What a plan is made of, except for ports. */
struct plan_in preplan_in(const struct config *cfg, const struct host *host,
	const struct eal_args *args, const struct plan_port_in *ports, unsigned nb_ports);

/* What memory is computed from. @return 0 or -1: a frame doesn't fit --mbuf-size */
int preplan_memory_in(const struct config *cfg, const struct host *host,
	const struct eal_args *args, struct memory_in *in, struct err *e);

/* Checks the lcores of the user, or chooses some; args->lcores holds them afterwards. */
int preplan_lcores(
	const struct plan_in *in, struct eal_args *args, struct notes *notes, struct err *e);

/* @return the flows of all workers of a plan */
uint32_t preplan_flows(const struct plan *plan);

/* Does what --plan asks for. @return 0 or -1 */
int preplan_print(const struct plan_in *in, const struct config *cfg, const struct memory_in *mem,
	const struct lcores *lcores, struct notes *notes, struct err *e);
