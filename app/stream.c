/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream.h"

#include <rte_pause.h>

enum {
	/* A worker may be interrupted while it counts; then figures a burst apart have to do. */
	TRIES = 10000,
};

void
stream_read(const struct stream *s, struct stream_totals *t)
{
	const struct stream_counters *c = &s->count;

	for (unsigned i = 0; i < TRIES; i++) {
		uint64_t version = atomic_load_explicit(&c->version, memory_order_acquire);

		t->tx_packets = counter_get(&c->tx_packets);
		t->tx_unsent = counter_get(&c->tx_unsent);
		t->tx_bytes = counter_get(&c->tx_bytes);
		t->rx_packets = counter_get(&c->rx_packets);
		t->rx_bytes = counter_get(&c->rx_bytes);
		atomic_thread_fence(memory_order_acquire);
		if (version % 2 == 0 && counter_get(&c->version) == version)
			return;
		rte_pause();
	}
}
