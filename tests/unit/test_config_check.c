/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config.h"

static const char *const engines[] = {"rxonly", "txonly", NULL};

static struct config c;
static struct err e;

static int
tear_down(void **state)
{
	(void)state;
	config_free(&c);
	return 0;
}

/* Parses the words up to NULL, after --forward-mode=txonly if send is true. */
static int
parse(bool send, const char *const *word)
{
	static char copy[8][128];
	char *argv[8];
	int argc = 0;

	if (send)
		argv[argc++] = strcpy(copy[0], "--forward-mode=txonly");
	for (; *word != NULL; word++, argc++) {
		snprintf(copy[argc], sizeof(copy[argc]), "%s", *word);
		argv[argc] = copy[argc];
	}
	config_free(&c);
	memset(&e, 0, sizeof(e));
	return config_parse(&c, argc, argv, engines, &(struct ini_eal_words){0}, &e);
}

#define PARSE(...) parse(true, (const char *const[]){__VA_ARGS__, NULL})

#define ACCEPTED(...)                          \
	do {                                   \
		if (PARSE(__VA_ARGS__) != 0)   \
			fail_msg("%s", e.msg); \
	} while (0)

#define REFUSED(message, ...)                             \
	do {                                              \
		assert_int_equal(PARSE(__VA_ARGS__), -1); \
		assert_int_equal(e.status, EXIT_USAGE);   \
		assert_string_equal(e.msg, message);      \
	} while (0)

/* The notes for a configuration that was accepted, joined by newlines. */
static const char *
notes(void)
{
	static struct notes list;
	static char text[2048];

	list = (struct notes){0};
	text[0] = '\0';
	config_notes(&c, &list);
	for (unsigned int i = 0; i < list.nb; i++) {
		strcat(text, list.note[i].text);
		strcat(text, "\n");
	}
	return text;
}

static void
test_modes(void **state)
{
	(void)state;
	assert_int_equal(parse(false, (const char *const[]){NULL}), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_string_equal(e.msg, "nothing to do: give --forward-mode=rxonly|txonly");
	assert_int_equal(parse(false, (const char *const[]){"--port-mode=1=rxonly", NULL}), 0);
	assert_null(config_mode(&c, 0));
	assert_string_equal(config_mode(&c, 1), "rxonly");

	ACCEPTED("--port-mode=1=rxonly");
	assert_string_equal(config_mode(&c, 0), "txonly");
	assert_string_equal(config_mode(&c, 1), "rxonly");
	assert_string_equal(config_mode(&c, 999), "txonly");
	REFUSED("--port-mode=1=rxonl: no such mode; valid: rxonly, txonly; did you mean rxonly?",
		"--port-mode=1=rxonl");
	assert_int_equal(parse(false, (const char *const[]){"--forward-mode=io", NULL}), -1);
	assert_string_equal(e.msg, "--forward-mode=io: no such mode; valid: rxonly, txonly");
}

/* Sizes 0, 1, 20, 41, 42, 60: the headers must fit the first segment, and the frame the wire. */
static void
test_G1_first_segment_holds_the_headers(void **state)
{
	(void)state;
	REFUSED("--txpkts=0: too small; valid: 1 to 65535 bytes each, at most 8 of them",
		"--txpkts=0");
	REFUSED("--txpkts=1: a frame of 1 bytes; valid: 60 to 65535, without the CRC",
		"--txpkts=1");
	REFUSED("--txpkts=20,60: the first segment has to hold the headers: "
		"at least 42 bytes, not 20",
		"--txpkts=20,60");
	REFUSED("--txpkts=41: a frame of 41 bytes; valid: 60 to 65535, without the CRC",
		"--txpkts=41");
	REFUSED("--txpkts=41,60: the first segment has to hold the headers: "
		"at least 42 bytes, not 41",
		"--txpkts=41,60");
	REFUSED("--txpkts=42: a frame of 42 bytes; valid: 60 to 65535, without the CRC",
		"--txpkts=42");
	REFUSED("--txpkts=59: a frame of 59 bytes; valid: 60 to 65535, without the CRC",
		"--txpkts=59");
	ACCEPTED("--txpkts=60");
	assert_int_equal(config_frame_len(&c), 60);
	ACCEPTED("--txpkts=42,18");
	assert_int_equal(config_frame_len(&c), 60);
	assert_int_equal(c.nb_txpkts, 2);
}

static void
test_G3_the_option_ends_at_65535(void **state)
{
	(void)state;
	ACCEPTED("--txpkts=65535");
	assert_int_equal(config_frame_len(&c), 65535);
	REFUSED("--txpkts=65536: too large; valid: 1 to 65535 bytes each, at most 8 of them",
		"--txpkts=65536");
	ACCEPTED("--txpkts=32768,32767");
	REFUSED("--txpkts=32768,32768: a frame of 65536 bytes; valid: 60 to 65535, without the CRC",
		"--txpkts=32768,32768");
	REFUSED("--txpkts=65535,65535,65535,65535,65535,65535,65535,65535: "
		"a frame of 524280 bytes; valid: 60 to 65535, without the CRC",
		"--txpkts=65535,65535,65535,65535,65535,65535,65535,65535");
}

static void
test_G4_no_segment_is_empty(void **state)
{
	(void)state;
	REFUSED("--txpkts=100,0,100: too small; valid: 1 to 65535 bytes each, at most 8 of them",
		"--txpkts=100,0,100");
	REFUSED("--txpkts=100,,100: an item is empty; valid: 1 to 65535 bytes each, at most 8 of "
		"them",
		"--txpkts=100,,100");
	REFUSED("--txpkts=100,0: too small; valid: 1 to 65535 bytes each, at most 8 of them",
		"--txpkts=100,0");
	REFUSED("--txpkts=60,1,1,1,1,1,1,1,1: too many items; "
		"valid: 1 to 65535 bytes each, at most 8 of them",
		"--txpkts=60,1,1,1,1,1,1,1,1");
	ACCEPTED("--txpkts=60,1,1,1,1,1,1,1");
	assert_int_equal(c.nb_txpkts, 8);
}

/* A mask of all 32 ports, and one more. */
static void
test_E3_mask_of_exactly_32(void **state)
{
	(void)state;
	ACCEPTED("--portmask=ffffffff", "--port-mode=31=rxonly");
	assert_true(c.portmask == UINT32_MAX);
	REFUSED("--portmask=1ffffffff: too large; valid: 0x1 to 0xffffffff",
		"--portmask=1ffffffff");
	REFUSED("--portmask=0: too small; valid: 0x1 to 0xffffffff", "--portmask=0");
	ACCEPTED("--portmask=80000000", "--eth-peer=31,020000000001");
}

static void
test_values_for_ports_that_are_not_used(void **state)
{
	(void)state;
	REFUSED("--port-mode=2=rxonly: port 2 is not in --portmask=0x3", "--portmask=3",
		"--port-mode=2=rxonly");
	REFUSED("--eth-peer=0,020000000001: port 0 is not in --portmask=0x2", "--portmask=0x2",
		"--eth-peer=0,020000000001");
}

static void
test_addresses_of_hosts(void **state)
{
	(void)state;
	REFUSED("--src-ip=0.0.0.0: not the address of a host", "--src-ip=0.0.0.0");
	REFUSED("--src-ip=255.255.255.255: not the address of a host", "--src-ip=255.255.255.255");
	REFUSED("--dst-ip=0.0.0.0: not the address of a host", "--dst-ip=0.0.0.0");
	REFUSED("--tx-ip=192.0.2.1,255.255.255.255: not the address of a host",
		"--tx-ip=192.0.2.1,255.255.255.255");
	REFUSED("--src-ip=224.0.0.1: a multicast address cannot be a source", "--src-ip=224.0.0.1");
	REFUSED("--dst-ip=198.18.0.1: source and destination are both 198.18.0.1",
		"--dst-ip=198.18.0.1");
	REFUSED("--src-ip=198.18.0.2: source and destination are both 198.18.0.2",
		"--src-ip=198.18.0.2");
	ACCEPTED("--src-ip=198.18.0.2", "--dst-ip=198.18.0.1");
	assert_int_equal(c.src_ip, 0xc6120002);
	assert_int_equal(c.dst_ip, 0xc6120001);
}

static void
test_aliases_that_contradict(void **state)
{
	(void)state;
	REFUSED("--dst-ip=192.0.2.3: contradicts --tx-ip=192.0.2.1,192.0.2.2; keep one of them",
		"--tx-ip=192.0.2.1,192.0.2.2", "--dst-ip=192.0.2.3");
	ACCEPTED("--tx-ip=192.0.2.1,192.0.2.2", "--dst-ip=192.0.2.2");
}

static void
test_udp_ports(void **state)
{
	(void)state;
	ACCEPTED("--tx-udp=9");
	assert_int_equal(c.tx_udp_src, 9);
	assert_int_equal(c.tx_udp_dst, 9);
	ACCEPTED("--tx-udp=1000,2000");
	assert_int_equal(c.tx_udp_src, 1000);
	assert_int_equal(c.tx_udp_dst, 2000);
	ACCEPTED("--tx-udp=65520");
	REFUSED("--tx-udp=65521: the source ports of 16 flows would be 65521 to 65536, past 65535; "
		"valid here: 1 to 65520, or fewer --flows-per-core",
		"--tx-udp=65521");
	ACCEPTED("--tx-udp=65535", "--flows-per-core=1");
	REFUSED("--tx-udp=0: too small; valid: 1 to 65535 each, at most 2 of them", "--tx-udp=0");
	REFUSED("--tx-udp=1,65536: too large; valid: 1 to 65535 each, at most 2 of them",
		"--tx-udp=1,65536");
	REFUSED("--tx-udp=1,2,3: too many items; valid: 1 to 65535 each, at most 2 of them",
		"--tx-udp=1,2,3");
}

static void
test_H5_source_ports_of_all_flows_fit(void **state)
{
	(void)state;
	ACCEPTED("--tx-udp=65000,7", "--flows-per-core=16");
	assert_int_equal(config_check_tx_udp(&c, 536, &e), 0);
	assert_int_equal(config_check_tx_udp(&c, 0, &e), 0);
	assert_int_equal(config_check_tx_udp(&c, 537, &e), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_string_equal(e.msg,
		"--tx-udp=65000,7: the source ports of 537 flows would be 65000 to 65536, past "
		"65535; valid here: 1 to 64999, or fewer --flows-per-core");
	assert_int_equal(config_check_tx_udp(&c, 65536, &e), -1);
	assert_string_equal(e.msg,
		"--tx-udp=65000,7: 65536 flows need as many source ports, and there are 65535: "
		"give fewer --flows-per-core");
	ACCEPTED("--tx-udp=1", "--flows-per-core=65535");
	assert_int_equal(config_check_tx_udp(&c, 65535, &e), 0);
	/* Without the option flows take the ports of flow.h. */
	ACCEPTED("--quiet");
	assert_int_equal(config_check_tx_udp(&c, 1023 * 16, &e), 0);
}

static void
test_an_empty_mode_is_refused_with_the_valid_ones(void **state)
{
	(void)state;
	REFUSED("--port-mode=1=: no such mode; valid: rxonly, txonly", "--port-mode=1=");
	assert_int_equal(parse(false, (const char *const[]){"--forward-mode=", NULL}), -1);
	assert_int_equal(e.status, EXIT_USAGE);
	assert_string_equal(e.msg, "--forward-mode=: no such mode; valid: rxonly, txonly");
}

static void
test_destination_macs(void **state)
{
	(void)state;
	ACCEPTED("--quiet");
	assert_null(config_dst_mac(&c, 0));
	ACCEPTED("--dst-mac=020000000009", "--eth-peer=1,02:00:00:00:00:01");
	assert_int_equal(config_dst_mac(&c, 0)->byte[5], 9);
	assert_int_equal(config_dst_mac(&c, 1)->byte[5], 1);
	assert_int_equal(config_dst_mac(&c, 64)->byte[5], 9);
	assert_string_equal(
		notes(), "port 1 sends to 02:00:00:00:00:01 of --eth-peer, not to --dst-mac\n");
	ACCEPTED("--dst-mac=020000000001", "--eth-peer=1,02:00:00:00:00:01");
	assert_string_equal(notes(), "");
}

static void
test_G11_odd_destinations_are_noted(void **state)
{
	(void)state;
	ACCEPTED("--dst-mac=00:00:00:00:00:00");
	assert_string_equal(notes(), "destination MAC 00:00:00:00:00:00 is all zeros\n");
	ACCEPTED("--dst-mac=01:00:5e:00:00:01");
	assert_string_equal(notes(),
		"destination MAC 01:00:5e:00:00:01 is multicast: switches send it to every port\n");
	ACCEPTED("--eth-peer=3,ff:ff:ff:ff:ff:ff", "--dst-ip=224.0.0.1");
	assert_string_equal(notes(), "destination MAC ff:ff:ff:ff:ff:ff of port 3 is broadcast: "
				     "every host of the network "
				     "gets every frame\n"
				     "destination address 224.0.0.1 is multicast\n");
}

static void
test_other_notes(void **state)
{
	(void)state;
	ACCEPTED("--duration=500ms");
	assert_string_equal(notes(), "--stats-period is longer than --duration: no line before the "
				     "report, no minimum, median and maximum in it\n");
	ACCEPTED("--duration=1");
	assert_string_equal(notes(), "");
	ACCEPTED("--duration=0");
	assert_string_equal(notes(), "");
}

static void
test_the_results_do_not_overwrite_the_configuration(void **state)
{
	(void)state;
	REFUSED("--json=/dev/null: the results would overwrite the file of --config",
		"--config=/dev/null", "--json=/dev/null");
	ACCEPTED("--config=/dev/null", "--json=out.json");
}

static void
test_loss_is_judged_by_tags(void **state)
{
	(void)state;
	REFUSED("--max-loss=1%: with --no-tag nothing is known of loss: leave one of them out",
		"--max-loss=1%", "--no-tag");
	ACCEPTED("--max-loss=0");
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_modes),
		TEST(test_G1_first_segment_holds_the_headers),
		TEST(test_G3_the_option_ends_at_65535),
		TEST(test_G4_no_segment_is_empty),
		TEST(test_E3_mask_of_exactly_32),
		TEST(test_values_for_ports_that_are_not_used),
		TEST(test_addresses_of_hosts),
		TEST(test_aliases_that_contradict),
		TEST(test_udp_ports),
		TEST(test_H5_source_ports_of_all_flows_fit),
		TEST(test_an_empty_mode_is_refused_with_the_valid_ones),
		TEST(test_destination_macs),
		TEST(test_G11_odd_destinations_are_noted),
		TEST(test_other_notes),
		TEST(test_loss_is_judged_by_tags),
		TEST(test_the_results_do_not_overwrite_the_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
