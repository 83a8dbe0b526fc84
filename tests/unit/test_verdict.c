/* SPDX-License-Identifier: BSD-3-Clause */
#include "verdict.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool
says(const struct verdict *v, const char *words)
{
	for (unsigned i = 0; i < v->reasons.nb; i++) {
		if (strstr(v->reasons.note[i].text, words) != NULL)
			return true;
	}
	return false;
}

static void
test_receiver_with_frames_passes(void **state)
{
	struct verdict_input in = {
		.receives = true, .measured = true, .rx_packets = 9, .total_rx_packets = 10};
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_PASS);
	assert_int_equal(verdict_exit(v.status), EXIT_DONE);
	assert_string_equal(verdict_name(v.status), "pass");
	assert_true(says(&v, "10 frames were received"));
}

static void
test_G6_receiver_without_frames_fails_with_a_checklist(void **state)
{
	struct verdict_input in = {.receives = true, .measured = true, .udp_ports = "1024-17407"};
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_FAIL);
	assert_int_equal(verdict_exit(v.status), EXIT_NEGATIVE);
	assert_int_equal(verdict_exit(v.status), 3);
	assert_string_equal(verdict_name(v.status), "fail");
	assert_true(says(&v, "got no frame"));
	assert_true(says(&v, "sender started"));
	assert_true(says(&v, "security groups and firewalls"));
	assert_true(says(&v, "UDP ports 1024-17407"));
	assert_true(says(&v, "source MAC"));
	assert_true(says(&v, "--src-ip"));
	assert_true(says(&v, "Anti-spoof"));
	assert_true(says(&v, "next hop"));
	assert_true(says(&v, "MTU"));
}

static void
test_no_time_to_measure_is_no_failure(void **state)
{
	struct verdict_input tx = {.sends = true,
		.measured = true,
		.brief = true,
		.total_tx_offered = 500,
		.total_tx_packets = 500};
	struct verdict_input rx = {
		.receives = true, .measured = true, .brief = true, .total_rx_packets = 7};
	struct verdict v;

	(void)state;
	verdict_decide(&tx, &v);
	assert_int_equal(v.status, VERDICT_UNVERIFIED);
	assert_true(says(&v, "too short"));
	verdict_decide(&rx, &v);
	assert_int_equal(v.status, VERDICT_PASS);
	assert_true(says(&v, "too short"));
	rx.brief = false;
	verdict_decide(&rx, &v);
	assert_int_equal(v.status, VERDICT_FAIL);
}

static void
test_G6_checklist_without_known_ports(void **state)
{
	struct verdict_input in = {.receives = true, .measured = true};
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_true(says(&v, "let UDP ports 32768-40959 in, which a sender"));
	assert_false(says(&v, "null"));
}

static void
test_G6_frames_in_the_warmup_only_fail(void **state)
{
	struct verdict_input in = {.receives = true, .measured = true, .total_rx_packets = 77};
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_FAIL);
	assert_true(says(&v, "only 77 before or after"));
}

static void
test_I8_device_that_rejects_all_fails(void **state)
{
	static const struct {
		enum verdict_link link;
		const char *words;
	} link[] = {
		{VERDICT_LINK_UNKNOWN, "link state is not known"},
		{VERDICT_LINK_DOWN, "link is down"},
		{VERDICT_LINK_UP, "link is up"},
	};
	struct verdict_input in = {
		.sends = true, .measured = true, .tx_offered = 90, .total_tx_offered = 168000000};
	struct verdict v;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		in.tx_link = link[i].link;
		verdict_decide(&in, &v);
		assert_int_equal(v.status, VERDICT_FAIL);
		assert_true(says(&v, "accepted none of the 168000000 frames"));
		assert_true(says(&v, link[i].words));
	}
}

static void
test_I8_device_that_stops_accepting_after_the_warmup_fails(void **state)
{
	struct verdict_input in = {.sends = true,
		.measured = true,
		.tx_offered = 90,
		.total_tx_offered = 100,
		.total_tx_packets = 10};
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_FAIL);
	assert_true(says(&v, "none of the 90 offered in the measured time"));
}

static void
test_sender_that_offers_nothing_fails(void **state)
{
	struct verdict_input in = {.sends = true, .measured = true};
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_FAIL);
	assert_true(says(&v, "offered no frame"));
}

static void
test_I8_rejecting_device_fails_though_frames_came_in(void **state)
{
	struct verdict_input in = {.sends = true,
		.receives = true,
		.measured = true,
		.tx_offered = 90,
		.total_tx_offered = 100,
		.rx_packets = 5,
		.total_rx_packets = 5};
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_FAIL);
}

static void
test_K6_sender_alone_is_unverified(void **state)
{
	struct verdict_input in = {.sends = true,
		.measured = true,
		.tx_offered = 100,
		.tx_packets = 100,
		.total_tx_offered = 100,
		.total_tx_packets = 100};
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_UNVERIFIED);
	assert_int_equal(verdict_exit(v.status), EXIT_DONE);
	assert_string_equal(verdict_name(v.status), "unverified");
	assert_true(says(&v, "accepted is not what arrived"));
	assert_false(says(&v, "delivered"));
}

static void
test_in_one_process_the_receiver_decides(void **state)
{
	struct verdict_input in = {.sends = true,
		.receives = true,
		.measured = true,
		.tx_offered = 100,
		.tx_packets = 100,
		.total_tx_offered = 100,
		.total_tx_packets = 100};
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_FAIL);
	in.rx_packets = in.total_rx_packets = 1;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_PASS);
}

static void
test_signal_in_the_warmup_is_judged_by_what_there_was(void **state)
{
	struct verdict_input in = {.receives = true, .total_rx_packets = 5};
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_PASS);
	assert_true(says(&v, "nothing was measured"));
	in.total_rx_packets = 0;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_FAIL);
}

/* A stray frame or two are not what this side waited for. */
static void
test_waited_in_vain(void **state)
{
	struct verdict_input in = {.receives = true, .no_traffic = true, .total_rx_packets = 3};
	struct verdict out;

	(void)state;
	verdict_decide(&in, &out);
	assert_int_equal(out.status, VERDICT_FAIL);
	assert_string_equal(out.reasons.note[0].text,
		"this side was to receive and no traffic came while it waited (--rx-wait), only 3 "
		"stray frames");
	assert_true(out.reasons.nb > 1);
	in.total_rx_packets = 0;
	verdict_decide(&in, &out);
	assert_int_equal(out.status, VERDICT_FAIL);
	assert_string_equal(out.reasons.note[0].text, "this side was to receive and got no frame");
}

/* Nothing received must teach. */
static void
test_G6_what_else_came_is_said(void **state)
{
	struct verdict_input in = {.receives = true, .measured = true, .control = 4};
	struct verdict out;

	(void)state;
	verdict_decide(&in, &out);
	assert_int_equal(out.status, VERDICT_FAIL);
	assert_string_equal(out.reasons.note[1].text,
		"but 4 frames of ARP, ICMP or the like came: the link works, and what was sent is "
		"lost on the way or goes elsewhere");
	in.control = 0;
	verdict_decide(&in, &out);
	assert_string_equal(out.reasons.note[1].text, "no ARP or other frame came either: nobody "
						      "asked for this side's address in all that "
						      "time");
}

static void
test_less_than_expected_fails(void **state)
{
	struct expect_result x = {.asked = true, .pps_pct = 94.96, .bps_pct = NAN};
	struct verdict_input in = {.receives = true,
		.measured = true,
		.rx_packets = 9,
		.total_rx_packets = 10,
		.expect = &x};
	struct verdict out;

	(void)state;
	verdict_decide(&in, &out);
	assert_int_equal(out.status, VERDICT_FAIL);
	assert_string_equal(out.reasons.note[0].text, "95.0 % of the expected packets a second");
	assert_string_equal(out.reasons.note[1].text,
		"less was reached than --expect-min of --expect asks for");
	x = (struct expect_result){.asked = true,
		.met = true,
		.pps_pct = NAN,
		.bps_pct = 101,
		.steady = true,
		.stepped = true,
		.first = 12e6,
		.last = 3e6};
	verdict_decide(&in, &out);
	assert_int_equal(out.status, VERDICT_PASS);
	assert_string_equal(out.reasons.note[0].text, "101.0 % of the expected bandwidth");
	assert_string_equal(out.reasons.note[1].text,
		"the rate stepped down during the run: from 12.000 Mpps in its first third to "
		"3.000 in its last (medians): has a burst credit run out?");
	/* A sender alone stays unverified, unless its device took too little. */
	in = (struct verdict_input){.sends = true,
		.measured = true,
		.tx_offered = 9,
		.tx_packets = 9,
		.total_tx_offered = 9,
		.total_tx_packets = 9,
		.expect = &x};
	verdict_decide(&in, &out);
	assert_int_equal(out.status, VERDICT_UNVERIFIED);
	x.met = false;
	verdict_decide(&in, &out);
	assert_int_equal(out.status, VERDICT_FAIL);
}

/* What receivers said decides for a sender; what they could not say leaves it open. */
static void
test_a_sender_with_receivers(void **state)
{
	struct verdict_input in = {.sends = true,
		.measured = true,
		.tx_offered = 10,
		.tx_packets = 10,
		.total_tx_offered = 10,
		.total_tx_packets = 10,
		.peers_asked = true,
		.peers_told = true,
		.peers_received = 9};
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_PASS);
	in.peers_received = 0;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_FAIL);
	in.peers_told = false;
	in.peers_state = "no receiver answered";
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_UNVERIFIED);
	assert_non_null(strstr(v.reasons.note[0].text, "no receiver answered"));
}

static void
test_max_loss(void **state)
{
	struct verdict_input in = {.receives = true,
		.measured = true,
		.rx_packets = 10,
		.total_rx_packets = 10,
		.loss_known = true,
		.sent = 1000,
		.lost = 1,
		.max_loss_given = true,
		.max_loss = 1000};
	struct verdict v;

	(void)state;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_PASS);
	in.lost = 2;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_FAIL);
	in.loss_known = false;
	verdict_decide(&in, &v);
	assert_int_equal(v.status, VERDICT_PASS);
	assert_non_null(strstr(v.reasons.note[0].text, "could not be judged"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waited_in_vain),
		cmocka_unit_test(test_less_than_expected_fails),
		cmocka_unit_test(test_G6_what_else_came_is_said),
		cmocka_unit_test(test_receiver_with_frames_passes),
		cmocka_unit_test(test_G6_receiver_without_frames_fails_with_a_checklist),
		cmocka_unit_test(test_no_time_to_measure_is_no_failure),
		cmocka_unit_test(test_G6_checklist_without_known_ports),
		cmocka_unit_test(test_G6_frames_in_the_warmup_only_fail),
		cmocka_unit_test(test_I8_device_that_rejects_all_fails),
		cmocka_unit_test(test_I8_device_that_stops_accepting_after_the_warmup_fails),
		cmocka_unit_test(test_sender_that_offers_nothing_fails),
		cmocka_unit_test(test_I8_rejecting_device_fails_though_frames_came_in),
		cmocka_unit_test(test_K6_sender_alone_is_unverified),
		cmocka_unit_test(test_in_one_process_the_receiver_decides),
		cmocka_unit_test(test_signal_in_the_warmup_is_judged_by_what_there_was),
		cmocka_unit_test(test_a_sender_with_receivers),
		cmocka_unit_test(test_max_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
