/* SPDX-License-Identifier: BSD-3-Clause */
#include "tag.h"

/* What sides say to each other is numbered as it is. */
static uint32_t
start_of(enum tag_kind kind, uint32_t flow)
{
	return kind == TAG_DATA ? tag_start(flow) : 0;
}

void
tag_write(uint8_t *p, const struct tag *tag)
{
	struct tag_wire w;

	frame_put(w.magic, TAG_MAGIC, sizeof(w.magic));
	w.version_kind = (uint8_t)(TAG_VERSION << 4 | tag->kind);
	w.run = tag->run;
	frame_put(w.flow, tag->flow, sizeof(w.flow));
	frame_put(w.sequence, tag->sequence + start_of(tag->kind, tag->flow), sizeof(w.sequence));
	frame_put(w.time, tag->time_ns, sizeof(w.time));
	memcpy(p, &w, sizeof(w));
}

bool
tag_read(const uint8_t *p, struct tag *tag)
{
	struct tag_wire w;

	memcpy(&w, p, sizeof(w));
	if (frame_get(w.magic, sizeof(w.magic)) != TAG_MAGIC ||
		w.version_kind >> 4 != TAG_VERSION || (w.version_kind & 0xf) > TAG_PRIME)
		return false;
	*tag = (struct tag){
		.kind = (enum tag_kind)(w.version_kind & 0xf),
		.run = w.run,
		.flow = (uint32_t)frame_get(w.flow, sizeof(w.flow)),
		.sequence = (uint32_t)frame_get(w.sequence, sizeof(w.sequence)),
		.time_ns = frame_get(w.time, sizeof(w.time)),
	};
	tag->sequence -= start_of(tag->kind, tag->flow);
	return true;
}
