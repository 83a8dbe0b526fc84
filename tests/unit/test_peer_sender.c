/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "peer_world.h"

/* A run of two seconds: each round sends so many frames, of which some are lost. */
static void
run(struct world *w, unsigned lost)
{
	world_rounds(w, 30);
	for (unsigned i = 0; i < 200; i++) {
		w->sent.phase = i < 50 ? PEER_WARMUP : PEER_MEASURE;
		w->sent.offered += 1100;
		w->sent.packets += 1000;
		w->sent.bytes += 64000;
		w->came.received += 1000;
		w->came.bytes += 64000;
		world_round(w);
	}
	w->came.received -= lost;
	w->sent.phase = PEER_ENDED;
	w->sent.window_ns = 1500 * WORLD_MS;
	w->sent.window_packets = 150000;
	w->sent.window_bytes = 150000 * 64;
}

static void
end(struct world *w)
{
	for (unsigned i = 0; i < 2000 && !peer_sender_is_over(&w->sender); i++)
		world_round(w);
	assert_true(peer_sender_is_over(&w->sender));
}

static void
assert_complete(const struct world *w, uint64_t received)
{
	const struct peer_sender *s = &w->sender;

	assert_int_equal(s->state, PEER_DONE);
	assert_true(s->has_report);
	assert_int_equal(s->report[PEER_R_RECEIVED], received);
	assert_int_equal(s->report[PEER_R_MISSED], 5);
	assert_int_equal(s->report[PEER_R_CORRUPT], 6);
	assert_true(s->report[PEER_R_NOMBUF] == PEER_NOT_KNOWN);
	assert_int_equal(s->report[PEER_R_LATE], 0);
	assert_int_equal(s->nb_queues, WORLD_QUEUES);
	for (unsigned i = 0; i < WORLD_QUEUES; i++)
		assert_int_equal(s->queue[i], 1000 + i);
	assert_int_equal(s->peer, 99);
	assert_false(s->restarted);
}

static void
test_on_a_good_network(void **state)
{
	struct world *w = world_new(1);
	const struct peer_session *seen = &w->receiver.session[0];

	(void)state;
	world_rounds(w, 6);
	assert_true(peer_sender_is_settled(&w->sender));
	run(w, 0);
	end(w);
	assert_complete(w, 200000);
	/* The receiver knows as much of the sender. */
	assert_int_equal(w->receiver.nb_sessions, 1);
	assert_true(seen->final && seen->left && !seen->late);
	assert_int_equal(seen->sent.offered, 220000);
	assert_int_equal(seen->sent.packets, 200000);
	assert_int_equal(seen->sent.window_packets, 150000);
	/* The rate by the receiver's clock, of the measured time alone: 1000 frames in 10 ms. */
	assert_int_equal(w->sender.report[PEER_R_WINDOW_PACKETS] * 10 * WORLD_MS,
		w->sender.report[PEER_R_WINDOW_NS] * 1000);
	assert_in_range(w->sender.report[PEER_R_WINDOW_NS], 1400 * WORLD_MS, 1500 * WORLD_MS);
	/* A few questions, and no more: once a second, and those of the beginning and the end. */
	assert_in_range(w->questions, 8, 12);
	assert_int_equal(w->answers, w->questions);
	free(w);
}

/* Frames that are lost are waited for: half a second, and then it is final. */
static void
test_lost_frames(void **state)
{
	struct world *w = world_new(1);
	uint64_t before;

	(void)state;
	run(w, 17);
	before = w->now;
	end(w);
	assert_complete(w, 200000 - 17);
	assert_in_range(w->now - before, 500 * WORLD_MS, 700 * WORLD_MS);
	free(w);
}

/* K-series: whatever the network does to the conversation, what is said at the end is right. */
static void
test_on_bad_networks(void **state)
{
	unsigned complete = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct world *w = world_new(seed);

		w->loss_pct = 5 + seed % 6 * 5;
		w->double_pct = 20;
		w->delay_ms = 60;
		w->came.duplicated = 3;
		run(w, seed);
		end(w);
		/* Nothing is ever said wrongly: all of it is known, or that it isn't. */
		if (w->sender.state == PEER_DONE && w->sender.report[PEER_R_LATE] == 0) {
			assert_complete(w, 200000 - seed);
			complete++;
		} else if (w->sender.state != PEER_DONE) {
			assert_int_equal(w->sender.state, PEER_NOBODY);
			assert_int_not_equal(w->sender.why, PEER_WHY_NONE);
		}
		assert_true(w->receiver.nb_sessions <= 1);
		free(w);
	}
	assert_true(complete >= 290);
}

static void
test_nobody_is_there(void **state)
{
	struct world *w = world_new(1);

	(void)state;
	w->deaf = true;
	run(w, 0);
	assert_false(peer_sender_is_settled(&w->sender));
	/* Ten quick questions, then one a second. */
	assert_in_range(w->questions, 11, 13);
	world_round(w);
	assert_int_equal(w->sender.state, PEER_NOBODY);
	assert_int_equal(w->sender.why, PEER_WHY_SILENT);
	free(w);
}

/* It came when sending had begun: it counts, and says that it is not all. */
static void
test_a_receiver_that_comes_late(void **state)
{
	struct world *w = world_new(1);

	(void)state;
	w->deaf = true;
	world_rounds(w, 30);
	w->sent.packets = 1000;
	world_rounds(w, 30);
	w->deaf = false;
	run(w, 0);
	end(w);
	assert_int_equal(w->sender.state, PEER_DONE);
	assert_int_equal(w->sender.report[PEER_R_LATE], 1);
	free(w);
}

/* Killed at each stage: the sender notices in bounded time, and never waits for ever. */
static void
test_a_receiver_that_dies(void **state)
{
	(void)state;
	for (unsigned stage = 0; stage < 60; stage++) {
		struct world *w = world_new(stage);
		uint64_t before;

		if (stage < 10)
			world_rounds(w, stage);
		else
			run(w, 9);
		for (unsigned i = 10; i < stage; i++)
			world_round(w);
		w->deaf = true;
		w->sent.phase = PEER_ENDED;
		before = w->now;
		end(w);
		assert_true(w->now - before <= 2100 * WORLD_MS);
		if (w->sender.state == PEER_NOBODY)
			assert_int_not_equal(w->sender.why, PEER_WHY_NONE);
		else
			assert_complete(w, 200000 - 9);
		free(w);
	}
}

static void
test_a_receiver_that_restarts(void **state)
{
	struct world *w = world_new(1);

	(void)state;
	world_rounds(w, 30);
	w->sent.packets = 5000;
	world_rounds(w, 30);
	world_receiver(w, 100);
	run(w, 0);
	end(w);
	assert_int_equal(w->sender.state, PEER_DONE);
	assert_true(w->sender.restarted);
	assert_int_equal(w->sender.report[PEER_R_LATE], 1);
	assert_int_equal(w->sender.peer, 100);
	free(w);
	/* At the very end nobody is left who knows the run. */
	w = world_new(1);
	run(w, 0);
	world_receiver(w, 100);
	end(w);
	assert_int_equal(w->sender.state, PEER_NOBODY);
	assert_int_equal(w->sender.why, PEER_WHY_RESTARTED);
	free(w);
}

/* Answers that nobody asked for, of other runs, old ones again: nothing changes. */
static void
test_forged_and_replayed_answers(void **state)
{
	struct world *w = world_new(1);
	struct peer_msg m = {.answer = true,
		.type = PEER_COUNT,
		.run = WORLD_RUN,
		.instance = 4711,
		.number = 1};
	struct peer_sender before;

	(void)state;
	world_rounds(w, 30);
	for (unsigned i = 0; i < 6; i++) {
		struct peer_msg f = m;

		f.cookie = w->sender.cookie;
		f.number = w->sender.number;
		switch (i) {
		case 0:
			f.instance++;
			break;
		case 1:
			f.run++;
			break;
		case 2:
			f.port++;
			break;
		case 3:
			f.cookie++;
			break;
		case 4:
			f.number++;
			break;
		default:
			f.type = PEER_HELLO; /* in the wrong state */
		}
		before = w->sender;
		assert_false(peer_sender_take(&w->sender, w->now, &f));
		assert_memory_equal(&before, &w->sender, sizeof(before));
	}
	free(w);
}

/* A receiver that says it has endless queues gets no endless questions. */
static void
test_a_receiver_that_lies(void **state)
{
	struct world *w = world_new(1);

	(void)state;
	w->receiver.view.nb_queues = 1000000;
	run(w, 0);
	end(w);
	assert_int_equal(w->sender.state, PEER_DONE);
	assert_int_equal(w->sender.nb_queues, 0);
	free(w);
}

static void
test_its_own_question_comes_back(void **state)
{
	struct world *w = world_new(1);
	struct peer_msg q;

	(void)state;
	assert_true(peer_sender_ask(&w->sender, w->now, &w->sent, &q));
	assert_true(peer_sender_take(&w->sender, w->now, &q));
	assert_true(peer_sender_is_settled(&w->sender));
	assert_true(peer_sender_is_over(&w->sender));
	assert_false(peer_sender_ask(&w->sender, w->now + 5000 * WORLD_MS, &w->sent, &q));
	free(w);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_on_a_good_network),
		cmocka_unit_test(test_lost_frames),
		cmocka_unit_test(test_on_bad_networks),
		cmocka_unit_test(test_nobody_is_there),
		cmocka_unit_test(test_a_receiver_that_comes_late),
		cmocka_unit_test(test_a_receiver_that_dies),
		cmocka_unit_test(test_a_receiver_that_restarts),
		cmocka_unit_test(test_forged_and_replayed_answers),
		cmocka_unit_test(test_a_receiver_that_lies),
		cmocka_unit_test(test_its_own_question_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
