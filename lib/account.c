/* SPDX-License-Identifier: BSD-3-Clause */
#include "account.h"

#include <arpa/inet.h>

enum {
	LINE = 64,
};

static size_t
lines(size_t bytes)
{
	return (bytes + LINE - 1) / LINE * LINE;
}

static uint32_t
pieces(uint32_t flows)
{
	return flows / ACCOUNT_PIECE + (flows % ACCOUNT_PIECE != 0);
}

size_t
account_size(uint32_t flows)
{
	return lines(sizeof(struct account)) +
	       lines((ACCOUNT_SENDERS + 1) * sizeof(struct account_sender)) +
	       lines((size_t)(ACCOUNT_SENDERS + 1) * pieces(flows) *
		       sizeof(struct account_flow *)) +
	       (size_t)pieces(flows) * ACCOUNT_PIECE * sizeof(struct account_flow);
}

struct account *
account_init(void *memory, uint32_t flows)
{
	struct account *a = memory;
	struct account_flow **piece;
	uint8_t *p = memory;

	a->nb_pieces = pieces(flows);
	p += lines(sizeof(*a));
	a->sender = (struct account_sender *)(void *)p;
	p += lines((ACCOUNT_SENDERS + 1) * sizeof(*a->sender));
	piece = (struct account_flow **)(void *)p;
	p += lines((size_t)(ACCOUNT_SENDERS + 1) * a->nb_pieces * sizeof(*piece));
	a->flow = (struct account_flow *)(void *)p;
	/* Nobody has an empty piece, too: who looks there need not ask. */
	for (unsigned i = 0; i <= ACCOUNT_SENDERS; i++)
		a->sender[i].piece = piece + (size_t)i * a->nb_pieces;
	for (unsigned i = 0; i < ACCOUNT_PLACES; i++)
		a->place[i].sender = &a->sender[ACCOUNT_SENDERS];
	return a;
}

static void
add(_Atomic uint64_t *c, uint64_t n)
{
	atomic_store_explicit(
		c, atomic_load_explicit(c, memory_order_relaxed) + n, memory_order_relaxed);
}

static uint64_t
get(const _Atomic uint64_t *c)
{
	return atomic_load_explicit(c, memory_order_relaxed);
}

/* @return the place of that key, or the empty one where it would be; NULL: all are taken */
static struct account_place *
place_of(struct account *a, uint64_t key)
{
	const struct account_sender *nobody = &a->sender[ACCOUNT_SENDERS];

	for (unsigned i = 0; i < ACCOUNT_PLACES; i++) {
		struct account_place *p = &a->place[(account_hash(key) + i) % ACCOUNT_PLACES];

		if (p->sender == nobody || p->key == key)
			return p;
	}
	return NULL;
}

static struct account_sender *
add_sender(struct account *a, struct account_place *place, uint64_t key)
{
	uint32_t n = atomic_load_explicit(&a->nb_senders, memory_order_relaxed);
	struct account_sender *s = &a->sender[n];

	if (n == ACCOUNT_SENDERS)
		return NULL;
	s->key = key;
	place->key = key;
	place->sender = s;
	atomic_store_explicit(&a->nb_senders, n + 1, memory_order_release);
	return s;
}

/* @return the state of a flow of which nothing came so far; NULL: no room */
static struct account_flow *
add_flow(struct account *a, struct account_sender *s, uint32_t flow)
{
	uint32_t piece = flow / ACCOUNT_PIECE;

	if (piece >= a->nb_pieces || a->pieces_given == a->nb_pieces)
		return NULL;
	s->piece[piece] = &a->flow[(size_t)ACCOUNT_PIECE * a->pieces_given++];
	if (flow >= s->nb_flows)
		s->nb_flows = (piece + 1) * ACCOUNT_PIECE;
	return account_flow_of(s, flow);
}

static void
add_missing(struct account_sender *s, int64_t n)
{
	atomic_store_explicit(&s->count.missing,
		atomic_load_explicit(&s->count.missing, memory_order_relaxed) + n,
		memory_order_relaxed);
}

/* @param gap frames left out, 0 for the next one */
static void
step_forward(struct account_sender *s, struct account_flow *f, uint32_t gap)
{
	/* What was sent before a flow's first frame on this queue may have come on another. */
	if (account_came(f) > 0)
		add_missing(s, gap);
	if (gap >= ACCOUNT_WINDOW)
		f->missed = UINT64_MAX;
	else
		for (uint32_t i = 0; i < gap; i++)
			f->missed |= account_bit(f->next + i);
	f->next += gap;
	f->holes += gap;
	f->missed &= ~account_bit(f->next);
	f->next++;
}

/*
 * A frame from before the window came before, unless some from there are still missing: then
 * nobody can say, and it is taken for one of them.
 */
static bool
is_duplicate(struct account_sender *s, const struct account_flow *f, uint32_t sequence)
{
	if (f->next - sequence <= ACCOUNT_WINDOW)
		return (f->missed & account_bit(sequence)) == 0;
	if (f->holes == (uint32_t)__builtin_popcountll(f->missed))
		return true;
	add(&s->count.unsure, 1);
	return false;
}

/* @return false for a duplicate */
static bool
step(struct account_sender *s, struct account_flow *f, uint32_t sequence)
{
	uint32_t ahead = sequence - f->next, late = f->next - sequence;

	if (ahead <= INT32_MAX || account_came(f) == 0) {
		step_forward(s, f, ahead);
		return true;
	}
	if (is_duplicate(s, f, sequence)) {
		add(&s->count.duplicated, 1);
		return false;
	}
	if (late <= ACCOUNT_WINDOW)
		f->missed &= ~account_bit(sequence);
	f->holes--;
	add_missing(s, -1);
	add(&s->count.reordered, 1);
	if (late > get(&s->count.extent))
		atomic_store_explicit(&s->count.extent, late, memory_order_relaxed);
	return true;
}

bool
account_with_care(struct account *a, const struct account_frame *f)
{
	struct account_place *place;
	struct account_sender *s;
	struct account_flow *flow;
	struct tag tag;

	if (!frame_is_udp(f->p, f->in_one, f->len, TAG_LEN) || !tag_read(f->p + TAG_OFFSET, &tag) ||
		tag.kind != TAG_DATA) {
		add(&a->untagged, 1);
		return false;
	}
	/* A frame in several pieces is not added up: it is believed. */
	if (frame_udp_is_wrong(f->p, f->in_one)) {
		add(&a->corrupt, 1);
		return false;
	}
	place = place_of(a, account_key(f->p));
	if (place == NULL) {
		add(&a->crowded, 1);
		return false;
	}
	s = place->sender;
	if (s == &a->sender[ACCOUNT_SENDERS])
		s = add_sender(a, place, account_key(f->p));
	if (s == NULL) {
		add(&a->crowded, 1);
		return false;
	}
	flow = account_flow_of(s, tag.flow);
	if (flow == NULL)
		flow = add_flow(a, s, tag.flow);
	if (flow == NULL)
		add(&s->count.untold, 1);
	else if (!step(s, flow, tag.sequence))
		return false;
	add(&s->count.received, 1);
	add(&s->count.bytes, f->len);
	return true;
}

static uint32_t
get_senders(const struct account *a)
{
	return atomic_load_explicit(&a->nb_senders, memory_order_acquire);
}

static struct account_sender *
sender_of(const struct account *a, uint64_t key)
{
	for (uint32_t i = 0; i < get_senders(a); i++) {
		if (a->sender[i].key == key)
			return &a->sender[i];
	}
	return NULL;
}

static bool
came_of(const struct account_sender *s, uint32_t flow)
{
	const struct account_flow *f = s == NULL ? NULL : account_flow_of(s, flow);

	return f != NULL && account_came(f) > 0;
}

/* Counts each flow where it is met first. @param part the sender's accounts by queue, or NULL */
static void
add_flows(struct account_sender *const *part, unsigned n, unsigned queue, struct account_total *t)
{
	for (uint32_t i = 0; i < part[queue]->nb_flows; i++) {
		bool before = false, after = false;

		if (!came_of(part[queue], i))
			continue;
		for (unsigned k = 0; k < n; k++) {
			if (k == queue || !came_of(part[k], i))
				continue;
			before = before || k < queue;
			after = after || k > queue;
		}
		t->flows += !before;
		t->moved += !before && after;
	}
}

static void
add_part(const struct account_sender *s, struct account_total *t, int64_t *missing)
{
	uint64_t extent = get(&s->count.extent);

	t->received += get(&s->count.received);
	t->bytes += get(&s->count.bytes);
	t->duplicated += get(&s->count.duplicated);
	t->reordered += get(&s->count.reordered);
	t->unsure += get(&s->count.unsure);
	t->untold += get(&s->count.untold);
	t->extent = extent > t->extent ? extent : t->extent;
	*missing += atomic_load_explicit(&s->count.missing, memory_order_relaxed);
}

void
account_peek(const struct account *a, uint32_t src_ip, uint8_t run, struct account_total *total)
{
	uint64_t key = (uint64_t)htonl(src_ip) << 32 | tag_head(TAG_DATA, run);
	const struct account_sender *s = sender_of(a, key);
	int64_t missing = 0;

	if (s != NULL)
		add_part(s, total, &missing);
}

static struct account_total
sum_sender(struct account *const *a, unsigned n, uint64_t key)
{
	struct account_total t = {
		.src_ip = ntohl((uint32_t)(key >> 32)),
		.run = (uint8_t)(key >> 24),
	};
	struct account_sender *part[ACCOUNT_MAX_QUEUES];
	int64_t missing = 0;

	for (unsigned k = 0; k < n; k++)
		part[k] = sender_of(a[k], key);
	for (unsigned k = 0; k < n; k++) {
		if (part[k] == NULL)
			continue;
		add_part(part[k], &t, &missing);
		add_flows(part, n, k, &t);
	}
	t.missing = missing > 0 ? (uint64_t)missing : 0;
	return t;
}

unsigned
account_sum(struct account *const *a, unsigned n, struct account_total *total, unsigned max)
{
	unsigned found = 0;

	for (unsigned first = 0; first < n; first++) {
		for (uint32_t i = 0; i < get_senders(a[first]); i++) {
			uint64_t key = a[first]->sender[i].key;
			bool known = false;

			for (unsigned k = 0; k < first; k++)
				known = known || sender_of(a[k], key) != NULL;
			if (!known && found < max)
				total[found++] = sum_sender(a, n, key);
		}
	}
	return found;
}
