/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the kernel knows of an interface that a port shares with it (af_packet, af_xdp, tap), where
 * ethdev answers with defaults.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* @return the MTU; 0: not known, or not a kernel's interface (index 0) */
uint16_t kernel_if_mtu(unsigned if_index);

/* @return whether it is a kernel's interface that has this address (host byte order) */
bool kernel_if_has_ipv4(unsigned if_index, uint32_t ip);

/* @return the first IPv4 address of a kernel's interface (host byte order); 0: it has none */
uint32_t kernel_if_ipv4(unsigned if_index);

/* @return whether it is a kernel's interface that was set up */
bool kernel_if_up(unsigned if_index);

/* @return how many queues it receives from; 0: its driver does not say */
unsigned kernel_if_queues(unsigned if_index);

/* Writes "lo, eth0", as much as fits, and returns buf. */
const char *kernel_if_names(char *buf, size_t len);

/* @return false only if it is a kernel's interface that is down or without a carrier */
bool kernel_if_running(unsigned if_index);
