/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stream is what a worker polls: one engine on one queue of one port. Each queue has one stream
 * and each stream one worker for the whole run, so its counters have one writer.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_mbuf.h>

struct account;
struct control_queue;
struct engine;
struct stream;

/*
 * Totals since the process started, never reset. The stream's worker writes, anybody reads. The
 * engine of one direction leaves the other half alone.
 */
struct stream_counters {
	_Atomic uint64_t version;    /* odd while a burst is being counted */
	_Atomic uint64_t tx_packets; /* frames the device took */
	_Atomic uint64_t tx_unsent;  /* frames it didn't; both together were offered */
	_Atomic uint64_t tx_bytes;
	_Atomic uint64_t tx_control; /* main's frames that the device took: in none of these */
	_Atomic uint64_t rx_packets; /* frames rx_burst returned, without control frames */
	_Atomic uint64_t rx_bytes;
	_Atomic uint64_t rx_bad_cksum; /* with --enable-rx-cksum: the device found them wrong */
	_Atomic uint64_t rx_first_tsc; /* 0: none yet */
	_Atomic uint64_t rx_last_tsc;
};

/* Polls once: moves up to a burst of frames, never waits. @return frames moved */
typedef unsigned (*stream_burst)(struct stream *s);

struct stream {
	/* Set before the run, read by the worker. */
	stream_burst burst;
	void *state; /* the engine's own, from its setup to its teardown */
	/*
	 * Shared by the worker's streams on this port in this direction. Frames that are ready to
	 * send carry the port's addresses and would not outlive a receive into the same mbufs.
	 */
	struct rte_mempool *pool;
	struct rte_mempool *seg_pool;  /* zeroed segments for chains; NULL with one segment */
	struct account *account;       /* of tagged frames that come; NULL: none is kept */
	struct control_queue *control; /* NULL: frames for main are not looked for */
	uint16_t port;
	uint16_t queue;
	uint16_t nb_burst;
	bool sends;
	bool count_bad_cksum;

	/*
	 * Even flows over queues that carry different numbers of them: a stream is polled in
	 * share of share_max rounds. Written by the worker only.
	 */
	uint32_t share, share_max, credit;

	/* Set before the run; the worker doesn't need them. */
	const struct engine *engine;
	bool owns_pools; /* frees them at the end */
	unsigned worker;
	uint32_t flows;
	int socket;

	alignas(RTE_CACHE_LINE_SIZE) struct stream_counters count;
};

/* Adds to a counter that only this thread writes: no locked instruction is needed. */
static inline void
counter_add(_Atomic uint64_t *c, uint64_t n)
{
	atomic_store_explicit(
		c, atomic_load_explicit(c, memory_order_relaxed) + n, memory_order_relaxed);
}

/*
 * A burst's counters change together between these two, so that stream_read() finds packets and
 * bytes that belong together.
 */
static inline void
counters_begin(struct stream_counters *c)
{
	counter_add(&c->version, 1);
	atomic_thread_fence(memory_order_release);
}

static inline void
counters_end(struct stream_counters *c)
{
	atomic_store_explicit(&c->version,
		atomic_load_explicit(&c->version, memory_order_relaxed) + 1, memory_order_release);
}

static inline void
counter_set(_Atomic uint64_t *c, uint64_t value)
{
	atomic_store_explicit(c, value, memory_order_relaxed);
}

static inline uint64_t
counter_get(const _Atomic uint64_t *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

/* What stream_read() reads at one moment. */
struct stream_totals {
	uint64_t tx_packets, tx_unsent, tx_bytes;
	uint64_t rx_packets, rx_bytes;
};

/* Any thread. Waits for no one: a worker counts for some nanoseconds in each burst. */
void stream_read(const struct stream *s, struct stream_totals *t);
