/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the run showed. Only a receiver can say that frames arrived: a sender's counts are what its
 * device accepted, so a sender alone stays unverified.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "expect.h"
#include "notes.h"

enum verdict_status {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_UNVERIFIED,
};

enum verdict_link {
	VERDICT_LINK_UNKNOWN,
	VERDICT_LINK_DOWN, /* at least one sending port's link was down */
	VERDICT_LINK_UP,
};

struct verdict_input {
	bool sends;      /* some stream of this process sends */
	bool receives;   /* some stream of this process receives */
	bool measured;   /* the run got past its warm-up */
	bool no_traffic; /* some strayed frames at most, in all the time it waited */
	bool brief;      /* but measured for less than a scheduler may keep an lcore waiting */
	uint64_t tx_offered, tx_packets;             /* in the measured time */
	uint64_t total_tx_offered, total_tx_packets; /* the whole run */
	uint64_t rx_packets;
	uint64_t total_rx_packets;
	uint64_t control; /* frames that a network says by itself, in no other count */
	enum verdict_link tx_link;
	/* What receivers said to this sender. */
	bool peers_asked;
	bool peers_told;         /* one did, and nothing of it is in doubt */
	uint64_t peers_received; /* all of them */
	const char *peers_state; /* why not; NULL: see above */
	/* What is known of loss, to the last frame; and how much of it is let pass. */
	bool loss_known;
	uint64_t sent, lost;
	uint64_t max_loss; /* millionths */
	bool max_loss_given;
	const struct expect_result *expect; /* NULL: nothing was expected */
	const char *udp_ports; /* "1024-17407", for the checklist; NULL: not known here */
};

struct verdict {
	enum verdict_status status;
	struct notes reasons; /* what led to it; after a failure also what to check */
};

/*
 * Judges. What was received decides between pass and fail; a sender whose device accepted nothing
 * fails in any case.
 */
void verdict_decide(const struct verdict_input *in, struct verdict *out);

/* "pass", "fail", "unverified": the words of the result file. */
const char *verdict_name(enum verdict_status s);

/* EXIT_DONE or EXIT_NEGATIVE. */
enum exit_status verdict_exit(enum verdict_status s);
