/* SPDX-License-Identifier: BSD-3-Clause */
/* --io: a port on an interface that stays with the kernel. */
#pragma once

#include <rte_mempool.h>

#include "config.h"
#include "eal_args.h"
#include "err.h"
#include "notes.h"

/*
 * Gives EAL the device that --io stands for, and no PCI devices unless -a names some. Without
 * --src-ip the source becomes the interface's own address. Nothing without --io.
 * @return 0, or -1: EXIT_MACHINE if the interface is not there or down, EXIT_USAGE as
 *         eal_args_add()
 */
int io_add_port(struct config *c, struct eal_args *args, struct notes *notes, struct err *e);

/*
 * Takes the mbuf with the highest address out of a pool that net_af_xdp (22.11) is to use. The
 * memory that it registers with the kernel ends a little short of the pool, and the kernel drops,
 * without a word, each frame whose end lies outside. The pool is whole; the mbuf is gone with it.
 */
void io_hold_last(struct rte_mempool *pool);

/* Says what a run by --io measures, and whether AF_XDP copies. Ports are started. */
void io_notes(const struct config *c, struct notes *notes);
