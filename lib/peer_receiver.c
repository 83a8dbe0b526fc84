/* SPDX-License-Identifier: BSD-3-Clause */
#include "peer_receiver.h"

#include "frame.h"

enum {
	QUIET_NS = 500000000, /* without a frame: then no more will come */
};
#define SILENT_NS UINT64_C(5000000000) /* without a question: it is gone */
#define HEARD_NS  UINT64_C(2500000000) /* more than two questions long */
#define SOON_NS   UINT64_C(5000000000)

static uint64_t
cookie_of(const struct peer_receiver *r, const struct peer_addr *from, const struct peer_msg *q)
{
	const uint64_t who[] = {
		(uint64_t)from->src_ip << 32 | from->dst_ip,
		frame_get(from->src_mac.byte, 6),
		(uint64_t)q->port << 8 | q->run,
		q->instance,
	};
	uint64_t cookie = siphash(&r->secret, who, sizeof(who) / sizeof(who[0]));

	return cookie == 0 ? 1 : cookie;
}

static bool
is_of(const struct peer_session *s, uint32_t src_ip, uint8_t run)
{
	return s->src_ip == src_ip && s->run == run;
}

static struct peer_session *
find(struct peer_receiver *r, const struct peer_addr *from, const struct peer_msg *q)
{
	for (unsigned i = 0; i < r->nb_sessions; i++) {
		struct peer_session *s = &r->session[i];

		if (is_of(s, from->src_ip, q->run) && s->port == q->port &&
			s->instance == q->instance)
			return s;
	}
	return NULL;
}

/* Somebody whose frames never came and who is not heard of any more makes room. */
static struct peer_session *
find_room(struct peer_receiver *r, uint64_t now)
{
	if (r->nb_sessions < PEER_SESSIONS)
		return &r->session[r->nb_sessions++];
	for (unsigned i = 0; i < r->nb_sessions; i++) {
		struct peer_session *s = &r->session[i];

		if (s->came.received == 0 && now - s->heard_ns > SILENT_NS)
			return s;
	}
	return NULL;
}

/* What a sender's other ports sent is in the same account. */
static bool
is_known_process(const struct peer_receiver *r, uint32_t src_ip, const struct peer_msg *q)
{
	for (unsigned i = 0; i < r->nb_sessions; i++) {
		const struct peer_session *s = &r->session[i];

		if (is_of(s, src_ip, q->run) && s->instance == q->instance)
			return true;
	}
	return false;
}

static bool
is_known_run(const struct peer_receiver *r, uint32_t src_ip, uint8_t run)
{
	for (unsigned i = 0; i < r->nb_sessions; i++) {
		if (is_of(&r->session[i], src_ip, run))
			return true;
	}
	return false;
}

static uint64_t
later(uint64_t ns, uint64_t by)
{
	return by > UINT64_MAX - ns ? UINT64_MAX : ns + by;
}

/* Questions may come in any order: a session only moves forward. */
static void
hear(struct peer_session *s, const struct peer_msg *q, uint64_t now)
{
	const uint64_t *w = q->word;
	uint64_t phase = w[PEER_W_PHASE];

	s->heard_ns = now;
	if (q->number < s->number || phase > PEER_ENDED || phase < s->sent.phase)
		return;
	s->number = q->number;
	if (phase == PEER_ENDED && s->sent.phase != PEER_ENDED)
		s->came_ns = now;
	s->sent = (struct peer_sent){
		.phase = (enum peer_phase)phase,
		.offered = w[PEER_W_OFFERED],
		.packets = w[PEER_W_SENT],
		.bytes = w[PEER_W_BYTES],
		.remaining_ns = w[PEER_W_REMAINING],
		.window_ns = w[PEER_W_WINDOW_NS],
		.window_packets = w[PEER_W_WINDOW_PACKETS],
		.window_bytes = w[PEER_W_WINDOW_BYTES],
	};
	s->ends_ns = later(now, s->sent.remaining_ns);
}

static enum peer_status
start(struct peer_receiver *r, const struct peer_addr *from, const struct peer_msg *q, uint64_t now)
{
	struct peer_session *s = find(r, from, q);
	struct peer_came came = {0};

	if (s != NULL) {
		hear(s, q, now);
		return PEER_OK;
	}
	r->view.came(r->view.arg, from->src_ip, q->run, &came);
	if (!is_known_process(r, from->src_ip, q) &&
		(is_known_run(r, from->src_ip, q->run) ||
			(came.received > 0 && q->word[PEER_W_SENT] == 0)))
		return PEER_CLASH;
	s = find_room(r, now);
	if (s == NULL)
		return PEER_FULL;
	*s = (struct peer_session){
		.src_ip = from->src_ip,
		.run = q->run,
		.port = q->port,
		.instance = q->instance,
		.came = came,
		.came_ns = now,
		.late = q->word[PEER_W_SENT] > 0,
	};
	hear(s, q, now);
	return PEER_OK;
}

/* @return whether all ports of a sender have said what they sent */
static bool
all_ended(const struct peer_receiver *r, uint32_t src_ip, uint8_t run, uint64_t *packets)
{
	bool any = false;

	*packets = 0;
	for (unsigned i = 0; i < r->nb_sessions; i++) {
		const struct peer_session *s = &r->session[i];

		if (!is_of(s, src_ip, run))
			continue;
		if (s->sent.phase != PEER_ENDED)
			return false;
		any = true;
		*packets += s->sent.packets;
	}
	return any;
}

static void
look(struct peer_receiver *r, struct peer_session *s, uint64_t now)
{
	struct peer_came came = {0};
	uint64_t sent;

	r->view.came(r->view.arg, s->src_ip, s->run, &came);
	if (came.received + came.duplicated != s->came.received + s->came.duplicated)
		s->came_ns = now;
	s->came = came;
	if (s->sent.phase == PEER_MEASURE && !s->window.open) {
		s->window.open = true;
		s->window.from_ns = s->window.to_ns = now;
		s->window.from = s->window.to = came;
	} else if (s->sent.phase == PEER_MEASURE && came.received != s->window.to.received) {
		s->window.to_ns = now;
		s->window.to = came;
	}
	if (s->final || s->sent.phase != PEER_ENDED)
		return;
	s->final = (all_ended(r, s->src_ip, s->run, &sent) && came.received >= sent) ||
		   now - s->came_ns >= QUIET_NS;
	s->received_final = came.received;
}

void
peer_receiver_look(struct peer_receiver *r, uint64_t now)
{
	for (unsigned i = 0; i < r->nb_sessions; i++)
		look(r, &r->session[i], now);
}

static enum peer_status
count(struct peer_receiver *r, struct peer_session *s, const struct peer_msg *q, uint64_t now,
	uint64_t *word)
{
	hear(s, q, now);
	look(r, s, now);
	word[PEER_R_RECEIVED] = s->came.received;
	word[PEER_R_BYTES] = s->came.bytes;
	if (q->word[PEER_W_PHASE] != PEER_ENDED)
		return PEER_OK;
	return s->final ? PEER_FINAL : PEER_COUNTING;
}

static void
fill_first_page(struct peer_receiver *r, const struct peer_session *s, uint64_t *word)
{
	r->view.whole(r->view.arg, word);
	word[PEER_R_RECEIVED] = s->came.received;
	word[PEER_R_BYTES] = s->came.bytes;
	word[PEER_R_DUPLICATED] = s->came.duplicated;
	word[PEER_R_REORDERED] = s->came.reordered;
	word[PEER_R_EXTENT] = s->came.extent;
	word[PEER_R_UNTOLD] = s->came.untold;
	if (s->window.open && s->window.to_ns > s->window.from_ns) {
		word[PEER_R_WINDOW_NS] = s->window.to_ns - s->window.from_ns;
		word[PEER_R_WINDOW_PACKETS] = s->window.to.received - s->window.from.received;
		word[PEER_R_WINDOW_BYTES] = s->window.to.bytes - s->window.from.bytes;
	}
	word[PEER_R_LATE] = s->late;
	word[PEER_R_SENDERS] = r->nb_sessions;
	word[PEER_R_QUEUES] = r->view.nb_queues;
}

static enum peer_status
report(struct peer_receiver *r, struct peer_session *s, const struct peer_msg *q, uint64_t now,
	uint64_t *word)
{
	unsigned first = q->page == 0 ? 0 : (q->page - 1u) * PEER_PAGE;

	s->heard_ns = now;
	look(r, s, now);
	if (!s->final)
		return PEER_COUNTING;
	if (q->page == 0)
		fill_first_page(r, s, word);
	else
		for (unsigned i = 0; i < PEER_PAGE && first + i < r->view.nb_queues; i++)
			word[i] = r->view.queue(r->view.arg, s->src_ip, s->run, first + i);
	return PEER_FINAL;
}

/* What is answered to somebody who brought his cookie. */
static enum peer_status
work_out(struct peer_receiver *r, const struct peer_addr *from, const struct peer_msg *q,
	uint64_t now, uint64_t *word)
{
	struct peer_session *s = find(r, from, q);

	if (q->type == PEER_START)
		return start(r, from, q, now);
	if (s == NULL)
		return PEER_UNKNOWN;
	switch (q->type) {
	case PEER_COUNT:
		return count(r, s, q, now, word);
	case PEER_REPORT:
		return report(r, s, q, now, word);
	default:
		s->heard_ns = now;
		s->left = s->left || s->final;
		return PEER_OK;
	}
}

bool
peer_receiver_answer(struct peer_receiver *r, const struct peer_addr *from,
	const struct peer_msg *q, uint64_t now, struct peer_msg *a)
{
	uint64_t cookie = cookie_of(r, from, q);

	if (q->answer || q->instance == r->instance)
		return false;
	*a = (struct peer_msg){
		.type = q->type,
		.answer = true,
		.page = q->page,
		.run = q->run,
		.port = q->port,
		.number = q->number,
		.instance = q->instance,
		.cookie = q->cookie,
	};
	for (unsigned i = 0; i < PEER_WORDS; i++)
		a->word[i] = PEER_NOT_KNOWN;
	if (q->type == PEER_HELLO)
		a->cookie = cookie;
	else if (q->cookie != cookie)
		a->status = PEER_UNKNOWN;
	else
		a->status = work_out(r, from, q, now, a->word);
	a->word[PEER_R_INSTANCE] = r->instance;
	r->answered++;
	r->refused +=
		a->status == PEER_UNKNOWN || a->status == PEER_FULL || a->status == PEER_CLASH;
	return true;
}

bool
peer_receiver_is_wanted(const struct peer_receiver *r, uint64_t now, bool stopping)
{
	for (unsigned i = 0; i < r->nb_sessions; i++) {
		const struct peer_session *s = &r->session[i];
		bool ended = s->sent.phase == PEER_ENDED;

		if (s->left || now - s->heard_ns > HEARD_NS)
			continue;
		if (ended || (!stopping && s->ends_ns <= later(now, SOON_NS)))
			return true;
	}
	return false;
}

bool
peer_receiver_sent(const struct peer_receiver *r, uint32_t src_ip, uint8_t run, uint64_t *packets)
{
	for (unsigned i = 0; i < r->nb_sessions; i++) {
		if (is_of(&r->session[i], src_ip, run) && r->session[i].late)
			return false;
	}
	return all_ended(r, src_ip, run, packets);
}
