/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A receiver's side of the conversation (peer_proto.h): it only answers. What it keeps is bounded,
 * and nothing is kept for anybody who did not bring back a cookie. Pure: frames, times and counts
 * come from the caller. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "peer_proto.h"
#include "siphash.h"

enum {
	PEER_SESSIONS = 64,
};

/* What came of one sender, on all queues. */
struct peer_came {
	uint64_t received; /* each frame once */
	uint64_t bytes;
	uint64_t duplicated, reordered, extent, untold;
};

/* What a sender says of itself. */
struct peer_sent {
	enum peer_phase phase;
	uint64_t offered, packets, bytes;                 /* the whole run */
	uint64_t remaining_ns;                            /* PEER_NOT_KNOWN: nobody set an end */
	uint64_t window_ns, window_packets, window_bytes; /* the measured time; once ended */
};

/* A sender's run. One process has one for each port that it sends from. */
struct peer_session {
	uint32_t src_ip; /* with run: whose frames they are */
	uint8_t run;
	uint32_t port;
	uint64_t instance;
	struct peer_sent sent;
	struct peer_came came;
	bool late;  /* it had sent before it was known here: what came before may be missing */
	bool final; /* all that will come came */
	bool left;  /* it has our report */
	uint64_t received_final; /* when it became so */
	uint64_t heard_ns;       /* the last question */
	uint64_t came_ns;        /* the last time frames of it were seen to have come; or its end */
	uint64_t ends_ns;        /* as it plans; UINT64_MAX: it doesn't */
	uint32_t number;         /* of the latest question */
	/* While it measures, by our clock: from the first look after it said so, to the last that
	 * saw new frames. */
	struct {
		bool open;
		uint64_t from_ns, to_ns;
		struct peer_came from, to;
	} window;
};

/* Where counts come from. */
struct peer_view {
	void *arg;
	void (*came)(void *arg, uint32_t src_ip, uint8_t run, struct peer_came *came);
	/* Fills those words of PEER_R_ that say something of the whole receiver. */
	void (*whole)(void *arg, uint64_t *word);
	unsigned nb_queues;
	uint64_t (*queue)(void *arg, uint32_t src_ip, uint8_t run, unsigned queue);
};

struct peer_receiver {
	struct siphash_key secret;
	uint64_t instance; /* of this process */
	struct peer_view view;
	unsigned nb_sessions;
	struct peer_session session[PEER_SESSIONS];
	uint64_t answered, refused; /* questions; those with an answer that was no */
};

/*
 * Works out the answer to a question.
 * @return false: it is none, or this process' own; nobody is to be answered
 */
bool peer_receiver_answer(struct peer_receiver *r, const struct peer_addr *from,
	const struct peer_msg *question, uint64_t now, struct peer_msg *answer);

/* Looks at what came by now. To be called some times a second. */
void peer_receiver_look(struct peer_receiver *r, uint64_t now);

/*
 * Whether it is worth waiting for senders: some are there that end soon, or want our report.
 * @param stopping somebody wants an end: only those that have ended are waited for
 */
bool peer_receiver_is_wanted(const struct peer_receiver *r, uint64_t now, bool stopping);

/*
 * What all sessions of one sender sent together.
 * @return false: it is not known to the last frame: one has not ended, or came late
 */
bool peer_receiver_sent(
	const struct peer_receiver *r, uint32_t src_ip, uint8_t run, uint64_t *packets);
