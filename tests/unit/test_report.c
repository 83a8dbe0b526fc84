/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "report_fixture.h"

static bool
says(const struct notes *l, const char *words)
{
	for (unsigned i = 0; i < l->nb; i++) {
		if (strstr(l->note[i].text, words) != NULL)
			return true;
	}
	return false;
}

static void
test_reporters_are_found_by_name(void **state)
{
	(void)state;
	assert_ptr_equal(report_find("console"), &report_console);
	assert_ptr_equal(report_find("json"), &report_json);
	assert_null(report_find("xml"));
	for (size_t i = 0; report_table[i] != NULL; i++) {
		assert_non_null(report_table[i]->help);
		assert_non_null(report_table[i]->end);
	}
}

static void
test_shares_are_of_port_and_direction(void **state)
{
	struct report_queue q[] = {
		{.port = 0, .queue = 0, .tx = false, .packets = 1},
		{.port = 0, .queue = 0, .tx = true, .packets = 50},
		{.port = 0, .queue = 1, .tx = false, .packets = 3},
		{.port = 1, .queue = 0, .tx = false, .packets = 0},
		{.port = 0, .queue = 1, .tx = true, .packets = 150},
	};

	(void)state;
	report_shares(q, 5);
	assert_true(q[0].share_pct == 25);
	assert_true(q[1].share_pct == 25);
	assert_true(q[2].share_pct == 75);
	assert_true(isnan(q[3].share_pct));
	assert_true(q[4].share_pct == 75);
	report_shares(NULL, 0);
}

static void
test_begin_notes_name_clamps_and_defaults(void **state)
{
	struct fixture f;
	struct notes notes = {0};

	(void)state;
	fixture_init(&f);
	f.port[0].asked.txd = 0x8000;
	f.port[0].used.txd = 4096;
	report_begin_notes(&f.report, &notes);
	assert_true(says(&notes, "port 0: tx descriptors: asked 32768, used 4096"));
	assert_true(says(&notes, "addresses are defaults"));
	assert_true(says(&notes, "--dst-mac"));
	assert_int_equal(notes.nb, 3);
	assert_false(notes.note[0].setup);
	assert_true(notes.note[1].setup);
	assert_true(notes.note[2].setup);
	notes.nb = 0;
	/* A receiver has no addresses to worry about. */
	f.report.sends = false;
	report_begin_notes(&f.report, &notes);
	assert_int_equal(notes.nb, 1);
	fixture_fini(&f);
}

/* The plan has said it: "txq 48 asked, 2 used: the device's limit". */
static void
test_F2_clamped_queues_are_not_noted_again(void **state)
{
	struct fixture f;
	struct notes notes = {0};

	(void)state;
	fixture_init(&f);
	f.report.sends = false;
	f.port[0].asked.txq = 4;
	f.port[0].used.txq = 1;
	report_begin_notes(&f.report, &notes);
	assert_int_equal(notes.nb, 0);
	fixture_fini(&f);
}

static void
test_K7_idle_and_stalled_queues_are_named(void **state)
{
	struct fixture f;
	struct notes notes = {0};
	struct report_queue q[16] = {0};

	(void)state;
	fixture_init(&f);
	for (uint16_t i = 0; i < 16; i++)
		q[i] = (struct report_queue){.queue = i, .tx = true, .offered = 9, .packets = 9};
	q[3].packets = 0;
	q[8].packets = q[9].packets = q[15].packets = 0;
	q[8].offered = q[9].offered = q[15].offered = 0;
	f.report.queues = q;
	f.report.n_queues = 16;
	report_end_notes(&f.report, &notes);
	assert_int_equal(notes.nb, 2);
	assert_true(notes.note[0].warning);
	assert_string_equal(notes.note[0].text,
		"port 0: tx queue 3 stalled (the device accepted none of what was offered) "
		"while 12 others worked");
	assert_string_equal(notes.note[1].text,
		"port 0: tx queues 8-9, 15 stood idle (nothing was offered) while 12 others "
		"worked");
	fixture_fini(&f);
}

static void
test_H6_silent_receive_queues_are_named(void **state)
{
	struct fixture f;
	struct notes notes = {0};

	(void)state;
	fixture_init(&f);
	f.queue[3].packets = 0;
	report_end_notes(&f.report, &notes);
	assert_int_equal(notes.nb, 1);
	assert_true(notes.note[0].warning);
	assert_string_equal(
		notes.note[0].text, "port 1: rx queue 1 received nothing while 1 other worked");
	/* Nothing at all is for the verdict to say. */
	notes.nb = 0;
	f.queue[2].packets = 0;
	report_end_notes(&f.report, &notes);
	assert_int_equal(notes.nb, 0);
	fixture_fini(&f);
}

static void
test_H6_note_of_many_queues_says_how_many_more(void **state)
{
	static struct report_queue q[1024];
	struct fixture f;
	struct notes notes = {0};

	(void)state;
	fixture_init(&f);
	for (uint16_t i = 0; i < 1024; i++)
		q[i] = (struct report_queue){.queue = i, .packets = i % 2};
	f.report.queues = q;
	f.report.n_queues = 1024;
	report_end_notes(&f.report, &notes);
	assert_int_equal(notes.nb, 1);
	assert_non_null(strstr(notes.note[0].text, "rx queues 0, 2, 4, "));
	assert_non_null(strstr(notes.note[0].text, " more received nothing while 512 others"));
	assert_true(strlen(notes.note[0].text) < NOTE_TEXT - 1);
	fixture_fini(&f);
}

static void
test_I2_reset_is_noted(void **state)
{
	struct fixture f;
	struct notes notes = {0};

	(void)state;
	fixture_init(&f);
	f.summary.reset_seen = true;
	report_end_notes(&f.report, &notes);
	assert_true(says(&notes, "stepped back"));
	fixture_fini(&f);
}

static void
test_J8_no_steady_window_is_noted(void **state)
{
	struct fixture f;
	struct notes notes = {0};

	(void)state;
	fixture_init(&f);
	f.summary.rx.periods = 0;
	report_end_notes(&f.report, &notes);
	assert_int_equal(notes.nb, 1);
	assert_non_null(strstr(notes.note[0].text, "rx: no steady window"));
	/* Nobody asked for periods. */
	notes.nb = 0;
	f.report.stats_period_ns = 0;
	report_end_notes(&f.report, &notes);
	assert_int_equal(notes.nb, 0);
	fixture_fini(&f);
}

static void
test_end_in_the_warmup_is_noted(void **state)
{
	struct fixture f;
	struct notes notes = {0};

	(void)state;
	fixture_init(&f);
	f.summary.measured = false;
	report_end_notes(&f.report, &notes);
	assert_int_equal(notes.nb, 1);
	assert_true(says(&notes, "ended in its warm-up"));
	fixture_fini(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reporters_are_found_by_name),
		cmocka_unit_test(test_shares_are_of_port_and_direction),
		cmocka_unit_test(test_begin_notes_name_clamps_and_defaults),
		cmocka_unit_test(test_F2_clamped_queues_are_not_noted_again),
		cmocka_unit_test(test_K7_idle_and_stalled_queues_are_named),
		cmocka_unit_test(test_H6_silent_receive_queues_are_named),
		cmocka_unit_test(test_H6_note_of_many_queues_says_how_many_more),
		cmocka_unit_test(test_I2_reset_is_noted),
		cmocka_unit_test(test_J8_no_steady_window_is_noted),
		cmocka_unit_test(test_end_in_the_warmup_is_noted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
