/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames of each flow before a test: switches and clouds take a slow path for the first of a flow,
 * and lose some there. They are in no count of the test.
 */
#pragma once

#include <stdbool.h>

struct run;

/*
 * Sends --prime frames of each flow, in bounded time. Workers listen, and send for main.
 * @return false: none were asked for
 */
bool prime(struct run *r);
