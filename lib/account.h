/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What arrived of what was sent, by the tags of the frames (tag.h). Each receive queue has an
 * account of its own, written by its lcore alone; reports add them up.
 *
 * A flow's sequence says it all: the frame that comes next is counted in a few instructions.
 * Anything else (a gap, a frame that was overtaken, one that came twice, a tag that is none) is
 * looked at with care, its UDP checksum included, before it is believed. Sequences and counts of a
 * flow are taken modulo 2^32: what was sent less what came is exact as long as less than that is
 * lost of one flow.
 *
 * Senders are told apart by IPv4 source address and run. Each gets its place with its first frame,
 * and room for its flows with the first that comes of them: whoever has many takes what is there.
 */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tag.h"

enum {
	ACCOUNT_SENDERS = 64, /* on one queue */
	ACCOUNT_PLACES = 256, /* twice as many and more, so that probing ends soon */
	ACCOUNT_MAX_QUEUES = 1024,
	ACCOUNT_WINDOW = 64,  /* frames of a flow that are known one by one */
	ACCOUNT_PIECE = 1024, /* flows; the table is given to senders in such pieces */
};

/*
 * What came of a flow is next less holes. While nothing is missing a frame changes next alone.
 */
struct account_flow {
	uint32_t next;   /* sequence after the highest that came */
	uint32_t holes;  /* sequences below next that did not come */
	uint64_t missed; /* of the last 64 before next: bit (sequence mod 64) */
};
static_assert(sizeof(struct account_flow) == 16, "four flows share a cache line");

/* The account's lcore writes, anybody reads. */
struct account_counters {
	_Atomic uint64_t received; /* frames, each once; what is beyond its flows' table, too */
	_Atomic uint64_t bytes;
	_Atomic int64_t missing;     /* gaps less what filled them later: an estimate of the lost */
	_Atomic uint64_t duplicated; /* came before */
	_Atomic uint64_t reordered;  /* came after one with a higher sequence (RFC 4737) */
	_Atomic uint64_t extent;     /* of reordering, the most: in frames of the flow */
	_Atomic uint64_t unsure;     /* of the reordered: might have come before, too long ago */
	_Atomic uint64_t untold;     /* of the received: of flows beyond the table */
};

struct account_sender {
	uint64_t key;                /* source address and run; see account_key() */
	struct account_flow **piece; /* of ACCOUNT_PIECE flows each; NULL: none came of them yet */
	uint32_t nb_flows;           /* below this a look into piece is worth it */
	alignas(64) struct account_counters count;
};

/* An empty place has the sender that has no flows, so that nobody need ask. */
struct account_place {
	uint64_t key;
	struct account_sender *sender;
};

struct account {
	struct account_place place[ACCOUNT_PLACES];
	struct account_sender *sender; /* ACCOUNT_SENDERS and, the last, nobody */
	struct account_flow *flow;     /* nb_pieces of them, given from the first on */
	uint32_t nb_pieces;
	uint32_t pieces_given;
	_Atomic uint32_t nb_senders; /* the lcore writes, anybody reads */
	/* Frames in no sender's account. The lcore writes, anybody reads. */
	_Atomic uint64_t untagged;
	_Atomic uint64_t corrupt; /* a tag in a frame whose checksum is wrong */
	_Atomic uint64_t crowded; /* of senders beyond ACCOUNT_SENDERS */
};

/*
 * Bytes of memory that an account of so many flows takes. Flows are rounded up to whole pieces;
 * over all senders there is room for so many, and numbers of flows from there on are in no table.
 */
size_t account_size(uint32_t flows);

/* Lays an account out in zeroed memory of account_size() bytes, aligned to a cache line. */
struct account *account_init(void *memory, uint32_t flows);

/* A frame as its lcore has it. */
struct account_frame {
	const uint8_t *p;
	uint32_t in_one; /* bytes that lie together from p on */
	uint32_t len;    /* the whole frame without CRC */
};

/*
 * Accounts for any frame; the one that comes next needs no care: account_is_next().
 * @return whether it was received for the first time, as far as that can be told
 */
bool account_with_care(struct account *a, const struct account_frame *f);

/* Source address and all of a tag before the flow. @param p TAG_MIN_FRAME bytes */
static inline uint64_t
account_key(const uint8_t *p)
{
	uint32_t src, head;

	memcpy(&src, p + FRAME_ETH_LEN + 12, sizeof(src));
	memcpy(&head, p + TAG_OFFSET, sizeof(head));
	return (uint64_t)src << 32 | head;
}

static inline unsigned
account_hash(uint64_t key)
{
	/* The addresses of one network differ in their last byte, runs in theirs. */
	return (unsigned)((key >> 56) + (key >> 24 & 0xff)) % ACCOUNT_PLACES;
}

/* Whether a frame may have a tag, at first sight. @param p TAG_MIN_FRAME bytes */
static inline bool
account_may_be_tagged(const uint8_t *p)
{
	const uint8_t magic[2] = {TAG_MAGIC >> 8, TAG_MAGIC & 0xff};

	return memcmp(p + TAG_OFFSET, magic, sizeof(magic)) == 0;
}

/* Flow in the upper half, sequence from 0 in the lower. @param p TAG_MIN_FRAME bytes */
static inline uint64_t
account_number(const uint8_t *p)
{
	uint64_t number;

	memcpy(&number, p + TAG_FLOW_OFFSET, sizeof(number));
	number = __builtin_bswap64(number);
	return (number & UINT64_C(0xffffffff00000000)) |
	       (uint32_t)((uint32_t)number - tag_start((uint32_t)(number >> 32)));
}

/*
 * The sender of a key, if it is where it is looked for first; else nobody, who has no flows: such
 * frames are looked at with care.
 */
static inline struct account_sender *
account_sender_of(struct account *a, uint64_t key)
{
	const struct account_place *place = &a->place[account_hash(key)];

	return place->key == key ? place->sender : &a->sender[ACCOUNT_SENDERS];
}

/* @return the state of a sender's flow, NULL if it has none (yet) */
static inline struct account_flow *
account_flow_of(const struct account_sender *s, uint32_t flow)
{
	struct account_flow *piece;

	if (flow >= s->nb_flows)
		return NULL;
	piece = s->piece[flow / ACCOUNT_PIECE];
	return piece == NULL ? NULL : &piece[flow % ACCOUNT_PIECE];
}

/* @return frames that came of a flow, each once */
static inline uint32_t
account_came(const struct account_flow *f)
{
	return f->next - f->holes;
}

static inline uint64_t
account_bit(uint32_t sequence)
{
	return UINT64_C(1) << sequence % ACCOUNT_WINDOW;
}

/* @return whether it is the flow's next; then that is noted, and counting it is the caller's */
static inline bool
account_is_next(struct account_flow *f, uint32_t sequence)
{
	if (__builtin_expect(f->next != sequence, false))
		return false;
	f->next = sequence + 1;
	if (__builtin_expect(f->missed != 0, false))
		f->missed &= ~account_bit(sequence);
	return true;
}

/* All queues' accounts of one sender together. */
struct account_total {
	uint32_t src_ip; /* host byte order */
	uint8_t run;
	uint64_t received, bytes, duplicated, reordered, extent, unsure, untold;
	uint64_t missing; /* gaps that nothing filled: an estimate, the end of the run is not in it
			   */
	uint64_t flows;   /* seen */
	uint64_t moved;   /* of them, on more than one queue */
};

/*
 * Adds what one account has by now of a sender; flows, moved and missing are not looked at. Any
 * thread.
 */
void account_peek(
	const struct account *a, uint32_t src_ip, uint8_t run, struct account_total *total);

/*
 * Adds up the accounts of several queues, whose lcores have ended, by sender.
 * @param total room for max senders, in the order they are met
 * @param n at most ACCOUNT_MAX_QUEUES
 * @return how many there are; more than max are left out
 */
unsigned account_sum(
	struct account *const *a, unsigned n, struct account_total *total, unsigned max);
