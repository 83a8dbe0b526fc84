/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a host without a kernel must say for itself: who has my address (ARP, RFC 826), and am I
 * there (ICMP echo, RFC 792); and the question who has another's. Frames are bytes as on the wire,
 * without the CRC; anything may be in them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "addr.h"

enum {
	NEIGHBOUR_REQUEST_LEN = 60, /* of a frame that asks */
};

struct neighbour_self {
	struct mac mac;
	uint32_t ip; /* host byte order */
};

enum neighbour_answer {
	NEIGHBOUR_NOT_FOR_US, /* or malformed */
	NEIGHBOUR_ARP_REPLY,
	NEIGHBOUR_ECHO_REPLY,
};

/*
 * Turns a question to us into its answer, in place: of the same length, so that nobody is answered
 * with more than was sent. Untouched if there is nothing to answer: an address that is not ours,
 * fragments, wrong checksums, an echo request to a group of hosts.
 */
enum neighbour_answer neighbour_answer(
	uint8_t *frame, size_t len, const struct neighbour_self *self);

/* Writes a frame of NEIGHBOUR_REQUEST_LEN bytes that asks everybody who has ip. */
void neighbour_request(uint8_t *frame, const struct neighbour_self *self, uint32_t ip);

/*
 * Reads from an ARP reply to us who has ip.
 * @return false, and *mac untouched, if the frame does not say
 */
bool neighbour_learn(const uint8_t *frame, size_t len, const struct neighbour_self *self,
	uint32_t ip, struct mac *mac);
