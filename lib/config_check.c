/* SPDX-License-Identifier: BSD-3-Clause */
/* What no single option can know: values that must fit each other. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "config_table.h"
#include "suggest.h"
#include "tag.h"
#include "units.h"

static const struct option_setting *
given(const struct config *c, const char *name, unsigned int key)
{
	return option_in_force(&c->given, config_row(c, name), key);
}

/* Refuses the value of an option, named as the user wrote it. */
#define REFUSE(c, name, key, e, ...) \
	(err_set(e, EXIT_USAGE, __VA_ARGS__), option_blame(given(c, name, key), e))

static int
refuse_engine(const struct option_setting *setting, const char *const *engines, struct err *e)
{
	const char *nearest = suggest_nearest(setting->value, engines);
	char list[256] = "";

	for (unsigned int i = 0; engines[i] != NULL; i++) {
		size_t used = strlen(list);

		snprintf(list + used, sizeof(list) - used, "%s%s", i == 0 ? "" : ", ", engines[i]);
	}
	err_set(e, EXIT_USAGE, "no such mode; valid: %s%s%s%s", list,
		nearest == NULL ? "" : "; did you mean ", nearest == NULL ? "" : nearest,
		nearest == NULL ? "" : "?");
	return option_blame(setting, e);
}

/* Every mode that was given must exist, also one that the command line overrides. */
static int
check_modes(const struct config *c, const char *const *engines, struct err *e)
{
	const struct option *forward_mode = config_row(c, "forward-mode");
	const struct option *port_mode = config_row(c, "port-mode");
	bool any = false;

	for (unsigned int i = 0; i < c->given.nb_settings; i++) {
		const struct option_setting *setting = &c->given.setting[i];
		const char *const *engine = engines;

		if (setting->option != forward_mode && setting->option != port_mode)
			continue;
		while (*engine != NULL && strcmp(*engine, setting->value) != 0)
			engine++;
		if (*engine == NULL)
			return refuse_engine(setting, engines, e);
		any = true;
	}
	if (any)
		return 0;
	err_set(e, EXIT_USAGE, "nothing to do: give --forward-mode=");
	for (unsigned int i = 0; engines[i] != NULL; i++) {
		size_t used = strlen(e->msg);

		snprintf(e->msg + used, sizeof(e->msg) - used, "%s%s", i == 0 ? "" : "|",
			engines[i]);
	}
	return -1;
}

/* A value for a port that is not used would be ignored. */
static int
check_ports(const struct config *c, const char *name, struct err *e)
{
	for (unsigned int port = 0; port < CONFIG_MAX_PORTS; port++) {
		if (c->portmask == 0 || (c->portmask >> port & 1) != 0 ||
			given(c, name, port) == NULL)
			continue;
		return REFUSE(c, name, port, e, "port %u is not in --portmask=0x%" PRIx64, port,
			c->portmask);
	}
	return 0;
}

static int
check_txpkts(const struct config *c, struct err *e)
{
	uint32_t len = config_frame_len(c);

	if (c->nb_txpkts > 1 && c->txpkts[0] < CONFIG_MIN_HEADERS)
		return REFUSE(c, "txpkts", 0, e,
			"the first segment has to hold the headers: at least %d bytes, not %u",
			CONFIG_MIN_HEADERS, c->txpkts[0]);
	if (len < CONFIG_MIN_FRAME || len > UINT16_MAX)
		return REFUSE(c, "txpkts", 0, e,
			"a frame of %" PRIu32 " bytes; valid: %d to %d, without the CRC", len,
			CONFIG_MIN_FRAME, UINT16_MAX);
	if (c->max_pkt_len != 0 && len + CONFIG_CRC_LEN > c->max_pkt_len)
		return REFUSE(c, "max-pkt-len", 0, e,
			"--txpkts asks for frames of %" PRIu32 " bytes, with the CRC %" PRIu32
			": at least that much is needed",
			len, len + CONFIG_CRC_LEN);
	return 0;
}

static int
check_ip(const struct config *c, const char *name, uint32_t ip, struct err *e)
{
	if (ip == 0 || ip == UINT32_MAX)
		return REFUSE(c, name, 0, e, "not the address of a host");
	return 0;
}

static int
check_addresses(const struct config *c, struct err *e)
{
	char text[ADDR_IPV4_LEN];

	if (check_ip(c, "src-ip", c->src_ip, e) < 0 || check_ip(c, "dst-ip", c->dst_ip, e) < 0)
		return -1;
	if (given(c, "gateway", 0) != NULL) {
		if (check_ip(c, "gateway", c->gateway, e) < 0)
			return -1;
		if (addr_ipv4_is_multicast(c->gateway))
			return REFUSE(c, "gateway", 0, e, "a multicast address cannot be a router");
		if (c->gateway == c->src_ip)
			return REFUSE(c, "gateway", 0, e,
				"is the source, our own address: give the router's");
	}
	if (addr_ipv4_is_multicast(c->src_ip))
		return REFUSE(c, "src-ip", 0, e, "a multicast address cannot be a source");
	if (c->src_ip == c->dst_ip)
		return REFUSE(c, given(c, "dst-ip", 0) != NULL ? "dst-ip" : "src-ip", 0, e,
			"source and destination are both %s", addr_format_ipv4(c->src_ip, text));
	return 0;
}

int
config_check_tx_udp(const struct config *c, uint32_t all_flows, struct err *e)
{
	uint64_t last = (uint64_t)c->tx_udp_src + all_flows - 1;

	if (c->tx_udp_src == 0 || all_flows == 0 || last <= UINT16_MAX)
		return 0;
	if (all_flows > UINT16_MAX)
		return REFUSE(c, "tx-udp", 0, e,
			"%" PRIu32 " flows need as many source ports, and there are %u: give fewer "
			"--flows-per-core",
			all_flows, UINT16_MAX);
	return REFUSE(c, "tx-udp", 0, e,
		"the source ports of %" PRIu32 " flows would be %u to %" PRIu64
		", past 65535; valid here: 1 to %" PRIu32 ", or fewer --flows-per-core",
		all_flows, c->tx_udp_src, last, UINT16_MAX + 1 - all_flows);
}

static int
check_expect(const struct config *c, struct err *e)
{
	if (given(c, "expect-min", 0) == NULL || c->expect.pps != 0 || c->expect.bps != 0)
		return 0;
	return REFUSE(c, "expect-min", 0, e, "says nothing without --expect: give it, too");
}

/* The name goes into a device's argument list: what parts that must not be in it. */
static int
check_interface(const struct config *c, struct err *e)
{
	if (c->io == IO_NONE && c->interface != NULL)
		return REFUSE(c, "interface", 0, e,
			"says nothing without --io: give --io=af_packet or --io=af_xdp, too");
	if (c->io != IO_AF_XDP && given(c, "io-queue", 0) != NULL)
		return REFUSE(c, "io-queue", 0, e,
			"says nothing without --io=af_xdp: only its sockets are on single queues");
	if (c->io == IO_NONE)
		return 0;
	if (c->interface == NULL)
		return REFUSE(c, "io", 0, e,
			"which interface? Give its name after it, or --interface=IFNAME");
	if (strlen(c->interface) > CONFIG_MAX_IFNAME || strpbrk(c->interface, ",/ \t[]") != NULL)
		return REFUSE(c, "interface", 0, e,
			"not the name of an interface: those have 1 to %d characters, no space, "
			"comma, slash or bracket",
			CONFIG_MAX_IFNAME);
	return 0;
}

int
config_check(struct config *c, const char *const *engines, struct err *e)
{
	while (c->nb_txpkts < CONFIG_MAX_SEGS && c->txpkts[c->nb_txpkts] != 0)
		c->nb_txpkts++;
	if (c->tx_udp_dst == 0)
		c->tx_udp_dst = c->tx_udp_src;
	c->has_dst_mac = config_given(c, "dst-mac");
	for (unsigned int port = 0; port < CONFIG_MAX_PORTS; port++)
		if (given(c, "eth-peer", port) != NULL)
			c->eth_peer_set |= UINT64_C(1) << port;

	if (check_modes(c, engines, e) < 0 || check_ports(c, "port-mode", e) < 0 ||
		check_ports(c, "eth-peer", e) < 0 || check_txpkts(c, e) < 0 ||
		check_addresses(c, e) < 0 || check_expect(c, e) < 0 || check_interface(c, e) < 0)
		return -1;
	/* Of one lcore; how many lcores send is not known here. */
	if (config_check_tx_udp(c, c->flows_per_core, e) < 0)
		return -1;
	if (c->no_tag && config_given(c, "max-loss"))
		return REFUSE(c, "max-loss", 0, e,
			"with --no-tag nothing is known of loss: leave one of them out");
	if (c->json_file != NULL && c->config_file != NULL &&
		strcmp(c->json_file, c->config_file) == 0)
		return REFUSE(c, "json", 0, e, "the results would overwrite the file of --config");
	return 0;
}

/* What is odd about a destination MAC, or NULL. */
static const char *
odd_mac(const struct mac *mac)
{
	if (addr_mac_is_zero(mac))
		return "is all zeros";
	if (addr_mac_is_broadcast(mac))
		return "is broadcast: every host of the network gets every frame";
	if (addr_mac_is_multicast(mac))
		return "is multicast: switches send it to every port";
	return NULL;
}

static void
note_macs(const struct config *c, struct notes *notes)
{
	char text[ADDR_MAC_LEN];

	if (c->has_dst_mac && odd_mac(&c->dst_mac) != NULL)
		notes_warn(notes, "destination MAC %s %s", addr_format_mac(&c->dst_mac, text),
			odd_mac(&c->dst_mac));
	for (unsigned int port = 0; port < CONFIG_MAX_PORTS; port++) {
		const struct mac *mac = &c->eth_peer[port];

		if ((c->eth_peer_set >> port & 1) == 0)
			continue;
		if (odd_mac(mac) != NULL)
			notes_warn(notes, "destination MAC %s of port %u %s",
				addr_format_mac(mac, text), port, odd_mac(mac));
		if (c->has_dst_mac && !addr_mac_equal(mac, &c->dst_mac))
			notes_add(notes, "port %u sends to %s of --eth-peer, not to --dst-mac",
				port, addr_format_mac(mac, text));
	}
}

void
config_notes(const struct config *c, struct notes *notes)
{
	char text[ADDR_IPV4_LEN];

	note_macs(c, notes);
	if (addr_ipv4_is_multicast(c->dst_ip))
		notes_warn(notes, "destination address %s is multicast",
			addr_format_ipv4(c->dst_ip, text));
	if (c->duration_ns != 0 && c->stats_period_ns > c->duration_ns)
		notes_setup(notes,
			"--stats-period is longer than --duration: no line before the report, "
			"no minimum, median and maximum in it");
	if (!c->no_tag && !config_tagged(c) && config_given(c, "txpkts"))
		notes_setup(notes,
			"frames whose first segment has less than %d bytes carry no tag: what "
			"arrives "
			"of them cannot be told from what is lost",
			TAG_MIN_FRAME);
}
