/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report_fixture.h"

#define assert_says(text, words)                                    \
	do {                                                        \
		if (strstr(text, words) == NULL)                    \
			fail_msg("no \"%s\" in:\n%s", words, text); \
	} while (0)

#define assert_silent(text, words)                               \
	do {                                                     \
		if (strstr(text, words) != NULL)                 \
			fail_msg("\"%s\" in:\n%s", words, text); \
	} while (0)

static void
assert_fits_a_console(const char *text)
{
	size_t column = 0;

	for (const char *p = text; *p != '\0'; p++) {
		if (*p == '\n') {
			column = 0;
			continue;
		}
		if (*p < ' ' || *p > '~')
			fail_msg("byte %d is not ASCII", *p);
		if (++column >= 80)
			fail_msg("line too long at: %s", p - 79);
	}
	assert_int_equal(column, 0);
}

static struct sample_interval
interval(void)
{
	return (struct sample_interval){
		.t_s = 1.0004,
		.length_s = 1,
		.tx = {.packets = 10000000, .pps = 1e7, .bps = 5.12e9},
		.rx = {.packets = 9000000, .pps = 9e6, .bps = 4.608e9},
		.offered = 11000000,
		.unsent = 1000000,
		.drops = fixture_known(1000000),
	};
}

static size_t
count_lines(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return n;
}

static void
test_begin_tells_the_setup(void **state)
{
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f);
	report_begin_notes(&f.report, &f.notes);
	assert_int_equal(report_console.begin(&f.sink, &f.report), 0);
	text = fixture_text(&f);
	assert_says(text, "pmdperf 1.2.3, DPDK DPDK-less, run run-id, 2026-01-02T03:04:05Z\n");
	assert_says(text, "port 0: txonly, net_null (net_null), MAC 02:00:00:00:00:01\n");
	assert_says(text, "NUMA node n/a, link n/a, MTU 1500");
	assert_says(text, "2 rx of 128 descriptors");
	assert_says(text,
		"\nnote: addresses are defaults: on a real network set --src-ip and --dst-ip\n");
	assert_says(text,
		"\nnote: the destination MAC is the default: on a real network set --dst-mac\n");
	assert_says(text, "lcores on NUMA node 0: 1-2\n");
	assert_says(text, "64 B without CRC");
	assert_says(text, "16 for each sending lcore, 32 in all, UDP ports 1024-1055");
	assert_says(text, "198.18.0.1 to 198.18.0.2 (default)\n");
	assert_says(text, "destination MAC: 02:00:00:00:00:02 (default)\n");
	assert_says(text, "1s of warm-up, then 2s measured");
	assert_fits_a_console(text);
	fixture_fini(&f);
}

static void
test_notes_are_said_once(void **state)
{
	struct fixture f;
	struct sample_interval iv = interval();
	const char *text;
	char *first;

	(void)state;
	fixture_init(&f);
	notes_add(&f.notes, "said at the start");
	report_console.begin(&f.sink, &f.report);
	notes_warn(&f.notes, "said on the way");
	report_console.interval(&f.sink, &f.report, &iv);
	report_console.end(&f.sink, &f.report);
	text = fixture_text(&f);
	first = strstr(text, "note: said at the start");
	assert_non_null(first);
	assert_null(strstr(first + 16, "said at the start"));
	first = strstr(text, "warning: said on the way");
	assert_non_null(first);
	assert_null(strstr(first + 16, "said on the way"));
	fixture_fini(&f);
}

static void
test_title_is_one_line(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.report.version = "0.1.0";
	f.report.dpdk = "22.11.11";
	f.report.id = "79edd6c6aabbccdd";
	f.report.started_utc = "2026-11-30T22:54:22Z";
	f.sink.quiet = true;
	report_console.end(&f.sink, &f.report);
	assert_says(fixture_text(&f),
		"pmdperf 0.1.0, DPDK 22.11.11, run 79edd6c6aabbccdd, 2026-11-30T22:54:22Z\n");
	f.report.dpdk = "25.11.0-rc4-local";
	report_console.end(&f.sink, &f.report);
	assert_says(fixture_text(&f),
		"pmdperf 0.1.0, DPDK 25.11.0-rc4-local, run 79edd6c6..., 2026-11-30T22:54:22Z\n");
	fixture_fini(&f);
}

/* One port, lcore and queue, as most runs have. */
static void
assert_end_fits(struct fixture *f)
{
	struct report *r = &f->report;

	r->n_ports = r->n_lcores = r->n_queues = 1;
	if (!r->sends) {
		r->ports = &f->port[1];
		r->queues = &f->queue[2];
	}
	f->sink.quiet = true;
	report_begin_notes(r, &f->notes);
	report_console.end(&f->sink, r);
	if (count_lines(fixture_text(f)) > 22)
		fail_msg("%zu lines:\n%s", count_lines(f->text), f->text);
	assert_fits_a_console(f->text);
}

static void
test_D6_end_of_a_small_run_fits_24_lines(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.report.receives = false;
	verdict_decide(&(struct verdict_input){.sends = true,
			       .measured = true,
			       .tx_offered = 1,
			       .tx_packets = 1,
			       .total_tx_offered = 1,
			       .total_tx_packets = 1},
		&f.verdict);
	assert_end_fits(&f);
	fixture_fini(&f);

	fixture_init(&f);
	f.report.sends = false;
	assert_end_fits(&f);
	fixture_fini(&f);
}

static void
test_interval_line(void **state)
{
	struct fixture f;
	struct sample_interval iv = interval();

	(void)state;
	fixture_init(&f);
	report_console.interval(&f.sink, &f.report, &iv);
	/* Flushed: nothing was asked for. */
	assert_string_equal(f.text,
		"  time s   tx Mpps  Gbit/s L2  unsent %   rx Mpps  Gbit/s L2      drops\n"
		"   1.000    10.000      5.120      9.09     9.000      4.608    1000000\n");
	fixture_fini(&f);
}

static void
test_only_columns_that_apply(void **state)
{
	struct fixture f;
	struct sample_interval iv = interval();

	(void)state;
	fixture_init(&f);
	f.report.receives = false;
	iv.warmup = true;
	report_console.interval(&f.sink, &f.report, &iv);
	assert_string_equal(f.text, "  time s   tx Mpps  Gbit/s L2  unsent %\n"
				    "   1.000    10.000      5.120      9.09 warm-up\n");
	fixture_fini(&f);

	fixture_init(&f);
	f.report.sends = false;
	iv.warmup = false;
	iv.drops.known = false;
	report_console.interval(&f.sink, &f.report, &iv);
	assert_string_equal(f.text, "  time s   rx Mpps  Gbit/s L2      drops\n"
				    "   1.000     9.000      4.608        n/a\n");
	iv.reset_seen = true;
	report_console.interval(&f.sink, &f.report, &iv);
	assert_says(fixture_text(&f), "      reset\n");
	fixture_fini(&f);
}

static void
test_slow_rates_keep_their_digits(void **state)
{
	struct fixture f;
	struct sample_interval iv = interval();

	(void)state;
	fixture_init(&f);
	f.report.sends = false;
	iv.rx.pps = 99;
	iv.rx.bps = 0;
	report_console.interval(&f.sink, &f.report, &iv);
	assert_says(fixture_text(&f), "  0.000099      0.000 ");
	fixture_fini(&f);
}

static void
test_header_comes_again_every_20_lines(void **state)
{
	struct fixture f;
	struct sample_interval iv = interval();

	(void)state;
	fixture_init(&f);
	for (unsigned i = 0; i < 20; i++)
		report_console.interval(&f.sink, &f.report, &iv);
	assert_int_equal(count_lines(fixture_text(&f)), 21);
	report_console.interval(&f.sink, &f.report, &iv);
	assert_int_equal(count_lines(fixture_text(&f)), 23);
	fixture_fini(&f);
}

static void
test_quiet_prints_the_final_report_only(void **state)
{
	struct fixture f;
	struct sample_interval iv = interval();
	const char *text;

	(void)state;
	fixture_init(&f);
	f.sink.quiet = true;
	notes_add(&f.notes, "something to know");
	notes_setup(&f.notes, "something known at the start");
	notes_warn(&f.notes, "something to fear");
	report_console.begin(&f.sink, &f.report);
	report_console.interval(&f.sink, &f.report, &iv);
	assert_string_equal(fixture_text(&f), "");
	report_console.end(&f.sink, &f.report);
	text = fixture_text(&f);
	assert_says(text, "pmdperf 1.2.3");
	assert_says(text, "note: something to know");
	assert_silent(text, "at the start");
	assert_says(text, "warning: something to fear");
	assert_says(text, "VERDICT pass (exit status 0)");
	fixture_fini(&f);
}

static void
test_J5_end_names_l2_and_l1_with_their_formulas(void **state)
{
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f);
	report_console.end(&f.sink, &f.report);
	text = fixture_text(&f);
	/* 10 and 9 Mpps of 64 B. */
	assert_says(text, "L2        5.120 Gbit/s (PPS x 64 B x 8)");
	assert_says(text, "L1        7.040 Gbit/s (+24 B/frame: preamble 8, gap 12, CRC 4)");
	assert_says(text, "L2        4.608 Gbit/s (PPS x 64 B x 8)");
	assert_says(text, "L1        6.336 Gbit/s (+24 B/frame");
	assert_fits_a_console(text);
	fixture_fini(&f);
}

static void
test_I5_end_keeps_offered_accepted_and_errors_apart(void **state)
{
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f);
	report_console.end(&f.sink, &f.report);
	text = fixture_text(&f);
	assert_says(text, "offered   22000000: 20000000 accepted, 2000000 unsent (9.09 %)");
	assert_says(text, "device    tx errors n/a");
	assert_says(text, "device    missed 2000000, no mbuf n/a, errors n/a");
	assert_says(text, "whole run 33000000 offered, 30000000 accepted");
	assert_says(text, "whole run 27000000 packets");
	assert_says(text, "mean      10.000 Mpps");
	assert_says(
		text, "periods   2 of 1s: median 10.000 Mpps, min 10.000 Mpps, max 10.000 Mpps\n");
	fixture_fini(&f);
}

static void
test_I6_own_and_device_counts_stand_side_by_side(void **state)
{
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f);
	f.port[1].ipackets = fixture_known(27000001);
	report_console.end(&f.sink, &f.report);
	text = fixture_text(&f);
	assert_says(text, "     1  rx            27000000            27000001  3000000      n/a"
			  "      n/a\n");
	assert_says(text, "     0  tx            30000000                 n/a        -        -"
			  "      n/a\n");
	/* No row for a direction in which the port has no queues. */
	assert_silent(text, "\n     0  rx ");
	fixture_fini(&f);
}

static void
test_lcores_and_queues_have_rows(void **state)
{
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f);
	report_console.end(&f.sink, &f.report);
	text = fixture_text(&f);
	assert_says(
		text, "     1     1     0        2             30000000    99.5            n/a\n");
	assert_says(
		text, "     1     1  rx             13500000              960000000    50.00\n");
	fixture_fini(&f);
}

static void
test_K7_many_queues_are_summed_up_and_idle_ones_named(void **state)
{
	static struct report_queue q[1024];
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f);
	for (uint16_t i = 0; i < 1024; i++)
		q[i] = (struct report_queue){.queue = i, .tx = true, .packets = 100, .bytes = 1};
	q[7].packets = 300;
	q[500].packets = q[1000].packets = 0;
	report_shares(q, 1024);
	f.report.queues = q;
	f.report.n_queues = 1024;
	report_console.end(&f.sink, &f.report);
	text = fixture_text(&f);
	assert_says(text, "port 0 tx: 1024 queues, share min 0.00 % (queue 500), max 0.29 %");
	assert_says(text, "without packets: 500, 1000\n");
	assert_silent(text, "port 0 rx:");
	/* All of them, were it every second one. */
	for (uint16_t i = 0; i < 1024; i += 2)
		q[i].packets = 0;
	report_console.end(&f.sink, &f.report);
	assert_says(fixture_text(&f), " 1022\n");
	assert_fits_a_console(fixture_text(&f));
	fixture_fini(&f);
}

static void
test_K6_sender_never_says_delivered(void **state)
{
	struct fixture f;
	struct sample_interval iv = interval();
	const char *text;

	(void)state;
	fixture_init(&f);
	f.report.receives = false;
	verdict_decide(&(struct verdict_input){.sends = true,
			       .measured = true,
			       .tx_offered = 22000000,
			       .tx_packets = 20000000,
			       .total_tx_offered = 33000000,
			       .total_tx_packets = 30000000},
		&f.verdict);
	report_console.begin(&f.sink, &f.report);
	report_console.interval(&f.sink, &f.report, &iv);
	report_console.end(&f.sink, &f.report);
	text = fixture_text(&f);
	assert_says(text, "ACCEPTED by the device");
	assert_says(text, "VERDICT unverified (exit status 0)");
	assert_silent(text, "RECEIVED");
	assert_silent(text, "elivered");
	fixture_fini(&f);
}

static void
test_G6_checklist_is_printed(void **state)
{
	struct fixture f;
	const char *text;

	(void)state;
	fixture_init(&f);
	f.report.sends = false;
	verdict_decide(&(struct verdict_input){.receives = true, .measured = true}, &f.verdict);
	report_console.end(&f.sink, &f.report);
	text = fixture_text(&f);
	assert_says(text, "VERDICT fail (exit status 3)");
	assert_says(text, "Anti-spoof");
	assert_fits_a_console(text);
	fixture_fini(&f);
}

static void
test_J8_no_steady_window(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.summary.tx.periods = 0;
	report_console.end(&f.sink, &f.report);
	assert_says(fixture_text(&f), "no steady window: no whole period of 1s");
	fixture_fini(&f);
}

static void
set_huge(struct fixture *f)
{
	const struct sample_count huge = {.value = UINT64_MAX, .known = true};
	const struct sample_rate rate = {.packets = UINT64_MAX,
		.bytes = UINT64_MAX,
		.pps = 1.8e19,
		.bps = 1.4e20,
		.bps_l1 = 1e300};

	f->summary.tx.rate = f->summary.rx.rate = rate;
	f->summary.tx.pps_median = f->summary.tx.pps_min = f->summary.tx.pps_max = 1.8e19;
	f->summary.tx.total_packets = f->summary.tx.total_bytes = UINT64_MAX;
	f->summary.rx.total_packets = f->summary.rx.total_bytes = UINT64_MAX;
	f->summary.rx.window_s = 1e9;
	f->summary.offered = f->summary.unsent = f->summary.total_offered = UINT64_MAX;
	f->summary.missed = f->summary.nombuf = f->summary.errors = huge;
	for (unsigned i = 0; i < 2; i++) {
		f->port[i].imissed = f->port[i].nombuf = f->port[i].errors = huge;
		f->port[i].ipackets = f->port[i].opackets = f->port[i].tx_errors = huge;
		f->lcore[i].packets = UINT64_MAX;
		f->lcore[i].cycles_per_packet = 1e300;
	}
	for (unsigned i = 0; i < 4; i++)
		f->queue[i].packets = f->queue[i].bytes = UINT64_MAX;
	f->port[0].name = "net_virtio_user_with_a_name_as_long_as_names_of_devices_get_here_and_on";
}

static void
test_D6_lines_stay_under_80_columns_even_with_huge_numbers(void **state)
{
	struct fixture f;
	struct sample_interval iv = interval();

	(void)state;
	fixture_init(&f);
	set_huge(&f);
	iv.t_s = 1e12;
	iv.tx = iv.rx = f.summary.tx.rate;
	iv.drops = f.port[0].imissed;
	iv.offered = iv.unsent = UINT64_MAX;
	iv.warmup = true;
	report_console.begin(&f.sink, &f.report);
	report_console.interval(&f.sink, &f.report, &iv);
	report_console.end(&f.sink, &f.report);
	assert_fits_a_console(fixture_text(&f));
	assert_says(fixture_text(&f), "18446744073709551615");
	fixture_fini(&f);
}

static void
test_D6_a_thousand_lcores_fit(void **state)
{
	static struct report_lcore lcore[1023];
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (unsigned i = 0; i < 1023; i++)
		lcore[i] = (struct report_lcore){
			.lcore = i + 1, .cpu = (int)i, .numa = i % 2 == 0 ? -1 : 0};
	f.report.lcores = lcore;
	f.report.n_lcores = 1023;
	report_console.begin(&f.sink, &f.report);
	report_console.end(&f.sink, &f.report);
	assert_fits_a_console(fixture_text(&f));
	assert_says(fixture_text(&f), "lcores on NUMA node n/a: 1, 3, 5,");
	assert_says(fixture_text(&f), " 1021, 1023\n");
	assert_says(fixture_text(&f), "lcores on NUMA node 0: 2, 4, 6,");
	fixture_fini(&f);
}

static void
test_D3_a_full_or_closed_output_is_no_error(void **state)
{
	struct fixture f;
	struct report_sink s = {.out = fopen("/dev/full", "w")};
	struct sample_interval iv = interval();

	(void)state;
	assert_non_null(s.out);
	fixture_init(&f);
	assert_int_equal(report_console.begin(&s, &f.report), 0);
	assert_int_equal(report_console.interval(&s, &f.report, &iv), 0);
	assert_int_equal(report_console.end(&s, &f.report), 0);
	assert_int_not_equal(s.write_errno, 0);
	fclose(s.out);
	fixture_fini(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begin_tells_the_setup),
		cmocka_unit_test(test_notes_are_said_once),
		cmocka_unit_test(test_title_is_one_line),
		cmocka_unit_test(test_D6_end_of_a_small_run_fits_24_lines),
		cmocka_unit_test(test_interval_line),
		cmocka_unit_test(test_only_columns_that_apply),
		cmocka_unit_test(test_slow_rates_keep_their_digits),
		cmocka_unit_test(test_header_comes_again_every_20_lines),
		cmocka_unit_test(test_quiet_prints_the_final_report_only),
		cmocka_unit_test(test_J5_end_names_l2_and_l1_with_their_formulas),
		cmocka_unit_test(test_I5_end_keeps_offered_accepted_and_errors_apart),
		cmocka_unit_test(test_I6_own_and_device_counts_stand_side_by_side),
		cmocka_unit_test(test_lcores_and_queues_have_rows),
		cmocka_unit_test(test_K7_many_queues_are_summed_up_and_idle_ones_named),
		cmocka_unit_test(test_K6_sender_never_says_delivered),
		cmocka_unit_test(test_G6_checklist_is_printed),
		cmocka_unit_test(test_J8_no_steady_window),
		cmocka_unit_test(test_D6_lines_stay_under_80_columns_even_with_huge_numbers),
		cmocka_unit_test(test_D6_a_thousand_lcores_fit),
		cmocka_unit_test(test_D3_a_full_or_closed_output_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
