/* SPDX-License-Identifier: BSD-3-Clause */
#include "report.h"

#include <errno.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config_file.h"
#include "report_fixture.h"

/* Writes the report and reads it back. The caller releases the object. */
static json_t *
written(struct fixture *f)
{
	json_error_t e;
	json_t *o;

	assert_null(report_json.begin);
	assert_null(report_json.interval);
	assert_int_equal(report_json.end(&f->sink, &f->report), 0);
	o = json_loads(fixture_text(f), JSON_REJECT_DUPLICATES, &e);
	if (o == NULL)
		fail_msg("%d: %s", e.line, e.text);
	return o;
}

/* The value at a path such as "summary.tx.pps" or "ports.0.mac"; it must be there. */
static json_t *
at(json_t *o, const char *path)
{
	char name[64];
	const char *p = path;

	while (*p != '\0') {
		size_t len = strcspn(p, ".");

		assert_true(len < sizeof(name));
		memcpy(name, p, len);
		name[len] = '\0';
		o = json_is_array(o) ? json_array_get(o, (size_t)atoi(name))
				     : json_object_get(o, name);
		if (o == NULL)
			fail_msg("no %s", path);
		p += len + (p[len] == '.');
	}
	return o;
}

static void
assert_names(json_t *o, const char *path, const char *const *name)
{
	json_t *v = at(o, path);
	size_t n = 0;

	for (; name[n] != NULL; n++) {
		if (json_object_get(v, name[n]) == NULL)
			fail_msg("no %s in %s", name[n], path);
	}
	assert_int_equal(json_object_size(v), n);
}

#define NAMES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void
test_names_of_the_contract(void **state)
{
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_init(&f);
	o = written(&f);
	assert_string_equal(json_string_value(at(o, "schema")), "pmdperf/1");
	assert_names(o, "",
		NAMES("schema", "tool", "host", "config", "ports", "lcores", "queues", "samples",
			"summary", "run", "expect", "pacing", "account", "loss", "peers", "trials",
			"latency", "verdict", "notes"));
	assert_names(o, "tool", NAMES("version", "dpdk"));
	assert_names(o, "host", NAMES("kernel", "cpu_model", "cpus", "numa_nodes", "hugepages"));
	assert_names(o, "host.hugepages.0", NAMES("numa", "size", "total", "free"));
	assert_names(o, "ports.0",
		NAMES("port", "name", "driver", "mac", "mode", "numa", "link_mbps", "mtu", "asked",
			"used", "ipackets", "opackets", "control_rx", "control_tx", "imissed",
			"nombuf", "errors", "tx_errors", "xstats"));
	assert_names(o, "ports.0.asked", NAMES("rxq", "txq", "rxd", "txd"));
	assert_names(o, "ports.0.used", NAMES("rxq", "txq", "rxd", "txd"));
	assert_names(o, "lcores.0",
		NAMES("lcore", "cpu", "numa", "streams", "packets", "busy_pct",
			"cycles_per_packet"));
	assert_names(o, "queues.0", NAMES("port", "queue", "dir", "packets", "bytes", "share_pct"));
	assert_names(o, "samples.0",
		NAMES("t_s", "tx_pps", "rx_pps", "tx_bps", "rx_bps", "unsent", "drops"));
	assert_names(o, "summary", NAMES("frame_len", "measure_s", "tx", "rx"));
	assert_names(o, "summary.tx",
		NAMES("packets", "bytes", "window_s", "pps", "pps_min", "pps_median", "pps_max",
			"bps", "bps_l1", "total_packets", "total_bytes", "offered", "unsent",
			"errors", "total_offered", "total_unsent"));
	assert_names(o, "summary.rx",
		NAMES("packets", "bytes", "window_s", "pps", "pps_min", "pps_median", "pps_max",
			"bps", "bps_l1", "total_packets", "total_bytes", "missed", "nombuf",
			"errors"));
	assert_names(o, "run", NAMES("id", "started_utc", "argv"));
	assert_names(o, "verdict", NAMES("status", "reasons"));
	json_decref(o);
	fixture_fini(&f);
}

static void
test_account_and_loss(void **state)
{
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_init(&f);
	o = written(&f);
	assert_true(json_is_null(at(o, "account")));
	assert_true(json_is_null(at(o, "loss")));
	json_decref(o);
	fixture_fini(&f);
	fixture_init(&f);
	f.report.account = (struct report_account){.kept = true,
		.senders = fixture_senders,
		.n_senders = 2,
		.untagged = 11,
		.corrupt = 12,
		.crowded = 13};
	f.report.loss = report_sum_loss(&f.report.account);
	o = written(&f);
	assert_names(o, "account", NAMES("senders", "untagged", "corrupt", "crowded"));
	assert_names(o, "account.senders.1",
		NAMES("src_ip", "run", "flows", "moved", "sent", "received", "bytes", "lost",
			"lost_exact", "duplicated", "reordered", "reorder_extent", "unsure",
			"untold"));
	assert_names(o, "loss",
		NAMES("sent", "received", "packets", "ratio", "duplicated", "reordered"));
	assert_string_equal(json_string_value(at(o, "account.senders.0.src_ip")), "198.18.0.1");
	assert_int_equal(json_integer_value(at(o, "account.senders.0.lost")), 10);
	assert_true(json_is_true(at(o, "account.senders.0.lost_exact")));
	assert_true(json_is_null(at(o, "account.senders.1.sent")));
	assert_int_equal(json_integer_value(at(o, "account.senders.1.lost")), 6);
	/* Only of the sender whose count is known. */
	assert_int_equal(json_integer_value(at(o, "loss.sent")), 1000);
	assert_int_equal(json_integer_value(at(o, "loss.received")), 990);
	assert_int_equal(json_integer_value(at(o, "loss.packets")), 10);
	assert_true(json_real_value(at(o, "loss.ratio")) == 0.01);
	assert_int_equal(json_integer_value(at(o, "loss.duplicated")), 3);
	json_decref(o);
	fixture_fini(&f);
}

static void
test_pacing(void **state)
{
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_init(&f);
	f.report.pacing = (struct report_pacing){.kept = true,
		.asked_pps = 10000000,
		.late_max_ns = 12345,
		.given_up = 7,
		.gap_p50_ns = 100,
		.gap_p99_ns = 900};
	o = written(&f);
	assert_names(o, "pacing",
		NAMES("asked_pps", "achieved_pps", "late_max_ns", "given_up", "gap_p50_ns",
			"gap_p99_ns"));
	assert_int_equal(json_integer_value(at(o, "pacing.asked_pps")), 10000000);
	assert_true(json_real_value(at(o, "pacing.achieved_pps")) ==
		    json_real_value(at(o, "summary.tx.pps")));
	assert_int_equal(json_integer_value(at(o, "pacing.given_up")), 7);
	json_decref(o);
	fixture_fini(&f);
}

static void
test_values(void **state)
{
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_init(&f);
	notes_add(&f.notes, "plain");
	notes_warn(&f.notes, "costly");
	o = written(&f);
	assert_int_equal(json_integer_value(at(o, "ports.1.asked.rxq")), 48);
	assert_int_equal(json_integer_value(at(o, "ports.1.used.rxq")), 2);
	assert_int_equal(json_integer_value(at(o, "host.hugepages.0.size")), 2 << 20);
	assert_int_equal(json_integer_value(at(o, "ports.0.xstats.rx_q0_errors")), 12);
	assert_true(json_real_value(at(o, "lcores.0.busy_pct")) == 99.543);
	assert_string_equal(json_string_value(at(o, "queues.3.dir")), "rx");
	assert_true(json_real_value(at(o, "queues.3.share_pct")) == 50);
	assert_int_equal(json_array_size(at(o, "samples")), 2);
	assert_true(json_real_value(at(o, "samples.1.t_s")) == 2);
	assert_true(json_real_value(at(o, "samples.1.rx_bps")) == 4608e6);
	assert_int_equal(json_integer_value(at(o, "samples.1.drops")), 1000000);
	assert_int_equal(json_integer_value(at(o, "summary.frame_len")), 64);
	assert_int_equal(json_integer_value(at(o, "summary.tx.packets")), 20000000);
	assert_int_equal(json_integer_value(at(o, "summary.tx.total_packets")), 30000000);
	assert_true(json_real_value(at(o, "summary.tx.pps")) == 1e7);
	assert_true(json_real_value(at(o, "summary.tx.bps_l1")) == 7.04e9);
	assert_int_equal(json_integer_value(at(o, "summary.tx.unsent")), 2000000);
	assert_true(json_real_value(at(o, "summary.rx.pps_median")) == 9e6);
	assert_int_equal(json_integer_value(at(o, "summary.rx.missed")), 2000000);
	assert_string_equal(json_string_value(at(o, "run.argv.2")), "--txq=2");
	assert_string_equal(json_string_value(at(o, "verdict.status")), "pass");
	assert_int_equal(json_array_size(at(o, "verdict.reasons")), 1);
	assert_string_equal(json_string_value(at(o, "notes.0")), "plain");
	assert_string_equal(json_string_value(at(o, "notes.1")), "warning: costly");
	json_decref(o);
	fixture_fini(&f);
}

static void
test_I6_unknown_is_null_and_never_zero(void **state)
{
	static const char *const unknown[] = {
		"ports.0.numa",
		"ports.0.link_mbps",
		"ports.0.nombuf",
		"ports.0.errors",
		"lcores.0.cycles_per_packet",
		"summary.tx.errors",
		"summary.rx.nombuf",
		"expect",
		"loss",
		"latency",
	};
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_init(&f);
	f.port[0].mac = NULL;
	o = written(&f);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		if (!json_is_null(at(o, unknown[i])))
			fail_msg("%s is not null", unknown[i]);
	}
	assert_true(json_is_null(at(o, "ports.0.mac")));
	assert_int_equal(json_array_size(at(o, "peers")), 0);
	assert_int_equal(json_array_size(at(o, "trials")), 0);
	json_decref(o);
	fixture_fini(&f);
}

static void
test_J8_no_steady_window_is_null(void **state)
{
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_init(&f);
	f.summary.rx.pps_min = f.summary.rx.pps_median = f.summary.rx.pps_max = NAN;
	o = written(&f);
	assert_true(json_is_null(at(o, "summary.rx.pps_min")));
	assert_true(json_is_null(at(o, "summary.rx.pps_median")));
	assert_true(json_is_null(at(o, "summary.rx.pps_max")));
	assert_true(json_is_real(at(o, "summary.rx.pps")));
	json_decref(o);
	fixture_fini(&f);
}

static void
test_directions_that_do_not_apply_are_null(void **state)
{
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_init(&f);
	f.report.receives = false;
	o = written(&f);
	assert_true(json_is_null(at(o, "summary.rx")));
	assert_true(json_is_object(at(o, "summary.tx")));
	assert_true(json_is_null(at(o, "samples.0.rx_pps")));
	assert_true(json_is_null(at(o, "samples.0.drops")));
	json_decref(o);
	fixture_fini(&f);

	fixture_init(&f);
	f.report.sends = false;
	f.report.frame_len = 0;
	o = written(&f);
	assert_true(json_is_null(at(o, "summary.tx")));
	assert_true(json_is_null(at(o, "summary.frame_len")));
	assert_true(json_is_null(at(o, "samples.0.unsent")));
	json_decref(o);
	fixture_fini(&f);
}

static void
test_I1_integers_are_exact_to_2_to_the_63(void **state)
{
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_init(&f);
	f.summary.tx.total_packets = INT64_MAX;
	f.summary.tx.total_bytes = UINT64_C(9007199254740993); /* no double holds it */
	f.summary.rx.total_bytes = UINT64_MAX;
	o = written(&f);
	assert_non_null(strstr(f.text, "\"total_packets\": 9223372036854775807"));
	assert_non_null(strstr(f.text, "\"total_bytes\": 9007199254740993"));
	assert_true(json_real_value(at(o, "summary.rx.total_bytes")) > 1.8e19);
	json_decref(o);
	fixture_fini(&f);
}

static void
test_rates_have_three_decimals(void **state)
{
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_init(&f);
	f.summary.tx.rate.pps = 12345678.90123;
	f.summary.tx.rate.bps = 400000000000.0016;
	f.summary.tx.window_s = 0.1;
	o = written(&f);
	assert_non_null(strstr(f.text, "\"pps\": 12345678.901,"));
	assert_non_null(strstr(f.text, "\"bps\": 400000000000.002,"));
	assert_non_null(strstr(f.text, "\"window_s\": 0.1,"));
	json_decref(o);
	fixture_fini(&f);
}

static void
test_words_that_are_no_utf8_do_not_break_the_file(void **state)
{
	static const char *const argv[] = {"pmdperf", "--json=\xff.json", "--csv=\xc3\xa9"};
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_init(&f);
	f.report.argv = argv;
	o = written(&f);
	assert_string_equal(json_string_value(at(o, "run.argv.1")), "--json=?.json");
	assert_string_equal(json_string_value(at(o, "run.argv.2")), "--csv=\xc3\xa9");
	json_decref(o);
	fixture_fini(&f);
}

static void
test_full_disk_is_returned(void **state)
{
	struct fixture f;
	struct report_sink s = {.out = fopen("/dev/full", "w")};

	(void)state;
	assert_non_null(s.out);
	fixture_init(&f);
	assert_int_equal(report_json.end(&s, &f.report), -ENOSPC);
	assert_int_equal(s.write_errno, ENOSPC);
	fclose(s.out);
	fixture_fini(&f);
}

static void
test_config_echoes_value_and_origin(void **state)
{
	static const char *const engines[] = {"rxonly", "txonly", NULL};
	char txq[] = "--txq=3", warmup[] = "--warmup=1500ms", mode[] = "--forward-mode=txonly";
	char *argv[] = {txq, warmup, mode, NULL};
	struct ini_eal_words eal = {0};
	struct fixture f;
	struct config c;
	struct err e;
	json_t *o;

	(void)state;
	fixture_init(&f);
	if (config_parse(&c, 3, argv, engines, &eal, &e) != 0)
		fail_msg("%s", e.msg);
	f.report.config = &c;
	o = written(&f);
	assert_names(o, "config.txq", NAMES("value", "from"));
	assert_int_equal(json_integer_value(at(o, "config.txq.value")), 3);
	assert_string_equal(json_string_value(at(o, "config.txq.from")), "command line");
	assert_true(json_number_value(at(o, "config.warmup.value")) == 1.5);
	assert_string_equal(json_string_value(at(o, "config.forward-mode.value")), "txonly");
	assert_true(json_is_false(at(o, "config.quiet.value")));
	assert_string_equal(json_string_value(at(o, "config.rxq.from")), "default");
	assert_true(json_is_null(at(o, "config.config.value")));
	json_decref(o);
	config_free(&c);
	ini_eal_words_free(&eal);
	fixture_fini(&f);
}

static void
test_no_config_is_an_empty_object(void **state)
{
	struct fixture f;
	json_t *o;

	(void)state;
	fixture_init(&f);
	o = written(&f);
	assert_int_equal(json_object_size(at(o, "config")), 0);
	json_decref(o);
	fixture_fini(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_the_contract),
		cmocka_unit_test(test_account_and_loss),
		cmocka_unit_test(test_pacing),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_I6_unknown_is_null_and_never_zero),
		cmocka_unit_test(test_J8_no_steady_window_is_null),
		cmocka_unit_test(test_directions_that_do_not_apply_are_null),
		cmocka_unit_test(test_I1_integers_are_exact_to_2_to_the_63),
		cmocka_unit_test(test_rates_have_three_decimals),
		cmocka_unit_test(test_words_that_are_no_utf8_do_not_break_the_file),
		cmocka_unit_test(test_full_disk_is_returned),
		cmocka_unit_test(test_config_echoes_value_and_origin),
		cmocka_unit_test(test_no_config_is_an_empty_object),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
