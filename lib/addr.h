/* SPDX-License-Identifier: BSD-3-Clause */
/* IPv4 and MAC addresses as text and as numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	ADDR_IPV4_LEN = 16, /* room for "255.255.255.255" and the final zero */
	ADDR_MAC_LEN = 18,  /* room for "02:00:00:00:00:01" and the final zero */
};

struct mac {
	uint8_t byte[6];
};

/*
 * Reads four decimal numbers joined by dots, and nothing else: no leading zeros, which some tools
 * take for octal. The address is in host byte order.
 * @return 0, or -EINVAL and *ip untouched.
 */
int addr_parse_ipv4(const char *text, uint32_t *ip);

/* Writes "192.0.2.1" into buf of ADDR_IPV4_LEN bytes and returns buf. */
const char *addr_format_ipv4(uint32_t ip, char *buf);

/*
 * Reads six pairs of hex digits, joined all by colons, all by dashes, or by nothing: remote
 * consoles are known to lose the colon key.
 * @return 0, or -EINVAL and *mac untouched.
 */
int addr_parse_mac(const char *text, struct mac *mac);

/* Writes "02:00:00:00:00:01" into buf of ADDR_MAC_LEN bytes and returns buf. */
const char *addr_format_mac(const struct mac *mac, char *buf);

bool addr_ipv4_is_multicast(uint32_t ip); /* 224.0.0.0/4 */

/* The MAC that a multicast address is sent to (RFC 1112, 6.4). */
struct mac addr_multicast_mac(uint32_t ip);
bool addr_mac_is_zero(const struct mac *mac);
bool addr_mac_is_broadcast(const struct mac *mac);
bool addr_mac_is_multicast(const struct mac *mac); /* true for broadcast as well */
bool addr_mac_equal(const struct mac *a, const struct mac *b);
