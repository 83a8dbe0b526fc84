/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A NIC that scripts/nic.sh took is given back by itself, unless a program makes progress on it: a
 * dead man's switch watches a file, /run/pmdperf/nic/DEVICE/lease. Main rewrites its one line, "PID
 * COUNT", once a second while all goes on. Without the file no switch is armed for the device.
 */
#pragma once

#include <stdint.h>

#include "notes.h"

struct lease {
	int fd;           /* 0: none. It is never a standard stream's */
	const char *name; /* the device's; the caller's */
	uint64_t count;
};

/*
 * Opens the device's lease, if there is one, and writes the first line: from now on the switch
 * knows this process. A file that is there and cannot be used becomes a warning.
 * @param name as DPDK has it; must outlive the lease
 */
void lease_open(struct lease *l, const char *name, struct notes *notes);

/* Writes the next line. When that fails it is noted, and the lease closed. */
void lease_renew(struct lease *l, struct notes *notes);

void lease_close(struct lease *l);
