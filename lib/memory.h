/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory, computed before anything is created: how many mbufs a pool needs, how large they are,
 * and whether the free hugepages of each node hold all of it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "notes.h"
#include "plan.h"
#include "topology.h"

enum {
	MEMORY_HEADROOM = 128,        /* RTE_PKTMBUF_HEADROOM */
	MEMORY_MIN_ROOM = 2048,       /* what receive buffers of most devices are made for */
	MEMORY_MAX_MBUF = UINT16_MAX, /* data room with headroom */
	MEMORY_CACHE_MAX = 512,       /* RTE_MEMPOOL_CACHE_MAX_SIZE */
	MEMORY_MAIN_FRAMES = 256,     /* main's own, waiting in descriptors */
};

/* What one lcore's pool feeds. */
struct memory_pool_in {
	uint32_t descriptors; /* summed over its queues */
	unsigned queues;
	unsigned peers; /* other lcores that may free its mbufs into caches of their own */
	uint32_t cache; /* asked, per lcore */
	uint32_t burst;
	uint32_t asked; /* mbufs the user asks for; 0: as few as do */
};

struct memory_pool {
	uint32_t mbufs;
	uint32_t cache; /* per lcore; 1.5 x cache never exceeds mbufs, as mempools demand */
	uint32_t minimum;
};

/*
 * Sizes the pool of one lcore. Fewer mbufs than the minimum would let a device sit on all of them
 * and nothing move any more, so a number below it is refused; more would only leave the CPU's
 * cache.
 * @return 0, or -1 with EXIT_USAGE naming the minimum, or for a cache above MEMORY_CACHE_MAX
 */
int memory_pool_size(const struct memory_pool_in *in, struct memory_pool *out, struct err *e);

/*
 * The data room of an mbuf, headroom included.
 * @param asked the user's, 0: computed
 * @param frame the longest frame, or segment of one, that it must hold
 * @param room_after bytes kept free behind the frame
 * @return 0, or -1 with EXIT_USAGE: the frame fits no mbuf (the caller knows which option gave its
 *         length), or not the one asked for (e->option names it)
 */
int memory_mbuf_size(
	uint32_t asked, uint32_t frame, uint32_t room_after, uint32_t *size, struct err *e);

/*
 * Bytes of one mbuf in its pool.
 * @param mbuf_size data room with headroom
 * @param channels memory channels times ranks that EAL was told (-n, -r); 0: not told
 */
uint32_t memory_obj_bytes(uint32_t mbuf_size, unsigned channels);

/*
 * Bytes of a whole pool on pages of the given size: objects, none of which crosses a page, their
 * ring, and the caches of max_lcore.
 */
uint64_t memory_pool_bytes(
	const struct memory_pool *pool, uint32_t obj_bytes, uint64_t page_kb, unsigned max_lcore);

struct memory_node {
	int id;
	uint64_t bytes;       /* needed */
	uint64_t free_bytes;  /* in free hugepages of all sizes, and held already */
	uint64_t page_kb;     /* the size in which the need is told; 0: the node has no hugepages */
	uint64_t pages;       /* needed, if all were of that size */
	uint64_t free_pages;  /* of that size */
	uint64_t total_pages; /* of that size, reserved by the system */
	uint64_t mem_kb;      /* of the node in all; 0: not known */
};

struct memory_need {
	bool numa;         /* pages are reserved by node */
	bool no_huge;      /* ordinary memory, a fixed amount that EAL takes at start */
	uint64_t fixed_mb; /* with no_huge: that amount */
	unsigned nb_nodes;
	struct memory_node node[TOPOLOGY_MAX_NODES];
};

/* What memory_need_plan() needs besides the plan. */
struct memory_in {
	const struct topology *topo;
	uint16_t rxd, txd;
	uint32_t cache, burst;
	uint32_t asked_mbufs;   /* --total-num-mbufs; 0: computed */
	uint32_t mbuf_size;     /* from memory_mbuf_size() */
	unsigned channels;      /* -n x -r; 0: not told */
	unsigned max_lcore;     /* RTE_MAX_LCORE */
	unsigned segments;      /* of a transmitted frame; 1 or 0: single */
	uint64_t account_bytes; /* of each receive queue's account */
	bool no_huge;
	uint64_t memory_mb;            /* -m; 0: not given */
	const uint64_t *socket_mem_mb; /* --socket-mem by node, TOPOLOGY_MAX_NODES long; NULL */
	const uint64_t *held; /* bytes that EAL has taken already, the same way; NULL: none */
};

/*
 * Sizes the pool of worker w for one port (an index into plan.ports) and direction: the descriptors
 * of those of its streams. Pools are not shared: one for TX holds frames built before the run, with
 * the port's addresses, which a receive into the same mbufs would overwrite. With in->segments
 * above 1 each TX pool has a second one beside it, of (segments - 1) times as many mbufs.
 * memory_need_plan() adds up all of them.
 * @return as memory_pool_size(); out->mbufs is 0 if the worker has no such stream
 */
int memory_pool_of(const struct plan *plan, unsigned w, unsigned port, enum plan_dir dir,
	const struct memory_in *in, struct memory_pool *out, struct err *e);

/*
 * The pool that main owns: it feeds receive queues which are set up but polled by no worker, and
 * MEMORY_MAIN_FRAMES that main sends itself. It is used rarely and has no caches.
 * @return as memory_pool_size()
 */
int memory_pool_of_main(const struct plan *plan, const struct memory_in *in,
	struct memory_pool *out, struct err *e);

/*
 * Adds up, by node, the pools of all workers and of main, rings of descriptors, and what EAL takes
 * for itself. A worker whose node is unknown counts on the machine's first node.
 * @return 0, or -1 with EXIT_USAGE (see memory_pool_size())
 */
int memory_need_plan(struct memory_need *need, const struct plan *plan, const struct memory_in *in,
	struct err *e);

/* Adds bytes on a node (or on the first, for an unknown one); pages are counted anew. */
void memory_need_add(struct memory_need *need, int node, uint64_t bytes);

/*
 * Compares need and free pages, node by node.
 * @return 0, or -1 with EXIT_MACHINE: which node lacks how many pages of which size, and the
 * command that reserves them
 */
int memory_check(const struct memory_need *need, struct err *e);
