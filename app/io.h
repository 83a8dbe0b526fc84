/* SPDX-License-Identifier: BSD-3-Clause */
/* --io: a port on an interface that stays with the kernel. */
#pragma once

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

/* Says what a run by --io measures, and whether AF_XDP copies. Ports are started. */
void io_notes(const struct config *c, struct notes *notes);
