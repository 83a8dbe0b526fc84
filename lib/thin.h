/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bounded memory of a sequence whose length nobody knows. It keeps every item until it is full,
 * then drops every second one and from there on keeps one of two, then one of four, and so on: what
 * is kept is always evenly spread over the whole sequence. Memory that cannot be had thins it out
 * early instead of failing.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct thin {
	void *items;
	size_t size; /* bytes of one item */
	size_t n;
	size_t room;
	size_t max;
	uint64_t stride; /* item i is number i * stride of the sequence */
	uint64_t seen;   /* length of the sequence so far */
};

/*
 * @param size bytes of one item
 * @param max items to keep at most; rounded up to a power of two, at least 2
 * @return 0; -1 when there is no memory even for a few
 */
int thin_init(struct thin *t, size_t size, size_t max);

/* Frees the items. Safe on a zeroed struct. */
void thin_fini(struct thin *t);

/* The next item of the sequence; copied if it is one to keep. */
void thin_add(struct thin *t, const void *item);

/* The last item of the sequence: kept whatever its number. Call once at most; nothing follows. */
void thin_add_last(struct thin *t, const void *item);

/* Item i of those kept; i < t->n. Valid until the next thin_add. */
void *thin_at(const struct thin *t, size_t i);
