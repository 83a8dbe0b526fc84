/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers as text for people: "3, 8-11". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ranges {
	char *buf;
	size_t len;
	size_t used;
	size_t count;   /* numbers added */
	size_t unnamed; /* of those, the ones that no longer fit the buffer */
	unsigned first; /* of the range not yet written */
	unsigned last;
	bool open;
};

/* Begins an empty text in buf of len bytes, at least 1. */
void ranges_init(struct ranges *r, char *buf, size_t len);

/* Adds a number; those that follow one another become one range. */
void ranges_add(struct ranges *r, unsigned number);

/* Completes the text in buf. */
void ranges_end(struct ranges *r);
