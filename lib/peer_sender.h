/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sender's side of the conversation (peer_proto.h), of one port with the one receiver it sends
 * to. It asks until it is answered, or gives up in stated times; whoever doesn't answer never holds
 * up a test. Pure: frames, times and counts come from the caller. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "peer_proto.h"
#include "peer_receiver.h"

enum peer_state {
	PEER_FINDING,
	PEER_STARTING,
	PEER_RUNNING,  /* counts are told once a second */
	PEER_ENDING,   /* until all that will come came */
	PEER_FETCHING, /* the report, page by page */
	PEER_LEAVING,
	PEER_DONE,
	PEER_NOBODY,  /* none was found, or it went away: see why */
	PEER_REFUSED, /* it has no room, or our run's number is another's: see status */
};

enum peer_why {
	PEER_WHY_NONE,
	PEER_WHY_SILENT,    /* nobody ever answered */
	PEER_WHY_VANISHED,  /* it answered, and then no more */
	PEER_WHY_RESTARTED, /* it had forgotten the run at its end */
	PEER_WHY_ENDLESS,   /* it never said that all came */
};

enum {
	PEER_MAX_QUEUES = 1024, /* of a receiver, by which it is told what came */
};

struct peer_sender {
	uint64_t instance; /* ours */
	uint8_t run;
	uint32_t port;

	enum peer_state state;
	enum peer_why why;
	enum peer_status status; /* of PEER_REFUSED */
	uint64_t cookie;
	uint64_t peer;         /* instance of the receiver; 0: none yet */
	bool restarted;        /* the receiver was another one in between */
	bool begun;            /* something was sent */
	bool own;              /* our own question came back to us: the receiver is this process */
	enum peer_phase asked; /* phase of the last question, */
	uint32_t phase_number; /* the first question that said so */
	enum peer_phase told;  /* the last phase that was answered */
	uint32_t number;       /* of the last question */
	unsigned tries;        /* of this question */
	uint64_t next_ns;      /* when to ask (again) */
	uint64_t heard_ns;     /* the last answer; at the end, from when on one is waited for */
	uint64_t end_ns;       /* since when the end is told */
	unsigned page;

	/* What the receiver said. */
	bool has_report; /* the first page, to be trusted to the last frame */
	uint64_t report[PEER_WORDS];
	unsigned nb_queues; /* of which packets are known, in queue[] */
	uint64_t queue[PEER_MAX_QUEUES];
};

/* All of *s is set. @param instance not 0 */
void peer_sender_init(
	struct peer_sender *s, uint64_t instance, uint8_t run, uint32_t port, uint64_t now);

/*
 * What is to be asked now, if anything is.
 * @param sent up to date; its phase tells when to end
 * @return whether *question is to be sent
 */
bool peer_sender_ask(struct peer_sender *s, uint64_t now, const struct peer_sent *sent,
	struct peer_msg *question);

/* Takes an answer, or what may be one. @return whether it was */
bool peer_sender_take(struct peer_sender *s, uint64_t now, const struct peer_msg *answer);

/* Whether the run may begin: the receiver knows of it, or won't. */
static inline bool
peer_sender_is_settled(const struct peer_sender *s)
{
	return s->own || s->state >= PEER_RUNNING;
}

/* Whether nothing more is to come. */
static inline bool
peer_sender_is_over(const struct peer_sender *s)
{
	return s->own || s->state >= PEER_DONE;
}
