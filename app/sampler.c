/* SPDX-License-Identifier: BSD-3-Clause */
#include "sampler.h"

#include <string.h>

#include "clock.h"
#include "live.h"
#include "signals.h"

enum {
	ROUND_NS = 10000000,            /* main's own round: it may share a CPU with a worker */
	DEFAULT_PERIOD_NS = 1000000000, /* of samples when no lines are wanted */
	QUIET_NS = 50000000,            /* so long without a frame means that all have come */
	DRAIN_MAX_NS = 500000000,
};

/* Does main's work until a time. @return false if a signal came first */
static bool
attend_until(struct run *r, uint64_t mono_ns)
{
	for (;;) {
		uint64_t now = clock_mono_ns();

		run_attend(r);
		if (signals_stop())
			return false;
		if (now >= mono_ns)
			return true;
		signals_sleep_ns(RTE_MIN(mono_ns - now, (uint64_t)ROUND_NS));
	}
}

static void
pass_on(const struct run *r, const struct sampler_output *lines,
	const struct sample_interval *interval)
{
	live_publish(interval);
	if (r->cfg->stats_period_ns != 0 && lines->reporter->interval != NULL)
		(void)lines->reporter->interval(lines->sink, lines->report, interval);
}

/* Samples each period from one time to another. @return false if a signal came first */
static bool
sample_until(struct run *r, const struct sampler_output *lines, struct sample_run *samples,
	uint64_t from, uint64_t end)
{
	uint64_t period = samples->period_ns;
	uint64_t next = from + period;

	while (next < end) {
		struct sample_interval interval;
		struct sample_snapshot now;

		if (!attend_until(r, next))
			return false;
		run_snapshot(r, &now);
		sample_tick(samples, &now, &interval);
		pass_on(r, lines, &interval);
		/* After a long interruption periods are not made up for: each is as long as it was.
		 */
		next += period;
		if (next <= now.mono_ns)
			next = now.mono_ns + period;
	}
	return attend_until(r, end);
}

static uint64_t
later(uint64_t ns, uint64_t by)
{
	return by > UINT64_MAX - ns ? UINT64_MAX : ns + by;
}

/* After sending: waits until nothing has come for a while, so that totals can be compared. */
static void
drain(struct run *r)
{
	uint64_t now = clock_mono_ns();
	uint64_t end = now + DRAIN_MAX_NS, quiet_since = now;
	uint64_t seen = run_received(r);

	run_drain(r);
	while (now < end && now - quiet_since < QUIET_NS) {
		uint64_t received;

		run_attend(r);
		clock_sleep_ns(ROUND_NS);
		now = clock_mono_ns();
		received = run_received(r);
		if (received != seen) {
			seen = received;
			quiet_since = now;
		}
	}
}

static void
find_rx_stamps(const struct run *r, struct sampler_result *out)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (unsigned i = 0; i < r->plan.nb_streams; i++) {
		const struct stream_counters *c = &r->streams[i].count;
		uint64_t tsc = counter_get(&c->rx_first_tsc);

		if (tsc == 0)
			continue;
		first = RTE_MIN(first, tsc);
		last = RTE_MAX(last, counter_get(&c->rx_last_tsc));
	}
	out->rx.seen = last != 0 && out->clock_known;
	if (out->rx.seen) {
		out->rx.first_ns = clock_map_ns(&out->clock, first);
		out->rx.last_ns = clock_map_ns(&out->clock, last);
	}
}

static bool
sends(const struct run *r)
{
	for (unsigned i = 0; i < r->nb_ports; i++) {
		if (r->ports[i].engine->sends)
			return true;
	}
	return false;
}

int
sampler_run(struct run *r, const struct sampler_output *lines, struct sampler_result *out,
	struct err *e)
{
	const struct config *cfg = r->cfg;
	uint64_t period = cfg->stats_period_ns != 0 ? cfg->stats_period_ns : DEFAULT_PERIOD_NS;
	struct clock_anchor start = clock_anchor_now();
	struct sample_run *samples = &out->samples;
	struct sample_interval interval;
	struct sample_snapshot now;
	uint64_t base;
	bool go_on = !signals_stop();

	memset(out, 0, sizeof(*out));
	signals_attended(true);
	if (go_on && run_launch(r, e) != 0) {
		out->stuck = run_stop(r);
		return -1;
	}
	run_snapshot(r, &now);
	if (sample_init(samples, period, &now) != 0) {
		out->stuck = run_stop(r);
		return err_set(e, EXIT_MACHINE, "no memory for samples");
	}
	base = now.mono_ns;
	run_begin(r);
	if (go_on && cfg->warmup_ns != 0) {
		go_on = sample_until(r, lines, samples, base, later(base, cfg->warmup_ns));
		run_snapshot(r, &now);
	}
	if (go_on) {
		uint64_t end =
			cfg->duration_ns != 0 ? later(now.mono_ns, cfg->duration_ns) : UINT64_MAX;

		sample_warmup_end(samples, &now);
		(void)sample_until(r, lines, samples, now.mono_ns, end);
	}
	run_snapshot(r, &now);
	sample_stop(samples, &now, &interval);
	if (go_on)
		pass_on(r, lines, &interval);
	if (sends(r))
		drain(r);
	out->stuck = run_stop(r);
	run_note_link(r);
	signals_attended(false);
	run_attend(r);
	run_snapshot(r, &now);
	sample_finish(samples, &now);
	out->clock_known = clock_map_init(&out->clock, start, clock_anchor_now()) == 0;
	find_rx_stamps(r, out);
	sample_summarize(samples, &out->rx, &out->summary);
	return 0;
}
