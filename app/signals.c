/* SPDX-License-Identifier: BSD-3-Clause */
#include "signals.h"

#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "err.h"
#include "leftovers.h"
#include "runtime_dir.h"

enum {
	START_GRACE_S = 1, /* for a driver that waits while it starts */
	GRACE_S = 5,       /* for clean-up after a run */
};

/* Lock-free, so that a handler may use them. */
static _Atomic bool stop;
static _Atomic bool attended_to;
static _Atomic bool has_run;
static _Atomic int stderr_fd = STDERR_FILENO;

static_assert(ATOMIC_BOOL_LOCK_FREE == 2 && ATOMIC_INT_LOCK_FREE == 2, "used in signal handlers");

static void
on_stop(int sig)
{
	(void)sig;
	atomic_store(&stop, true);
	if (!atomic_load(&attended_to))
		alarm(atomic_load(&has_run) ? GRACE_S : START_GRACE_S);
}

static void
on_alarm(int sig)
{
	static const char text[] =
		"pmdperf: stopped by a signal; start-up or clean-up did not end in time\n";
	ssize_t ignored;

	(void)sig;
	if (atomic_load(&attended_to))
		return;
	ignored = write(atomic_load(&stderr_fd), text, sizeof(text) - 1);
	(void)ignored;
	runtime_dir_remove();
	leftovers_remove();
	_exit(EXIT_MACHINE);
}

void
signals_init(void)
{
	/* Drivers that wait for a peer take EINTR for a failure. Sleeps are never restarted. */
	struct sigaction sa = {.sa_handler = on_stop, .sa_flags = SA_RESTART};

	sigemptyset(&sa.sa_mask);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sa.sa_handler = on_alarm;
	sigaction(SIGALRM, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void
signals_attended(bool attended)
{
	atomic_store(&attended_to, attended);
	atomic_store(&has_run, true);
	if (attended)
		alarm(0);
	else if (atomic_load(&stop))
		alarm(GRACE_S);
}

void
signals_set_stderr(int fd)
{
	atomic_store(&stderr_fd, fd);
}

bool
signals_stop(void)
{
	return atomic_load_explicit(&stop, memory_order_relaxed);
}

void
signals_sleep_ns(unsigned long long ns)
{
	struct timespec ts;

	if (ns < 1000000)
		ns = 1000000;
	ts.tv_sec = (time_t)(ns / 1000000000);
	ts.tv_nsec = (long)(ns % 1000000000);
	(void)nanosleep(&ts, NULL);
}
