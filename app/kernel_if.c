/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel_if.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static bool
ask(unsigned if_index, unsigned long request, struct ifreq *ifr)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool known;

	if (fd < 0)
		return false;
	known = if_indextoname(if_index, ifr->ifr_name) != NULL && ioctl(fd, request, ifr) == 0;
	close(fd);
	return known;
}

uint16_t
kernel_if_mtu(unsigned if_index)
{
	struct ifreq ifr = {0};

	if (if_index == 0 || !ask(if_index, SIOCGIFMTU, &ifr))
		return 0;
	return ifr.ifr_mtu > 0 && ifr.ifr_mtu <= UINT16_MAX ? (uint16_t)ifr.ifr_mtu : 0;
}

bool
kernel_if_running(unsigned if_index)
{
	struct ifreq ifr = {0};

	return if_index == 0 || !ask(if_index, SIOCGIFFLAGS, &ifr) ||
	       (ifr.ifr_flags & IFF_RUNNING) != 0;
}

bool
kernel_if_up(unsigned if_index)
{
	struct ifreq ifr = {0};

	return ask(if_index, SIOCGIFFLAGS, &ifr) && (ifr.ifr_flags & IFF_UP) != 0;
}

unsigned
kernel_if_queues(unsigned if_index)
{
	struct ethtool_channels channels = {.cmd = ETHTOOL_GCHANNELS};
	struct ifreq ifr = {.ifr_data = (char *)&channels};

	return if_index != 0 && ask(if_index, SIOCETHTOOL, &ifr)
		       ? channels.combined_count + channels.rx_count
		       : 0;
}

/* Looks through an interface's IPv4 addresses for ip, or, if it is 0, for the first. */
static uint32_t
find_ipv4(unsigned if_index, uint32_t ip)
{
	char name[IF_NAMESIZE];
	struct ifaddrs *all;
	uint32_t found = 0;

	if (if_index == 0 || if_indextoname(if_index, name) == NULL || getifaddrs(&all) != 0)
		return 0;
	for (const struct ifaddrs *a = all; a != NULL && found == 0; a = a->ifa_next) {
		struct sockaddr_in in;

		if (a->ifa_addr == NULL || a->ifa_addr->sa_family != AF_INET ||
			strcmp(a->ifa_name, name) != 0)
			continue;
		memcpy(&in, a->ifa_addr, sizeof(in));
		if (ip == 0 || ntohl(in.sin_addr.s_addr) == ip)
			found = ntohl(in.sin_addr.s_addr);
	}
	freeifaddrs(all);
	return found;
}

bool
kernel_if_has_ipv4(unsigned if_index, uint32_t ip)
{
	return ip != 0 && find_ipv4(if_index, ip) == ip;
}

uint32_t
kernel_if_ipv4(unsigned if_index)
{
	return find_ipv4(if_index, 0);
}

const char *
kernel_if_names(char *buf, size_t len)
{
	struct if_nameindex *all = if_nameindex();
	size_t used = 0;

	snprintf(buf, len, "none");
	for (const struct if_nameindex *i = all; i != NULL && i->if_index != 0 && used < len; i++)
		used += (size_t)snprintf(
			buf + used, len - used, "%s%s", used == 0 ? "" : ", ", i->if_name);
	if_freenameindex(all);
	return buf;
}
