/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "pace.h"

#define HZ 2599998765.0

/* Polls for so many seconds, at steps of at most so many cycles. @return frames sent and dropped */
static uint64_t
run(struct pace *p, double seconds, uint32_t step, uint64_t *dropped)
{
	uint64_t tsc = 987654321, end = tsc + (uint64_t)(seconds * HZ), sent = 0;

	*dropped = 0;
	for (; tsc < end; tsc += 1 + (uint64_t)rand() % step) {
		struct pace_now now = pace_due(p, tsc, 32);

		pace_sent(p, now.frames);
		sent += now.frames;
		*dropped += now.dropped;
	}
	return sent;
}

/* Exactly: within what the last poll before the end could not see. */
static void
test_the_mean_is_the_rate(void **state)
{
	const uint64_t pps[] = {1000, 12345, 999999, 7654321};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct pace p;
		uint64_t dropped, sent;
		double seconds = pps[i] > 500000 ? 0.05 : 1;
		double unseen = 1 + (double)pps[i] * 2000 / HZ;

		assert_true(pace_init(&p, HZ, &(struct pace_rate){pps[i], 1, 1}, 0, 1));
		sent = run(&p, seconds, 2000, &dropped);
		assert_int_equal(dropped, 0);
		assert_true((double)sent >= (double)pps[i] * seconds - unseen);
		assert_true((double)sent <= (double)pps[i] * seconds + 1);
	}
}

/* Parts of a rate add up to it. */
static void
test_shares(void **state)
{
	const uint32_t part[] = {5, 6, 5};
	uint64_t sum = 0, dropped;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct pace p;

		assert_true(pace_init(&p, HZ, &(struct pace_rate){1000003, part[i], 16}, i, 3));
		sum += run(&p, 0.5, 3000, &dropped);
	}
	assert_in_range(sum, 500001 - 3, 500001 + 3);
}

/* One frame at a time, and the time between is the interval. */
static void
test_bursts_shrink_to_one(void **state)
{
	struct pace p;
	uint64_t last = 0;

	(void)state;
	assert_true(pace_init(&p, 1e9, &(struct pace_rate){1000, 1, 1}, 0, 1));
	for (uint64_t tsc = 1; tsc < 20000000; tsc += 100) {
		struct pace_now now = pace_due(&p, tsc, 32);

		assert_in_range(now.frames, 0, 1);
		if (now.frames == 0)
			continue;
		if (last != 0)
			assert_in_range(tsc - last, 1000000 - 100, 1000000 + 100);
		last = tsc;
		pace_sent(&p, 1);
	}
	assert_true(last > 0);
}

/* A poll that is late sends what became due, up to a burst; the next polls the rest. */
static void
test_what_is_late_is_made_up_for(void **state)
{
	struct pace p;
	struct pace_now now;

	(void)state;
	assert_true(pace_init(&p, 1e9, &(struct pace_rate){1000000, 1, 1}, 0, 1));
	now = pace_due(&p, 5000, 32);
	assert_int_equal(now.frames, 1);
	pace_sent(&p, 1);
	now = pace_due(&p, 105000, 32);
	assert_int_equal(now.frames, 32);
	assert_int_equal(now.late, 99000);
	pace_sent(&p, 32);
	now = pace_due(&p, 105000, 500);
	assert_int_equal(now.frames, 100 - 32);
	/* A device that takes only some of them leaves the others due. */
	pace_sent(&p, 8);
	assert_int_equal(pace_due(&p, 105000, 500).frames, 100 - 40);
}

/* After 50 ms 10 are made up for, and what is not is counted: nothing is lost of the sum. */
static void
test_credit_is_capped(void **state)
{
	struct pace p;
	struct pace_now now;
	uint64_t sent = 0, dropped = 0;

	(void)state;
	assert_true(pace_init(&p, 1e9, &(struct pace_rate){1000000, 1, 1}, 0, 1));
	pace_sent(&p, pace_due(&p, 1000, 1).frames);
	now = pace_due(&p, 50001000, 1);
	assert_int_equal(now.dropped, 39999);
	dropped = now.dropped;
	while (now.frames > 0) {
		pace_sent(&p, now.frames);
		sent += now.frames;
		now = pace_due(&p, 50001000, 32);
		dropped += now.dropped;
	}
	assert_int_equal(sent + dropped, 50000);
	assert_in_range(sent, 9999, 10001);
}

static void
test_streams_take_turns(void **state)
{
	struct pace p[4];

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		assert_true(pace_init(&p[i], 1e9, &(struct pace_rate){4000, 1, 4}, i, 4));
		assert_int_equal(pace_due(&p[i], 1000, 1).frames, i == 0);
	}
	for (unsigned i = 1; i < 4; i++) {
		assert_int_equal(pace_due(&p[i], 1000 + i * 250000 - 1, 1).frames, 0);
		assert_int_equal(pace_due(&p[i], 1000 + i * 250000, 1).frames, 1);
	}
}

static void
test_extremes(void **state)
{
	struct pace p;

	(void)state;
	assert_false(pace_init(&p, 1e9, &(struct pace_rate){1, 1, 1000000}, 0, 1));
	assert_false(pace_init(&p, 1e9, &(struct pace_rate){1, 0, 1}, 0, 1));
	assert_true(pace_init(&p, 1e9, &(struct pace_rate){UINT64_MAX, 1, 1}, 0, 1));
	assert_int_equal(pace_due(&p, 1, 32).frames, 1);
	assert_int_equal(pace_due(&p, 2, 32).frames, 32);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_mean_is_the_rate),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_bursts_shrink_to_one),
		cmocka_unit_test(test_what_is_late_is_made_up_for),
		cmocka_unit_test(test_credit_is_capped),
		cmocka_unit_test(test_streams_take_turns),
		cmocka_unit_test(test_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
