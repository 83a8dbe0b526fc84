/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frame.h"
#include "peer_proto.h"

static const struct peer_addr addr = {
	.src_mac = {{2, 0, 0, 0, 0, 1}},
	.dst_mac = {{2, 0, 0, 0, 0, 2}},
	.src_ip = 0xc6120001,
	.dst_ip = 0xc6120002,
	.src_port = 32768,
	.dst_port = 32769,
};

static struct peer_msg
some_message(void)
{
	struct peer_msg m = {
		.type = PEER_REPORT,
		.answer = true,
		.status = PEER_FINAL,
		.page = 513,
		.run = 200,
		.port = 31,
		.number = 0x01020304,
		.instance = UINT64_C(0x1122334455667788),
		.cookie = UINT64_C(0x99aabbccddeeff01),
	};

	for (unsigned i = 0; i < PEER_WORDS; i++)
		m.word[i] = i == 3 ? PEER_NOT_KNOWN : UINT64_C(0x0101010101010101) * i;
	return m;
}

static void
test_round_trip(void **state)
{
	const struct peer_msg sent = some_message();
	uint8_t frame[PEER_FRAME_LEN];
	struct peer_addr from = {0};
	struct peer_msg got = {0};

	(void)state;
	peer_write(frame, &addr, &sent);
	assert_true(peer_is_meant(frame));
	assert_true(peer_read(frame, sizeof(frame), &from, &got));
	assert_memory_equal(&from, &addr, sizeof(addr));
	assert_int_equal(got.type, sent.type);
	assert_int_equal(got.answer, sent.answer);
	assert_int_equal(got.status, sent.status);
	assert_int_equal(got.page, sent.page);
	assert_int_equal(got.run, sent.run);
	assert_int_equal(got.port, sent.port);
	assert_int_equal(got.number, sent.number);
	assert_true(got.instance == sent.instance);
	assert_true(got.cookie == sent.cookie);
	assert_memory_equal(got.word, sent.word, sizeof(sent.word));
}

/* The layout is a contract between two machines, maybe of two versions. */
static void
test_layout(void **state)
{
	const struct peer_msg m = some_message();
	uint8_t frame[PEER_FRAME_LEN];

	(void)state;
	assert_int_equal(PEER_FRAME_LEN, 280);
	peer_write(frame, &addr, &m);
	assert_int_equal(frame_get(frame + 42, 2), 0x9d17);
	assert_int_equal(frame[44], 0x11); /* version 1, control */
	assert_int_equal(frame[45], 200);
	assert_int_equal(frame_get(frame + 46, 4), 31);
	assert_int_equal(frame_get(frame + 50, 4), 0x01020304);
	assert_int_equal(frame[60], 0x84);
	assert_int_equal(frame[61], PEER_FINAL);
	assert_int_equal(frame_get(frame + 62, 2), 513);
	assert_true(frame_get(frame + 64, 8) == m.instance);
	assert_true(frame_get(frame + 72, 8) == m.cookie);
	assert_true(frame_get(frame + 80 + 8 * 24, 8) == m.word[24]);
}

/* Any bit that is wrong makes it none; so does any end that is missing. Ports and MACs apart. */
static void
test_damage(void **state)
{
	const struct peer_msg m = some_message();
	uint8_t frame[PEER_FRAME_LEN];
	struct peer_addr from;
	struct peer_msg got;

	(void)state;
	peer_write(frame, &addr, &m);
	for (unsigned bit = 12 * 8; bit < sizeof(frame) * 8; bit++) {
		frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(peer_read(frame, sizeof(frame), &from, &got));
		frame[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	for (size_t len = 0; len < sizeof(frame); len++) {
		uint8_t *cut = malloc(len == 0 ? 1 : len); /* a read past it would be seen */

		memcpy(cut, frame, len);
		assert_false(peer_read(cut, len, &from, &got));
		free(cut);
	}
	assert_true(peer_read(frame, sizeof(frame), &from, &got));
}

/* Padding behind the datagram, as switches and drivers add, is no harm. */
static void
test_padding(void **state)
{
	const struct peer_msg m = some_message();
	uint8_t frame[PEER_FRAME_LEN + 4] = {0};
	struct peer_addr from;
	struct peer_msg got;

	(void)state;
	peer_write(frame, &addr, &m);
	frame[PEER_FRAME_LEN] = 0xff;
	assert_true(peer_read(frame, sizeof(frame), &from, &got));
}

/* Well said, but what was never agreed on: types, states, and groups of hosts. */
static void
test_what_is_none(void **state)
{
	struct peer_addr to = addr, from;
	struct peer_msg m = some_message(), got;
	uint8_t frame[PEER_FRAME_LEN];
	const uint32_t bad[] = {0, UINT32_MAX, 0xe0000001};

	(void)state;
	for (unsigned type = 0; type < 256; type++) {
		m.type = (enum peer_type)type;
		m.answer = false;
		peer_write(frame, &addr, &m);
		assert_int_equal(peer_read(frame, sizeof(frame), &from, &got),
			(type & 0x7f) >= PEER_HELLO && (type & 0x7f) < PEER_TYPES);
	}
	m = some_message();
	m.status = PEER_STATUSES;
	peer_write(frame, &addr, &m);
	assert_false(peer_read(frame, sizeof(frame), &from, &got));
	m = some_message();
	for (unsigned i = 0; i < 3; i++) {
		to = addr;
		to.src_ip = bad[i];
		peer_write(frame, &to, &m);
		assert_false(peer_read(frame, sizeof(frame), &from, &got));
		to = addr;
		to.dst_ip = bad[i];
		peer_write(frame, &to, &m);
		assert_false(peer_read(frame, sizeof(frame), &from, &got));
	}
	to = addr;
	to.src_mac.byte[0] |= 1;
	peer_write(frame, &to, &m);
	assert_false(peer_read(frame, sizeof(frame), &from, &got));
}

static void
test_back(void **state)
{
	const struct mac own = {{2, 9, 9, 9, 9, 9}};
	struct peer_addr back = peer_addr_back(&addr, own);

	(void)state;
	assert_memory_equal(&back.src_mac, &own, sizeof(own));
	assert_memory_equal(&back.dst_mac, &addr.src_mac, sizeof(own));
	assert_int_equal(back.src_ip, addr.dst_ip);
	assert_int_equal(back.dst_ip, addr.src_ip);
	assert_int_equal(back.src_port, addr.dst_port);
	assert_int_equal(back.dst_port, addr.src_port);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_what_is_none),
		cmocka_unit_test(test_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
