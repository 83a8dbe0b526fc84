/* SPDX-License-Identifier: BSD-3-Clause */
#include "sampler.h"

#include <string.h>

#include "clock.h"
#include "live.h"
#include "prime.h"
#include "signals.h"

enum {
	ROUND_NS = 10000000,            /* main's own round: it may share a CPU with a worker */
	DEFAULT_PERIOD_NS = 1000000000, /* of samples when no lines are wanted */
	QUIET_NS = 50000000,            /* so long without a frame means that all have come */
	DRAIN_MAX_NS = 500000000,
	LOOK_NS = 100000000,
	TRAFFIC_PPS = 1000,
};

/* Why a stretch of time ended. */
enum end {
	END_TIME,
	END_WATCH, /* what was watched for has happened */
	END_SIGNAL,
};

/*
 * Looks at what is received: until traffic comes, or until none has come for a time. A few frames
 * are on every network (DHCP, mDNS): they are no traffic.
 */
struct watch {
	uint64_t idle_ns;   /* 0: until traffic comes */
	uint64_t looked_ns; /* the last look, and what had been received by then */
	uint64_t seen;
	uint64_t traffic_ns; /* the last look that saw traffic; at first, the start */
};

static struct watch
watch_from(const struct run *r, uint64_t now, uint64_t idle_ns)
{
	return (struct watch){
		.idle_ns = idle_ns,
		.looked_ns = now,
		.seen = run_received(r),
		.traffic_ns = now,
	};
}

static bool
watch_is_over(const struct run *r, struct watch *w, uint64_t now)
{
	uint64_t received, length = now - w->looked_ns;
	bool traffic;

	if (length < LOOK_NS)
		return false;
	received = run_received(r);
	traffic = (double)(received - w->seen) * 1e9 >= (double)length * TRAFFIC_PPS;
	w->seen = received;
	w->looked_ns = now;
	if (traffic)
		w->traffic_ns = now;
	return w->idle_ns == 0 ? traffic : now - w->traffic_ns >= w->idle_ns;
}

/* Does main's work until a time. watch: NULL, nothing is watched for */
static enum end
attend_until(struct run *r, struct watch *watch, uint64_t mono_ns)
{
	for (;;) {
		uint64_t now = clock_mono_ns();

		run_attend(r);
		if (signals_stop())
			return END_SIGNAL;
		if (watch != NULL && watch_is_over(r, watch, now))
			return END_WATCH;
		if (now >= mono_ns)
			return END_TIME;
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

/* Samples each period from one time to another. */
static enum end
sample_until(struct run *r, const struct sampler_output *lines, struct sample_run *samples,
	struct watch *watch, uint64_t from, uint64_t end)
{
	uint64_t period = samples->period_ns;
	uint64_t next = from + period;

	while (next < end) {
		struct sample_interval interval;
		struct sample_snapshot now;
		enum end why = attend_until(r, watch, next);

		if (why != END_TIME)
			return why;
		run_snapshot(r, &now);
		sample_tick(samples, &now, &interval);
		interval.waiting = watch != NULL && watch->idle_ns == 0;
		pass_on(r, lines, &interval);
		/* After a long interruption periods are not made up for: each is as long as it was.
		 */
		next += period;
		if (next <= now.mono_ns)
			next = now.mono_ns + period;
	}
	return attend_until(r, watch, end);
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
		/* A stray frame after the traffic is not the end of it. */
		out->rx.last_ns = RTE_MIN(clock_map_ns(&out->clock, last), out->idle_from_ns);
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

/* The measured time; and before it, the wait for traffic and the warm-up. */
static void
measure(struct run *r, const struct sampler_output *lines, struct sampler_result *out,
	struct sample_snapshot *now)
{
	const struct config *cfg = r->cfg;
	struct sample_run *samples = &out->samples;
	enum end why = END_TIME;
	struct watch watch;
	uint64_t end;

	if (cfg->rx_wait_ns != 0) {
		watch = watch_from(r, now->mono_ns, 0);
		why = sample_until(r, lines, samples, &watch, now->mono_ns,
			later(now->mono_ns, cfg->rx_wait_ns));
		out->no_traffic = why != END_WATCH;
		run_snapshot(r, now);
	}
	if (out->no_traffic)
		return;
	if (cfg->warmup_ns != 0) {
		why = sample_until(
			r, lines, samples, NULL, now->mono_ns, later(now->mono_ns, cfg->warmup_ns));
		run_snapshot(r, now);
		if (why == END_SIGNAL)
			return;
	}
	end = cfg->duration_ns != 0 ? later(now->mono_ns, cfg->duration_ns) : UINT64_MAX;
	watch = watch_from(r, now->mono_ns, cfg->rx_idle_ns);
	sample_warmup_end(samples, now);
	peers_measure(r);
	why = sample_until(
		r, lines, samples, cfg->rx_idle_ns != 0 ? &watch : NULL, now->mono_ns, end);
	out->idle_from_ns = why == END_WATCH ? watch.traffic_ns : UINT64_MAX;
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
	bool go_on = !signals_stop();

	memset(out, 0, sizeof(*out));
	out->idle_from_ns = UINT64_MAX;
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
	if (go_on) {
		bool waited = peers_find(r);

		waited = prime(r) || waited;
		if (waited)
			run_snapshot(r, &now);
	}
	run_begin(r);
	if (go_on)
		measure(r, lines, out, &now);
	run_snapshot(r, &now);
	sample_stop(samples, &now, &interval);
	peers_stop(r);
	if (go_on)
		pass_on(r, lines, &interval);
	if (sends(r))
		drain(r);
	peers_end(r);
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
