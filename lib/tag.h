/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a test frame says of itself in the first 18 bytes of its UDP payload, big-endian, so that a
 * frame of 60 bytes holds it:
 *
 *   42  magic     16 bits
 *   44  version    4 bits, kind 4 bits
 *   45  run        8 bits: tells this run's frames from an earlier one's
 *   46  flow      32 bits: from 0, dense over all flows of the sender
 *   50  sequence  32 bits: one more with each frame of the flow that the device took, from the
 *                 flow's own start; see tag_start()
 *   54  time      48 bits: the sender's clock in nanoseconds, when it put the burst together
 *
 * Frame, run and flow of a sender are told by its IPv4 source address and its run.
 */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "frame.h"

enum {
	TAG_OFFSET = FRAME_HEADERS,
	TAG_MAGIC = 0x9d17,
	TAG_VERSION = 1,
};

enum tag_kind {
	TAG_DATA,    /* counts */
	TAG_CONTROL, /* what a sender and a receiver say to each other: peer_proto.h */
	TAG_PRIME,   /* before a test, so that switches know the flow: counts for nothing */
};

struct tag_wire {
	uint8_t magic[2];
	uint8_t version_kind;
	uint8_t run;
	uint8_t flow[4];
	uint8_t sequence[4];
	uint8_t time[6];
};
static_assert(sizeof(struct tag_wire) == 18, "fits a frame of 60 bytes");
static_assert(offsetof(struct tag_wire, run) == 3, "one word with what is before it");
static_assert(offsetof(struct tag_wire, flow) == 4, "one word with the sequence");
static_assert(offsetof(struct tag_wire, time) == 12, "the end");
/* All sums of 16 bits that a field changes lie in the field. */
static_assert((TAG_OFFSET - FRAME_UDP_OFFSET) % 2 == 0, "even in the UDP datagram");

enum {
	TAG_LEN = sizeof(struct tag_wire),
	TAG_MIN_FRAME = TAG_OFFSET + TAG_LEN,
	TAG_FLOW_OFFSET = TAG_OFFSET + offsetof(struct tag_wire, flow),
	TAG_TIME_OFFSET = TAG_OFFSET + offsetof(struct tag_wire, time),
	/* A whole word is written there; the bytes after the tag are zeros anyhow. */
	TAG_WRITTEN = TAG_TIME_OFFSET + sizeof(uint64_t),
};

struct tag {
	enum tag_kind kind;
	uint8_t run;
	uint32_t flow;
	uint32_t sequence; /* from 0 */
	uint64_t time_ns;  /* the lower 48 bits */
};

/*
 * Where the sequence of a flow of data begins: far from those of all flows whose numbers differ in
 * one bit, so that a frame with a damaged flow is nobody's next. (The golden ratio of 2^32.)
 */
static inline uint32_t
tag_start(uint32_t flow)
{
	return flow * UINT32_C(0x9e3779b1);
}

/*
 * Whether the frame is no data: of a kind that main looks at. Without a branch, and for any bytes
 * of a frame of at least TAG_MIN_FRAME.
 */
static inline bool
tag_is_apart(const uint8_t *frame)
{
	const uint8_t magic[2] = {TAG_MAGIC >> 8, TAG_MAGIC & 0xff};
	uint8_t kind = frame[TAG_OFFSET + sizeof(magic)];

	return (memcmp(frame + TAG_OFFSET, magic, sizeof(magic)) == 0) &
	       ((uint8_t)(kind - (TAG_VERSION << 4 | TAG_CONTROL)) <= TAG_PRIME - TAG_CONTROL);
}

/* Writes all of it, for frames that are not sent in millions. @param p TAG_LEN bytes */
void tag_write(uint8_t *p, const struct tag *tag);

/* @param p TAG_LEN bytes. @return whether they are a tag of this version and a known kind */
bool tag_read(const uint8_t *p, struct tag *tag);

/* The first four bytes of a tag as they lie in memory. */
static inline uint32_t
tag_head(enum tag_kind kind, uint8_t run)
{
	const uint8_t head[4] = {
		TAG_MAGIC >> 8, TAG_MAGIC & 0xff, (uint8_t)(TAG_VERSION << 4 | kind), run};
	uint32_t word;

	memcpy(&word, head, sizeof(word));
	return word;
}

/* The part of a UDP checksum's sum (frame_fold() makes 16 bits of it) that a field is. */
static inline uint32_t
tag_sum32(uint32_t field)
{
	return (field >> 16) + (field & 0xffff);
}

static inline uint32_t
tag_sum48(uint64_t field)
{
	return (uint32_t)((field >> 32 & 0xffff) + (field >> 16 & 0xffff) + (field & 0xffff));
}
