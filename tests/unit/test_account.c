/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "account.h"

enum {
	LEN = 64,
	FLOWS = 16 * ACCOUNT_PIECE,
};

struct fixture {
	struct account *a;
	uint8_t frame[LEN];
};

static struct account *
new_account(uint32_t flows)
{
	void *memory = aligned_alloc(64, account_size(flows));

	assert_non_null(memory);
	memset(memory, 0, account_size(flows));
	return account_init(memory, flows);
}

/* A whole frame, with the checksum worked out over all its bytes. */
static void
make_frame(uint8_t *p, uint32_t src_ip, uint8_t run, uint32_t flow, uint32_t sequence)
{
	const struct frame_spec spec = {
		.src_ip = src_ip, .dst_ip = 0x0a000002, .len = LEN, .cksum = FRAME_CKSUM_NONE};
	const struct tag tag = {.run = run, .flow = flow, .sequence = sequence, .time_ns = 77};
	uint64_t word = frame_udp_word(&spec, 32768, 32769), sum;
	uint16_t cksum;

	frame_build(p, &spec);
	memcpy(p + FRAME_UDP_OFFSET, &word, sizeof(word));
	tag_write(p + TAG_OFFSET, &tag);
	sum = frame_sum(p + FRAME_ETH_LEN + 12, 8, 17 + LEN - FRAME_UDP_OFFSET);
	cksum = (uint16_t)~frame_fold(frame_sum(p + FRAME_UDP_OFFSET, LEN - FRAME_UDP_OFFSET, sum));
	cksum = cksum == 0 ? 0xffff : cksum;
	p[FRAME_UDP_OFFSET + 6] = (uint8_t)(cksum >> 8);
	p[FRAME_UDP_OFFSET + 7] = (uint8_t)cksum;
}

/* As a receiving lcore does: the short way first. */
static bool
take(struct account *a, const uint8_t *p, uint32_t len)
{
	const struct account_frame f = {.p = p, .in_one = len, .len = len};
	struct account_sender *s;
	struct account_flow *flow;

	if (len < TAG_MIN_FRAME)
		return account_with_care(a, &f);
	s = account_sender_of(a, account_key(p));
	flow = account_flow_of(s, account_number(p) >> 32);
	if (flow == NULL || !account_is_next(flow, (uint32_t)account_number(p)))
		return account_with_care(a, &f);
	atomic_fetch_add(&s->count.received, 1);
	atomic_fetch_add(&s->count.bytes, len);
	return true;
}

static bool
send(struct fixture *f, uint32_t flow, uint32_t sequence)
{
	make_frame(f->frame, 0x0a000001, 9, flow, sequence);
	return take(f->a, f->frame, LEN);
}

static struct account_total
only_sender(struct fixture *f)
{
	struct account_total t[2];

	assert_int_equal(account_sum(&f->a, 1, t, 2), 1);
	return t[0];
}

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	f->a = new_account(FLOWS);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	free(f->a);
	free(f);
	return 0;
}

static void
test_in_order(void **state)
{
	struct fixture *f = *state;
	struct account_total t;

	for (uint32_t i = 0; i < 1000; i++)
		assert_true(send(f, i % 10, i / 10));
	t = only_sender(f);
	assert_int_equal(t.src_ip, 0x0a000001);
	assert_int_equal(t.run, 9);
	assert_int_equal(t.received, 1000);
	assert_int_equal(t.bytes, 64000);
	assert_int_equal(t.flows, 10);
	assert_int_equal(t.missing + t.duplicated + t.reordered + t.moved + t.untold, 0);
}

static void
test_gap_overtaking_and_twice(void **state)
{
	struct fixture *f = *state;
	const uint32_t sequence[] = {0, 1, 4, 5, 3, 3, 5, 9, 2};
	struct account_total t;

	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(send(f, 3, sequence[i]), i != 5 && i != 6);
	t = only_sender(f);
	assert_int_equal(t.received, 7);   /* 0 1 2 3 4 5 9 */
	assert_int_equal(t.missing, 3);    /* 6 7 8 */
	assert_int_equal(t.duplicated, 2); /* 3 and 5 */
	assert_int_equal(t.reordered, 2);  /* 3 and 2 */
	assert_int_equal(t.extent, 8);     /* 2 came 8 places late: 9 had come */
	assert_int_equal(t.unsure, 0);
}

/* From before the window: twice for sure when nothing from there is missing, else not to be told.
 */
static void
test_older_than_the_window(void **state)
{
	struct fixture *f = *state;
	struct account_total t;

	for (uint32_t i = 0; i < 200; i++)
		send(f, 0, i);
	assert_false(send(f, 0, 5));
	t = only_sender(f);
	assert_int_equal(t.duplicated, 1);
	assert_int_equal(t.unsure, 0);

	for (uint32_t i = 201; i < 400; i++)
		send(f, 0, i);
	assert_true(send(f, 0, 200));
	t = only_sender(f);
	assert_int_equal(t.unsure, 1);
	assert_int_equal(t.reordered, 1);
	assert_int_equal(t.missing, 0);
	assert_int_equal(t.received, 400);
	assert_false(send(f, 0, 200));
	assert_int_equal(only_sender(f).duplicated, 2);
}

/* Over the edge of 32 bits, with a loss on each side of it. */
static void
test_a_sequence_wraps(void **state)
{
	struct fixture *f = *state;
	const uint32_t sequence[] = {UINT32_MAX - 3, UINT32_MAX - 1, UINT32_MAX, 0, 2, 1};
	struct account_total t;

	for (unsigned i = 0; i < 6; i++)
		assert_true(send(f, 0, sequence[i]));
	t = only_sender(f);
	assert_int_equal(t.received, 6);
	assert_int_equal(t.missing, 1);
	assert_int_equal(t.reordered, 1);
}

/* The same run on another address, and another run of the same: senders of their own. */
static void
test_senders_are_told_apart(void **state)
{
	struct fixture *f = *state;
	struct account_total t[4];

	for (uint32_t i = 0; i < 30; i++) {
		make_frame(f->frame, 0x0a000001 + i % 3, (uint8_t)(5 - i % 3), 0, i / 3);
		assert_true(take(f->a, f->frame, LEN));
	}
	make_frame(f->frame, 0x0a000001, 6, 0, 0);
	take(f->a, f->frame, LEN);
	assert_int_equal(account_sum(&f->a, 1, t, 4), 4);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(t[i].src_ip, 0x0a000001 + i);
		assert_int_equal(t[i].received, 10);
		assert_int_equal(t[i].missing, 0);
	}
	assert_int_equal(t[3].run, 6);
	assert_int_equal(account_sum(&f->a, 1, t, 2), 2);
}

/* K7, I5: more senders than there is room for are counted apart, and so are flows beyond the table.
 */
static void
test_bounds(void **state)
{
	struct fixture *f = *state;
	struct account_total t[ACCOUNT_SENDERS + 1];

	for (uint32_t i = 0; i < ACCOUNT_SENDERS + 5; i++) {
		make_frame(f->frame, 0x0a000100 + i, 1, 0, 0);
		assert_int_equal(take(f->a, f->frame, LEN), i < ACCOUNT_SENDERS);
	}
	assert_int_equal(atomic_load(&f->a->crowded), 5);
	assert_int_equal(account_sum(&f->a, 1, t, ACCOUNT_SENDERS + 1), ACCOUNT_SENDERS);
	/* Sixteen senders have the sixteen pieces; those after them have none. */
	assert_int_equal(t[0].untold, 0);
	assert_int_equal(t[15].untold, 0);
	assert_int_equal(t[16].untold, 1);
	make_frame(f->frame, 0x0a000100, 1, ACCOUNT_PIECE, 0);
	assert_true(take(f->a, f->frame, LEN));
	make_frame(f->frame, 0x0a000100, 1, UINT32_MAX, 0);
	assert_true(take(f->a, f->frame, LEN));
	account_sum(&f->a, 1, t, 1);
	assert_int_equal(t[0].untold, 2);
	assert_int_equal(t[0].received, 3);
}

/* A sender alone may have the whole table, in whatever order its flows come. */
static void
test_all_flows_of_one(void **state)
{
	struct fixture *f = *state;
	struct account_total t;

	for (uint32_t i = 0; i < 4 * FLOWS; i++)
		assert_true(send(f, i * 12345 % FLOWS, i / FLOWS));
	t = only_sender(f);
	assert_int_equal(t.flows, FLOWS);
	assert_int_equal(t.received, 4 * FLOWS);
	assert_int_equal(t.missing + t.duplicated + t.reordered + t.untold, 0);
	assert_true(send(f, FLOWS, 0));
	assert_int_equal(only_sender(f).untold, 1);
}

/* Nothing that is not a whole tagged datagram of a good checksum is believed. */
static void
test_what_is_not_believed(void **state)
{
	struct fixture *f = *state;
	uint8_t *p = f->frame;

	send(f, 0, 0);
	make_frame(p, 0x0a000001, 9, 0, 1000);
	p[TAG_OFFSET + 9] ^= 0x20; /* the sequence */
	assert_false(take(f->a, p, LEN));
	assert_int_equal(atomic_load(&f->a->corrupt), 1);
	make_frame(p, 0x0a000001, 9, 0, 1);
	assert_false(take(f->a, p, TAG_MIN_FRAME - 1)); /* cut */
	memset(p, 0, LEN);
	assert_false(take(f->a, p, LEN));
	for (unsigned i = 0; i < 6; i++) {
		const unsigned at[] = {12, FRAME_ETH_LEN, FRAME_ETH_LEN + 6, FRAME_ETH_LEN + 9,
			FRAME_UDP_OFFSET + 4, TAG_OFFSET};

		make_frame(p, 0x0a000001, 9, 0, 7);
		p[at[i]] ^= 0x21;
		assert_false(take(f->a, p, LEN));
	}
	assert_int_equal(atomic_load(&f->a->untagged), 8);
	assert_int_equal(only_sender(f).received, 1);
	/* A checksum that was not computed is none to be wrong. */
	make_frame(p, 0x0a000001, 9, 0, 2);
	p[FRAME_UDP_OFFSET + 6] = p[FRAME_UDP_OFFSET + 7] = 0;
	assert_true(take(f->a, p, LEN));
	assert_int_equal(only_sender(f).missing, 1);
}

/* All flows are at the same sequence, as senders have them: a flow with a damaged bit is no other's
 * next. */
static void
test_a_damaged_flow_is_nobodys_next(void **state)
{
	struct fixture *f = *state;
	struct account_total t;

	for (uint32_t i = 0; i < 1024; i++)
		assert_true(send(f, i, 0));
	for (unsigned bit = 0; bit < 64; bit++) {
		make_frame(f->frame, 0x0a000001, 9, 5, 1);
		f->frame[TAG_FLOW_OFFSET + bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(take(f->a, f->frame, LEN));
	}
	assert_int_equal(atomic_load(&f->a->corrupt), 64);
	t = only_sender(f);
	assert_int_equal(t.received, 1024);
	assert_int_equal(t.missing + t.duplicated + t.reordered + t.untold, 0);
}

/* A flow that goes over to another queue in the middle: no loss, and it is counted as moved. */
static void
test_a_flow_moves(void **state)
{
	struct fixture *f = *state, other = {.a = new_account(FLOWS)};
	struct account *both[] = {f->a, other.a};
	struct account_total t;

	for (uint32_t i = 0; i < 100; i++) {
		send(i < 40 ? f : &other, 0, i);
		send(f, 1, i);
		send(&other, 2, i);
	}
	assert_int_equal(account_sum(both, 2, &t, 1), 1);
	assert_int_equal(t.received, 300);
	assert_int_equal(t.missing, 0);
	assert_int_equal(t.flows, 3);
	assert_int_equal(t.moved, 1);
	free(other.a);
}

enum {
	WIRE_FLOWS = 7,
	WIRE_FRAMES = 200000,
};

/*
 * A wire that drops, doubles and delays by its own log, against which the account is held. Delays
 * stay within the window, doubles come at once or within it.
 */
static void
test_against_a_wires_log(void **state)
{
	struct fixture *f = *state;
	static uint8_t came[WIRE_FRAMES];
	struct {
		uint32_t at, number;
	} late[4] = {0};
	uint64_t received = 0, duplicated = 0, reordered = 0;
	int64_t highest[WIRE_FLOWS];
	struct account_total t;

	srand(4711);
	memset(highest, 0xff, sizeof(highest));
	memset(came, 0, sizeof(came));
	for (uint32_t step = 0; step < WIRE_FRAMES + 40; step++) {
		uint32_t out[8], n = 0;
		int chance = rand() % 100;

		for (unsigned k = 0; k < 4; k++) {
			if (late[k].at == step && step != 0)
				out[n++] = late[k].number;
		}
		if (step < WIRE_FRAMES) {
			unsigned slot = step % 4;

			if (chance < 5)
				; /* lost */
			else if (chance < 10 && late[slot].at <= step)
				late[slot].at = step + 1 + (uint32_t)rand() % 39,
				late[slot].number = step;
			else
				out[n++] = step;
			if (chance >= 95)
				out[n++] = step;
		}
		for (uint32_t i = 0; i < n; i++) {
			uint32_t flow = out[i] % WIRE_FLOWS, sequence = out[i] / WIRE_FLOWS;

			send(f, flow, sequence);
			if (came[out[i]]++ != 0) {
				duplicated++;
				continue;
			}
			received++;
			reordered += (int64_t)sequence < highest[flow];
			if ((int64_t)sequence > highest[flow])
				highest[flow] = sequence;
		}
	}
	t = only_sender(f);
	assert_int_equal(t.received, received);
	assert_int_equal(t.duplicated, duplicated);
	assert_int_equal(t.reordered, reordered);
	assert_int_equal(t.unsure, 0);
	assert_true(duplicated > 5000 && reordered > 1000 && received < WIRE_FRAMES - 5000);
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_in_order),
		TEST(test_gap_overtaking_and_twice),
		TEST(test_older_than_the_window),
		TEST(test_a_sequence_wraps),
		TEST(test_senders_are_told_apart),
		TEST(test_bounds),
		TEST(test_all_flows_of_one),
		TEST(test_what_is_not_believed),
		TEST(test_a_damaged_flow_is_nobodys_next),
		TEST(test_a_flow_moves),
		TEST(test_against_a_wires_log),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
