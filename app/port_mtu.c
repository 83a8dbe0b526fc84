/* SPDX-License-Identifier: BSD-3-Clause */
#include "port_mtu.h"

#include <errno.h>
#include <inttypes.h>

#include <rte_ether.h>

#include "kernel_if.h"

/* @return 0 if it is not known */
static uint16_t
read_mtu(const struct port *p)
{
	uint16_t mtu;

	/* ethdev answers 1500 for a kernel's interface whatever its MTU is: the kernel knows. */
	mtu = kernel_if_mtu(p->info.if_index);
	if (mtu == 0 && rte_eth_dev_get_mtu(p->id, &mtu) != 0)
		mtu = 0;
	return mtu;
}

static int
refuse(const struct port *p, uint32_t frame, uint32_t limit, struct err *e)
{
	return err_set(e, EXIT_USAGE,
		"port %u (%s) cannot carry frames of %" PRIu32 " B: its limit is %" PRIu32
		" B without CRC (MTU %" PRIu32 "); give a smaller --txpkts or --max-pkt-len",
		p->id, p->name, frame, limit, limit - RTE_ETHER_HDR_LEN);
}

int
port_mtu_refuse(const struct port *p, uint32_t frame, struct err *e)
{
	return refuse(p, frame, (uint32_t)p->mtu_before + RTE_ETHER_HDR_LEN, e);
}

int
port_mtu_prepare(struct port *p, uint32_t frame, struct rte_eth_conf *conf, struct err *e)
{
	uint32_t limit = UINT32_MAX;

	p->mtu_before = read_mtu(p);
	if (p->mtu_before == 0)
		p->mtu_before = RTE_ETHER_MTU;
	/* A kernel's interface carries what its MTU says, whatever net_af_packet names as its own.
	 */
	if (p->info.if_index != 0 && frame <= (uint32_t)p->mtu_before + RTE_ETHER_HDR_LEN)
		return 0;
	if (p->info.max_mtu != 0 && p->info.max_mtu != UINT16_MAX)
		limit = (uint32_t)p->info.max_mtu + RTE_ETHER_HDR_LEN;
	/* ethdev takes 18 bytes from this where the device names no largest MTU. */
	else if (p->info.max_rx_pktlen > RTE_ETHER_CRC_LEN && p->info.max_rx_pktlen != UINT32_MAX)
		limit = p->info.max_rx_pktlen - RTE_ETHER_CRC_LEN;
	if (frame > limit)
		return refuse(p, frame, limit, e);
	if (frame > (uint32_t)p->mtu_before + RTE_ETHER_HDR_LEN)
		conf->rxmode.mtu = frame - RTE_ETHER_HDR_LEN;
	return 0;
}

int
port_mtu_settle(struct port *p, uint32_t frame, struct err *e)
{
	uint32_t need = frame > RTE_ETHER_HDR_LEN ? frame - RTE_ETHER_HDR_LEN : 0;
	int rc = 0;

	if (need > p->mtu_before) {
		/* Some drivers took it at configure, some need this call, some do without. */
		rc = rte_eth_dev_set_mtu(p->id, (uint16_t)need);
		p->mtu_raised = rc == 0;
	}
	p->mtu = read_mtu(p);
	if (rc != 0 && rc != -ENOTSUP)
		return port_mtu_refuse(p, frame, e);
	if (p->mtu != 0 && need > p->mtu)
		return refuse(p, frame, (uint32_t)p->mtu + RTE_ETHER_HDR_LEN, e);
	return 0;
}

void
port_mtu_restore(struct port *p)
{
	if (p->mtu_raised)
		(void)rte_eth_dev_set_mtu(p->id, p->mtu_before);
	p->mtu_raised = false;
}
