/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a link's speed is one to reckon with. */
#pragma once

#include <stdint.h>

/*
 * Virtual NICs say all ones, 0 or numbers that nothing runs at; software devices say 10 Gbit/s
 * whatever they do.
 * @param mbps 0: not known
 * @return NULL, or why a share of that speed means nothing, in words that follow "the link's speed"
 */
const char *link_speed_doubt(const char *driver, uint32_t mbps);
