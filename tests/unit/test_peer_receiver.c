/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "peer_world.h"

static struct peer_msg
question(enum peer_type type, uint64_t cookie)
{
	static uint32_t number;

	return (struct peer_msg){.type = type,
		.run = WORLD_RUN,
		.instance = 4711,
		.number = ++number,
		.cookie = cookie};
}

static enum peer_status
ask(struct world *w, const struct peer_addr *from, const struct peer_msg *q, struct peer_msg *a)
{
	assert_true(peer_receiver_answer(&w->receiver, from, q, w->now, a));
	assert_true(a->answer);
	assert_int_equal(a->type, q->type);
	assert_int_equal(a->number, q->number);
	assert_int_equal(a->word[PEER_R_INSTANCE], 99);
	return a->status;
}

static uint64_t
cookie_for(struct world *w, const struct peer_addr *from, const struct peer_msg *like)
{
	struct peer_msg q = *like, a;

	q.type = PEER_HELLO;
	assert_int_equal(ask(w, from, &q, &a), PEER_OK);
	return a.cookie;
}

/* Nothing is kept for who did not bring back what was sent to his address. */
static void
test_strangers(void **state)
{
	struct world *w = world_new(1);
	struct peer_addr other = w->addr;
	struct peer_msg q = question(PEER_HELLO, 0), a;
	uint64_t cookie = cookie_for(w, &w->addr, &q);

	(void)state;
	assert_int_equal(w->receiver.nb_sessions, 0);
	for (enum peer_type t = PEER_START; t < PEER_TYPES; t++) {
		q = question(t, cookie + 1);
		assert_int_equal(ask(w, &w->addr, &q, &a), PEER_UNKNOWN);
		q = question(t, 0);
		assert_int_equal(ask(w, &w->addr, &q, &a), PEER_UNKNOWN);
	}
	/* Somebody else's is of no use to anybody else: another address, MAC, run, process. */
	q = question(PEER_START, cookie);
	other.src_ip++;
	assert_int_equal(ask(w, &other, &q, &a), PEER_UNKNOWN);
	other = w->addr;
	other.src_mac.byte[5]++;
	assert_int_equal(ask(w, &other, &q, &a), PEER_UNKNOWN);
	q.run++;
	assert_int_equal(ask(w, &w->addr, &q, &a), PEER_UNKNOWN);
	q = question(PEER_START, cookie);
	q.instance++;
	assert_int_equal(ask(w, &w->addr, &q, &a), PEER_UNKNOWN);
	/* With it, but with nothing started. */
	q = question(PEER_REPORT, cookie);
	assert_int_equal(ask(w, &w->addr, &q, &a), PEER_UNKNOWN);
	assert_int_equal(w->receiver.nb_sessions, 0);
	/* Answers are not answered, nor is this process itself. */
	q = question(PEER_START, cookie);
	q.answer = true;
	assert_false(peer_receiver_answer(&w->receiver, &w->addr, &q, w->now, &a));
	q.answer = false;
	q.instance = 99;
	assert_false(peer_receiver_answer(&w->receiver, &w->addr, &q, w->now, &a));
	free(w);
}

static enum peer_status
start(struct world *w, uint32_t src_ip, uint64_t sent)
{
	struct peer_addr from = w->addr;
	struct peer_msg q = question(PEER_START, 0), a;

	from.src_ip = src_ip;
	q.cookie = cookie_for(w, &from, &q);
	q.word[PEER_W_SENT] = sent;
	q.word[PEER_W_REMAINING] = PEER_NOT_KNOWN;
	return ask(w, &from, &q, &a);
}

/* I5, K7: so many senders and no more; who is gone without a frame makes room. */
static void
test_bounds(void **state)
{
	struct world *w = world_new(1);

	(void)state;
	for (uint32_t i = 0; i < PEER_SESSIONS; i++)
		assert_int_equal(start(w, 0x0a000100 + i, 0), PEER_OK);
	assert_int_equal(start(w, 0x0a000200, 0), PEER_FULL);
	assert_int_equal(start(w, 0x0a000103, 0), PEER_OK); /* again: it is known */
	assert_int_equal(w->receiver.nb_sessions, PEER_SESSIONS);
	w->now += 6000 * WORLD_MS;
	assert_int_equal(start(w, 0x0a000200, 0), PEER_OK);
	assert_int_equal(w->receiver.nb_sessions, PEER_SESSIONS);
	free(w);
}

/* Frames of an earlier run with the same number must not be taken for this one's. */
static void
test_clash(void **state)
{
	struct world *w = world_new(1);
	struct peer_msg q, a;

	(void)state;
	w->came.received = 10;
	assert_int_equal(start(w, w->addr.src_ip, 0), PEER_CLASH);
	/* But one that has begun already may be the very one. */
	assert_int_equal(start(w, w->addr.src_ip, 5), PEER_OK);
	assert_true(w->receiver.session[0].late);
	/* Another process with that address and run, while the first is there. */
	q = question(PEER_START, 0);
	q.instance = 1234;
	q.word[PEER_W_SENT] = 9;
	q.cookie = cookie_for(w, &w->addr, &q);
	assert_int_equal(ask(w, &w->addr, &q, &a), PEER_CLASH);
	free(w);
}

static void
count(struct world *w, uint32_t port, enum peer_phase phase, uint64_t sent, enum peer_status want)
{
	struct peer_msg q = question(PEER_START, 0), a;

	q.port = port;
	q.cookie = cookie_for(w, &w->addr, &q);
	assert_int_equal(ask(w, &w->addr, &q, &a), PEER_OK);
	q.type = PEER_COUNT;
	q.number += 1000;
	q.word[PEER_W_PHASE] = phase;
	q.word[PEER_W_SENT] = sent;
	q.word[PEER_W_REMAINING] = 1000 * WORLD_MS;
	assert_int_equal(ask(w, &w->addr, &q, &a), want);
}

/* Two ports of one process: the end is when both have ended and all of both came. */
static void
test_two_ports_of_one_sender(void **state)
{
	struct world *w = world_new(1);
	uint64_t sent;

	(void)state;
	count(w, 0, PEER_MEASURE, 10, PEER_OK);
	count(w, 1, PEER_MEASURE, 10, PEER_OK);
	assert_int_equal(w->receiver.nb_sessions, 2);
	w->came.received = 60;
	count(w, 0, PEER_ENDED, 50, PEER_COUNTING);
	assert_false(peer_receiver_sent(&w->receiver, w->addr.src_ip, WORLD_RUN, &sent));
	count(w, 1, PEER_ENDED, 30, PEER_COUNTING);
	assert_true(peer_receiver_sent(&w->receiver, w->addr.src_ip, WORLD_RUN, &sent));
	assert_int_equal(sent, 80);
	w->came.received = 80;
	count(w, 0, PEER_ENDED, 50, PEER_FINAL);
	count(w, 1, PEER_ENDED, 30, PEER_FINAL);
	free(w);
}

/* The end may overtake data on another queue; an older question may come after a newer one. */
static void
test_out_of_order(void **state)
{
	struct world *w = world_new(1);
	struct peer_msg q = question(PEER_START, 0), a;

	(void)state;
	q.cookie = cookie_for(w, &w->addr, &q);
	ask(w, &w->addr, &q, &a);
	q.type = PEER_COUNT;
	q.number += 10;
	q.word[PEER_W_PHASE] = PEER_ENDED;
	q.word[PEER_W_SENT] = 100;
	w->came.received = 40;
	assert_int_equal(ask(w, &w->addr, &q, &a), PEER_COUNTING);
	q.number -= 5;
	q.word[PEER_W_PHASE] = PEER_MEASURE;
	q.word[PEER_W_SENT] = 60;
	assert_int_equal(ask(w, &w->addr, &q, &a), PEER_OK);
	assert_int_equal(w->receiver.session[0].sent.phase, PEER_ENDED);
	assert_int_equal(w->receiver.session[0].sent.packets, 100);
	/* As long as frames come it is not final; half a second after the last it is. */
	q.number += 50;
	q.word[PEER_W_PHASE] = PEER_ENDED;
	q.word[PEER_W_SENT] = 100;
	for (unsigned i = 0; i < 10; i++) {
		w->now += 400 * WORLD_MS;
		w->came.received++;
		assert_int_equal(ask(w, &w->addr, &q, &a), PEER_COUNTING);
	}
	w->now += 499 * WORLD_MS;
	assert_int_equal(ask(w, &w->addr, &q, &a), PEER_COUNTING);
	w->now += 1 * WORLD_MS;
	assert_int_equal(ask(w, &w->addr, &q, &a), PEER_FINAL);
	assert_int_equal(a.word[PEER_R_RECEIVED], 50);
	assert_int_equal(w->receiver.session[0].received_final, 50);
	/* What comes now is late, and counted apart by who compares. */
	w->came.received++;
	peer_receiver_look(&w->receiver, w->now);
	assert_int_equal(w->receiver.session[0].received_final, 50);
	free(w);
}

static void
test_who_is_waited_for(void **state)
{
	struct world *w = world_new(1);
	struct peer_receiver *r = &w->receiver;

	(void)state;
	assert_false(peer_receiver_is_wanted(r, w->now, false));
	start(w, w->addr.src_ip, 0); /* no end is planned */
	assert_false(peer_receiver_is_wanted(r, w->now, false));
	count(w, 0, PEER_MEASURE, 10, PEER_OK); /* it ends in a second */
	assert_true(peer_receiver_is_wanted(r, w->now, false));
	assert_false(peer_receiver_is_wanted(r, w->now, true));
	count(w, 0, PEER_ENDED, 10, PEER_COUNTING);
	assert_true(peer_receiver_is_wanted(r, w->now, true));
	assert_false(peer_receiver_is_wanted(r, w->now + 3000 * WORLD_MS, true)); /* it is gone */
	free(w);
}

/* Random bytes that are well formed all the same: no state but what is bounded, no crash. */
static void
test_random_questions(void **state)
{
	struct world *w = world_new(3);
	struct peer_msg q, a;
	uint64_t cookie = 0;

	(void)state;
	for (unsigned i = 0; i < 200000; i++) {
		struct peer_addr from = w->addr;

		q = question((enum peer_type)(1 + world_random(w, PEER_TYPES - 1)), cookie);
		q.run = (uint8_t)(WORLD_RUN + world_random(w, 2));
		q.port = world_random(w, 3);
		q.page = (uint16_t)world_random(w, 65536);
		q.number = world_random(w, 1000);
		from.src_ip += world_random(w, 2);
		for (unsigned k = 0; k < PEER_WORDS; k++)
			q.word[k] = world_random(w, 3) == 0 ? PEER_NOT_KNOWN : world_random(w, 4);
		if (world_random(w, 2) == 0)
			q.cookie = cookie_for(w, &from, &q);
		w->now += world_random(w, 100) * WORLD_MS;
		w->came.received += world_random(w, 2);
		if (peer_receiver_answer(&w->receiver, &from, &q, w->now, &a))
			cookie = a.cookie;
		peer_receiver_look(&w->receiver, w->now);
		assert_true(w->receiver.nb_sessions <= 12);
	}
	free(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_clash),
		cmocka_unit_test(test_two_ports_of_one_sender),
		cmocka_unit_test(test_out_of_order),
		cmocka_unit_test(test_who_is_waited_for),
		cmocka_unit_test(test_random_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
