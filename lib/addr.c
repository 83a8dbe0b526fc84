/* SPDX-License-Identifier: BSD-3-Clause */
#include "addr.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int
addr_parse_ipv4(const char *text, uint32_t *ip)
{
	uint32_t sum = 0;

	for (int i = 0; i < 4; i++) {
		const char *start = text;
		unsigned int part = 0;

		if (i > 0 && *text++ != '.')
			return -EINVAL;
		start = text;
		while (*text >= '0' && *text <= '9' && text - start < 3)
			part = part * 10 + (unsigned int)(*text++ - '0');
		if (text == start || part > 255 || (*start == '0' && text - start > 1))
			return -EINVAL;
		sum = sum << 8 | part;
	}
	if (*text != '\0')
		return -EINVAL;
	*ip = sum;
	return 0;
}

const char *
addr_format_ipv4(uint32_t ip, char *buf)
{
	snprintf(buf, ADDR_IPV4_LEN, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 0xff, ip >> 8 & 0xff,
		ip & 0xff);
	return buf;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

int
addr_parse_mac(const char *text, struct mac *mac)
{
	struct mac result;
	char sep = '\0';

	if (strlen(text) == 17) {
		sep = text[2];
		if (sep != ':' && sep != '-')
			return -EINVAL;
	} else if (strlen(text) != 12) {
		return -EINVAL;
	}
	for (int i = 0; i < 6; i++) {
		int high, low;

		if (i > 0 && sep != '\0' && *text++ != sep)
			return -EINVAL;
		high = hex_digit(*text++);
		low = hex_digit(*text++);
		if (high < 0 || low < 0)
			return -EINVAL;
		result.byte[i] = (uint8_t)(high << 4 | low);
	}
	*mac = result;
	return 0;
}

const char *
addr_format_mac(const struct mac *mac, char *buf)
{
	const uint8_t *b = mac->byte;

	snprintf(buf, ADDR_MAC_LEN, "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4],
		b[5]);
	return buf;
}

bool
addr_ipv4_is_multicast(uint32_t ip)
{
	return ip >> 28 == 0xe;
}

struct mac
addr_multicast_mac(uint32_t ip)
{
	return (struct mac){{0x01, 0, 0x5e, ip >> 16 & 0x7f, ip >> 8 & 0xff, ip & 0xff}};
}

bool
addr_mac_is_zero(const struct mac *mac)
{
	return addr_mac_equal(mac, &(struct mac){{0}});
}

bool
addr_mac_is_broadcast(const struct mac *mac)
{
	return addr_mac_equal(mac, &(struct mac){{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}});
}

bool
addr_mac_is_multicast(const struct mac *mac)
{
	return mac->byte[0] & 1;
}

bool
addr_mac_equal(const struct mac *a, const struct mac *b)
{
	return memcmp(a->byte, b->byte, sizeof(a->byte)) == 0;
}
