/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frame.h"
#include "neighbour.h"

static const struct neighbour_self self = {{{0x02, 0, 0, 0, 0, 0xaa}}, 0xc6120002};
static const struct neighbour_self peer = {{{0x02, 0, 0, 0, 0, 0xbb}}, 0xc6120001};

/* The bytes of RFC 826, of a host at 198.18.0.1 that asks for 198.18.0.2. */
static const uint8_t request[42] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02, 0, 0, 0, 0, 0xbb,
	0x08, 0x06, 0, 1, 0x08, 0x00, 6, 4, 0, 1, 0x02, 0, 0, 0, 0, 0xbb, 198, 18, 0, 1, 0, 0, 0, 0,
	0, 0, 198, 18, 0, 2};

/* An echo request with 4 bytes of data and two of padding; checksums by hand (RFC 1071). */
static const uint8_t echo[48] = {0x02, 0, 0, 0, 0, 0xaa, 0x02, 0, 0, 0, 0, 0xbb, 0x08, 0x00, 0x45,
	0, 0, 32, 0x12, 0x34, 0x40, 0, 1, 1, 0xdb, 0x81, 198, 18, 0, 1, 198, 18, 0, 2, 8, 0, 0x33,
	0x31, 0, 7, 0, 1, 'a', 'b', 'c', 'd'};

static void
test_request_is_as_the_rfc_has_it(void **state)
{
	uint8_t frame[NEIGHBOUR_REQUEST_LEN], zeros[NEIGHBOUR_REQUEST_LEN] = {0};

	(void)state;
	memset(frame, 0x55, sizeof(frame));
	neighbour_request(frame, &peer, self.ip);
	assert_memory_equal(frame, request, sizeof(request));
	assert_memory_equal(frame + sizeof(request), zeros, sizeof(frame) - sizeof(request));
}

static void
test_arp_question_and_answer(void **state)
{
	uint8_t frame[NEIGHBOUR_REQUEST_LEN];
	struct mac mac = {};

	(void)state;
	neighbour_request(frame, &peer, self.ip);
	assert_false(neighbour_learn(frame, sizeof(frame), &peer, self.ip, &mac));
	assert_int_equal(neighbour_answer(frame, sizeof(frame), &self), NEIGHBOUR_ARP_REPLY);
	assert_memory_equal(frame, peer.mac.byte, 6);
	assert_memory_equal(frame + 6, self.mac.byte, 6);
	assert_true(neighbour_learn(frame, sizeof(frame), &peer, self.ip, &mac));
	assert_true(addr_mac_equal(&mac, &self.mac));
	/* Said of another address, or to another host, it teaches nothing. */
	assert_false(neighbour_learn(frame, sizeof(frame), &peer, self.ip + 1, &mac));
	assert_false(neighbour_learn(frame, sizeof(frame), &self, self.ip, &mac));
	/* A reply is not answered. */
	assert_int_equal(neighbour_answer(frame, sizeof(frame), &peer), NEIGHBOUR_NOT_FOR_US);
}

static void
test_address_probe_is_answered(void **state)
{
	uint8_t frame[sizeof(request)];

	(void)state;
	memcpy(frame, request, sizeof(request));
	memset(frame + 28, 0, 4); /* RFC 5227: a host that wants the address asks as 0.0.0.0 */
	assert_int_equal(neighbour_answer(frame, sizeof(frame), &self), NEIGHBOUR_ARP_REPLY);
}

static void
test_echo_is_answered(void **state)
{
	uint8_t frame[sizeof(echo)];

	(void)state;
	memcpy(frame, echo, sizeof(echo));
	assert_int_equal(neighbour_answer(frame, sizeof(frame), &self), NEIGHBOUR_ECHO_REPLY);
	assert_memory_equal(frame, peer.mac.byte, 6);
	assert_memory_equal(frame + 6, self.mac.byte, 6);
	assert_memory_equal(frame + 26, echo + 30, 4);
	assert_memory_equal(frame + 30, echo + 26, 4);
	assert_int_equal(frame[34], 0);
	assert_memory_equal(frame + 38, echo + 38, sizeof(echo) - 38);
	assert_int_equal(frame_fold(frame_sum(frame + 14, 20, 0)), 0xffff);
	assert_int_equal(frame_fold(frame_sum(frame + 34, 12, 0)), 0xffff);
	assert_int_equal(neighbour_answer(frame, sizeof(frame), &peer), NEIGHBOUR_NOT_FOR_US);
}

static void
refused(const uint8_t *good, size_t len, size_t at, uint8_t value)
{
	uint8_t frame[64], before[64];

	memcpy(frame, good, len);
	frame[at] = value;
	memcpy(before, frame, len);
	assert_int_equal(neighbour_answer(frame, len, &self), NEIGHBOUR_NOT_FOR_US);
	assert_memory_equal(frame, before, len);
}

static void
test_what_is_not_answered(void **state)
{
	(void)state;
	refused(request, sizeof(request), 12, 0x86);    /* another protocol */
	refused(request, sizeof(request), 15, 6);       /* another hardware */
	refused(request, sizeof(request), 18, 8);       /* addresses of another length */
	refused(request, sizeof(request), 21, 3);       /* RARP */
	refused(request, sizeof(request), 22, 0x03);    /* from a group */
	refused(request, sizeof(request), 41, 3);       /* for somebody else */
	refused(request, sizeof(request), 31, 2);       /* from our own address */
	refused(request, sizeof(request) - 1, 0, 0xff); /* cut off */
	refused(echo, sizeof(echo), 0, 0xff);           /* to a group */
	refused(echo, sizeof(echo), 6, 0x03);           /* from a group */
	refused(echo, sizeof(echo), 14, 0x65);          /* IPv6 */
	refused(echo, sizeof(echo), 14, 0x44);          /* a header of 16 bytes */
	refused(echo, sizeof(echo), 14, 0x4f);          /* one longer than the packet */
	refused(echo, sizeof(echo), 17, 27);            /* too short for an echo */
	refused(echo, sizeof(echo), 16, 0xff);          /* longer than the frame */
	refused(echo, sizeof(echo), 20, 0x20);          /* a fragment */
	refused(echo, sizeof(echo), 23, 17);            /* UDP */
	refused(echo, sizeof(echo), 24, 0xdc);          /* the header's checksum */
	refused(echo, sizeof(echo), 33, 3);             /* for somebody else */
	refused(echo, sizeof(echo), 34, 0);             /* a reply */
	refused(echo, sizeof(echo), 36, 0x2e);          /* the message's checksum */
	refused(echo, 41, 0, 0x02);                     /* cut off */
}

/* Whatever is in a frame, only its own bytes are read and written. */
static void
test_random_frames(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < 200000; i++) {
		size_t len = (size_t)rand() % sizeof(echo);
		uint8_t *frame = malloc(len > 0 ? len : 1);
		const uint8_t *good = i % 2 ? echo : request;
		struct mac mac;

		assert_non_null(frame);
		for (size_t k = 0; k < len; k++)
			frame[k] = rand() % 16 == 0 || k >= sizeof(request) ? (uint8_t)rand()
									    : good[k];
		(void)neighbour_learn(frame, len, &self, peer.ip, &mac);
		(void)neighbour_answer(frame, len, &self);
		free(frame);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_request_is_as_the_rfc_has_it),
		cmocka_unit_test(test_arp_question_and_answer),
		cmocka_unit_test(test_address_probe_is_answered),
		cmocka_unit_test(test_echo_is_answered),
		cmocka_unit_test(test_what_is_not_answered),
		cmocka_unit_test(test_random_frames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
