/* SPDX-License-Identifier: BSD-3-Clause */
#include "frame.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <string.h>

struct ip_header {
	uint8_t version_ihl;
	uint8_t tos;
	uint16_t total_len;
	uint16_t id;
	uint16_t fragment;
	uint8_t ttl;
	uint8_t protocol;
	uint16_t cksum;
	uint32_t src, dst;
};
static_assert(sizeof(struct ip_header) == FRAME_IP_LEN, "RFC 791");

struct udp_header {
	uint16_t src, dst;
	uint16_t len;
	uint16_t cksum;
};
static_assert(sizeof(struct udp_header) == sizeof(uint64_t), "one word a packet");

uint64_t
frame_sum(const void *data, size_t len, uint64_t sum)
{
	const uint8_t *p = data;

	for (; len > 1; len -= 2, p += 2)
		sum += (uint64_t)p[0] << 8 | p[1];
	if (len == 1)
		sum += (uint64_t)p[0] << 8;
	return sum;
}

uint16_t
frame_fold(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

void
frame_build(uint8_t *buf, const struct frame_spec *spec)
{
	struct ip_header ip = {
		.version_ihl = 4 << 4 | FRAME_IP_LEN / 4,
		.total_len = htons((uint16_t)(spec->len - FRAME_ETH_LEN)),
		.ttl = 64,
		.protocol = IPPROTO_UDP,
		.src = htonl(spec->src_ip),
		.dst = htonl(spec->dst_ip),
	};
	const uint8_t ethertype[2] = {0x08, 0x00};
	uint64_t word = frame_udp_word(spec, 0, 0);

	ip.cksum = htons((uint16_t)~frame_fold(frame_sum(&ip, sizeof(ip), 0)));

	memset(buf, 0, spec->len);
	memcpy(buf, spec->dst_mac.byte, 6);
	memcpy(buf + 6, spec->src_mac.byte, 6);
	memcpy(buf + 12, ethertype, sizeof(ethertype));
	memcpy(buf + FRAME_ETH_LEN, &ip, sizeof(ip));
	memcpy(buf + FRAME_UDP_OFFSET, &word, sizeof(word));
}

uint64_t
frame_udp_word(const struct frame_spec *spec, uint16_t src_port, uint16_t dst_port)
{
	uint16_t len = (uint16_t)(spec->len - FRAME_UDP_OFFSET);
	struct udp_header udp = {
		.src = htons(src_port),
		.dst = htons(dst_port),
		.len = htons(len),
	};
	uint64_t sum = 0, word;

	/* The pseudo header: addresses, protocol and length. */
	sum += (spec->src_ip >> 16) + (spec->src_ip & 0xffff);
	sum += (spec->dst_ip >> 16) + (spec->dst_ip & 0xffff);
	sum += IPPROTO_UDP + len;

	switch (spec->cksum) {
	case FRAME_CKSUM_FULL:
		/* A payload of zeros adds nothing. */
		udp.cksum = (uint16_t)~htons(frame_fold(frame_sum(&udp, sizeof(udp), sum)));
		/* 0 on the wire means "not computed"; all ones is the same number (RFC 768). */
		if (udp.cksum == 0)
			udp.cksum = 0xffff;
		break;
	case FRAME_CKSUM_PSEUDO:
		udp.cksum = htons(frame_fold(sum));
		break;
	case FRAME_CKSUM_NONE:
		break;
	}
	memcpy(&word, &udp, sizeof(word));
	return word;
}

enum {
	IP = FRAME_ETH_LEN,
	UDP = FRAME_UDP_OFFSET,
	MORE_OR_OFFSET = 0x3fff, /* of a fragment */
};

bool
frame_is_udp(const uint8_t *p, uint32_t in_one, uint32_t len, uint16_t payload)
{
	uint64_t udp_len;

	if (in_one < FRAME_HEADERS + (uint32_t)payload || frame_get(p + 12, 2) != 0x0800 ||
		p[IP] != 0x45 || (frame_get(p + IP + 6, 2) & MORE_OR_OFFSET) != 0 ||
		p[IP + 9] != IPPROTO_UDP)
		return false;
	udp_len = frame_get(p + UDP + 4, 2);
	return udp_len >= FRAME_UDP_LEN + (uint64_t)payload && UDP + udp_len <= len &&
	       frame_get(p + IP + 2, 2) >= FRAME_IP_LEN + udp_len;
}

/*
 * In words of 32 bits, which vectors add: it is half of all that frames with gaps before them cost.
 * The sum is in the order of memory.
 */
static uint64_t
sum_words(const uint8_t *p, uint32_t len)
{
	uint64_t sum = 0;
	uint32_t i = 0;

	for (; i + 4 <= len; i += 4) {
		uint32_t word;

		memcpy(&word, p + i, sizeof(word));
		sum += word;
	}
	for (; i < len; i++)
		sum += (uint64_t)p[i] << 8 * (i % 4);
	return sum;
}

bool
frame_udp_is_wrong(const uint8_t *p, uint32_t in_one)
{
	uint32_t udp_len = (uint32_t)frame_get(p + UDP + 4, 2);
	uint64_t sum;

	if (UDP + udp_len > in_one || frame_get(p + UDP + 6, 2) == 0)
		return false;
	sum = sum_words(p + IP + 12, 8) + htons(IPPROTO_UDP) + htons((uint16_t)udp_len);
	return frame_fold(sum + sum_words(p + UDP, udp_len)) != 0xffff;
}
