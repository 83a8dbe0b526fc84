/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "report_text.h"

static uint64_t words[PEER_WORDS];
static const uint64_t queues[] = {600, 300};
static struct peer_sent sent;

static struct report_peer
receiver(void)
{
	for (unsigned i = 0; i < PEER_WORDS; i++)
		words[i] = PEER_NOT_KNOWN;
	words[PEER_R_RECEIVED] = 900;
	words[PEER_R_DUPLICATED] = 2;
	words[PEER_R_REORDERED] = 3;
	words[PEER_R_WINDOW_NS] = 1000000000;
	words[PEER_R_WINDOW_PACKETS] = 800;
	words[PEER_R_WINDOW_BYTES] = 51200;
	words[PEER_R_SENDERS] = 1;
	return (struct report_peer){.ip = 0x0a000002,
		.exact = true,
		.state = "complete",
		.sent = 1000,
		.instance = 5,
		.rx = words,
		.queue = queues,
		.nb_queues = 2};
}

static const char *
said(const struct report_peer *p, size_t n)
{
	static char text[8192];
	struct report_sink s = {.out = fmemopen(text, sizeof(text), "w")};
	struct report r = {.peers = p, .n_peers = n};

	memset(text, 0, sizeof(text));
	assert_non_null(s.out);
	report_text_peers(&s, &r);
	fclose(s.out);
	for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") < 80);
	return text;
}

static void
test_a_receiver(void **state)
{
	struct report_peer p = receiver();
	const char *text = said(&p, 1);

	(void)state;
	assert_non_null(strstr(text, "ARRIVED at 10.0.0.2, as it says\n"));
	assert_non_null(
		strstr(text, "900 packets of 1000 sent: 100 lost; 2 twice, 3 out of order"));
	assert_non_null(strstr(text, "in 1.000 s by its clock"));
	assert_non_null(strstr(text, "where     not known"));
	assert_non_null(strstr(text, "queues    66.67 33.33 %"));
}

/* Where losses lie, as far as a device says it and nobody else sent. */
static void
test_where(void **state)
{
	struct report_peer p = receiver();

	(void)state;
	words[PEER_R_MISSED] = 60;
	words[PEER_R_NOMBUF] = 10;
	words[PEER_R_ERRORS] = 0;
	assert_non_null(strstr(said(&p, 1), "60 missed by its device, 10 for want of mbufs"));
	assert_non_null(strstr(said(&p, 1), "30 in"));
	words[PEER_R_SENDERS] = 2;
	assert_non_null(strstr(said(&p, 1), "not known"));
	words[PEER_R_SENDERS] = 1;
	words[PEER_R_MISSED] = 101;
	assert_non_null(strstr(said(&p, 1), "not known"));
	words[PEER_R_RECEIVED] = 1000;
	assert_null(strstr(said(&p, 1), "where"));
}

static void
test_one_that_is_not_exact(void **state)
{
	struct report_peer p = receiver();

	(void)state;
	p.exact = false;
	p.state = "the receiver was started again during the run";
	assert_non_null(strstr(said(&p, 1), "as it says; the receiver was started again"));
	p.rx = NULL;
	assert_string_equal(said(&p, 1), "");
}

static void
test_a_sender(void **state)
{
	struct report_peer p = {.ip = 0x0a000001,
		.run = 9,
		.is_sender = true,
		.exact = true,
		.state = "complete",
		.tx = &sent};

	(void)state;
	sent = (struct peer_sent){.phase = PEER_ENDED,
		.offered = 2000,
		.packets = 1500,
		.bytes = 96000,
		.window_ns = 500000000,
		.window_packets = 1000,
		.window_bytes = 64000};
	assert_non_null(strstr(said(&p, 1), "SENT by 10.0.0.1 run 9 port 0, as it says\n"));
	assert_non_null(strstr(said(&p, 1), "2000 offered, 1500 accepted"));
	assert_non_null(strstr(said(&p, 1), "in 0.500 s by its clock"));
	sent.phase = PEER_MEASURE;
	assert_null(strstr(said(&p, 1), "by its clock"));
}

static void
test_many(void **state)
{
	struct report_peer p[20];

	(void)state;
	for (unsigned i = 0; i < 20; i++)
		p[i] = receiver();
	assert_non_null(strstr(said(p, 20), "and 12 more"));
}

/* The sum: a process that is told of by two ports received once; what is in doubt is left out. */
static void
test_sum(void **state)
{
	struct report_peer p[3] = {receiver(), receiver(), receiver()};
	struct report_loss loss;

	(void)state;
	p[0].sent = p[1].sent = 500;
	p[2].exact = false;
	loss = report_sum_peers(p, 3);
	assert_true(loss.known);
	assert_int_equal(loss.sent, 1000);
	assert_int_equal(loss.received, 900);
	assert_int_equal(loss.lost, 100);
	assert_int_equal(loss.duplicated, 2);
	p[1].instance = 6;
	loss = report_sum_peers(p, 3);
	assert_int_equal(loss.received, 1800);
	assert_false(report_sum_peers(&p[2], 1).known);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_receiver),
		cmocka_unit_test(test_where),
		cmocka_unit_test(test_one_that_is_not_exact),
		cmocka_unit_test(test_a_sender),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
