/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who gets the frames: where no MAC was given but an address was, the one that answers to it by
 * ARP. Without either the destination stays testpmd's.
 */
#pragma once

#include "err.h"
#include "run.h"

/* Sets each port's own address, and whether it answers for it: not where the kernel does. */
void next_hop_set_self(struct run *r);

/*
 * Asks for the next hop of every port that sends and has none: --gateway's, or else --dst-ip's.
 * Ports are started, no worker runs. Takes 3 s at most; a signal ends it, too.
 * @return 0, or -1 with EXIT_MACHINE: nobody answers
 */
int next_hop_resolve(struct run *r, struct err *e);
