/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SIGINT, SIGTERM and SIGHUP end the run as its time does. A second one does no harm. If start-up
 * or clean-up is stuck in somebody else's code after a signal, the process still ends, without the
 * report but with its runtime files removed.
 */
#pragma once

#include <stdbool.h>

/* Installs the handlers and ignores SIGPIPE: sockets and pipes may lose their other end. */
void signals_init(void);

/* The run's own code now looks at signals_stop() often enough; no need to force an end. */
void signals_attended(bool attended);

/* True once a signal came. */
bool signals_stop(void);

/* Where a forced end says so, while stderr is somewhere else. -1: nowhere. */
void signals_set_stderr(int fd);

/* Sleeps; a signal to this thread ends it early. At least 1 ms passes without one. */
void signals_sleep_ns(unsigned long long ns);
