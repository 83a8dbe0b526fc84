/* SPDX-License-Identifier: BSD-3-Clause */
/* Made-up machines for tests: a topology without reading any files. */
#pragma once

#include <string.h>

#include "topology.h"

/*
 * A machine of so many nodes with so many cores on each, numbered as servers do: first threads of
 * node 0, of node 1, ..., then, with threads = 2, their siblings in the same order.
 */
static inline void
machine_make(struct topology *topo, unsigned nodes, unsigned cores, unsigned threads)
{
	memset(topo, 0, sizeof(*topo));
	topo->numa = true;
	topo->nb_nodes = nodes;
	for (unsigned n = 0; n < nodes; n++)
		topo->nodes[n] = (struct topology_node){.id = (int)n};
	for (unsigned t = 0; t < threads; t++) {
		for (unsigned c = 0; c < nodes * cores; c++) {
			topo->cpus[topo->nb_cpus] = (struct topology_cpu){
				.cpu = (uint16_t)topo->nb_cpus,
				.node = (int16_t)(c / cores),
				.core = (int32_t)(c % cores),
				.package = (int32_t)(c / cores),
				.first_thread = (uint16_t)c,
				.rank = (uint16_t)t,
				.allowed = true,
			};
			topo->nb_cpus++;
		}
	}
}

/* Allows only the CPUs of a list. */
static inline void
machine_allow(struct topology *topo, const char *list)
{
	struct cpuset set;
	struct err e;

	cpuset_parse(&set, list, &e);
	topology_allow(topo, &set);
}

/* Sets one node's pages of a size. */
static inline void
machine_pages(struct topology *topo, unsigned node, uint64_t kb, uint64_t total, uint64_t avail)
{
	struct topology_node *n = &topo->nodes[node];

	n->pages[n->nb_sizes++] =
		(struct topology_pages){.size_kb = kb, .total = total, .free = avail};
}
