/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stall.h"

#define MS UINT64_C(1000000)

/* A run with one period of half a second for each count of frames. */
static struct stall
find(bool rx, bool tail, const uint64_t *frames, size_t n)
{
	struct sample_snapshot s = {.mono_ns = 1000 * MS};
	struct sample_run run = {};
	struct stall found;

	assert_int_equal(sample_init(&run, 500 * MS, &s), 0);
	sample_warmup_end(&run, &s);
	for (size_t i = 0; i < n; i++) {
		s.mono_ns += 500 * MS;
		*(rx ? &s.rx.packets : &s.tx.packets) += frames[i];
		if (i + 1 < n)
			sample_tick(&run, &s, NULL);
	}
	sample_stop(&run, &s, NULL);
	sample_finish(&run, &s);
	found = stall_find(&run, rx, tail);
	sample_fini(&run);
	return found;
}

#define FIND(rx, tail, ...)                             \
	find(rx, tail, (const uint64_t[]){__VA_ARGS__}, \
		sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void
assert_stall(struct stall s, double from_s, double to_s, bool to_end)
{
	assert_true(s.seen);
	assert_true(s.from_s > from_s - 0.001 && s.from_s < from_s + 0.001);
	assert_true(s.to_s > to_s - 0.001 && s.to_s < to_s + 0.001);
	assert_int_equal(s.to_end, to_end);
}

static void
test_none(void **state)
{
	(void)state;
	assert_false(FIND(true, true, 5, 5, 5, 5).seen);
	assert_false(FIND(true, true, 5, 0, 5, 0).seen); /* half a second may be a scheduler's */
	assert_false(FIND(true, true, 0, 0, 0, 0).seen); /* nothing ever came: another matter */
	assert_false(FIND(true, true, 0, 0, 0, 5).seen); /* nor is waiting for the first a stall */
	assert_false(FIND(false, true, 0).seen);
}

static void
test_in_the_middle(void **state)
{
	(void)state;
	assert_stall(FIND(true, true, 5, 0, 0, 5), 0.5, 1.5, false);
	assert_stall(FIND(false, false, 5, 0, 0, 5, 0, 0, 0, 5, 0, 0, 5), 2, 3.5, false);
}

static void
test_at_the_end(void **state)
{
	(void)state;
	assert_stall(FIND(true, true, 0, 5, 0, 0, 0), 1, 2.5, true);
	assert_false(FIND(true, false, 0, 5, 0, 0, 0).seen);
	assert_stall(FIND(true, false, 5, 0, 0, 5, 0, 0, 0), 0.5, 1.5, false);
}

static void
test_the_warning(void **state)
{
	struct stall s = FIND(true, true, 5, 0, 0, 5);
	struct notes notes = {0};

	(void)state;
	stall_note(&s, true, &notes);
	assert_true(notes.note[0].warning);
	assert_non_null(strstr(notes.note[0].text, "no frame came from 0.5 s to 1.5 s"));
	s.to_end = true;
	stall_note(&s, false, &notes);
	assert_non_null(strstr(notes.note[1].text, "accepted no frame from 0.5 s to 1.5 s"));
	assert_non_null(strstr(notes.note[1].text, "its end"));
	s.seen = false;
	stall_note(&s, true, &notes);
	assert_int_equal(notes.nb, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_in_the_middle),
		cmocka_unit_test(test_at_the_end),
		cmocka_unit_test(test_the_warning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
