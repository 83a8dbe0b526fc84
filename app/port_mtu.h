/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames longer than a port carries by itself. An MTU is raised for the run and given back; what
 * cannot be carried is refused before anything is sent, for some drivers count frames as sent that
 * they drop for their length.
 */
#pragma once

#include <stdint.h>

#include "port.h"

/*
 * Before rte_eth_dev_configure(): notes the MTU, and puts one that holds the frame into conf.
 * @param frame bytes without CRC; 0: whatever the port does
 * @return 0 or -1 with EXIT_USAGE naming the port's limit
 */
int port_mtu_prepare(struct port *p, uint32_t frame, struct rte_eth_conf *conf, struct err *e);

/* After it: makes sure by reading back. @return 0 or -1 as above */
int port_mtu_settle(struct port *p, uint32_t frame, struct err *e);

/* The refusal when configuring with the MTU failed. @return -1 */
int port_mtu_refuse(const struct port *p, uint32_t frame, struct err *e);

/* Gives back an MTU that was raised. */
void port_mtu_restore(struct port *p);
