/* SPDX-License-Identifier: BSD-3-Clause */
#include "peer_sender.h"

#include <string.h>

#define MS UINT64_C(1000000)

enum {
	QUICK_TRIES = 10, /* before a receiver that is not there is asked less often */
	LEAVE_TRIES = 5,
};

/* What is asked in each state. */
static const enum peer_type type_of[] = {
	[PEER_FINDING] = PEER_HELLO,
	[PEER_STARTING] = PEER_START,
	[PEER_RUNNING] = PEER_COUNT,
	[PEER_ENDING] = PEER_COUNT,
	[PEER_FETCHING] = PEER_REPORT,
	[PEER_LEAVING] = PEER_LEAVE,
};

#define QUICK_NS   (50 * MS)
#define SLOW_NS    (1000 * MS) /* between counts; between questions for nobody */
#define GONE_NS    (1500 * MS) /* without an answer at the end */
#define ENDLESS_NS (10000 * MS)

void
peer_sender_init(struct peer_sender *s, uint64_t instance, uint8_t run, uint32_t port, uint64_t now)
{
	memset(s, 0, sizeof(*s));
	s->instance = instance;
	s->run = run;
	s->port = port;
	s->next_ns = s->heard_ns = now;
}

/* Into another state: its first question is due at once. */
static void
enter(struct peer_sender *s, enum peer_state state, uint64_t now)
{
	s->state = state;
	s->tries = 0;
	s->next_ns = now;
}

static void
give_up(struct peer_sender *s, enum peer_why why)
{
	s->state = PEER_NOBODY;
	s->why = why;
}

/* The sending is over: what was not settled by now never will be. */
static void
begin_end(struct peer_sender *s, uint64_t now)
{
	if (s->state < PEER_RUNNING) {
		give_up(s, s->peer == 0   ? PEER_WHY_SILENT
			   : s->restarted ? PEER_WHY_RESTARTED
					  : PEER_WHY_VANISHED);
		return;
	}
	enter(s, PEER_ENDING, now);
	s->heard_ns = s->end_ns = now;
}

static void
check_patience(struct peer_sender *s, uint64_t now)
{
	if (s->state == PEER_LEAVING) {
		if (s->tries >= LEAVE_TRIES)
			s->state = PEER_DONE;
	} else if (s->state >= PEER_ENDING && s->state < PEER_LEAVING) {
		if (now - s->heard_ns > GONE_NS)
			give_up(s, PEER_WHY_VANISHED);
		else if (now - s->end_ns > ENDLESS_NS)
			give_up(s, PEER_WHY_ENDLESS);
	}
}

static uint64_t
pause_of(const struct peer_sender *s, const struct peer_sent *sent)
{
	switch (s->state) {
	case PEER_FINDING:
		return s->tries < QUICK_TRIES ? QUICK_NS : SLOW_NS;
	case PEER_RUNNING:
		/* A new phase is told until it is known. */
		return s->told != sent->phase ? QUICK_NS : SLOW_NS;
	default:
		return QUICK_NS;
	}
}

bool
peer_sender_ask(
	struct peer_sender *s, uint64_t now, const struct peer_sent *sent, struct peer_msg *q)
{
	s->begun = sent->packets > 0;
	if (!peer_sender_is_over(s) && sent->phase == PEER_ENDED && s->state < PEER_ENDING)
		begin_end(s, now);
	check_patience(s, now);
	if (peer_sender_is_over(s))
		return false;
	if (now < s->next_ns && (s->state != PEER_RUNNING || s->asked == sent->phase))
		return false;
	s->tries++;
	s->next_ns = now + pause_of(s, sent);
	*q = (struct peer_msg){
		.type = type_of[s->state],
		.page = s->state == PEER_FETCHING ? (uint16_t)s->page : 0,
		.run = s->run,
		.port = s->port,
		.number = ++s->number,
		.instance = s->instance,
		.cookie = s->state == PEER_FINDING ? 0 : s->cookie,
		.word =
			{
				[PEER_W_PHASE] = sent->phase,
				[PEER_W_OFFERED] = sent->offered,
				[PEER_W_SENT] = sent->packets,
				[PEER_W_BYTES] = sent->bytes,
				[PEER_W_REMAINING] = sent->remaining_ns,
				[PEER_W_WINDOW_NS] = sent->window_ns,
				[PEER_W_WINDOW_PACKETS] = sent->window_packets,
				[PEER_W_WINDOW_BYTES] = sent->window_bytes,
			},
	};
	if (s->asked != sent->phase) {
		s->asked = sent->phase;
		s->phase_number = s->number;
	}
	return true;
}

/* A receiver that does not know us (any more): from the beginning. */
static void
start_over(struct peer_sender *s, uint64_t now)
{
	if (s->state >= PEER_ENDING) {
		give_up(s, PEER_WHY_RESTARTED);
		return;
	}
	s->restarted = s->restarted || s->state == PEER_RUNNING;
	enter(s, PEER_FINDING, now + QUICK_NS);
}

static void
take_page(struct peer_sender *s, uint64_t now, const struct peer_msg *a)
{
	if (a->status != PEER_FINAL || a->page != s->page)
		return;
	if (s->page == 0) {
		uint64_t queues = a->word[PEER_R_QUEUES];

		memcpy(s->report, a->word, sizeof(s->report));
		s->has_report = true;
		s->nb_queues = queues > PEER_MAX_QUEUES ? 0 : (unsigned)queues;
	} else {
		for (unsigned i = 0; i < PEER_PAGE; i++) {
			unsigned queue = (s->page - 1) * PEER_PAGE + i;

			if (queue < s->nb_queues)
				s->queue[queue] = a->word[i];
		}
	}
	s->page++;
	enter(s, (s->page - 1) * PEER_PAGE < s->nb_queues ? PEER_FETCHING : PEER_LEAVING, now);
}

static void
take_start(struct peer_sender *s, uint64_t now, const struct peer_msg *a)
{
	if (a->status == PEER_OK) {
		enter(s, PEER_RUNNING, now + SLOW_NS);
		s->told = PEER_WARMUP;
	} else if (a->status == PEER_CLASH && s->begun) {
		/* What came may be ours, sent since it was asked. */
		start_over(s, now);
	} else {
		s->state = PEER_REFUSED;
		s->status = a->status;
	}
}

static bool
is_to(const struct peer_sender *s, const struct peer_msg *a)
{
	return a->type == type_of[s->state] && (a->type == PEER_HELLO || a->cookie == s->cookie) &&
	       a->number <= s->number && s->number - a->number < s->tries;
}

bool
peer_sender_take(struct peer_sender *s, uint64_t now, const struct peer_msg *a)
{
	if (a->instance != s->instance || a->run != s->run || a->port != s->port)
		return false;
	if (!a->answer) {
		s->own = true;
		return true;
	}
	if (peer_sender_is_over(s) || !is_to(s, a))
		return false;
	s->heard_ns = now;
	s->peer = a->word[PEER_R_INSTANCE];
	if (a->status == PEER_UNKNOWN) {
		start_over(s, now);
		return true;
	}
	switch (s->state) {
	case PEER_FINDING:
		s->cookie = a->cookie;
		enter(s, PEER_STARTING, now);
		break;
	case PEER_STARTING:
		take_start(s, now, a);
		break;
	case PEER_RUNNING:
		if (a->number >= s->phase_number)
			s->told = s->asked;
		s->tries = 0;
		break;
	case PEER_ENDING:
		if (a->status == PEER_FINAL)
			enter(s, PEER_FETCHING, now);
		break;
	case PEER_FETCHING:
		take_page(s, now, a);
		break;
	default:
		s->state = PEER_DONE;
		break;
	}
	return true;
}
