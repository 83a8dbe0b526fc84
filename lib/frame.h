/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ethernet + IPv4 + UDP frames as bytes (RFC 894, 791, 768). Lengths are without the CRC.
 *
 * All frames of a run are alike but for the eight bytes of the UDP header, which carry the ports
 * and the checksum: a sender builds the frame once and then writes one word a packet.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "addr.h"

enum {
	FRAME_ETH_LEN = 14,
	FRAME_IP_LEN = 20,
	FRAME_UDP_LEN = 8,
	FRAME_UDP_OFFSET = FRAME_ETH_LEN + FRAME_IP_LEN,
	FRAME_HEADERS = FRAME_UDP_OFFSET + FRAME_UDP_LEN,
};

enum frame_cksum {
	FRAME_CKSUM_FULL,   /* the finished UDP checksum; a sum of 0 becomes 0xffff */
	FRAME_CKSUM_PSEUDO, /* the pseudo header's sum, for a device that adds the rest */
	FRAME_CKSUM_NONE,   /* 0: not computed */
};

struct frame_spec {
	struct mac src_mac, dst_mac;
	uint32_t src_ip, dst_ip; /* host byte order */
	uint16_t len;            /* of the frame, at least FRAME_HEADERS */
	enum frame_cksum cksum;
};

/*
 * Writes the whole frame: headers with a correct IPv4 checksum, UDP ports 0, payload zeros.
 * @param buf spec->len bytes
 */
void frame_build(uint8_t *buf, const struct frame_spec *spec);

/*
 * The UDP header of a frame with that payload of zeros, as eight bytes in the order of the wire.
 * Store it at FRAME_UDP_OFFSET.
 */
uint64_t frame_udp_word(const struct frame_spec *spec, uint16_t src_port, uint16_t dst_port);

/*
 * The Internet checksum (RFC 1071) over bytes, continuing a sum; not complemented, not folded.
 * An odd length is padded with a zero byte.
 */
uint64_t frame_sum(const void *data, size_t len, uint64_t sum);

/* Folds a sum to 16 bits, in the host's byte order, not complemented. */
uint16_t frame_fold(uint64_t sum);

/*
 * Whether a received frame, whatever is in it, is IPv4 without options or fragments and a UDP
 * datagram that is not cut.
 * @param in_one bytes that lie together from p on
 * @param len the whole frame
 * @param payload so much of it must be there, in one
 */
bool frame_is_udp(const uint8_t *p, uint32_t in_one, uint32_t len, uint16_t payload);

/*
 * Whether the UDP checksum of such a frame was computed and is wrong. Of a frame of which only a
 * part lies in one piece nothing is said: false.
 */
bool frame_udp_is_wrong(const uint8_t *p, uint32_t in_one);

/* Numbers as the wire has them, of up to 8 bytes. */
static inline void
frame_put(uint8_t *p, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

static inline uint64_t
frame_get(const uint8_t *p, unsigned bytes)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < bytes; i++)
		value = value << 8 | p[i];
	return value;
}
