/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "frame.h"

static struct frame_spec
spec(uint16_t len)
{
	return (struct frame_spec){
		.src_mac = {{0x02, 0, 0, 0, 0, 0x01}},
		.dst_mac = {{0x02, 0, 0, 0, 0, 0x02}},
		.src_ip = 0xc6120001,
		.dst_ip = 0xc6120002,
		.len = len,
		.cksum = FRAME_CKSUM_FULL,
	};
}

static void
build(uint8_t *buf, const struct frame_spec *s, uint16_t src, uint16_t dst)
{
	uint64_t word = frame_udp_word(s, src, dst);

	frame_build(buf, s);
	memcpy(buf + FRAME_UDP_OFFSET, &word, sizeof(word));
}

/* The receiver's check of RFC 768: the sum over pseudo header and datagram is all ones. */
static uint16_t
udp_check(const uint8_t *frame, uint16_t len)
{
	uint16_t udp_len = (uint16_t)(len - FRAME_UDP_OFFSET);
	uint64_t sum = frame_sum(frame + FRAME_ETH_LEN + 12, 8, 17u + udp_len);

	return frame_fold(frame_sum(frame + FRAME_UDP_OFFSET, udp_len, sum));
}

static void
test_bytes_of_the_shortest_frame(void **state)
{
	/* Checksums computed by hand: 0xee97 over the IPv4 header, see RFC 1071 for the rule. */
	static const uint8_t want[FRAME_UDP_OFFSET] = {0x02, 0, 0, 0, 0, 0x02, 0x02, 0, 0, 0, 0,
		0x01, 0x08, 0x00, 0x45, 0x00, 0x00, 0x2e, 0x00, 0x00, 0x00, 0x00, 0x40, 0x11, 0xee,
		0x97, 198, 18, 0, 1, 198, 18, 0, 2};
	struct frame_spec s = spec(60);
	uint8_t frame[60];

	(void)state;
	build(frame, &s, 32768, 32769);
	assert_memory_equal(frame, want, sizeof(want));
	assert_int_equal(frame[34] << 8 | frame[35], 32768);
	assert_int_equal(frame[36] << 8 | frame[37], 32769);
	assert_int_equal(frame[38] << 8 | frame[39], 26);
	for (size_t i = FRAME_HEADERS; i < sizeof(frame); i++)
		assert_int_equal(frame[i], 0);
}

static void
test_G2_lengths_and_checksums_of_every_size(void **state)
{
	static uint8_t frame[UINT16_MAX];

	(void)state;
	for (uint32_t len = 60; len < UINT16_MAX; len += len < 2000 ? 1 : 997) {
		struct frame_spec s = spec((uint16_t)len);

		build(frame, &s, 33000, 40959);
		assert_int_equal(frame[16] << 8 | frame[17], len - 14);
		assert_int_equal(frame[38] << 8 | frame[39], len - 34);
		assert_int_equal(frame_fold(frame_sum(frame + 14, 20, 0)), 0xffff);
		assert_int_equal(udp_check(frame, (uint16_t)len), 0xffff);
	}
}

/* Some pair of ports makes the sum fold to all ones, whose complement is 0. */
static void
test_G8_computed_zero_is_sent_as_all_ones(void **state)
{
	struct frame_spec s = spec(64);
	uint8_t frame[64];
	unsigned seen = 0;

	(void)state;
	for (uint32_t dst = 1; dst < 65536; dst++) {
		build(frame, &s, 1024, (uint16_t)dst);
		assert_false(frame[40] == 0 && frame[41] == 0);
		if (frame[40] == 0xff && frame[41] == 0xff) {
			seen++;
			assert_int_equal(udp_check(frame, 64), 0xffff);
		}
	}
	assert_int_equal(seen, 1);
}

static void
test_no_checksum_is_zero(void **state)
{
	struct frame_spec s = spec(64);
	uint8_t frame[64];

	(void)state;
	s.cksum = FRAME_CKSUM_NONE;
	build(frame, &s, 1024, 1025);
	assert_int_equal(frame[40], 0);
	assert_int_equal(frame[41], 0);
	assert_int_equal(frame_fold(frame_sum(frame + 14, 20, 0)), 0xffff);
}

/* What a device completes: the sum of the pseudo header alone, not complemented. */
static void
test_pseudo_header_for_offload(void **state)
{
	struct frame_spec s = spec(64);
	uint8_t frame[64];

	(void)state;
	s.cksum = FRAME_CKSUM_PSEUDO;
	build(frame, &s, 1024, 1025);
	assert_int_equal(
		frame[40] << 8 | frame[41], frame_fold(0xc612ull + 1 + 0xc612 + 2 + 17 + 30));
}

static void
test_sum_of_rfc_1071(void **state)
{
	/* The example of RFC 1071, section 3. */
	static const uint8_t data[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
	static const uint8_t odd[] = {0x01, 0x02, 0x03};

	(void)state;
	assert_int_equal(frame_fold(frame_sum(data, sizeof(data), 0)), 0xddf2);
	assert_int_equal(frame_fold(frame_sum(odd, sizeof(odd), 0)), 0x0402);
	assert_int_equal(frame_fold(0x1fffe), 0xffff);
	assert_int_equal(frame_fold(0), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_of_the_shortest_frame),
		cmocka_unit_test(test_G2_lengths_and_checksums_of_every_size),
		cmocka_unit_test(test_G8_computed_zero_is_sent_as_all_ones),
		cmocka_unit_test(test_no_checksum_is_zero),
		cmocka_unit_test(test_pseudo_header_for_offload),
		cmocka_unit_test(test_sum_of_rfc_1071),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
