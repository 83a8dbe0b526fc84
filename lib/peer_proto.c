/* SPDX-License-Identifier: BSD-3-Clause */
#include "peer_proto.h"

#include "frame.h"

enum {
	TYPE = PEER_TYPE_OFFSET,
	STATUS = TYPE + 1,
	PAGE = TYPE + 2,
	INSTANCE = TYPE + 4,
	COOKIE = TYPE + 12,
	UDP = FRAME_UDP_OFFSET,
	IP = FRAME_ETH_LEN,
	PAYLOAD = PEER_FRAME_LEN - FRAME_HEADERS,
};

void
peer_write(uint8_t *frame, const struct peer_addr *addr, const struct peer_msg *msg)
{
	const struct frame_spec spec = {
		.src_mac = addr->src_mac,
		.dst_mac = addr->dst_mac,
		.src_ip = addr->src_ip,
		.dst_ip = addr->dst_ip,
		.len = PEER_FRAME_LEN,
		.cksum = FRAME_CKSUM_PSEUDO,
	};
	const struct tag tag = {
		.kind = TAG_CONTROL,
		.run = msg->run,
		.flow = msg->port,
		.sequence = msg->number,
	};
	uint64_t word = frame_udp_word(&spec, addr->src_port, addr->dst_port);
	uint16_t cksum;

	frame_build(frame, &spec);
	memcpy(frame + UDP, &word, sizeof(word));
	tag_write(frame + TAG_OFFSET, &tag);
	frame[TYPE] = (uint8_t)(msg->type | (msg->answer ? PEER_ANSWER : 0));
	frame[STATUS] = (uint8_t)msg->status;
	frame_put(frame + PAGE, msg->page, 2);
	frame_put(frame + INSTANCE, msg->instance, 8);
	frame_put(frame + COOKIE, msg->cookie, 8);
	for (unsigned i = 0; i < PEER_WORDS; i++)
		frame_put(frame + PEER_WORDS_OFFSET + 8 * i, msg->word[i], 8);
	cksum = (uint16_t)~frame_fold(frame_sum(frame + UDP, PEER_FRAME_LEN - UDP, 0));
	frame_put(frame + UDP + 6, cksum == 0 ? 0xffff : cksum, 2);
}

static void
read_addr(const uint8_t *frame, struct peer_addr *addr)
{
	memcpy(addr->dst_mac.byte, frame, sizeof(addr->dst_mac.byte));
	memcpy(addr->src_mac.byte, frame + 6, sizeof(addr->src_mac.byte));
	addr->src_ip = (uint32_t)frame_get(frame + IP + 12, 4);
	addr->dst_ip = (uint32_t)frame_get(frame + IP + 16, 4);
	addr->src_port = (uint16_t)frame_get(frame + UDP, 2);
	addr->dst_port = (uint16_t)frame_get(frame + UDP + 2, 2);
}

/* Nobody answers a group of hosts, or for one. */
static bool
is_between_hosts(const struct peer_addr *addr)
{
	const uint32_t ip[] = {addr->src_ip, addr->dst_ip};

	for (unsigned i = 0; i < 2; i++) {
		if (ip[i] == 0 || addr_ipv4_is_multicast(ip[i]) || ip[i] == UINT32_MAX)
			return false;
	}
	return (addr->src_mac.byte[0] & 1) == 0;
}

/* @return whether the frame is one of these, to the last byte; its addresses are looked at later */
static bool
is_whole(const uint8_t *frame, size_t len, struct tag *tag)
{
	if (len < PEER_FRAME_LEN || len > UINT16_MAX || !peer_is_meant(frame) ||
		!frame_is_udp(frame, (uint32_t)len, (uint32_t)len, PAYLOAD) ||
		frame_get(frame + UDP + 4, 2) != FRAME_UDP_LEN + PAYLOAD)
		return false;
	return frame_fold(frame_sum(frame + IP, FRAME_IP_LEN, 0)) == 0xffff &&
	       frame_get(frame + UDP + 6, 2) != 0 && !frame_udp_is_wrong(frame, (uint32_t)len) &&
	       tag_read(frame + TAG_OFFSET, tag);
}

bool
peer_read(const uint8_t *frame, size_t len, struct peer_addr *addr, struct peer_msg *msg)
{
	struct tag tag;
	unsigned type;

	if (!is_whole(frame, len, &tag))
		return false;
	type = frame[TYPE] & ~(unsigned)PEER_ANSWER;
	if (type < PEER_HELLO || type >= PEER_TYPES || frame[STATUS] >= PEER_STATUSES)
		return false;
	read_addr(frame, addr);
	if (!is_between_hosts(addr))
		return false;
	*msg = (struct peer_msg){
		.type = (enum peer_type)type,
		.answer = (frame[TYPE] & PEER_ANSWER) != 0,
		.status = (enum peer_status)frame[STATUS],
		.page = (uint16_t)frame_get(frame + PAGE, 2),
		.run = tag.run,
		.port = tag.flow,
		.number = tag.sequence,
		.instance = frame_get(frame + INSTANCE, 8),
		.cookie = frame_get(frame + COOKIE, 8),
	};
	for (unsigned i = 0; i < PEER_WORDS; i++)
		msg->word[i] = frame_get(frame + PEER_WORDS_OFFSET + 8 * i, 8);
	return true;
}

struct peer_addr
peer_addr_back(const struct peer_addr *from, struct mac own)
{
	return (struct peer_addr){
		.src_mac = own,
		.dst_mac = from->src_mac,
		.src_ip = from->dst_ip,
		.dst_ip = from->src_ip,
		.src_port = from->dst_port,
		.dst_port = from->src_port,
	};
}
