/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "config_table.h"
#include "units.h"

static const char *const engines[] = {"rxonly", "txonly", NULL};

static char path[] = "/tmp/pmdperf-test-XXXXXX";
static struct config c;
static struct ini_eal_words eal;
static struct err e;

static int
set_up(void **state)
{
	int fd;

	(void)state;
	strcpy(path + strlen(path) - 6, "XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int
tear_down(void **state)
{
	(void)state;
	config_free(&c);
	ini_eal_words_free(&eal);
	return unlink(path);
}

static int
parse(const char *const *word)
{
	static char copy[16][64];
	char *argv[16];
	int argc = 0;

	for (; word[argc] != NULL; argc++) {
		snprintf(copy[argc], sizeof(copy[argc]), "%s", word[argc]);
		argv[argc] = copy[argc];
	}
	config_free(&c);
	ini_eal_words_free(&eal);
	memset(&c, 0xff, sizeof(c));
	memset(&e, 0, sizeof(e));
	return config_parse(&c, argc, argv, engines, &eal, &e);
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

#define REFUSED(message, ...)                             \
	do {                                              \
		assert_int_equal(PARSE(__VA_ARGS__), -1); \
		assert_int_equal(e.status, EXIT_USAGE);   \
		assert_string_equal(e.msg, message);      \
	} while (0)

/* Writes the file that --config=PATH of file_option() names. */
static void
write_file(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static const char *
file_option(void)
{
	static char option[64];

	snprintf(option, sizeof(option), "--config=%s", path);
	return option;
}

static void
test_the_commands_people_use_for_testpmd(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--txd=128", "--rxd=128", "--txq=16", "--rxq=16", "--nb-cores=1",
				 "--forward-mode=txonly", "--txpkts=1430", "--stats-period=1"),
		0);
	assert_int_equal(c.txd, 128);
	assert_int_equal(c.rxd, 128);
	assert_int_equal(c.txq, 16);
	assert_int_equal(c.rxq, 16);
	assert_int_equal(c.nb_cores, 1);
	assert_string_equal(c.forward_mode, "txonly");
	assert_int_equal(config_frame_len(&c), 1430);
	assert_true(c.stats_period_ns == UNITS_NS_PER_S);

	assert_int_equal(PARSE("--txd=128", "--rxd=128", "--txq=48", "--rxq=48", "--nb-cores=16",
				 "--forward-mode=rxonly", "--stats-period=1"),
		0);
	assert_int_equal(c.rxq, 48);
	assert_int_equal(c.nb_cores, 16);
	assert_string_equal(c.forward_mode, "rxonly");
}

static void
test_defaults(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--forward-mode=txonly"), 0);
	assert_true(c.duration_ns == 0);
	assert_true(c.warmup_ns == UNITS_NS_PER_S);
	assert_true(c.stats_period_ns == UNITS_NS_PER_S);
	assert_false(c.quiet);
	assert_false(c.plan);
	assert_null(c.config_file);
	assert_null(c.json_file);
	assert_null(c.port_mode[0]);
	assert_true(c.portmask == 0);
	assert_int_equal(c.nb_cores, 0);
	assert_int_equal(c.rxq, 1);
	assert_int_equal(c.txq, 1);
	assert_int_equal(c.rxd, 0);
	assert_int_equal(c.txd, 0);
	assert_int_equal(c.max_pkt_len, 0);
	assert_false(c.rss_udp);
	assert_false(c.enable_rx_cksum);
	assert_int_equal(c.mbcache, 250);
	assert_int_equal(c.total_num_mbufs, 0);
	assert_int_equal(c.mbuf_size, 0);
	assert_int_equal(c.burst, 32);
	assert_int_equal(c.nb_txpkts, 1);
	assert_int_equal(config_frame_len(&c), 64);
	assert_int_equal(c.flows_per_core, 16);
	assert_int_equal(c.tx_cksum, TX_CKSUM_SOFTWARE);
	assert_int_equal(c.src_ip, 0xc6120001);
	assert_int_equal(c.dst_ip, 0xc6120002);
	assert_false(c.has_dst_mac);
	assert_true(c.eth_peer_set == 0);
	assert_int_equal(c.tx_udp_src, 0);
	assert_int_equal(c.tx_udp_dst, 0);
}

static void
test_D4_malformed_values_are_refused(void **state)
{
	(void)state;
	REFUSED("--stats-period=abc: not a duration like 500ms, 3s, 10m "
		"(a bare number is seconds); valid: 10ms to 1h, or 0",
		"--forward-mode=txonly", "--stats-period", "abc");
	REFUSED("nb-cores=2: not an option; did you mean --nb-cores=2?", "--forward-mode=txonly",
		"nb-cores=2");
	REFUSED("--stats-period=-1: not a duration like 500ms, 3s, 10m "
		"(a bare number is seconds); valid: 10ms to 1h, or 0",
		"--stats-period=-1");
}

/* One beyond each end of each range of testpmd's own options. */
static void
test_ranges(void **state)
{
	static const struct {
		const char *name;
		uint64_t min, max;
	} ranges[] = {
		{"nb-cores", 1, 1023},
		{"rxq", 1, 1024},
		{"txq", 1, 1024},
		{"rxd", 8, 65535},
		{"txd", 8, 65535},
		{"max-pkt-len", 64, 65535},
		{"mbcache", 0, 512},
		{"total-num-mbufs", 1025, 2147483647},
		{"mbuf-size", 192, 65535},
		{"burst", 1, 512},
		{"flows-per-core", 1, 65536},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		char word[64];

		snprintf(word, sizeof(word), "--%s=%ju", ranges[i].name, (uintmax_t)ranges[i].min);
		assert_int_equal(PARSE("--forward-mode=txonly", "--txpkts=60", word), 0);
		snprintf(word, sizeof(word), "--%s=%ju", ranges[i].name, (uintmax_t)ranges[i].max);
		assert_int_equal(PARSE("--forward-mode=txonly", "--txpkts=60", word), 0);
		snprintf(word, sizeof(word), "--%s=%ju", ranges[i].name,
			(uintmax_t)ranges[i].max + 1);
		assert_int_equal(PARSE("--forward-mode=txonly", word), -1);
		snprintf(word, sizeof(word), "--%s=%jd", ranges[i].name,
			(intmax_t)ranges[i].min - 1);
		assert_int_equal(PARSE("--forward-mode=txonly", word), -1);
		assert_int_equal(e.status, EXIT_USAGE);
		assert_non_null(strstr(e.msg, ranges[i].name));
	}
}

/* The longest times together stay far from 64 bits of nanoseconds. */
static void
test_times_cannot_overflow_together(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--forward-mode=txonly", "--duration=8760h", "--warmup=1h"), 0);
	assert_true(c.duration_ns < UINT64_MAX / 2);
	assert_true(c.warmup_ns < UINT64_MAX / 2);
	REFUSED("--duration=8761h: too large; valid: 1ms to 8760h, or 0", "--duration=8761h");
	REFUSED("--warmup=61m: too large; valid: 0s to 1h", "--warmup=61m");
	REFUSED("--stats-period=9ms: too small; valid: 10ms to 1h, or 0", "--stats-period=9ms");
	assert_int_equal(PARSE("--forward-mode=txonly", "--stats-period=0"), 0);
	assert_true(c.stats_period_ns == 0);
}

static void
test_questions_are_answered_whatever_else_is_wrong(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--rxq=99999", "--help"), CONFIG_HELP);
	assert_int_equal(PARSE("--version"), CONFIG_VERSION);
	assert_int_equal(PARSE("-h"), CONFIG_HELP);
}

static void
test_the_command_line_wins_over_the_file_wherever_it_names_it(void **state)
{
	char origin[64], expected[64];

	(void)state;
	write_file("[eal]\nl = 0-1\n[pmdperf]\nforward-mode = rxonly\nburst = 64\nrxq = 4\n"
		   "port-mode = 0=rxonly\nport-mode = 1=rxonly\ndst-ip = 192.0.2.9\n");
	assert_int_equal(PARSE("--burst=16", "--port-mode=1=txonly", file_option(),
				 "--tx-ip=192.0.2.1,192.0.2.2"),
		0);
	assert_int_equal(c.burst, 16);
	assert_int_equal(c.rxq, 4);
	assert_string_equal(c.port_mode[0], "rxonly");
	assert_string_equal(c.port_mode[1], "txonly");
	assert_int_equal(c.dst_ip, 0xc0000202);
	assert_int_equal(eal.nb, 1);
	assert_string_equal(eal.word[0].value, "0-1");

	assert_string_equal(config_origin(&c, "burst", origin, sizeof(origin)), "command line");
	snprintf(expected, sizeof(expected), "%s:6", path);
	assert_string_equal(config_origin(&c, "rxq", origin, sizeof(origin)), expected);
	assert_string_equal(config_origin(&c, "txq", origin, sizeof(origin)), "default");
	assert_string_equal(config_origin(&c, "src-ip", origin, sizeof(origin)), "command line");
	assert_string_equal(config_origin(&c, "port-mode", origin, sizeof(origin)), "command line");
	assert_true(config_given(&c, "rxq"));
	assert_true(config_given(&c, "src-ip"));
	assert_false(config_given(&c, "txq"));
	assert_false(config_given(&c, "no such option"));
}

static void
test_bad_lines_of_the_file_are_found_though_overridden(void **state)
{
	char message[128];

	(void)state;
	write_file("[pmdperf]\nburst = 0\n");
	snprintf(message, sizeof(message), "%s:2: burst = 0: too small; valid: 1 to 512 frames",
		path);
	REFUSED(message, "--forward-mode=txonly", "--burst=16", file_option());

	write_file("[pmdperf]\nforward-mode = tonly\n");
	snprintf(message, sizeof(message),
		"%s:2: forward-mode = tonly: no such mode; valid: rxonly, txonly; did you mean "
		"txonly?",
		path);
	REFUSED(message, "--forward-mode=txonly", file_option());

	write_file("[pmdperf]\nforward-mode = txonly\ntxpkts = 41\n");
	snprintf(message, sizeof(message),
		"%s:3: txpkts = 41: a frame of 41 bytes; valid: 60 to 65535, without the CRC",
		path);
	REFUSED(message, file_option());
}

static void
test_two_files_contradict(void **state)
{
	(void)state;
	REFUSED("--config=/dev/zero: contradicts --config=/dev/null; keep one of them",
		"--config=/dev/null", "--config=/dev/zero");
	REFUSED("--config: needs a value", "--config");
}

static void
test_a_choice_and_flags(void **state)
{
	(void)state;
	assert_int_equal(
		PARSE("--forward-mode=txonly", "--tx-cksum=none", "--rss-udp", "--plan"), 0);
	assert_int_equal(c.tx_cksum, TX_CKSUM_NONE);
	assert_true(c.rss_udp);
	assert_true(c.plan);
	REFUSED("--tx-cksum=hardware: not one of the choices; valid: software, offload or none",
		"--tx-cksum=hardware");
}

static void
test_names_of_options(void **state)
{
	(void)state;
	assert_true(config_is_option("forward-mode"));
	assert_true(config_is_option("help"));
	assert_false(config_is_option("vdev"));
	assert_false(config_is_option("--rxq"));
}

struct seen {
	unsigned int count;
	char text[4096];
};

static void
see(void *arg, const struct config_echo *echo)
{
	static const char *const kinds[] = {"null", "bool", "number", "string"};
	struct seen *seen = arg;
	size_t used = strlen(seen->text);

	seen->count++;
	snprintf(seen->text + used, sizeof(seen->text) - used, "%s %s %s (%s)\n", echo->name,
		kinds[echo->json], echo->value == NULL ? "-" : echo->value, echo->origin);
}

static void
test_every_option_is_echoed_with_its_origin(void **state)
{
	struct seen seen = {0};
	unsigned int with_value = 0;

	(void)state;
	assert_int_equal(PARSE("--forward-mode=txonly", "--duration=1500ms", "--tx-udp=7",
				 "--tx-ip=192.0.2.1,192.0.2.2", "--portmask=3",
				 "--eth-peer=1,020000000001", "--quiet"),
		0);
	config_foreach(&c, see, &seen);
	for (unsigned int i = 0; i < config_table_len; i++)
		with_value += config_table[i].question == 0 && config_table[i].parts == NULL;
	assert_int_equal(seen.count, with_value);
	assert_non_null(strstr(seen.text, "forward-mode string txonly (command line)\n"));
	assert_non_null(strstr(seen.text, "duration number 1.5 (command line)\n"));
	assert_non_null(strstr(seen.text, "warmup number 1 (default)\n"));
	assert_non_null(strstr(seen.text, "quiet bool true (command line)\n"));
	assert_non_null(strstr(seen.text, "plan bool false (default)\n"));
	assert_non_null(strstr(seen.text, "json null - (default)\n"));
	assert_non_null(strstr(seen.text, "portmask string 0x3 (command line)\n"));
	assert_non_null(strstr(seen.text, "port-mode null - (default)\n"));
	assert_non_null(strstr(seen.text, "nb-cores null - (default)\n"));
	assert_non_null(strstr(seen.text, "txpkts string 64 (default)\n"));
	assert_non_null(strstr(seen.text, "src-ip string 192.0.2.1 (command line)\n"));
	assert_non_null(strstr(seen.text, "tx-udp string 7,7 (command line)\n"));
	assert_non_null(strstr(seen.text, "eth-peer string 1,02:00:00:00:00:01 (command line)\n"));
	assert_non_null(strstr(seen.text, "tx-cksum string software (default)\n"));
	assert_null(strstr(seen.text, "tx-ip"));
	assert_null(strstr(seen.text, "help"));
}

/* What the message "wrong" becomes. */
static void
assert_blamed(const char *option, unsigned int key, const char *message)
{
	err_set(&e, EXIT_USAGE, "wrong");
	assert_int_equal(config_blame(&c, option, key, &e), -1);
	assert_string_equal(e.msg, message);
}

static void
test_late_refusals_name_the_words_given(void **state)
{
	char message[128];

	(void)state;
	write_file("[pmdperf]\nforward-mode = txonly\nport-mode = 3=txonly\nnb-cores = 4\n");
	assert_int_equal(PARSE(file_option(), "--port-mode=1=rxonly", "--portmask=0xa"), 0);
	assert_blamed("port-mode", 1, "--port-mode=1=rxonly: wrong");
	snprintf(message, sizeof(message), "%s:3: port-mode = 3=txonly: wrong", path);
	assert_blamed("port-mode", 3, message);
	/* The key says nothing to an option without keys. */
	assert_blamed("portmask", 3, "--portmask=0xa: wrong");
	/* Not given. */
	assert_blamed("port-mode", 2, "--port-mode: wrong");
	assert_blamed("txq", 0, "--txq: wrong");

	err_set_option(&e, "nb-cores", "more than %d", 3);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_int_equal(config_blame_err(&c, &e), -1);
	snprintf(message, sizeof(message), "%s:4: nb-cores = 4: more than 3", path);
	assert_string_equal(e.msg, message);
	/* Once only. */
	assert_int_equal(config_blame_err(&c, &e), -1);
	assert_string_equal(e.msg, message);
	err_set_option(&e, "nb-cores", "x");
	err_set(&e, EXIT_MACHINE, "no option's fault");
	assert_int_equal(config_blame_err(&c, &e), -1);
	assert_string_equal(e.msg, "no option's fault");
}

static void
test_whose_mac_to_ask_for(void **state)
{
	uint32_t ip = 7;

	(void)state;
	assert_int_equal(PARSE("--forward-mode=txonly", "--src-ip=10.0.0.1"), 0);
	assert_false(config_next_hop(&c, &ip));
	assert_int_equal(ip, 7);
	assert_int_equal(PARSE("--forward-mode=txonly", "--dst-ip=10.0.0.2"), 0);
	assert_true(config_next_hop(&c, &ip));
	assert_int_equal(ip, 0x0a000002);
	assert_int_equal(PARSE("--forward-mode=txonly", "--tx-ip=10.0.0.1,10.0.0.3"), 0);
	assert_true(config_next_hop(&c, &ip));
	assert_int_equal(ip, 0x0a000003);
	assert_int_equal(
		PARSE("--forward-mode=txonly", "--dst-ip=10.0.0.2", "--gateway=10.0.0.254"), 0);
	assert_true(config_next_hop(&c, &ip));
	assert_int_equal(ip, 0x0a0000fe);
}

static void
test_io_and_the_interface_behind_it(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--forward-mode=txonly"), 0);
	assert_int_equal(c.io, IO_NONE);
	assert_null(c.interface);
	assert_int_equal(PARSE("--io", "af_packet", "eth1", "--forward-mode=txonly"), 0);
	assert_int_equal(c.io, IO_AF_PACKET);
	assert_string_equal(c.interface, "eth1");
	assert_int_equal(PARSE("--forward-mode=txonly", "--io=af_xdp", "eth1"), 0);
	assert_int_equal(c.io, IO_AF_XDP);
	assert_string_equal(c.interface, "eth1");
	assert_int_equal(PARSE("--forward-mode=txonly", "--interface=eth1", "--io=af_xdp"), 0);
	REFUSED("--io=af_xdp: which interface? Give its name after it, or --interface=IFNAME",
		"--forward-mode=txonly", "--io=af_xdp");
	REFUSED("--interface=eth1: says nothing without --io: give --io=af_packet or --io=af_xdp, "
		"too",
		"--forward-mode=txonly", "--io=none", "eth1");
	REFUSED("--interface=eth1,x: not the name of an interface: those have 1 to 15 characters, "
		"no "
		"space, comma, slash or bracket",
		"--forward-mode=txonly", "--io=af_packet", "eth1,x");
	REFUSED("'eth2': belongs to no option; options begin with --, and --help lists them all",
		"--forward-mode=txonly", "--io=af_packet", "eth1", "eth2");
	assert_int_equal(
		PARSE("--forward-mode=txonly", "--io=af_packet", "--interface=abcdefghijklmno"), 0);
	assert_int_equal(
		PARSE("--forward-mode=txonly", "--io=af_packet", "--interface=abcdefghijklmnop"),
		-1);
	write_file("[ports]\nio = af_xdp\ninterface = eth3\n");
	assert_int_equal(PARSE(file_option(), "--forward-mode=txonly"), 0);
	assert_int_equal(c.io, IO_AF_XDP);
	assert_string_equal(c.interface, "eth3");
}

static void
test_own_address(void **state)
{
	(void)state;
	assert_int_equal(PARSE("--forward-mode=txonly"), 0);
	assert_int_equal(config_own_ip(&c, true, true), 0xc6120001);
	/* A receiver takes what a sender with the same defaults sends. */
	assert_int_equal(config_own_ip(&c, false, false), 0xc6120002);
	assert_int_equal(config_own_ip(&c, false, true), 0xc6120002);
	assert_int_equal(PARSE("--forward-mode=rxonly", "--src-ip=10.0.0.1"), 0);
	assert_int_equal(config_own_ip(&c, false, false), 0x0a000001);
	/* Two ports cannot have one address: the sender's is the source. */
	assert_int_equal(config_own_ip(&c, false, true), 0xc6120002);
	c.src_ip = 0x0a000007;
	c.has_own_src_ip = true;
	assert_int_equal(config_own_ip(&c, false, false), 0x0a000007);
	assert_int_equal(PARSE("--forward-mode=rxonly", "--dst-ip=10.0.0.2"), 0);
	assert_int_equal(config_own_ip(&c, false, false), 0x0a000002);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_commands_people_use_for_testpmd),
		TEST(test_defaults),
		TEST(test_D4_malformed_values_are_refused),
		TEST(test_ranges),
		TEST(test_times_cannot_overflow_together),
		TEST(test_questions_are_answered_whatever_else_is_wrong),
		TEST(test_the_command_line_wins_over_the_file_wherever_it_names_it),
		TEST(test_bad_lines_of_the_file_are_found_though_overridden),
		TEST(test_two_files_contradict),
		TEST(test_a_choice_and_flags),
		TEST(test_names_of_options),
		TEST(test_every_option_is_echoed_with_its_origin),
		TEST(test_late_refusals_name_the_words_given),
		TEST(test_io_and_the_interface_behind_it),
		TEST(test_own_address),
		TEST(test_whose_mac_to_ask_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
