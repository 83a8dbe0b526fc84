/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a sender and its receiver say to each other, in the band of the test: from the sender's
 * address and ports to the receiver's, and back the same way. A sender asks, a receiver answers;
 * any question may be asked again, and the answer to it is then the same or a newer one.
 *
 *   HELLO   who is there?                          a cookie
 *   START   with the cookie: this is my run        it is known now, or why not
 *   COUNT   what I sent so far, and my phase       what came of it; at the end whether all is in
 *   REPORT  page 0, 1, ...                         what came, then its frames by queue
 *   LEAVE   I have it all                          so be it
 *
 * Every frame is PEER_FRAME_LEN long, a question like an answer, so that nobody gets more than he
 * sent. Nothing is kept of a HELLO: the cookie is a hash, of who asks and of a secret, that only
 * comes to where that one really is; anything else needs it. All numbers are big-endian:
 *
 *   42  tag          18 bytes, of kind TAG_CONTROL (tag.h): run; flow: the sender's port;
 *                    sequence: number of the question; time: 0
 *   60  type          8 bits: of enum peer_type, an answer with PEER_ANSWER
 *   61  status        8 bits: of enum peer_status, 0 in questions
 *   62  page         16 bits: of REPORT
 *   64  instance     64 bits: random, of the process that asks
 *   72  cookie       64 bits: 0 in the question HELLO
 *   80  words        24 of 64 bits, by type; what is not known is all ones
 *
 * A frame must have the right IPv4 and UDP checksum, and is otherwise none of these.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "addr.h"
#include "tag.h"

enum peer_type {
	PEER_HELLO = 1,
	PEER_START,
	PEER_COUNT,
	PEER_REPORT,
	PEER_LEAVE,
	PEER_TYPES,

	PEER_ANSWER = 0x80,
};

enum peer_status {
	PEER_OK,
	PEER_COUNTING, /* COUNT: frames may still come */
	PEER_FINAL,    /* COUNT: all that will come came */
	PEER_UNKNOWN,  /* no run of that cookie is known: say HELLO */
	PEER_FULL,     /* START: as many senders as there is room for */
	PEER_CLASH,    /* START: frames came before of a run of that number from there */
	PEER_STATUSES,
};

enum peer_phase {
	PEER_WARMUP,
	PEER_MEASURE,
	PEER_ENDED,
};

enum {
	PEER_PAGE = 24, /* words that an answer has room for, and one more */
	PEER_WORDS,
	PEER_TYPE_OFFSET = TAG_MIN_FRAME,
	PEER_WORDS_OFFSET = PEER_TYPE_OFFSET + 20,
	PEER_FRAME_LEN = PEER_WORDS_OFFSET + 8 * PEER_WORDS,
};
#define PEER_NOT_KNOWN UINT64_MAX

/* Words of questions. */
enum {
	/* of START and COUNT */
	PEER_W_PHASE,     /* enum peer_phase */
	PEER_W_OFFERED,   /* frames */
	PEER_W_SENT,      /* of them, taken by the device */
	PEER_W_BYTES,     /* sent */
	PEER_W_REMAINING, /* ns until the end; not known: nobody set one */
	/* of COUNT, once ended: the measured time, by the sender's clock */
	PEER_W_WINDOW_NS,
	PEER_W_WINDOW_PACKETS,
	PEER_W_WINDOW_BYTES,
	PEER_W_QUESTION,
};

/*
 * Words of answers: of REPORT, page 0; COUNT has the first two. Later pages have frames by queue,
 * PEER_PAGE of them each.
 */
enum {
	PEER_R_RECEIVED, /* frames of that sender, each once */
	PEER_R_BYTES,
	PEER_R_DUPLICATED,
	PEER_R_REORDERED,
	PEER_R_EXTENT,
	PEER_R_UNTOLD, /* received, of flows that are not kept one by one */
	/* by the receiver's clock, while the sender measured */
	PEER_R_WINDOW_NS,
	PEER_R_WINDOW_PACKETS,
	PEER_R_WINDOW_BYTES,
	/* of the receiver as a whole, whoever sent */
	PEER_R_MISSED,
	PEER_R_NOMBUF,
	PEER_R_ERRORS,
	PEER_R_CORRUPT,
	PEER_R_UNTAGGED,
	PEER_R_SENDERS,
	PEER_R_QUEUES, /* how many there are: pages follow */
	PEER_R_LATE,   /* 1: the sender had sent before it was known here */
	PEER_R_FIRST_PAGE,
	PEER_R_INSTANCE = PEER_PAGE, /* of every answer: random, of the process that answers */
};
static_assert((int)PEER_W_QUESTION <= (int)PEER_WORDS, "fit");
static_assert((int)PEER_R_FIRST_PAGE <= (int)PEER_PAGE, "fit");

struct peer_msg {
	enum peer_type type; /* without PEER_ANSWER */
	bool answer;
	enum peer_status status;
	uint16_t page;
	uint8_t run;
	uint32_t port;
	uint32_t number;
	uint64_t instance;
	uint64_t cookie;
	uint64_t word[PEER_WORDS];
};

struct peer_addr {
	struct mac src_mac, dst_mac;
	uint32_t src_ip, dst_ip; /* host byte order */
	uint16_t src_port, dst_port;
};

/* Writes a whole frame. @param frame PEER_FRAME_LEN bytes */
void peer_write(uint8_t *frame, const struct peer_addr *addr, const struct peer_msg *msg);

/*
 * Reads a frame, whatever is in it.
 * @return false if it is none of these, or damaged; *addr and *msg mean nothing then
 */
bool peer_read(const uint8_t *frame, size_t len, struct peer_addr *addr, struct peer_msg *msg);

/* Where an answer goes: back the way the question came, from the device's own MAC. */
struct peer_addr peer_addr_back(const struct peer_addr *from, struct mac own);

/*
 * Whether a frame is meant to be one of these, at first sight; without a branch. Looks at the first
 * 46 bytes, which must be there to read.
 */
static inline bool
peer_is_meant(const uint8_t *frame)
{
	const uint8_t head[3] = {TAG_MAGIC >> 8, TAG_MAGIC & 0xff, TAG_VERSION << 4 | TAG_CONTROL};

	return memcmp(frame + TAG_OFFSET, head, sizeof(head)) == 0;
}
