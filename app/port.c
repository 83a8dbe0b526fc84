/* SPDX-License-Identifier: BSD-3-Clause */
#include "port.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_ether.h>

#include "kernel_if.h"
#include "port_mtu.h"

/* testpmd's destination when none is known. */
static const struct mac default_dst_mac = {{0x02, 0, 0, 0, 0, 0}};

static int
open_port(struct port *p, uint16_t id, const struct config *cfg, struct err *e)
{
	const struct mac *dst = config_dst_mac(cfg, id);
	const char *mode = config_mode(cfg, id);
	struct rte_ether_addr addr;
	int rc;

	*p = (struct port){.id = id, .node = rte_eth_dev_socket_id(id)};
	p->socket = p->node;
	if (rte_eth_dev_get_name_by_port(id, p->name) != 0)
		snprintf(p->name, sizeof(p->name), "port%u", id);
	if (mode == NULL)
		return err_set(e, EXIT_USAGE,
			"port %u (%s) has nothing to do: give --forward-mode=txonly or rxonly for "
			"all "
			"ports, or --port-mode %u=txonly or rxonly for this one",
			id, p->name, id);
	p->engine = engine_find(mode);
	rc = rte_eth_dev_info_get(id, &p->info);
	if (rc != 0)
		return err_set(e, EXIT_MACHINE, "port %u (%s): rte_eth_dev_info_get: %s", id,
			p->name, rte_strerror(-rc));
	rc = rte_eth_macaddr_get(id, &addr);
	if (rc != 0)
		return err_set(e, EXIT_MACHINE, "port %u (%s): rte_eth_macaddr_get: %s", id,
			p->name, rte_strerror(-rc));
	memcpy(p->mac.byte, addr.addr_bytes, sizeof(p->mac.byte));
	p->default_dst_mac = dst == NULL;
	p->dst_mac = dst == NULL ? default_dst_mac : *dst;
	if (p->engine->sends && addr_mac_equal(&p->mac, &p->dst_mac))
		return err_set(e, EXIT_USAGE,
			"port %u (%s): the destination MAC is the port's own; give the next hop's "
			"by "
			"--dst-mac or --eth-peer=%u,MAC",
			id, p->name, id);
	return 0;
}

/* A switch that learns one address on two of its ports sends frames to either. */
static void
warn_same_mac(const struct port *ports, unsigned nb, struct notes *notes)
{
	char text[ADDR_MAC_LEN];

	for (unsigned i = 0; i < nb; i++) {
		for (unsigned k = 0; k < i; k++) {
			if (addr_mac_equal(&ports[i].mac, &ports[k].mac) &&
				!addr_mac_is_zero(&ports[i].mac))
				notes_warn(notes,
					"ports %u and %u have the same MAC, %s: frames for one may "
					"go to "
					"the other",
					ports[k].id, ports[i].id,
					addr_format_mac(&ports[i].mac, text));
		}
	}
}

int
port_refuse_named(const struct config *cfg, uint16_t id, unsigned found, struct err *e)
{
	const char *option = NULL;

	if (cfg->port_mode[id] != NULL)
		option = "port-mode";
	else if (cfg->eth_peer_set >> id & 1)
		option = "eth-peer";
	else if (cfg->portmask >> id & 1)
		option = "portmask";
	if (option == NULL)
		return 0;
	err_set(e, EXIT_USAGE, "port %u is not there: %u port%s found, numbered from 0", id, found,
		found == 1 ? "" : "s");
	return config_blame(cfg, option, id, e);
}

int
port_discover(struct port *ports, const struct config *cfg, struct notes *notes, struct err *e)
{
	unsigned nb = 0;
	uint16_t id;

	for (id = 0; id < CONFIG_MAX_PORTS; id++) {
		if (!rte_eth_dev_is_valid_port(id) &&
			port_refuse_named(cfg, id, rte_eth_dev_count_avail(), e) != 0)
			return -1;
	}
	RTE_ETH_FOREACH_DEV (id) {
		if (cfg->portmask != 0 && !(cfg->portmask >> id & 1)) {
			if (cfg->port_mode[id] != NULL)
				return err_set(e, EXIT_USAGE,
					"--port-mode %u=%s contradicts --portmask=0x%" PRIx64
					", which leaves port %u out",
					id, cfg->port_mode[id], cfg->portmask, id);
			continue;
		}
		if (open_port(&ports[nb], id, cfg, e) != 0)
			return -1;
		nb++;
	}
	warn_same_mac(ports, nb, notes);
	return (int)nb;
}

/* ethdev's order: what the user asks, what the driver prefers, a number for all. */
static uint16_t
descriptors(uint16_t asked, uint16_t preferred, uint16_t fallback)
{
	if (asked != 0)
		return asked;
	return preferred != 0 ? preferred : fallback;
}

int
port_descriptors(struct port *p, const struct config *cfg, struct err *e)
{
	int rc;

	p->used.rxd = descriptors(
		cfg->rxd, p->info.default_rxportconf.ring_size, RTE_ETH_DEV_FALLBACK_RX_RINGSIZE);
	p->used.txd = descriptors(
		cfg->txd, p->info.default_txportconf.ring_size, RTE_ETH_DEV_FALLBACK_TX_RINGSIZE);
	rc = rte_eth_dev_adjust_nb_rx_tx_desc(p->id, &p->used.rxd, &p->used.txd);
	if (rc != 0)
		return err_set(e, EXIT_MACHINE, "port %u (%s): cannot adjust descriptors: %s",
			p->id, p->name, rte_strerror(-rc));
	return 0;
}

struct plan_port_in
port_plan_in(const struct port *p)
{
	return (struct plan_port_in){
		.port_id = p->id,
		.node = p->node,
		.tx = p->engine->sends,
		.rx = p->engine->receives,
		.max_txq = p->info.max_tx_queues,
		.max_rxq = p->info.max_rx_queues,
	};
}

/* The longest frame, without CRC, that this port is to carry; 0: whatever it does by itself. */
static uint32_t
frame_wanted(const struct port *p, const struct config *cfg)
{
	uint32_t frame = 0;

	if (p->engine->sends)
		frame = config_frame_len(cfg);
	if (cfg->max_pkt_len > RTE_ETHER_CRC_LEN)
		frame = RTE_MAX(frame, cfg->max_pkt_len - RTE_ETHER_CRC_LEN);
	return frame;
}

static void
choose_rss(const struct port *p, const struct config *cfg, struct rte_eth_conf *conf,
	struct notes *notes)
{
	const uint64_t udp = RTE_ETH_RSS_UDP;
	uint64_t want = cfg->rss_udp ? udp : RTE_ETH_RSS_IP | udp;
	uint64_t can = want & p->info.flow_type_rss_offloads;

	if (p->used.rxq < 2 || !p->engine->receives)
		return;
	if (can == 0) {
		notes_add(notes,
			"port %u (%s) has no RSS: what spreads frames over its %u rx queues is up "
			"to "
			"the device",
			p->id, p->name, p->used.rxq);
		return;
	}
	if ((can & udp) == 0)
		notes_warn(notes,
			"port %u (%s) cannot hash UDP ports: frames between one pair of addresses "
			"may all arrive on one queue",
			p->id, p->name);
	conf->rxmode.mq_mode = RTE_ETH_MQ_RX_RSS;
	conf->rx_adv_conf.rss_conf.rss_hf = can;
}

static int
choose_offloads(struct port *p, const struct config *cfg, struct rte_eth_conf *conf,
	struct notes *notes, struct err *e)
{
	const uint64_t rx_cksum = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_UDP_CKSUM;

	if (p->engine->sends) {
		if (cfg->nb_txpkts > 1) {
			if (!(p->info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MULTI_SEGS))
				return err_set(e, EXIT_USAGE,
					"port %u (%s) cannot send frames of several segments; give "
					"--txpkts one length, %" PRIu32 ", instead of %u",
					p->id, p->name, config_frame_len(cfg), cfg->nb_txpkts);
			conf->txmode.offloads |= RTE_ETH_TX_OFFLOAD_MULTI_SEGS;
		}
		if (cfg->tx_cksum == TX_CKSUM_OFFLOAD) {
			if (!(p->info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_UDP_CKSUM))
				return err_set(e, EXIT_USAGE,
					"port %u (%s) cannot compute UDP checksums; use "
					"--tx-cksum=software or none",
					p->id, p->name);
			conf->txmode.offloads |= RTE_ETH_TX_OFFLOAD_UDP_CKSUM;
		}
		/* A queue is fed from one pool by one lcore, in single unshared mbufs. */
		if (cfg->nb_txpkts == 1)
			conf->txmode.offloads |=
				p->info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_MBUF_FAST_FREE;
	}
	if (cfg->enable_rx_cksum && p->engine->receives) {
		uint64_t can = p->info.rx_offload_capa & rx_cksum;

		if (can != rx_cksum)
			notes_add(notes,
				"port %u (%s): --enable-rx-cksum asked, %s: the device's limit",
				p->id, p->name,
				can == 0                             ? "not used"
				: can & RTE_ETH_RX_OFFLOAD_UDP_CKSUM ? "used for UDP only"
								     : "used for IPv4 only");
		conf->rxmode.offloads |= can;
	}
	p->tx_offloads = conf->txmode.offloads;
	p->rx_offloads = conf->rxmode.offloads;
	return 0;
}

int
port_configure(struct port *p, const struct config *cfg, const struct plan_port *planned,
	struct notes *notes, struct err *e)
{
	uint32_t frame = frame_wanted(p, cfg);
	struct rte_eth_conf conf = {0};
	int rc;

	p->asked = (struct report_rings){.rxq = planned->asked_rxq,
		.txq = planned->asked_txq,
		.rxd = cfg->rxd,
		.txd = cfg->txd};
	p->used.rxq = planned->used_rxq;
	p->used.txq = planned->used_txq;
	if (port_mtu_prepare(p, frame, &conf, e) != 0)
		return -1;
	if (choose_offloads(p, cfg, &conf, notes, e) != 0)
		return -1;
	choose_rss(p, cfg, &conf, notes);

	rc = rte_eth_dev_configure(p->id, p->used.rxq, p->used.txq, &conf);
	if (rc != 0 && conf.rxmode.mtu != 0)
		return port_mtu_refuse(p, frame, e);
	if (rc != 0)
		return err_set(e, EXIT_MACHINE,
			"port %u (%s): cannot configure %u rx and %u tx queues: %s", p->id, p->name,
			p->used.rxq, p->used.txq, rte_strerror(-rc));
	p->configured = true;
	if (port_mtu_settle(p, frame, e) != 0)
		return -1;
	return 0;
}

int
port_rx_queue(struct port *p, uint16_t queue, int socket, struct rte_mempool *pool, struct err *e)
{
	struct rte_eth_rxconf conf = p->info.default_rxconf;
	int rc;

	conf.offloads = p->rx_offloads;
	rc = rte_eth_rx_queue_setup(p->id, queue, p->used.rxd, (unsigned)socket, &conf, pool);
	if (rc != 0)
		return err_set(e, EXIT_MACHINE,
			"port %u (%s): cannot set up rx queue %u with %u descriptors: %s", p->id,
			p->name, queue, p->used.rxd, rte_strerror(-rc));
	return 0;
}

int
port_tx_queue(struct port *p, uint16_t queue, int socket, struct err *e)
{
	struct rte_eth_txconf conf = p->info.default_txconf;
	int rc;

	conf.offloads = p->tx_offloads;
	rc = rte_eth_tx_queue_setup(p->id, queue, p->used.txd, (unsigned)socket, &conf);
	if (rc != 0)
		return err_set(e, EXIT_MACHINE,
			"port %u (%s): cannot set up tx queue %u with %u descriptors: %s", p->id,
			p->name, queue, p->used.txd, rte_strerror(-rc));
	return 0;
}

int
port_start(struct port *p, struct err *e)
{
	int rc = rte_eth_dev_start(p->id);

	if (rc != 0)
		return err_set(e, EXIT_MACHINE, "port %u (%s): cannot start: %s", p->id, p->name,
			rte_strerror(-rc));
	p->started = true;
	/* What is not for us would not reach us; not every device has a filter to switch off. */
	(void)rte_eth_promiscuous_enable(p->id);
	p->base_known = rte_eth_stats_get(p->id, &p->base) == 0;
	p->base_xstats = port_xstats(p);
	return 0;
}

bool
port_link(struct port *p)
{
	struct rte_eth_link link = {0};

	p->link_up = rte_eth_link_get_nowait(p->id, &link) == 0 &&
		     link.link_status == RTE_ETH_LINK_UP && kernel_if_running(p->info.if_index);
	/* Virtual NICs report 0, all ones or invented speeds; the first two are known to be none.
	 */
	p->link_mbps =
		p->link_up && link.link_speed != RTE_ETH_SPEED_NUM_UNKNOWN ? link.link_speed : 0;
	return p->link_up;
}

void
port_close(struct port *p)
{
	port_mtu_restore(p);
	xstats_free(&p->base_xstats);
	if (p->started)
		(void)rte_eth_dev_stop(p->id);
	p->started = false;
	(void)rte_eth_dev_close(p->id);
	p->configured = false;
}
