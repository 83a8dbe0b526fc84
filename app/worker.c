/* SPDX-License-Identifier: BSD-3-Clause */
#include "worker.h"

#include <rte_cycles.h>
#include <rte_pause.h>

enum {
	/* Rounds over all streams between two housekeepings: tens of microseconds on a NIC, and
	 * still short of a second with many queues of a slow device. */
	ROUNDS = 64,
};

/* What the loop keeps in registers between two housekeepings. */
struct tally {
	uint64_t busy;
	uint64_t frames;
	uint64_t first;
	uint64_t last;
};

static void
publish(struct worker *w, const struct tally *t)
{
	counter_set(&w->busy_cycles, t->busy);
	counter_set(&w->frames, t->frames);
	counter_set(&w->first_tsc, t->first);
	counter_set(&w->last_tsc, t->last);
	counter_add(&w->turns, 1);
}

/* A stream with fewer flows than its neighbours sits out some rounds, so that flows stay even. */
static inline bool
sits_out(struct stream *s)
{
	if (likely(s->share == s->share_max))
		return false;
	s->credit += s->share;
	if (s->credit < s->share_max)
		return true;
	s->credit -= s->share_max;
	return false;
}

/* The streams to poll in a phase, in the order of the plan: those that send only do so in RUN. */
static unsigned
choose_streams(struct worker *w, int phase)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->nb_streams; i++) {
		if (phase == WORKER_RUN || !w->streams[i]->sends)
			w->polled[n++] = w->streams[i];
	}
	return n;
}

int
worker_main(void *arg)
{
	struct worker *w = arg;
	struct stream **streams = w->polled;
	unsigned nb;
	struct tally t = {0};
	uint64_t before;
	int phase;

	atomic_store_explicit(&w->running, true, memory_order_relaxed);
	while ((phase = atomic_load_explicit(w->phase, memory_order_acquire)) == WORKER_READY)
		rte_pause();
	nb = choose_streams(w, phase);
	before = rte_rdtsc();

	while (phase != WORKER_STOP) {
		for (unsigned round = 0; round < ROUNDS; round++) {
			for (unsigned i = 0; i < nb; i++) {
				struct stream *s = streams[i];
				uint64_t now;
				unsigned n;

				if (sits_out(s))
					continue;
				n = s->burst(s);
				now = rte_rdtsc();
				if (n > 0) {
					t.busy += now - before;
					t.frames += n;
					t.last = now;
					if (unlikely(t.first == 0))
						t.first = before;
					if (!s->sends) {
						if (unlikely(counter_get(&s->count.rx_first_tsc) ==
							     0))
							counter_set(&s->count.rx_first_tsc, now);
						counter_set(&s->count.rx_last_tsc, now);
					}
				}
				before = now;
			}
			if (nb == 0)
				break;
		}
		publish(w, &t);
		if (w->control.unsent != NULL || !rte_ring_empty(w->control.from_main))
			control_send_for_main(w);
		if (unlikely(atomic_load_explicit(w->phase, memory_order_acquire) != phase)) {
			phase = atomic_load_explicit(w->phase, memory_order_acquire);
			nb = choose_streams(w, phase);
			before = rte_rdtsc();
		}
	}
	control_send_for_main(w); /* the last answers */
	publish(w, &t);
	atomic_store_explicit(&w->running, false, memory_order_release);
	return 0;
}
