/* SPDX-License-Identifier: BSD-3-Clause */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_malloc.h>

#include "clock.h"
#include "signals.h"

enum {
	LINK_WAIT_MS = 5000,
	LINK_POLL_MS = 10,
	LINK_SETTLE_MS = 200, /* a peer that just came still empties its rings; a switch learns */
	LAUNCH_WAIT_MS = 500,
	STOP_WAIT_MS = 2000,
};

void
run_drain(struct run *r)
{
	atomic_store_explicit(&r->phase, WORKER_DRAIN, memory_order_release);
}

void
run_wait_link(struct run *r)
{
	uint64_t end = clock_mono_ns() + LINK_WAIT_MS * 1000000ull;
	bool all, waited = false;

	do {
		all = true;
		for (unsigned i = 0; i < r->nb_ports; i++) {
			bool up = port_link(&r->ports[i]);

			all = all && (up || !r->ports[i].engine->sends);
		}
		if (!all) {
			waited = true;
			signals_sleep_ns(LINK_POLL_MS * 1000000ull);
		}
	} while (!all && clock_mono_ns() < end && !signals_stop());
	if (all && waited)
		signals_sleep_ns(LINK_SETTLE_MS * 1000000ull);

	for (unsigned i = 0; i < r->nb_ports; i++) {
		const struct port *p = &r->ports[i];

		if (p->engine->sends && !p->link_up && !signals_stop())
			notes_warn(r->notes,
				"port %u (%s): the link is down, after a wait of %d s; sending "
				"anyway",
				p->id, p->name, LINK_WAIT_MS / 1000);
	}
}

void
run_note_link(struct run *r)
{
	for (unsigned i = 0; i < r->nb_ports; i++) {
		struct port *p = &r->ports[i];

		if (p->link_up && !port_link(p))
			notes_warn(r->notes,
				"port %u (%s): the link was up at the start and is down now: what "
				"was "
				"counted since then went nowhere",
				p->id, p->name);
	}
}

int
run_launch(struct run *r, struct err *e)
{
	uint64_t end = clock_mono_ns() + LAUNCH_WAIT_MS * 1000000ull;

	for (unsigned i = 0; i < r->plan.nb_workers; i++) {
		struct worker *w = &r->workers[i];
		int rc = rte_eal_remote_launch(worker_main, w, w->lcore);

		if (rc != 0)
			return err_set(e, EXIT_MACHINE, "lcore %u: cannot launch its worker: %s",
				w->lcore, rte_strerror(-rc));
		w->launched = true;
	}
	/* A loaded machine may keep one waiting; the others need not wait for ever. */
	for (unsigned i = 0; i < r->plan.nb_workers; i++) {
		while (!atomic_load_explicit(&r->workers[i].running, memory_order_relaxed) &&
			clock_mono_ns() < end)
			clock_sleep_ns(100000);
	}
	return 0;
}

void
run_listen(struct run *r)
{
	atomic_store_explicit(&r->phase, WORKER_LISTEN, memory_order_release);
}

void
run_begin(struct run *r)
{
	atomic_store_explicit(&r->phase, WORKER_RUN, memory_order_release);
}

unsigned
run_stop(struct run *r)
{
	uint64_t end = clock_mono_ns() + STOP_WAIT_MS * 1000000ull;
	unsigned stuck;

	atomic_store_explicit(&r->phase, WORKER_STOP, memory_order_release);
	for (;;) {
		stuck = 0;
		for (unsigned i = 0; i < r->plan.nb_workers; i++) {
			struct worker *w = &r->workers[i];

			if (!w->launched)
				continue;
			if (rte_eal_get_lcore_state(w->lcore) == RUNNING)
				stuck++;
			else
				rte_eal_wait_lcore(w->lcore), w->launched = false;
		}
		if (stuck == 0 || clock_mono_ns() > end)
			return stuck;
		clock_sleep_ns(1000000);
	}
}

void
run_snapshot(const struct run *r, struct sample_snapshot *s)
{
	bool receives = false, sends = false;

	*s = (struct sample_snapshot){.mono_ns = clock_mono_ns()};
	for (unsigned i = 0; i < r->plan.nb_streams; i++) {
		struct stream_totals t;

		stream_read(&r->streams[i], &t);
		s->tx.offered += t.tx_packets + t.tx_unsent;
		s->tx.packets += t.tx_packets;
		s->tx.bytes += t.tx_bytes;
		s->rx.packets += t.rx_packets;
		s->rx.bytes += t.rx_bytes;
	}
	for (unsigned i = 0; i < r->nb_ports; i++) {
		receives = receives || r->ports[i].engine->receives;
		sends = sends || r->ports[i].engine->sends;
	}
	s->missed.known = s->nombuf.known = s->errors.known = receives;
	s->tx_errors.known = sends;
	for (unsigned i = 0; i < r->nb_ports; i++)
		port_add_counters(&r->ports[i], s);
}

uint64_t
run_received(const struct run *r)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < r->plan.nb_streams; i++)
		n += counter_get(&r->streams[i].count.rx_packets);
	return n;
}
