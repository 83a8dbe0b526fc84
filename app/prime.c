/* SPDX-License-Identifier: BSD-3-Clause */
#include "prime.h"

#include <inttypes.h>

#include <rte_mbuf.h>

#include "clock.h"
#include "engine.h"
#include "run.h"
#include "signals.h"
#include "txonly.h"

enum {
	LEN = 64,     /* whatever the test's frames have: it is one flow all the same */
	AT_ONCE = 64, /* between two looks at what comes */
	PAUSE_NS = 100000,
	SETTLE_NS = 20000000, /* what is under way arrives before the first that counts */
};
#define PRIME_MAX_NS UINT64_C(10000000000)

static struct port *
port_of(struct run *r, const struct stream *s)
{
	return &r->ports[r->plan.streams[s - r->streams].port];
}

/* @return false: no mbuf was free */
static bool
send_one(struct run *r, struct port *p, const struct stream *s, uint32_t flow)
{
	const struct frame_spec spec = {
		.src_mac = p->mac,
		.dst_mac = p->dst_mac,
		.src_ip = r->cfg->src_ip,
		.dst_ip = r->cfg->dst_ip,
		.len = LEN,
	};
	struct rte_mbuf *m = rte_pktmbuf_alloc(r->main_pool);
	uint8_t *frame = m == NULL ? NULL : (uint8_t *)rte_pktmbuf_append(m, LEN);

	if (frame == NULL) {
		rte_pktmbuf_free(m);
		return false;
	}
	txonly_prime_frame(s, flow, &spec, r->tag_run, frame);
	run_send(r, p, m);
	return true;
}

/* Goes on where it was. @return false: time is over, or a signal came */
static bool
send_stream(struct run *r, const struct stream *s, uint64_t end, uint64_t *sent)
{
	struct port *p = port_of(r, s);

	for (uint32_t i = 0; i < s->flows;) {
		if (signals_stop() || clock_mono_ns() > end)
			return false;
		for (unsigned k = 0; k < AT_ONCE && i < s->flows && send_one(r, p, s, i); k++) {
			i++;
			(*sent)++;
		}
		run_attend(r);
		signals_sleep_ns(PAUSE_NS);
	}
	return true;
}

bool
prime(struct run *r)
{
	uint64_t end = clock_mono_ns() + PRIME_MAX_NS, sent = 0;
	bool all = true;

	if (r->cfg->prime == 0)
		return false;
	run_listen(r);
	for (uint32_t round = 0; round < r->cfg->prime && all; round++) {
		for (unsigned i = 0; i < r->plan.nb_streams && all; i++) {
			if (r->streams[i].sends && r->main_pool != NULL)
				all = send_stream(r, &r->streams[i], end, &sent);
		}
	}
	notes_add(r->notes,
		"%" PRIu64 " priming frames were sent (--prime), in no count of the test", sent);
	if (!all && !signals_stop())
		notes_warn(r->notes, "priming was cut short after %d s",
			(int)(PRIME_MAX_NS / 1000000000));
	signals_sleep_ns(SETTLE_NS);
	return true;
}
