/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sender and its receiver as the conversation knows them, and a network between that loses,
 * doubles and delays what they say. Time passes in rounds of 10 ms, as main's does.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "peer_receiver.h"
#include "peer_sender.h"

#define WORLD_MS UINT64_C(1000000)

enum {
	WORLD_QUEUES = 30, /* more than a page */
	WORLD_LETTERS = 64,
	WORLD_RUN = 7,
};

struct letter {
	uint64_t due_ns; /* 0: no letter */
	bool to_receiver;
	struct peer_msg msg;
};

struct world {
	uint64_t now;
	struct peer_sender sender;
	struct peer_sent sent;
	struct peer_receiver receiver;
	struct peer_came came; /* what the receiver counts */
	struct peer_addr addr;
	struct letter letter[WORLD_LETTERS];
	unsigned loss_pct, double_pct, delay_ms; /* of the network */
	uint32_t seed;
	bool deaf; /* the receiver is not there */
	unsigned questions, answers, longest;
};

static inline unsigned
world_random(struct world *w, unsigned below)
{
	w->seed = w->seed * 1664525 + 1013904223;
	return (w->seed >> 8) % below;
}

static inline void
world_came(void *arg, uint32_t src_ip, uint8_t run, struct peer_came *came)
{
	struct world *w = arg;

	*came = src_ip == w->addr.src_ip && run == WORLD_RUN ? w->came : (struct peer_came){0};
}

static inline void
world_whole(void *arg, uint64_t *word)
{
	(void)arg;
	word[PEER_R_MISSED] = 5;
	word[PEER_R_CORRUPT] = 6;
}

static inline uint64_t
world_queue(void *arg, uint32_t src_ip, uint8_t run, unsigned queue)
{
	(void)arg;
	(void)src_ip;
	(void)run;
	return 1000 + queue;
}

/* Forgets everything: another process in its place. */
static inline void
world_receiver(struct world *w, uint64_t instance)
{
	memset(&w->receiver, 0, sizeof(w->receiver));
	w->receiver.instance = instance;
	w->receiver.secret = (struct siphash_key){instance, ~instance};
	w->receiver.view = (struct peer_view){.arg = w,
		.came = world_came,
		.whole = world_whole,
		.nb_queues = WORLD_QUEUES,
		.queue = world_queue};
}

static inline struct world *
world_new(uint32_t seed)
{
	struct world *w = calloc(1, sizeof(*w));

	w->seed = seed;
	w->now = 1000 * WORLD_MS;
	w->addr = (struct peer_addr){
		.src_ip = 0x0a000001, .dst_ip = 0x0a000002, .src_mac = {{2, 0, 0, 0, 0, 1}}};
	w->sent.remaining_ns = PEER_NOT_KNOWN;
	peer_sender_init(&w->sender, 4711, WORLD_RUN, 0, w->now);
	world_receiver(w, 99);
	return w;
}

static inline void
world_post(struct world *w, bool to_receiver, const struct peer_msg *m)
{
	unsigned copies = 1 + (world_random(w, 100) < w->double_pct);

	if (world_random(w, 100) < w->loss_pct)
		return;
	for (unsigned i = 0; i < WORLD_LETTERS && copies > 0; i++) {
		if (w->letter[i].due_ns != 0)
			continue;
		w->letter[i] = (struct letter){
			.due_ns = w->now + world_random(w, w->delay_ms + 1) * WORLD_MS,
			.to_receiver = to_receiver,
			.msg = *m,
		};
		copies--;
	}
}

static inline void
world_deliver(struct world *w, struct letter *l)
{
	struct peer_msg m = l->msg, answer;

	l->due_ns = 0;
	if (!l->to_receiver) {
		peer_sender_take(&w->sender, w->now, &m);
	} else if (!w->deaf && peer_receiver_answer(&w->receiver, &w->addr, &m, w->now, &answer)) {
		w->answers++;
		world_post(w, false, &answer);
	}
}

static inline void
world_round(struct world *w)
{
	struct peer_msg m;

	w->now += 10 * WORLD_MS;
	if (!w->deaf)
		peer_receiver_look(&w->receiver, w->now);
	if (peer_sender_ask(&w->sender, w->now, &w->sent, &m)) {
		w->questions++;
		world_post(w, true, &m);
	}
	/* In no order. */
	for (unsigned i = 0; i < WORLD_LETTERS; i++) {
		struct letter *l = &w->letter[i];

		if (l->due_ns != 0 && l->due_ns <= w->now)
			world_deliver(w, l);
	}
}

static inline void
world_rounds(struct world *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		world_round(w);
}
