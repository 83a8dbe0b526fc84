/* SPDX-License-Identifier: BSD-3-Clause */
#include "tag.h"

static void
put(uint8_t *p, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

static uint64_t
get(const uint8_t *p, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | p[i];
	return value;
}

void
tag_write(uint8_t *p, const struct tag *tag)
{
	struct tag_wire w;

	put(w.magic, TAG_MAGIC, sizeof(w.magic));
	w.version_kind = (uint8_t)(TAG_VERSION << 4 | tag->kind);
	w.run = tag->run;
	put(w.flow, tag->flow, sizeof(w.flow));
	put(w.sequence, tag->sequence, sizeof(w.sequence));
	put(w.time, tag->time_ns, sizeof(w.time));
	memcpy(p, &w, sizeof(w));
}

bool
tag_read(const uint8_t *p, struct tag *tag)
{
	struct tag_wire w;

	memcpy(&w, p, sizeof(w));
	if (get(w.magic, sizeof(w.magic)) != TAG_MAGIC || w.version_kind >> 4 != TAG_VERSION ||
		(w.version_kind & 0xf) > TAG_DATA)
		return false;
	*tag = (struct tag){
		.kind = (enum tag_kind)(w.version_kind & 0xf),
		.run = w.run,
		.flow = (uint32_t)get(w.flow, sizeof(w.flow)),
		.sequence = (uint32_t)get(w.sequence, sizeof(w.sequence)),
		.time_ns = get(w.time, sizeof(w.time)),
	};
	return true;
}
