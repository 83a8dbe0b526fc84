/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel_if.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
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
kernel_if_has_ipv4(unsigned if_index, uint32_t ip)
{
	char name[IF_NAMESIZE];
	struct ifaddrs *all;
	bool found = false;

	if (if_index == 0 || if_indextoname(if_index, name) == NULL || getifaddrs(&all) != 0)
		return false;
	for (const struct ifaddrs *a = all; a != NULL && !found; a = a->ifa_next) {
		struct sockaddr_in in;

		if (a->ifa_addr == NULL || a->ifa_addr->sa_family != AF_INET ||
			strcmp(a->ifa_name, name) != 0)
			continue;
		memcpy(&in, a->ifa_addr, sizeof(in));
		found = ntohl(in.sin_addr.s_addr) == ip;
	}
	freeifaddrs(all);
	return found;
}
