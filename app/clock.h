/* SPDX-License-Identifier: BSD-3-Clause */
/* The two clocks of a run: CLOCK_MONOTONIC for rates, the TSC for stamps. */
#pragma once

#include <stdint.h>

#include "clock_map.h"

/* @return CLOCK_MONOTONIC in ns */
uint64_t clock_mono_ns(void);

/* Both clocks at one moment, as near as they can be read together. */
struct clock_anchor clock_anchor_now(void);

/* Sleeps so long, whatever signals come. */
void clock_sleep_ns(uint64_t ns);
