/* SPDX-License-Identifier: BSD-3-Clause */
#include "neighbour.h"

#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <string.h>

#include "frame.h"

enum {
	ARP_LEN = 28,
	ARP_ETHERNET = 1,
	ARP_REQUEST = 1,
	ARP_REPLY = 2,
	ECHO_REPLY = 0,
	ECHO_REQUEST = 8,
	ECHO_LEN = 8,
	IP_MORE_OR_OFFSET = 0x3fff, /* of a fragment */
	TTL = 64,
};

struct arp {
	uint16_t hardware, protocol;
	uint8_t hardware_len, protocol_len;
	uint16_t operation;
	struct mac sender_mac;
	uint32_t sender_ip;
	struct mac target_mac;
	uint32_t target_ip;
} __attribute__((packed));
static_assert(sizeof(struct arp) == ARP_LEN, "RFC 826 for IPv4 on Ethernet");

struct eth {
	struct mac dst, src;
	uint16_t type;
};
static_assert(sizeof(struct eth) == FRAME_ETH_LEN, "RFC 894");

static const struct mac broadcast = {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};

static bool
has_type(const uint8_t *frame, size_t len, uint16_t type)
{
	return len >= FRAME_ETH_LEN && frame[12] == type >> 8 && frame[13] == (type & 0xff);
}

/* @return false if the frame is no ARP for IPv4 on Ethernet */
static bool
read_arp(const uint8_t *frame, size_t len, struct arp *arp)
{
	if (!has_type(frame, len, 0x0806) || len < FRAME_ETH_LEN + ARP_LEN)
		return false;
	memcpy(arp, frame + FRAME_ETH_LEN, sizeof(*arp));
	return ntohs(arp->hardware) == ARP_ETHERNET && ntohs(arp->protocol) == 0x0800 &&
	       arp->hardware_len == sizeof(arp->sender_mac) &&
	       arp->protocol_len == sizeof(arp->sender_ip);
}

static void
write_arp(uint8_t *frame, const struct neighbour_self *self, const struct mac *to,
	uint16_t operation, const struct mac *target_mac, uint32_t target_ip)
{
	struct eth eth = {.dst = *to, .src = self->mac, .type = htons(0x0806)};
	struct arp arp = {
		.hardware = htons(ARP_ETHERNET),
		.protocol = htons(0x0800),
		.hardware_len = sizeof(arp.sender_mac),
		.protocol_len = sizeof(arp.sender_ip),
		.operation = htons(operation),
		.sender_mac = self->mac,
		.sender_ip = htonl(self->ip),
		.target_mac = *target_mac,
		.target_ip = htonl(target_ip),
	};

	memcpy(frame, &eth, sizeof(eth));
	memcpy(frame + FRAME_ETH_LEN, &arp, sizeof(arp));
}

static bool
answer_arp(uint8_t *frame, size_t len, const struct neighbour_self *self)
{
	struct arp arp;
	struct mac asker;

	if (!read_arp(frame, len, &arp) || ntohs(arp.operation) != ARP_REQUEST ||
		ntohl(arp.target_ip) != self->ip)
		return false;
	/* Two hosts with one address: a reply would not make it better. */
	if (ntohl(arp.sender_ip) == self->ip)
		return false;
	asker = arp.sender_mac;
	if (addr_mac_is_multicast(&asker) || addr_mac_is_zero(&asker))
		return false;
	write_arp(frame, self, &asker, ARP_REPLY, &asker, ntohl(arp.sender_ip));
	return true;
}

static uint16_t
checksum(const uint8_t *data, size_t len)
{
	return (uint16_t)~frame_fold(frame_sum(data, len, 0));
}

static void
store16(uint8_t *to, uint16_t value)
{
	to[0] = (uint8_t)(value >> 8);
	to[1] = (uint8_t)value;
}

static uint16_t
load16(const uint8_t *from)
{
	return (uint16_t)(from[0] << 8 | from[1]);
}

static uint32_t
load32(const uint8_t *from)
{
	return (uint32_t)load16(from) << 16 | load16(from + 2);
}

static bool
answer_echo(uint8_t *frame, size_t len, const struct neighbour_self *self)
{
	uint8_t *ip = frame + FRAME_ETH_LEN, *icmp, address[4];
	size_t header, total;
	struct mac asker;

	if (!has_type(frame, len, 0x0800) || len < FRAME_ETH_LEN + FRAME_IP_LEN + ECHO_LEN)
		return false;
	header = (ip[0] & 0xfu) * 4u;
	total = load16(ip + 2);
	if (ip[0] >> 4 != 4 || header < FRAME_IP_LEN || total < header + ECHO_LEN ||
		total > len - FRAME_ETH_LEN || ip[9] != IPPROTO_ICMP ||
		(load16(ip + 6) & IP_MORE_OR_OFFSET) != 0 || load32(ip + 16) != self->ip ||
		checksum(ip, header) != 0)
		return false;
	/* From one host, to us alone (RFC 1122, 3.2.2.6: answers to a group amplify). */
	memcpy(asker.byte, frame + 6, sizeof(asker.byte));
	if (memcmp(frame, self->mac.byte, sizeof(self->mac.byte)) != 0 ||
		addr_mac_is_multicast(&asker) || addr_ipv4_is_multicast(load32(ip + 12)) ||
		load32(ip + 12) == self->ip || load32(ip + 12) == 0 ||
		load32(ip + 12) == UINT32_MAX)
		return false;
	icmp = ip + header;
	if (icmp[0] != ECHO_REQUEST || icmp[1] != 0 || checksum(icmp, total - header) != 0)
		return false;

	memcpy(frame, asker.byte, sizeof(asker.byte));
	memcpy(frame + 6, self->mac.byte, sizeof(self->mac.byte));
	memcpy(address, ip + 12, sizeof(address));
	memcpy(ip + 12, ip + 16, sizeof(address));
	memcpy(ip + 16, address, sizeof(address));
	ip[8] = TTL;
	store16(ip + 10, 0);
	store16(ip + 10, checksum(ip, header));
	icmp[0] = ECHO_REPLY;
	store16(icmp + 2, 0);
	store16(icmp + 2, checksum(icmp, total - header));
	return true;
}

enum neighbour_answer
neighbour_answer(uint8_t *frame, size_t len, const struct neighbour_self *self)
{
	if (answer_arp(frame, len, self))
		return NEIGHBOUR_ARP_REPLY;
	return answer_echo(frame, len, self) ? NEIGHBOUR_ECHO_REPLY : NEIGHBOUR_NOT_FOR_US;
}

void
neighbour_request(uint8_t *frame, const struct neighbour_self *self, uint32_t ip)
{
	memset(frame, 0, NEIGHBOUR_REQUEST_LEN);
	write_arp(frame, self, &broadcast, ARP_REQUEST, &(struct mac){}, ip);
}

bool
neighbour_learn(const uint8_t *frame, size_t len, const struct neighbour_self *self, uint32_t ip,
	struct mac *mac)
{
	struct arp arp;
	struct mac found;

	if (!read_arp(frame, len, &arp) || ntohs(arp.operation) != ARP_REPLY ||
		ntohl(arp.sender_ip) != ip || ntohl(arp.target_ip) != self->ip)
		return false;
	found = arp.sender_mac;
	if (addr_mac_is_zero(&found) || addr_mac_is_multicast(&found))
		return false;
	*mac = found;
	return true;
}
