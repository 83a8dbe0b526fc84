/* SPDX-License-Identifier: BSD-3-Clause */
/* What the choice of lcores and the spreading of streams share; used by plan*.c only. */
#pragma once

#include <stdbool.h>

#include "plan.h"

/* @return the place of the node in topo->nodes, -1 for one that is unknown or not there */
int plan_node_index(const struct topology *topo, int node);

/*
 * The node with most queues for each worker, were it to get one more (the method of d'Hondt).
 * @param open the nodes that have a worker to give
 * @return -1 if none is open
 */
int plan_neediest_node(
	const unsigned *demand, const unsigned *got, const bool *open, unsigned nb_nodes);

/* The queues polled on a port in one direction: 0 if its engine does not work in it. */
unsigned plan_queues(const struct plan_in *in, const struct plan_port_in *port, enum plan_dir dir);
