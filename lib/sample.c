/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample.h"

#include <math.h>
#include <stdlib.h>

#include "units.h"

/* A period of this share of its length is a whole one: the tick before it may have come late. */
#define WHOLE_SHARE 0.9
/* A rest after the last tick up to this share of a period would show a rate made of noise. */
#define SLIVER_SHARE 0.1
/* A last frame up to this share before a period's end still fills it: frames don't come on ticks.
 */
#define EDGE_SHARE 0.01

/* Own totals never step back; two reads a moment apart may look as if they had. */
static uint64_t
ahead(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

struct sample_rate
sample_rate(uint64_t packets, uint64_t bytes, uint64_t length_ns)
{
	double pps = units_per_second(packets, length_ns);
	double bps = units_per_second(bytes, length_ns) * 8;

	return (struct sample_rate){
		.packets = packets,
		.bytes = bytes,
		.pps = pps,
		.bps = bps,
		.bps_l1 = bps + pps * UNITS_L1_BYTES_PER_FRAME * 8,
	};
}

static bool
stepped_back(struct sample_count from, struct sample_count to)
{
	return from.known && to.known && to.value < from.value;
}

struct sample_count
sample_delta(struct sample_count from, struct sample_count to)
{
	if (!from.known || !to.known || to.value < from.value)
		return (struct sample_count){0};
	return (struct sample_count){.value = to.value - from.value, .known = true};
}

static struct sample_count
sum(struct sample_count a, struct sample_count b)
{
	return (struct sample_count){
		.value = (a.known ? a.value : 0) + (b.known ? b.value : 0),
		.known = a.known || b.known,
	};
}

void
sample_interval(const struct sample_snapshot *from, const struct sample_snapshot *to,
	uint64_t origin_ns, struct sample_interval *out)
{
	uint64_t length = ahead(from->mono_ns, to->mono_ns);

	*out = (struct sample_interval){
		.t_s = (double)ahead(origin_ns, to->mono_ns) / 1e9,
		.length_s = (double)length / 1e9,
		.tx = sample_rate(ahead(from->tx.packets, to->tx.packets),
			ahead(from->tx.bytes, to->tx.bytes), length),
		.rx = sample_rate(ahead(from->rx.packets, to->rx.packets),
			ahead(from->rx.bytes, to->rx.bytes), length),
		.offered = ahead(from->tx.offered, to->tx.offered),
		.missed = sample_delta(from->missed, to->missed),
		.nombuf = sample_delta(from->nombuf, to->nombuf),
		.errors = sample_delta(from->errors, to->errors),
		.tx_errors = sample_delta(from->tx_errors, to->tx_errors),
		.reset_seen = stepped_back(from->missed, to->missed) ||
			      stepped_back(from->nombuf, to->nombuf) ||
			      stepped_back(from->errors, to->errors) ||
			      stepped_back(from->tx_errors, to->tx_errors),
	};
	out->unsent = ahead(out->tx.packets, out->offered);
	/* A sum without the part that was reset would be too low and look whole. */
	if (!out->reset_seen)
		out->drops = sum(sum(out->missed, out->nombuf), out->errors);
}

static int
periods_init(struct sample_periods *p)
{
	p->min = INFINITY;
	p->max = -INFINITY;
	return thin_init(&p->values, sizeof(double), SAMPLE_MAX_PERIODS);
}

static void
periods_add(struct sample_periods *p, double pps)
{
	p->min = fmin(p->min, pps);
	p->max = fmax(p->max, pps);
	thin_add(&p->values, &pps);
}

static int
compare_doubles(const void *a, const void *b)
{
	double x, y;

	x = *(const double *)a;
	y = *(const double *)b;
	return (x > y) - (x < y);
}

static void
periods_summarize(struct sample_periods *p, struct sample_window *w)
{
	const double *v = p->values.items;
	size_t n = p->values.n;

	w->periods = p->values.seen;
	w->pps_min = w->pps_median = w->pps_max = NAN;
	if (n == 0)
		return;
	qsort(p->values.items, n, sizeof(*v), compare_doubles);
	w->pps_min = p->min;
	w->pps_median = n % 2 == 1 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
	w->pps_max = p->max;
}

int
sample_init(struct sample_run *r, uint64_t period_ns, const struct sample_snapshot *start)
{
	*r = (struct sample_run){.period_ns = period_ns, .start = *start, .last = *start};
	if (thin_init(&r->series, sizeof(struct sample_snapshot), SAMPLE_MAX_SERIES) != 0 ||
		periods_init(&r->tx_periods) != 0 || periods_init(&r->rx_periods) != 0) {
		sample_fini(r);
		return -1;
	}
	return 0;
}

void
sample_fini(struct sample_run *r)
{
	thin_fini(&r->series);
	thin_fini(&r->tx_periods.values);
	thin_fini(&r->rx_periods.values);
}

void
sample_warmup_end(struct sample_run *r, const struct sample_snapshot *s)
{
	struct sample_interval i;

	sample_interval(&r->last, s, 0, &i);
	r->reset_seen |= i.reset_seen;
	r->base = r->last = *s;
	r->warmed = true;
	thin_add(&r->series, s);
}

/* 0 if there are no periods. */
static double
share_of_period(const struct sample_run *r, uint64_t length_ns)
{
	return r->period_ns > 0 ? (double)length_ns / (double)r->period_ns : 0;
}

/* What waited lies inside the receive window: it went on. */
static void
settle_waiting(struct sample_run *r)
{
	if (r->waiting.busy)
		periods_add(&r->rx_periods, r->waiting.pps);
	for (; r->waiting.idle > 0; r->waiting.idle--)
		periods_add(&r->rx_periods, 0);
	r->waiting.busy = false;
}

/*
 * A period is inside the receive window if a frame came before it and one after it. The latter only
 * shows later, so the last period with frames, and the empty ones since, wait for that.
 */
static void
account_rx(struct sample_run *r, const struct sample_interval *i, uint64_t length, bool whole)
{
	bool begun = r->last.rx.packets > r->start.rx.packets;

	if (i->rx.packets == 0) {
		r->waiting.idle += begun && whole;
		return;
	}
	settle_waiting(r);
	if (begun && whole) {
		r->waiting.busy = true;
		r->waiting.pps = i->rx.pps;
		r->waiting.end_ns = r->last.mono_ns + (uint64_t)((double)length * (1 - EDGE_SHARE));
	}
}

/* Takes the interval from the latest snapshot to s into account. */
static void
account(struct sample_run *r, const struct sample_snapshot *s, struct sample_interval *i)
{
	uint64_t length = ahead(r->last.mono_ns, s->mono_ns);
	bool whole = share_of_period(r, length) >= WHOLE_SHARE;

	sample_interval(&r->last, s, r->warmed ? r->base.mono_ns : r->start.mono_ns, i);
	i->warmup = !r->warmed;
	r->reset_seen |= i->reset_seen;
	if (r->warmed) {
		r->reset.missed |= stepped_back(r->last.missed, s->missed);
		r->reset.nombuf |= stepped_back(r->last.nombuf, s->nombuf);
		r->reset.errors |= stepped_back(r->last.errors, s->errors);
		r->reset.tx_errors |= stepped_back(r->last.tx_errors, s->tx_errors);
		if (whole)
			periods_add(&r->tx_periods, i->tx.pps);
		account_rx(r, i, length, whole);
	}
	r->last = *s;
}

void
sample_tick(struct sample_run *r, const struct sample_snapshot *s, struct sample_interval *out)
{
	struct sample_interval i;

	account(r, s, &i);
	if (r->warmed)
		thin_add(&r->series, s);
	if (out != NULL)
		*out = i;
}

void
sample_stop(struct sample_run *r, const struct sample_snapshot *s, struct sample_interval *out)
{
	struct sample_interval i;
	bool sliver = share_of_period(r, ahead(r->last.mono_ns, s->mono_ns)) < SLIVER_SHARE;

	account(r, s, &i);
	r->stop = *s;
	r->stopped = true;
	if (r->warmed) {
		/* It joins the entry before it. */
		if (sliver && r->series.n > 1)
			r->series.n--;
		thin_add_last(&r->series, s);
	}
	if (out != NULL)
		*out = i;
}

void
sample_finish(struct sample_run *r, const struct sample_snapshot *s)
{
	struct sample_interval i;

	sample_interval(&r->last, s, 0, &i);
	r->reset_seen |= i.reset_seen;
	r->last = *s;
}

static void
summarize_tx(struct sample_run *r, struct sample_summary *out)
{
	uint64_t length = ahead(r->base.mono_ns, r->stop.mono_ns);
	uint64_t packets = ahead(r->base.tx.packets, r->stop.tx.packets);

	out->tx.window_s = (double)length / 1e9;
	out->tx.rate = sample_rate(packets, ahead(r->base.tx.bytes, r->stop.tx.bytes), length);
	out->offered = ahead(r->base.tx.offered, r->stop.tx.offered);
	out->unsent = ahead(packets, out->offered);
}

static void
summarize_rx(struct sample_run *r, const struct sample_rx_stamps *rx, struct sample_summary *out)
{
	uint64_t packets = ahead(r->base.rx.packets, r->stop.rx.packets);
	uint64_t begin = r->base.mono_ns;
	uint64_t end = r->stop.mono_ns;
	uint64_t length;

	if (rx->seen) {
		if (rx->first_ns > begin)
			begin = rx->first_ns;
		if (rx->last_ns < end)
			end = rx->last_ns;
		if (r->waiting.busy && rx->last_ns >= r->waiting.end_ns) {
			r->waiting.idle = 0;
			settle_waiting(r);
		}
	}
	length = packets > 0 ? ahead(begin, end) : 0;
	out->rx.window_s = (double)length / 1e9;
	out->rx.rate = sample_rate(packets, ahead(r->base.rx.bytes, r->stop.rx.bytes), length);
	/* Nothing came in all the measured time: that rate is known. */
	if (packets == 0 && out->measured)
		out->rx.rate = sample_rate(0, 0, 1);
}

static struct sample_count
unless(bool reset, struct sample_count from, struct sample_count to)
{
	if (reset)
		return (struct sample_count){0};
	return sample_delta(from, to);
}

void
sample_summarize(
	struct sample_run *r, const struct sample_rx_stamps *rx, struct sample_summary *out)
{
	const struct sample_snapshot *from = &r->base, *to = &r->stop;

	*out = (struct sample_summary){
		.measured = r->warmed && r->stopped && to->mono_ns > from->mono_ns,
		.reset_seen = r->reset_seen,
		.total_offered = ahead(r->start.tx.offered, r->last.tx.offered),
	};
	out->tx.total_packets = ahead(r->start.tx.packets, r->last.tx.packets);
	out->tx.total_bytes = ahead(r->start.tx.bytes, r->last.tx.bytes);
	out->rx.total_packets = ahead(r->start.rx.packets, r->last.rx.packets);
	out->rx.total_bytes = ahead(r->start.rx.bytes, r->last.rx.bytes);
	out->total_unsent = ahead(out->tx.total_packets, out->total_offered);
	out->tx.rate = out->rx.rate = sample_rate(0, 0, 0);
	if (out->measured) {
		out->measure_s = (double)(to->mono_ns - from->mono_ns) / 1e9;
		out->missed = unless(r->reset.missed, from->missed, to->missed);
		out->nombuf = unless(r->reset.nombuf, from->nombuf, to->nombuf);
		out->errors = unless(r->reset.errors, from->errors, to->errors);
		out->tx_errors = unless(r->reset.tx_errors, from->tx_errors, to->tx_errors);
		summarize_tx(r, out);
		summarize_rx(r, rx, out);
	}
	periods_summarize(&r->tx_periods, &out->tx);
	periods_summarize(&r->rx_periods, &out->rx);
}

size_t
sample_series_len(const struct sample_run *r)
{
	return r->series.n > 1 ? r->series.n - 1 : 0;
}

void
sample_series_get(const struct sample_run *r, size_t i, struct sample_interval *out)
{
	sample_interval(thin_at(&r->series, i), thin_at(&r->series, i + 1), r->base.mono_ns, out);
}
