/* SPDX-License-Identifier: BSD-3-Clause */
#include "sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define S  UINT64_C(1000000000)
#define MS UINT64_C(1000000)
/* No run begins at zero on the monotonic clock. */
#define T0 (1000 * S)

static const struct sample_rx_stamps no_rx;

static void
assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.9g is not %.9g", value, expected);
}

/* A snapshot at T0 + ns whose frames are all of 64 bytes; devices count nothing. */
static struct sample_snapshot
at(uint64_t ns, uint64_t tx, uint64_t rx)
{
	return (struct sample_snapshot){
		.mono_ns = T0 + ns,
		.tx = {.offered = tx, .packets = tx, .bytes = tx * 64},
		.rx = {.packets = rx, .bytes = rx * 64},
	};
}

static void
start(struct sample_run *r, uint64_t period_ns)
{
	struct sample_snapshot s = at(0, 0, 0);

	assert_int_equal(sample_init(r, period_ns, &s), 0);
}

static void
warmup_end(struct sample_run *r, uint64_t ns, uint64_t tx, uint64_t rx)
{
	struct sample_snapshot s = at(ns, tx, rx);

	sample_warmup_end(r, &s);
}

static struct sample_interval
tick(struct sample_run *r, uint64_t ns, uint64_t tx, uint64_t rx)
{
	struct sample_snapshot s = at(ns, tx, rx);
	struct sample_interval i;

	sample_tick(r, &s, &i);
	return i;
}

static void
stop(struct sample_run *r, uint64_t ns, uint64_t tx, uint64_t rx)
{
	struct sample_snapshot s = at(ns, tx, rx);

	sample_stop(r, &s, NULL);
	sample_finish(r, &s);
}

static struct sample_summary
summary(struct sample_run *r, struct sample_rx_stamps rx)
{
	struct sample_summary s;

	sample_summarize(r, &rx, &s);
	return s;
}

static struct sample_rx_stamps
stamps(uint64_t first_ns, uint64_t last_ns)
{
	return (struct sample_rx_stamps){
		.seen = true, .first_ns = T0 + first_ns, .last_ns = T0 + last_ns};
}

static struct sample_count
known(uint64_t v)
{
	return (struct sample_count){.value = v, .known = true};
}

static void
test_tx_window_is_warmup_end_to_stop(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	assert_true(tick(&r, S, 900, 0).warmup);
	warmup_end(&r, 2 * S, 1000, 0);
	assert_false(tick(&r, 3 * S, 2000, 0).warmup);
	tick(&r, 4 * S, 5000, 0);
	tick(&r, 5 * S, 7000, 0);
	stop(&r, 5 * S + 500 * MS, 7500, 0);
	s = summary(&r, no_rx);
	assert_true(s.measured);
	assert_near(s.measure_s, 3.5, 1e-9);
	assert_int_equal(s.tx.rate.packets, 6500);
	assert_int_equal(s.tx.rate.bytes, 6500 * 64);
	assert_near(s.tx.window_s, 3.5, 1e-9);
	assert_near(s.tx.rate.pps, 6500 / 3.5, 1e-6);
	/* The half period at the end does not count. */
	assert_int_equal(s.tx.periods, 3);
	assert_near(s.tx.pps_min, 1000, 1e-6);
	assert_near(s.tx.pps_median, 2000, 1e-6);
	assert_near(s.tx.pps_max, 3000, 1e-6);
	assert_int_equal(s.tx.total_packets, 7500);
	sample_fini(&r);
}

static void
test_median_of_an_even_number_is_the_mean_of_the_middle(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	warmup_end(&r, 0, 0, 0);
	tick(&r, S, 4000, 0);
	stop(&r, 2 * S, 5000, 0);
	s = summary(&r, no_rx);
	/* The stop ends a whole period as well as a tick does. */
	assert_int_equal(s.tx.periods, 2);
	assert_near(s.tx.pps_median, 2500, 1e-6);
	sample_fini(&r);
}

static void
test_rx_window_from_first_to_last_frame(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	warmup_end(&r, S, 0, 0);
	tick(&r, 2 * S, 0, 0);
	tick(&r, 3 * S, 0, 500); /* the first frame came at 2.5 s */
	tick(&r, 4 * S, 0, 1500);
	tick(&r, 5 * S, 0, 2700);
	tick(&r, 6 * S, 0, 3000); /* the last one at 5.25 s */
	tick(&r, 7 * S, 0, 3000);
	stop(&r, 8 * S, 0, 3000);
	s = summary(&r, stamps(2 * S + 500 * MS, 5 * S + 250 * MS));
	assert_near(s.measure_s, 7, 1e-9);
	assert_near(s.rx.window_s, 2.75, 1e-9);
	assert_int_equal(s.rx.rate.packets, 3000);
	assert_near(s.rx.rate.pps, 3000 / 2.75, 1e-6);
	assert_int_equal(s.rx.periods, 2);
	assert_near(s.rx.pps_min, 1000, 1e-6);
	assert_near(s.rx.pps_median, 1100, 1e-6);
	assert_near(s.rx.pps_max, 1200, 1e-6);
	sample_fini(&r);
}

static void
test_rx_window_begins_at_warmup_end_if_frames_came_before(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	warmup_end(&r, S, 0, 700);
	tick(&r, 2 * S, 0, 1700);
	stop(&r, 3 * S, 0, 2700);
	/* Frames go on in the drain: the window ends with the measured time. */
	s = summary(&r, stamps(300 * MS, 3 * S + 5 * MS));
	assert_near(s.rx.window_s, 2, 1e-9);
	assert_int_equal(s.rx.rate.packets, 2000);
	assert_near(s.rx.rate.pps, 1000, 1e-6);
	assert_int_equal(s.rx.periods, 2);
	assert_near(s.rx.pps_min, 1000, 1e-6);
	assert_near(s.rx.pps_max, 1000, 1e-6);
	sample_fini(&r);
}

static void
test_rx_period_filled_to_its_edge_counts(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	/* The last frame comes a moment before the stop, as it does at any rate. */
	start(&r, S);
	warmup_end(&r, S, 0, 700);
	stop(&r, 2 * S, 0, 1700);
	s = summary(&r, stamps(300 * MS, 2 * S - 9 * MS));
	assert_int_equal(s.rx.periods, 1);
	assert_near(s.rx.pps_median, 1000, 1e-6);
	/* Asking again changes nothing. */
	s = summary(&r, stamps(300 * MS, 2 * S - 9 * MS));
	assert_int_equal(s.rx.periods, 1);
	sample_fini(&r);

	start(&r, S);
	warmup_end(&r, S, 0, 700);
	stop(&r, 2 * S, 0, 1700);
	s = summary(&r, stamps(300 * MS, 2 * S - 11 * MS));
	assert_int_equal(s.rx.periods, 0);
	sample_fini(&r);
}

static void
test_rx_idle_periods_after_the_last_frame_do_not_count(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	warmup_end(&r, S, 0, 700);
	tick(&r, 2 * S, 0, 1700);
	tick(&r, 3 * S, 0, 1700);
	stop(&r, 4 * S, 0, 1700);
	s = summary(&r, stamps(300 * MS, 2 * S - MS));
	assert_int_equal(s.rx.periods, 1);
	assert_near(s.rx.pps_min, 1000, 1e-6);
	assert_near(s.rx.window_s, 0.999, 1e-9);
	sample_fini(&r);
}

static void
test_rx_idle_period_inside_the_window_counts_as_zero(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	warmup_end(&r, 0, 0, 0);
	tick(&r, S, 0, 10);
	tick(&r, 2 * S, 0, 10);
	tick(&r, 3 * S, 0, 110);
	tick(&r, 4 * S, 0, 120);
	stop(&r, 5 * S, 0, 120);
	s = summary(&r, stamps(500 * MS, 3 * S + 200 * MS));
	/* 1-2 s idle, 2-3 s busy; the first and the last frame are inside their periods. */
	assert_int_equal(s.rx.periods, 2);
	assert_near(s.rx.pps_min, 0, 0);
	assert_near(s.rx.pps_median, 50, 1e-9);
	assert_near(s.rx.pps_max, 100, 1e-9);
	sample_fini(&r);
}

static void
test_no_frame_received_is_a_rate_of_zero(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	warmup_end(&r, 0, 0, 0);
	stop(&r, 3 * S, 0, 0);
	s = summary(&r, no_rx);
	assert_int_equal(s.rx.rate.packets, 0);
	assert_near(s.rx.rate.pps, 0, 0);
	assert_near(s.rx.window_s, 0, 0);
	assert_true(isnan(s.rx.pps_min));
	sample_fini(&r);
}

static void
test_single_frame_has_no_rate(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	warmup_end(&r, 0, 0, 0);
	stop(&r, 3 * S, 0, 1);
	s = summary(&r, stamps(S, S));
	assert_int_equal(s.rx.rate.packets, 1);
	assert_true(isnan(s.rx.rate.pps));
	assert_true(isnan(s.rx.rate.bps_l1));
	sample_fini(&r);
}

static void
test_ended_in_warmup_measures_nothing(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	tick(&r, S, 100, 50);
	stop(&r, S + 500 * MS, 150, 80);
	s = summary(&r, stamps(MS, S));
	assert_false(s.measured);
	assert_near(s.measure_s, 0, 0);
	assert_int_equal(s.tx.rate.packets, 0);
	assert_true(isnan(s.tx.rate.pps));
	assert_true(isnan(s.rx.rate.pps));
	assert_int_equal(s.tx.total_packets, 150);
	assert_int_equal(s.rx.total_packets, 80);
	assert_int_equal(sample_series_len(&r), 0);
	sample_fini(&r);
}

static void
test_totals_cover_the_drain_and_the_window_does_not(void **state)
{
	struct sample_run r;
	struct sample_snapshot s = at(2 * S, 0, 900), end = at(2 * S + 100 * MS, 0, 1000);
	struct sample_summary sum;

	(void)state;
	start(&r, S);
	warmup_end(&r, S, 0, 100);
	sample_stop(&r, &s, NULL);
	sample_finish(&r, &end);
	sum = summary(&r, stamps(0, 2 * S + 50 * MS));
	assert_int_equal(sum.rx.rate.packets, 800);
	assert_int_equal(sum.rx.total_packets, 1000);
	assert_int_equal(sum.rx.total_bytes, 64000);
	sample_fini(&r);
}

static void
test_I1_counts_near_2_to_the_32(void **state)
{
	struct sample_snapshot from = at(0, 0, 4294967290), to = at(S, 0, 4301967290);
	struct sample_interval i;
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	sample_interval(&from, &to, T0, &i);
	assert_int_equal(i.rx.packets, 7000000);
	assert_near(i.rx.pps, 7e6, 1e-3);
	start(&r, S);
	warmup_end(&r, 0, 0, 0);
	stop(&r, 600 * S, 0, 4300000000);
	s = summary(&r, stamps(0, 600 * S));
	assert_int_equal(s.rx.rate.packets, 4300000000);
	assert_int_equal(s.rx.rate.bytes, 4300000000 * 64);
	sample_fini(&r);
}

static void
test_I2_reset_device_counter_voids_its_interval_only(void **state)
{
	struct sample_run r;
	struct sample_snapshot a = at(0, 0, 0), b = at(S, 0, 10), c = at(2 * S, 0, 20);
	struct sample_interval i;
	struct sample_summary s;

	(void)state;
	a.missed = known(1000);
	b.missed = known(5); /* somebody cleared it */
	c.missed = known(2000);
	a.errors = known(3);
	b.errors = known(3);
	c.errors = known(4);
	assert_int_equal(sample_init(&r, S, &a), 0);
	sample_warmup_end(&r, &a);
	sample_tick(&r, &b, &i);
	assert_true(i.reset_seen);
	assert_false(i.missed.known);
	assert_true(i.errors.known);
	assert_int_equal(i.errors.value, 0);
	/* A sum with a part missing would look whole. */
	assert_false(i.drops.known);
	assert_near(i.rx.pps, 10, 1e-9);
	sample_tick(&r, &c, &i);
	assert_false(i.reset_seen);
	assert_int_equal(i.missed.value, 1995);
	sample_stop(&r, &c, NULL);
	sample_finish(&r, &c);
	/* 2000 is above 1000 again: only the intervals showed the step back. */
	s = summary(&r, stamps(0, 2 * S));
	assert_true(s.reset_seen);
	assert_false(s.missed.known);
	assert_true(s.errors.known);
	assert_int_equal(s.errors.value, 1);
	sample_fini(&r);
}

static void
test_I2_reset_in_warmup_does_not_void_the_window(void **state)
{
	struct sample_run r;
	struct sample_snapshot a = at(0, 0, 0), b = at(S, 0, 10), c = at(2 * S, 0, 20);
	struct sample_summary s;

	(void)state;
	a.missed = known(1000);
	b.missed = known(5);
	c.missed = known(7);
	assert_int_equal(sample_init(&r, S, &a), 0);
	sample_warmup_end(&r, &b);
	sample_stop(&r, &c, NULL);
	sample_finish(&r, &c);
	s = summary(&r, stamps(0, 2 * S));
	assert_true(s.reset_seen);
	assert_true(s.missed.known);
	assert_int_equal(s.missed.value, 2);
	sample_fini(&r);
}

static void
test_I3_runs_stand_alone(void **state)
{
	struct sample_run r;
	struct sample_snapshot s;
	struct sample_summary sum;

	(void)state;
	/* The third of three trials in one process: totals go on, the figures begin anew. */
	for (uint64_t trial = 0; trial < 3; trial++) {
		s = at(trial * 10 * S, trial * 5000, 0);
		s.missed = known(trial * 70);
		assert_int_equal(sample_init(&r, S, &s), 0);
		sample_warmup_end(&r, &s);
		s = at(trial * 10 * S + S, trial * 5000 + 1000, 0);
		s.missed = known(trial * 70 + 7);
		sample_stop(&r, &s, NULL);
		sample_finish(&r, &s);
		sum = summary(&r, no_rx);
		assert_int_equal(sum.tx.rate.packets, 1000);
		assert_int_equal(sum.tx.total_packets, 1000);
		assert_int_equal(sum.missed.value, 7);
		sample_fini(&r);
	}
}

static void
test_I4_nothing_is_ever_negative(void **state)
{
	struct sample_snapshot from = at(S, 100, 100), to = at(0, 90, 90);
	struct sample_interval i;

	(void)state;
	/* Offered and packets are read a moment apart. */
	to.tx.offered = 85;
	sample_interval(&from, &to, T0 + 5 * S, &i);
	assert_int_equal(i.tx.packets, 0);
	assert_int_equal(i.rx.packets, 0);
	assert_int_equal(i.unsent, 0);
	assert_near(i.length_s, 0, 0);
	assert_near(i.t_s, 0, 0);
	assert_true(isnan(i.tx.pps));
	assert_false(sample_delta(known(5), known(4)).known);
	assert_int_equal(sample_delta(known(5), known(4)).value, 0);
	assert_false(sample_delta(known(5), (struct sample_count){0}).known);
	assert_false(sample_delta((struct sample_count){0}, known(5)).known);
	assert_int_equal(sample_delta(known(5), known(5)).value, 0);
	assert_true(sample_delta(known(5), known(5)).known);
}

static void
test_I5_offered_accepted_and_device_errors_are_three_numbers(void **state)
{
	struct sample_run r;
	struct sample_snapshot a = at(0, 0, 0), b = at(S, 600, 0);
	struct sample_summary s;

	(void)state;
	a.tx_errors = known(0);
	b.tx_errors = known(50);
	b.tx.offered = 1000;
	assert_int_equal(sample_init(&r, S, &a), 0);
	sample_warmup_end(&r, &a);
	sample_stop(&r, &b, NULL);
	sample_finish(&r, &b);
	s = summary(&r, no_rx);
	assert_int_equal(s.offered, 1000);
	assert_int_equal(s.tx.rate.packets, 600);
	assert_int_equal(s.unsent, 400);
	assert_int_equal(s.tx_errors.value, 50);
	assert_int_equal(s.total_offered, 1000);
	assert_int_equal(s.total_unsent, 400);
	assert_false(s.errors.known);
	sample_fini(&r);
}

static void
test_I6_counters_that_a_device_lacks_stay_unknown(void **state)
{
	struct sample_snapshot from = at(0, 0, 0), to = at(S, 10, 10);
	struct sample_interval i;

	(void)state;
	sample_interval(&from, &to, T0, &i);
	assert_false(i.missed.known);
	assert_false(i.drops.known);
	assert_false(i.reset_seen);
	from.nombuf = known(4);
	to.nombuf = known(9);
	sample_interval(&from, &to, T0, &i);
	assert_true(i.drops.known);
	assert_int_equal(i.drops.value, 5);
	/* Our own bytes do not depend on the device's. */
	assert_int_equal(i.rx.bytes, 640);
}

static void
test_J1_rate_is_own_count_over_own_time(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	warmup_end(&r, 0, 0, 0);
	stop(&r, 3 * S + 7 * MS, 36827750, 0);
	s = summary(&r, no_rx);
	assert_near(s.tx.rate.pps, 36827750 / 3.007, 1e-3);
	sample_fini(&r);
}

static void
test_J2_late_ticks_do_not_change_rates(void **state)
{
	struct sample_run r;
	struct sample_interval i;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	warmup_end(&r, 0, 0, 0);
	tick(&r, S, 100, 0);
	/* The process stood still for 3 s, its sender did not. */
	i = tick(&r, 5 * S, 500, 0);
	assert_near(i.length_s, 4, 1e-9);
	assert_near(i.tx.pps, 100, 1e-9);
	/* The tick after a late one comes early. */
	i = tick(&r, 5 * S + 500 * MS, 540, 0);
	assert_near(i.tx.pps, 80, 1e-9);
	stop(&r, 6 * S + 500 * MS, 640, 0);
	s = summary(&r, no_rx);
	assert_int_equal(s.tx.periods, 3);
	assert_near(s.tx.pps_min, 100, 1e-9);
	assert_near(s.tx.pps_max, 100, 1e-9);
	assert_near(s.tx.rate.pps, 640 / 6.5, 1e-9);
	sample_fini(&r);
}

static void
test_J3_months_at_400g(void **state)
{
	/* 5e10 B/s for 90 days in frames of 1250 B. */
	uint64_t seconds = 90 * 86400, bytes = 50000000000 * seconds, packets = bytes / 1250;
	struct sample_rate rate = sample_rate(packets, bytes, seconds * S);

	(void)state;
	assert_int_equal(rate.bytes, UINT64_C(388800000000000000));
	assert_near(rate.pps, 4e7, 1e-3);
	assert_near(rate.bps, 4e11, 1);
	assert_near(rate.bps_l1, 4e11 + 4e7 * 192, 1);
	/* And the largest numbers there are. */
	rate = sample_rate(UINT64_MAX, UINT64_MAX, UINT64_MAX);
	assert_near(rate.pps, 1e9, 1);
	assert_near(rate.bps, 8e9, 1);
}

static void
test_J5_golden_numbers_of_l2_and_l1(void **state)
{
	/* 10 Gbit/s on the wire is 14,880,952.38 frames of 64 B with CRC, which are 60 B here. */
	static const struct {
		uint64_t len;
		double bps, bps_l1; /* at a million frames a second */
	} golden[] = {
		{60, 480e6, 672e6},
		{64, 512e6, 704e6},
		{128, 1024e6, 1216e6},
		{1514, 12112e6, 12304e6},
	};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct sample_rate rate = sample_rate(10000000, 10000000 * golden[i].len, 10 * S);

		assert_near(rate.pps, 1e6, 1e-6);
		assert_near(rate.bps, golden[i].bps, 1e-3);
		assert_near(rate.bps_l1, golden[i].bps_l1, 1e-3);
	}
	assert_near(sample_rate(14880952, UINT64_C(14880952) * 60, S).bps_l1, 1e10, 700);
}

static void
test_J6_both_directions_count_bytes_alike(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	warmup_end(&r, 0, 0, 0);
	stop(&r, S, 1000, 1000);
	s = summary(&r, stamps(0, S));
	assert_near(s.tx.rate.bps, s.rx.rate.bps, 0);
	assert_near(s.tx.rate.bps_l1, s.rx.rate.bps_l1, 0);
	sample_fini(&r);
}

static void
test_J8_short_runs_have_no_steady_window(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, S);
	warmup_end(&r, 0, 0, 0);
	stop(&r, 800 * MS, 800, 800);
	s = summary(&r, stamps(0, 800 * MS));
	assert_near(s.tx.rate.pps, 1000, 1e-6);
	assert_int_equal(s.tx.periods, 0);
	assert_true(isnan(s.tx.pps_min));
	assert_true(isnan(s.tx.pps_median));
	assert_true(isnan(s.tx.pps_max));
	assert_true(isnan(s.rx.pps_median));
	sample_fini(&r);

	/* A peer that comes late and leaves early fills no period, though there were three. */
	start(&r, S);
	warmup_end(&r, 0, 0, 0);
	tick(&r, S, 1000, 10);
	tick(&r, 2 * S, 2000, 200);
	stop(&r, 3 * S, 3000, 200);
	s = summary(&r, stamps(900 * MS, S + 900 * MS));
	assert_int_equal(s.tx.periods, 3);
	assert_int_equal(s.rx.periods, 0);
	assert_near(s.rx.rate.pps, 200, 1e-6);
	sample_fini(&r);
}

static void
test_without_periods_there_is_still_a_mean(void **state)
{
	struct sample_run r;
	struct sample_summary s;

	(void)state;
	start(&r, 0);
	warmup_end(&r, 0, 0, 0);
	stop(&r, 2 * S, 4000, 0);
	s = summary(&r, no_rx);
	assert_near(s.tx.rate.pps, 2000, 1e-6);
	assert_true(isnan(s.tx.pps_median));
	sample_fini(&r);
}

static void
test_series_lists_the_measured_intervals(void **state)
{
	struct sample_run r;
	struct sample_interval i;

	(void)state;
	start(&r, S);
	tick(&r, S, 50, 0);
	warmup_end(&r, 2 * S, 100, 0);
	tick(&r, 3 * S, 200, 0);
	tick(&r, 4 * S, 400, 0);
	/* A sliver after the last tick makes no entry of its own, and nothing gets lost. */
	stop(&r, 4 * S + MS, 401, 0);
	assert_int_equal(sample_series_len(&r), 2);
	sample_series_get(&r, 0, &i);
	assert_near(i.t_s, 1, 1e-9);
	assert_near(i.tx.pps, 100, 1e-9);
	sample_series_get(&r, 1, &i);
	assert_near(i.t_s, 2.001, 1e-9);
	assert_int_equal(i.tx.packets, 201);
	sample_fini(&r);
}

static void
test_hours_of_short_periods_stay_bounded_and_right(void **state)
{
	struct sample_run r;
	struct sample_interval i;
	struct sample_summary s;
	uint64_t tx = 0, n = 3 * 360000, in_series = 0; /* 3 h of 10 ms */

	(void)state;
	start(&r, 10 * MS);
	warmup_end(&r, 0, 0, 0);
	for (uint64_t k = 1; k <= n; k++) {
		/* Once very fast, once nothing at all, else three rates in turn. */
		if (k == 777777)
			tx += 1000000;
		else if (k != 888888)
			tx += 100 + k % 3 * 10;
		tick(&r, k * 10 * MS, tx, 0);
	}
	stop(&r, n * 10 * MS, tx, 0);
	s = summary(&r, no_rx);
	assert_int_equal(s.tx.periods, n);
	assert_near(s.tx.pps_min, 0, 0);
	assert_near(s.tx.pps_max, 1e8, 1e-3);
	assert_near(s.tx.pps_median, 11000, 1e-6);
	assert_true(r.tx_periods.values.n <= SAMPLE_MAX_PERIODS);
	assert_in_range(sample_series_len(&r), SAMPLE_MAX_SERIES / 2 - 1, SAMPLE_MAX_SERIES);
	for (size_t k = 0; k < sample_series_len(&r); k++) {
		sample_series_get(&r, k, &i);
		in_series += i.tx.packets;
	}
	assert_int_equal(in_series, tx);
	assert_near(i.t_s, 10800, 1e-6);
	sample_fini(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tx_window_is_warmup_end_to_stop),
		cmocka_unit_test(test_median_of_an_even_number_is_the_mean_of_the_middle),
		cmocka_unit_test(test_rx_window_from_first_to_last_frame),
		cmocka_unit_test(test_rx_window_begins_at_warmup_end_if_frames_came_before),
		cmocka_unit_test(test_rx_period_filled_to_its_edge_counts),
		cmocka_unit_test(test_rx_idle_periods_after_the_last_frame_do_not_count),
		cmocka_unit_test(test_rx_idle_period_inside_the_window_counts_as_zero),
		cmocka_unit_test(test_no_frame_received_is_a_rate_of_zero),
		cmocka_unit_test(test_single_frame_has_no_rate),
		cmocka_unit_test(test_ended_in_warmup_measures_nothing),
		cmocka_unit_test(test_totals_cover_the_drain_and_the_window_does_not),
		cmocka_unit_test(test_I1_counts_near_2_to_the_32),
		cmocka_unit_test(test_I2_reset_device_counter_voids_its_interval_only),
		cmocka_unit_test(test_I2_reset_in_warmup_does_not_void_the_window),
		cmocka_unit_test(test_I3_runs_stand_alone),
		cmocka_unit_test(test_I4_nothing_is_ever_negative),
		cmocka_unit_test(test_I5_offered_accepted_and_device_errors_are_three_numbers),
		cmocka_unit_test(test_I6_counters_that_a_device_lacks_stay_unknown),
		cmocka_unit_test(test_J1_rate_is_own_count_over_own_time),
		cmocka_unit_test(test_J2_late_ticks_do_not_change_rates),
		cmocka_unit_test(test_J3_months_at_400g),
		cmocka_unit_test(test_J5_golden_numbers_of_l2_and_l1),
		cmocka_unit_test(test_J6_both_directions_count_bytes_alike),
		cmocka_unit_test(test_J8_short_runs_have_no_steady_window),
		cmocka_unit_test(test_without_periods_there_is_still_a_mean),
		cmocka_unit_test(test_series_lists_the_measured_intervals),
		cmocka_unit_test(test_hours_of_short_periods_stay_bounded_and_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
