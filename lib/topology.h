/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPUs, NUMA nodes, hugepages and PCI network devices as the kernel shows them in sysfs. Every
 * function takes a root that is put before "/sys": "" for the real machine, a directory in tests.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cpuset.h"
#include "err.h"

enum {
	TOPOLOGY_NODE_UNKNOWN = -1, /* never the same as node 0 */
	TOPOLOGY_MAX_NODES = 64,
	TOPOLOGY_MAX_PAGE_SIZES = 4,
};

struct topology_cpu {
	uint16_t cpu;
	int16_t node;          /* TOPOLOGY_NODE_UNKNOWN if no node lists it */
	int32_t core;          /* as the kernel numbers them within a package; -1 unknown */
	int32_t package;       /* -1 unknown */
	uint16_t first_thread; /* lowest CPU of the same physical core: names that core */
	uint16_t rank;         /* 0 for the first thread of its core, 1 for its sibling, ... */
	bool allowed;          /* this process may run on it; see topology_allow() */
};

struct topology_pages {
	uint64_t size_kb;
	uint64_t total;
	uint64_t free;
};

struct topology_node {
	int id;
	uint64_t mem_total_kb, mem_free_kb; /* 0 unknown */
	unsigned nb_sizes;                  /* page sizes, smallest first */
	struct topology_pages pages[TOPOLOGY_MAX_PAGE_SIZES];
};

/* The machine. Some 100 kB: keep one, pass pointers. */
struct topology {
	bool numa; /* false: the kernel shows no nodes; nodes[0] is then the whole machine as node 0
		    */
	unsigned nb_cpus;  /* online CPUs, rising */
	unsigned nb_nodes; /* rising ids */
	struct topology_cpu cpus[CPUSET_MAX];
	struct topology_node nodes[TOPOLOGY_MAX_NODES];
};

enum {
	TOPOLOGY_MAX_PCI = 256, /* network devices listed */
};

struct topology_pci {
	char address[16]; /* 0000:00:05.0 */
	char driver[32];  /* "" if none is bound */
	char ifname[16];  /* the kernel's interface, "" if it has none */
	int node;         /* TOPOLOGY_NODE_UNKNOWN if the kernel does not say */
	uint16_t vendor, device;
};

/*
 * Reads the online CPUs and the nodes. Every CPU is allowed until topology_allow().
 * @return 0, or -1 with EXIT_MACHINE if sysfs lists no CPUs
 */
int topology_read(struct topology *topo, const char *root, struct err *e);

/* Marks as allowed the CPUs of the set and no others (affinity and cgroup). */
void topology_allow(struct topology *topo, const struct cpuset *allowed);

/* @return the CPU, NULL if it is not online */
const struct topology_cpu *topology_find_cpu(const struct topology *topo, unsigned cpu);

/* @return the node, NULL if there is none of this id */
const struct topology_node *topology_find_node(const struct topology *topo, int id);

/* @return the online CPUs that this process may use */
struct cpuset topology_usable(const struct topology *topo);

/* @return the node all CPUs of the set share, else TOPOLOGY_NODE_UNKNOWN */
int topology_node_of(const struct topology *topo, const struct cpuset *cpus);

/* "unknown" or the number. @return buf */
const char *topology_node_text(int node, char *buf, size_t size);

/* @return the node of the PCI device, TOPOLOGY_NODE_UNKNOWN if it is not known or not there */
int topology_pci_node(const char *root, const char *address);

/*
 * Lists the PCI network devices (class 02), sorted by address, whatever driver holds them.
 * dev has room for TOPOLOGY_MAX_PCI.
 * @return how many; 0 as well on a machine without PCI
 */
unsigned topology_network_devices(const char *root, struct topology_pci *dev);

/*
 * The same, but only those that DPDK will take: bound to a user-space driver, or to one that DPDK
 * shares with the kernel (mlx4, mlx5).
 */
unsigned topology_dpdk_ports(const char *root, struct topology_pci *dev);

/* Whether a device with this driver becomes a DPDK port. */
bool topology_driver_is_dpdk(const char *driver);
