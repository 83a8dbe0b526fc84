/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranges.h"

#include <stdio.h>
#include <string.h>

void
ranges_init(struct ranges *r, char *buf, size_t len)
{
	*r = (struct ranges){.buf = buf, .len = len};
	buf[0] = '\0';
}

void
ranges_end(struct ranges *r)
{
	char text[40];
	const char *comma = r->used > 0 ? ", " : "";
	size_t len;

	if (!r->open)
		return;
	r->open = false;
	if (r->first == r->last)
		snprintf(text, sizeof(text), "%s%u", comma, r->first);
	else
		snprintf(text, sizeof(text), "%s%u-%u", comma, r->first, r->last);
	len = strlen(text);
	/* Nothing is named after a gap: "and N more" then means the last ones. */
	if (r->unnamed > 0 || r->used + len >= r->len) {
		r->unnamed += r->last - r->first + 1;
		return;
	}
	memcpy(r->buf + r->used, text, len + 1);
	r->used += len;
}

void
ranges_add(struct ranges *r, unsigned number)
{
	r->count++;
	if (r->open && number == r->last + 1) {
		r->last = number;
		return;
	}
	ranges_end(r);
	r->first = r->last = number;
	r->open = true;
}
