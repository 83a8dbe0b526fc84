/* SPDX-License-Identifier: BSD-3-Clause */
#include "thin.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_ROOM = 1024
};

/* Room for one more than is counted, so that the last item always finds a place. */
static int
resize(struct thin *t, size_t room)
{
	void *p = reallocarray(t->items, room + 1, t->size);

	if (p == NULL)
		return -1;
	t->items = p;
	t->room = room;
	return 0;
}

int
thin_init(struct thin *t, size_t size, size_t max)
{
	*t = (struct thin){.size = size, .max = 2, .stride = 1};
	while (t->max < max)
		t->max *= 2;
	return resize(t, t->max < FIRST_ROOM ? t->max : FIRST_ROOM);
}

void
thin_fini(struct thin *t)
{
	free(t->items);
	*t = (struct thin){0};
}

void *
thin_at(const struct thin *t, size_t i)
{
	return (char *)t->items + i * t->size;
}

void
thin_add_last(struct thin *t, const void *item)
{
	memcpy(thin_at(t, t->n++), item, t->size);
}

void
thin_add(struct thin *t, const void *item)
{
	/* Room is a power of two: the item that no longer fits has an even number and stays. */
	if (t->n == t->room && (t->room == t->max || resize(t, t->room * 2) != 0)) {
		for (size_t i = 1; i < t->n / 2; i++)
			memcpy(thin_at(t, i), thin_at(t, 2 * i), t->size);
		t->n /= 2;
		t->stride *= 2;
	}
	if (t->seen++ % t->stride == 0)
		thin_add_last(t, item);
}
