/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expect.h"

#define MS UINT64_C(1000000)

/* A run with one period of 100 ms for each count of frames; 100 bytes a frame. */
static void
judge(const struct expect *expect, bool rx, const uint64_t *frames, size_t n,
	struct expect_result *out)
{
	struct sample_snapshot s = {.mono_ns = 1000 * MS};
	struct sample_rx_stamps stamps = {.seen = true, .first_ns = 1000 * MS};
	struct sample_summary summary;
	struct sample_run run = {};

	assert_int_equal(sample_init(&run, 100 * MS, &s), 0);
	sample_warmup_end(&run, &s);
	for (size_t i = 0; i < n; i++) {
		uint64_t *packets = rx ? &s.rx.packets : &s.tx.packets;
		uint64_t *bytes = rx ? &s.rx.bytes : &s.tx.bytes;

		s.mono_ns += 100 * MS;
		*packets += frames[i];
		*bytes += 100 * frames[i];
		s.tx.offered = s.tx.packets;
		if (i + 1 < n)
			sample_tick(&run, &s, NULL);
	}
	stamps.last_ns = s.mono_ns;
	sample_stop(&run, &s, NULL);
	sample_finish(&run, &s);
	sample_summarize(&run, &stamps, &summary);
	expect_judge(expect, &summary, &run, rx, out);
	sample_fini(&run);
}

#define JUDGE(expect, rx, out, ...)                        \
	judge(expect, rx, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), out)

static void
test_nothing_asked(void **state)
{
	const struct expect none = {.minimum = 95};
	struct expect_result out;

	(void)state;
	JUDGE(&none, false, &out, 100, 100, 100);
	assert_false(out.asked);
	assert_false(out.met);
}

static void
test_share_of_each_rate(void **state)
{
	/* 100 frames of 100 bytes each 100 ms: 1000 frames, 800,000 bits a second. */
	struct expect expect = {.pps = 1000, .bps = 1000000, .minimum = 80};
	struct expect_result out;

	(void)state;
	JUDGE(&expect, false, &out, 100, 100, 100);
	assert_true(out.asked);
	assert_true(fabs(out.pps_pct - 100) < 1e-9);
	assert_true(fabs(out.bps_pct - 80) < 1e-9);
	assert_true(out.met);
	assert_false(out.steady);
	expect.minimum = 81;
	JUDGE(&expect, false, &out, 100, 100, 100);
	assert_false(out.met);
	/* What is not asked for is not judged. */
	expect.bps = 0;
	JUDGE(&expect, true, &out, 100, 100, 100);
	assert_true(isnan(out.bps_pct));
	assert_true(out.met);
}

static void
test_nothing_came(void **state)
{
	const struct expect expect = {.pps = 1000, .minimum = 1};
	struct expect_result out;

	(void)state;
	JUDGE(&expect, true, &out, 0, 0, 0);
	assert_false(out.met);
	assert_false(out.steady);
}

static void
test_a_rate_that_steps_down(void **state)
{
	const struct expect expect = {.pps = 1000, .minimum = 50};
	struct expect_result out;

	(void)state;
	JUDGE(&expect, false, &out, 100, 90, 100, 100, 80, 80, 80, 80, 80);
	assert_true(out.steady && out.stepped);
	assert_true(fabs(out.first - 1000) < 1e-6);
	assert_true(fabs(out.last - 800) < 1e-6);
	/* Nine tenths still hold, and one bad period is no step. */
	JUDGE(&expect, false, &out, 100, 100, 100, 10, 90, 90);
	assert_true(out.steady && !out.stepped);
	JUDGE(&expect, false, &out, 100, 100, 100, 100, 100, 100, 100, 10, 100);
	assert_false(out.stepped);
}

/* What a receiver saw before the sender began and after it ended is no part of the rate. */
static void
test_a_receivers_edges(void **state)
{
	const struct expect expect = {.pps = 1000, .minimum = 1};
	struct expect_result out;

	(void)state;
	JUDGE(&expect, true, &out, 0, 0, 7, 100, 100, 100, 100, 100, 100, 3, 0, 0);
	assert_true(out.steady);
	assert_false(out.stepped);
	assert_true(fabs(out.first - 1000) < 1e-6);
	JUDGE(&expect, true, &out, 0, 7, 100, 100, 100, 100, 100, 3, 0);
	assert_false(out.steady);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_asked),
		cmocka_unit_test(test_share_of_each_rate),
		cmocka_unit_test(test_nothing_came),
		cmocka_unit_test(test_a_rate_that_steps_down),
		cmocka_unit_test(test_a_receivers_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
