/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine, before EAL starts. */
#pragma once

#include <sys/utsname.h>

#include "err.h"
#include "report.h"
#include "topology.h"

struct host {
	struct topology topo; /* with what this process may use, asked from libnuma */
	struct utsname uts;
	char cpu_model[128];
	struct report_hugepages pages[TOPOLOGY_MAX_NODES * TOPOLOGY_MAX_PAGE_SIZES];
	unsigned nb_pages;
};

/* @return 0 or -1 */
int host_read(struct host *h, struct err *e);

/* Counts free hugepages anew. @return 0 or -1 */
int host_refresh(struct host *h, struct err *e);

/* The host as a report shows it; borrows from h. */
struct report_host host_report(const struct host *h);
