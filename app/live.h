/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The latest finished sample, for threads other than main: DPDK's telemetry answers its clients on
 * a thread of its own. Main publishes, anybody reads; neither waits for the other.
 */
#pragma once

#include <stdbool.h>

#include "sample.h"

/* Which figures there are: main only, before the first sample. */
void live_directions(bool sends, bool receives);

/* Main only: makes an interval the one that live_read() gives. */
void live_publish(const struct sample_interval *interval);

/* Any thread. @return false if nothing was published yet */
bool live_read(struct sample_interval *interval);

/*
 * Answers /pmdperf/sample on DPDK's telemetry socket. Before rte_eal_init() or after.
 * @return 0 or -errno
 */
int live_register(void);
