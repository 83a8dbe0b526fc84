/* SPDX-License-Identifier: BSD-3-Clause */
#include "memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Sizes in DPDK 22.11 on 64-bit machines, found by measuring; later ones need no more. */
enum {
	LINE = 64,         /* cache line */
	OBJ_HEADER = 64,   /* before each object of a mempool, one line */
	MBUF = 128,        /* struct rte_mbuf */
	CHANNELS = 4,      /* what mempools assume when EAL is not told */
	POOL_FIXED = 8192, /* the pool itself and the heads of its blocks */
	POOL_CACHE = 8320, /* one lcore's cache, the same for any size */
	DESCRIPTOR = 256,  /* a descriptor with the driver's notes on it; virtio needs most, 200 */
	QUEUE_FIXED = 16384, /* a queue's structures and alignment */
	PORT_FIXED = 65536,  /* a port's structures */
	PAGE_KB = 2048,      /* the size proposed where there is a choice */
	NO_HUGE_PAGE_KB = 4, /* ordinary pages */
	NO_HUGE_MB = 64,     /* what EAL takes with --no-huge and without -m */
};

static const uint64_t MB = 1 << 20;
static const uint64_t EAL_BYTES = 1 << 20;   /* EAL's own structures: 0.7 MB measured */
static const uint64_t FLOW_BYTES = 20;       /* of a sender's tables: a UDP header and a tag */
static const uint64_t SPARE_BYTES = 2 << 20; /* on each node, left unused between blocks */

static uint64_t
round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

int
memory_pool_size(const struct memory_pool_in *in, struct memory_pool *out, struct err *e)
{
	/* A cache gives mbufs back when it holds more than 1.5 times its size. */
	uint64_t stuck = (uint64_t)in->cache * 3 / 2 + in->cache * 3 % 2;
	uint64_t holders = 1 + (in->queues < in->peers ? in->queues : in->peers);
	/* One burst on its way in or out of each queue, and the next. */
	uint64_t bursts = 2 * (uint64_t)in->burst * (in->queues > 0 ? in->queues : 1);
	uint64_t need = in->descriptors + stuck * holders + bursts;

	if (in->cache > MEMORY_CACHE_MAX)
		return err_set_option(e, "mbcache", "valid are 0 to %d", MEMORY_CACHE_MAX);
	if (in->asked != 0 && in->asked < need)
		return err_set_option(e, "total-num-mbufs",
			"too few: a pool needs at least %" PRIu64 " here (%u descriptors, %" PRIu64
			" in caches of %u, %" PRIu64
			" in bursts); give as many, or leave it out to have it computed",
			need, in->descriptors, stuck * holders, in->cache, bursts);
	if (need > UINT32_MAX)
		return err_set(e, EXIT_USAGE,
			"%u queues with %u descriptors in all are too many for one pool: ask for "
			"fewer queues or descriptors",
			in->queues, in->descriptors);
	*out = (struct memory_pool){
		.mbufs = in->asked != 0 ? in->asked : (uint32_t)need,
		.cache = in->cache,
		.minimum = (uint32_t)need,
	};
	return 0;
}

int
memory_mbuf_size(uint32_t asked, uint32_t frame, uint32_t room_after, uint32_t *size, struct err *e)
{
	uint64_t need = (uint64_t)frame + MEMORY_HEADROOM + room_after;
	char after[48] = "";

	if (room_after > 0)
		snprintf(after, sizeof(after), " and %u after the frame", room_after);
	if (need > MEMORY_MAX_MBUF)
		return err_set(e, EXIT_USAGE,
			"a frame or segment of %u bytes fits no mbuf: the limit is %" PRIu32
			" (%d less %d of headroom%s)",
			frame, MEMORY_MAX_MBUF - MEMORY_HEADROOM - room_after, MEMORY_MAX_MBUF,
			MEMORY_HEADROOM, after);
	if (asked > MEMORY_MAX_MBUF || (asked != 0 && asked < need))
		return err_set_option(e, "mbuf-size",
			"a frame or segment of %u bytes needs %" PRIu64
			", with %d of headroom%s; valid are %" PRIu64 " to %d",
			frame, need, MEMORY_HEADROOM, after, need, MEMORY_MAX_MBUF);
	if (asked != 0) {
		*size = asked;
		return 0;
	}
	need = round_up(need, LINE);
	if (need < MEMORY_MIN_ROOM + MEMORY_HEADROOM)
		need = MEMORY_MIN_ROOM + MEMORY_HEADROOM;
	*size = need > MEMORY_MAX_MBUF ? MEMORY_MAX_MBUF : (uint32_t)need;
	return 0;
}

static uint32_t
gcd(uint32_t a, uint32_t b)
{
	while (b != 0) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

uint32_t
memory_obj_bytes(uint32_t mbuf_size, unsigned channels)
{
	uint32_t lines = (uint32_t)round_up(OBJ_HEADER + MBUF + (uint64_t)mbuf_size, LINE) / LINE;

	/* Mempools spread their objects over memory channels: no common divisor with them. */
	if (channels == 0)
		channels = CHANNELS;
	while (gcd(lines, channels) != 1)
		lines++;
	return lines * LINE;
}

uint64_t
memory_pool_bytes(
	const struct memory_pool *pool, uint32_t obj_bytes, uint64_t page_kb, unsigned max_lcore)
{
	uint64_t page = page_kb * 1024, ring = 1, objects;

	if (page == 0)
		objects = (uint64_t)pool->mbufs * obj_bytes;
	else if (obj_bytes > page)
		objects = pool->mbufs * round_up(obj_bytes, page);
	else
		objects = pool->mbufs / (page / obj_bytes) * page +
			  pool->mbufs % (page / obj_bytes) * obj_bytes;
	while (ring <= pool->mbufs)
		ring *= 2;
	return objects + ring * sizeof(void *) + POOL_FIXED +
	       (pool->cache > 0 ? (uint64_t)POOL_CACHE * max_lcore : 0);
}

static struct memory_pool_in
pool_in(const struct plan *plan, const struct memory_in *in)
{
	return (struct memory_pool_in){
		/* The other workers, and main in place of the one whose pool it is. */
		.peers = plan->nb_workers,
		.cache = in->cache,
		.burst = in->burst,
		.asked = in->asked_mbufs,
	};
}

int
memory_pool_of(const struct plan *plan, unsigned w, unsigned port, enum plan_dir dir,
	const struct memory_in *in, struct memory_pool *out, struct err *e)
{
	struct memory_pool_in pool = pool_in(plan, in);

	*out = (struct memory_pool){0};
	for (unsigned s = 0; s < plan->nb_streams; s++) {
		const struct plan_stream *stream = &plan->streams[s];

		if (stream->worker == w && stream->port == port && stream->dir == dir)
			pool.queues++;
	}
	if (pool.queues == 0)
		return 0;
	pool.descriptors = pool.queues * (dir == PLAN_TX ? in->txd : in->rxd);
	return memory_pool_size(&pool, out, e);
}

int
memory_pool_of_main(
	const struct plan *plan, const struct memory_in *in, struct memory_pool *out, struct err *e)
{
	struct memory_pool_in pool = pool_in(plan, in);

	for (unsigned p = 0; p < plan->nb_ports; p++) {
		if (!plan->ports[p].rx)
			pool.queues += plan->ports[p].used_rxq;
	}
	pool.descriptors = pool.queues * in->rxd + MEMORY_MAIN_FRAMES;
	pool.cache = 0;
	pool.asked = 0;
	return memory_pool_size(&pool, out, e);
}

static uint64_t
pages_for(uint64_t bytes, uint64_t page)
{
	return round_up(bytes + SPARE_BYTES, page) / page;
}

void
memory_need_add(struct memory_need *need, int node, uint64_t bytes)
{
	struct memory_node *at = &need->node[0];

	for (unsigned i = 0; i < need->nb_nodes; i++) {
		if (need->node[i].id == node)
			at = &need->node[i];
	}
	at->bytes += bytes;
	if (at->page_kb > 0)
		at->pages = pages_for(at->bytes, at->page_kb * 1024);
}

/*
 * The page size to speak of: where most memory is free; without any, 2 MB, which kernels can still
 * find in a machine's memory long after its start.
 */
static const struct topology_pages *
choose_size(const struct topology_node *node)
{
	const struct topology_pages *best = NULL;

	for (unsigned i = 0; i < node->nb_sizes; i++) {
		const struct topology_pages *p = &node->pages[i];

		if (best == NULL || p->free * p->size_kb > best->free * best->size_kb ||
			(best->free == 0 && p->free == 0 && p->size_kb == PAGE_KB))
			best = p;
	}
	return best;
}

static void
start(struct memory_need *need, const struct memory_in *in)
{
	const struct topology *topo = in->topo;

	*need = (struct memory_need){
		.numa = topo->numa,
		.no_huge = in->no_huge,
		.fixed_mb = in->memory_mb > 0 ? in->memory_mb : NO_HUGE_MB,
		.nb_nodes = topo->nb_nodes,
	};
	for (unsigned i = 0; i < topo->nb_nodes; i++) {
		const struct topology_node *from = &topo->nodes[i];
		const struct topology_pages *size = choose_size(from);
		struct memory_node *node = &need->node[i];

		node->id = from->id;
		node->mem_kb = from->mem_total_kb;
		if (in->no_huge) {
			node->page_kb = NO_HUGE_PAGE_KB;
		} else if (size != NULL) {
			node->page_kb = size->size_kb;
			node->free_pages = size->free;
			node->total_pages = size->total;
		}
		for (unsigned s = 0; s < from->nb_sizes; s++)
			node->free_bytes += from->pages[s].free * from->pages[s].size_kb * 1024;
		if (in->held != NULL && from->id >= 0 && from->id < TOPOLOGY_MAX_NODES)
			node->free_bytes += in->held[from->id];
	}
}

/* The page size in which objects are laid out: the smallest in use wastes most. */
static uint64_t
layout_kb(const struct memory_in *in)
{
	return in->no_huge ? NO_HUGE_PAGE_KB : PAGE_KB;
}

/* Of objects larger than half a page, each may lie alone in its pages. */
static uint64_t
alone(uint64_t bytes, const struct memory_in *in)
{
	uint64_t page = layout_kb(in) * 1024;

	return bytes > page / 2 ? round_up(bytes, page) : bytes;
}

static void
add_pool(struct memory_need *need, const struct memory_in *in, int node,
	const struct memory_pool *pool)
{
	uint32_t obj = memory_obj_bytes(in->mbuf_size, in->channels);

	if (pool->mbufs > 0)
		memory_need_add(
			need, node, memory_pool_bytes(pool, obj, layout_kb(in), in->max_lcore));
}

static int
add_pools(struct memory_need *need, const struct plan *plan, unsigned w, unsigned port,
	const struct memory_in *in, struct err *e)
{
	for (enum plan_dir dir = PLAN_TX; dir <= PLAN_RX; dir++) {
		struct memory_pool pool;

		if (memory_pool_of(plan, w, port, dir, in, &pool, e) < 0)
			return -1;
		add_pool(need, in, plan->workers[w].node, &pool);
		if (dir == PLAN_TX && in->segments > 1) {
			pool.mbufs *= in->segments - 1;
			add_pool(need, in, plan->workers[w].node, &pool);
		}
	}
	return 0;
}

/* What the user makes EAL take at start is gone even if the need is smaller. */
static void
raise_to_reserved(struct memory_need *need, const struct plan *plan, const struct memory_in *in)
{
	for (unsigned i = 0; i < need->nb_nodes; i++) {
		struct memory_node *node = &need->node[i];
		uint64_t reserved = 0;

		if (in->socket_mem_mb != NULL && node->id < TOPOLOGY_MAX_NODES) {
			reserved = in->socket_mem_mb[node->id] * MB;
		} else if (in->memory_mb > 0) {
			/* EAL shares -m out by the lcores of each node. */
			unsigned lcores = plan->main_node == node->id;

			for (unsigned w = 0; w < plan->nb_workers; w++)
				lcores += plan->workers[w].node == node->id;
			reserved = in->memory_mb * MB * lcores / (plan->nb_workers + 1);
		}
		if (reserved > node->bytes)
			memory_need_add(need, node->id, reserved - node->bytes);
	}
}

int
memory_need_plan(struct memory_need *need, const struct plan *plan, const struct memory_in *in,
	struct err *e)
{
	struct memory_pool pool;

	start(need, in);
	memory_need_add(need, plan->main_node, EAL_BYTES);
	for (unsigned w = 0; w < plan->nb_workers; w++) {
		for (unsigned p = 0; p < plan->nb_ports; p++) {
			if (add_pools(need, plan, w, p, in, e) < 0)
				return -1;
		}
	}
	for (unsigned i = 0; i < plan->nb_streams; i++) {
		const struct plan_stream *s = &plan->streams[i];

		memory_need_add(need, plan->workers[s->worker].node,
			s->dir == PLAN_RX ? alone(in->account_bytes, in) : s->flows * FLOW_BYTES);
	}
	if (memory_pool_of_main(plan, in, &pool, e) < 0)
		return -1;
	add_pool(need, in, plan->main_node, &pool);
	for (unsigned p = 0; p < plan->nb_ports; p++) {
		const struct plan_port *port = &plan->ports[p];
		uint64_t queues = (uint64_t)port->used_txq + port->used_rxq;
		uint64_t descriptors =
			(uint64_t)port->used_txq * in->txd + (uint64_t)port->used_rxq * in->rxd;

		memory_need_add(need, port->node,
			PORT_FIXED + queues * QUEUE_FIXED + descriptors * DESCRIPTOR);
	}
	if (!in->no_huge)
		raise_to_reserved(need, plan, in);
	return 0;
}

static uint64_t
to_mb(uint64_t bytes)
{
	return round_up(bytes, MB) / MB;
}

/* With --no-huge EAL takes one fixed piece of ordinary memory, whatever the nodes. */
static int
check_fixed(const struct memory_need *need, struct err *e)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < need->nb_nodes; i++)
		bytes += need->node[i].bytes;
	if (to_mb(bytes) <= need->fixed_mb)
		return 0;
	return err_set(e, EXIT_MACHINE,
		"not enough memory: need %" PRIu64 " MB, but with --no-huge EAL takes %" PRIu64
		" MB; give -m %" PRIu64 " (before '--'), or fewer queues or descriptors",
		to_mb(bytes), need->fixed_mb, to_mb(bytes));
}

/* Says what one node lacks and how to reserve it. @return the length of the text */
static int
tell_shortage(
	const struct memory_need *need, const struct memory_node *node, char *buf, size_t size)
{
	uint64_t page_kb = node->page_kb > 0 ? node->page_kb : PAGE_KB;
	uint64_t page = page_kb * 1024;
	uint64_t pages = pages_for(node->bytes, page);
	uint64_t lacking = round_up(pages * page - node->free_bytes, page) / page;
	uint64_t total = node->total_pages + lacking;
	char path[64] = "/sys/kernel/mm";
	int len;

	if (need->numa)
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d", node->id);
	len = snprintf(buf, size,
		"need %" PRIu64 " pages of %" PRIu64 " kB on node %d (%" PRIu64 " MB), %" PRIu64
		" free of %" PRIu64 "; ",
		pages, page_kb, node->id, to_mb(pages * page), node->free_pages, node->total_pages);
	if (node->mem_kb > 0 && total * page_kb > node->mem_kb)
		return len + snprintf(buf + len, size - (size_t)len,
				     "the node has %" PRIu64 " MB in all: use fewer queues or "
				     "descriptors, or another node",
				     node->mem_kb / 1024);
	return len + snprintf(buf + len, size - (size_t)len,
			     "reserve with: echo %" PRIu64 " > %s/hugepages/hugepages-%" PRIu64
			     "kB/nr_hugepages",
			     total, path, page_kb);
}

int
memory_check(const struct memory_need *need, struct err *e)
{
	char text[sizeof(e->msg) - 32];
	size_t used = 0;

	if (need->no_huge)
		return check_fixed(need, e);
	for (unsigned i = 0; i < need->nb_nodes; i++) {
		const struct memory_node *node = &need->node[i];
		char one[320];

		if (node->bytes == 0 || (node->page_kb > 0 && node->pages * node->page_kb * 1024 <=
								      node->free_bytes))
			continue;
		/* A node that no longer fits the message is told once the others are served. */
		if (tell_shortage(need, node, one, sizeof(one)) < (int)(sizeof(text) - used) - 2)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
				used > 0 ? "; " : "", one);
	}
	if (used == 0)
		return 0;
	return err_set(e, EXIT_MACHINE, "not enough hugepages: %s", text);
}
