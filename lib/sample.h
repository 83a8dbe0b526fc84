/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Accounting over time. A snapshot is a time and totals that are never reset; everything else is
 * the difference of two snapshots over the time that really passed between them.
 *
 *   sample_init          start of the run: first snapshot, counting begins
 *   sample_warmup_end    the measured time begins: baseline
 *   sample_tick          once each stats period
 *   sample_stop          the measured time ends
 *   sample_finish        after the drain: the whole run's totals are final
 *   sample_summarize     the figures
 *
 * The transmit window is warm-up end to stop. The receive window goes from the later of warm-up end
 * and the first frame to the earlier of stop and the last frame, so that waiting for a sender does
 * not dilute the rate. Windowed counts serve rates; the totals cover the whole run, start to drain.
 *
 * Unknown figures are NAN (rates) or not known (counts), never 0.
 *
 * Memory is bounded whatever the length of the run: the series keeps SAMPLE_MAX_SERIES snapshots
 * (18 hours of seconds), then drops every second one, so that each entry covers two periods, then
 * four, and so on. Minimum and maximum are tracked as periods pass and are always exact. The median
 * is exact for the first SAMPLE_MAX_PERIODS (12 days of seconds); beyond, it is that of every
 * second period, then fourth, and so on: half a million of them or more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "thin.h"

enum {
	SAMPLE_MAX_SERIES = 1 << 16,
	SAMPLE_MAX_PERIODS = 1 << 20,
};

/* A count that a device may be unable to give. */
struct sample_count {
	uint64_t value;
	bool known;
};

/* Totals since the process started. The device's own may start anywhere: only deltas are used. */
struct sample_snapshot {
	uint64_t mono_ns; /* CLOCK_MONOTONIC */
	struct {
		uint64_t offered; /* frames the engines set out to send */
		uint64_t packets; /* frames the device accepted */
		uint64_t bytes;   /* of the accepted, without CRC */
	} tx;
	struct {
		uint64_t packets;
		uint64_t bytes;
	} rx;
	struct sample_count missed;    /* device: no free descriptor */
	struct sample_count nombuf;    /* device: no free mbuf */
	struct sample_count errors;    /* device: bad frames received */
	struct sample_count tx_errors; /* device: failed to send */
};

/* When this side's first and last frame came, over all its receiving lcores, monotonic time. */
struct sample_rx_stamps {
	bool seen; /* false: no frame came, the times mean nothing */
	uint64_t first_ns;
	uint64_t last_ns;
};

struct sample_rate {
	uint64_t packets;
	uint64_t bytes;
	double pps;    /* packets a second; NAN: no time passed */
	double bps;    /* bits a second, frames without CRC */
	double bps_l1; /* with what the wire carries around a frame */
};

/* What happened between two snapshots: one line of a console, one entry of samples[]. */
struct sample_interval {
	double t_s;      /* its end, seconds after the start of the measured time */
	double length_s; /* the measured length */
	struct sample_rate tx;
	struct sample_rate rx;
	uint64_t offered;
	uint64_t unsent; /* offered - tx.packets */
	struct sample_count missed;
	struct sample_count nombuf;
	struct sample_count errors;
	struct sample_count tx_errors;
	struct sample_count drops; /* missed + nombuf + errors: those known, if any is */
	bool reset_seen;           /* a device counter stepped back: its deltas are not known */
	bool warmup;               /* outside the measured time */
	bool waiting;              /* for traffic to come; set by who waits */
};

/* The figures of one direction. */
struct sample_window {
	struct sample_rate rate; /* in the window */
	double window_s;
	/* Over whole stats periods inside the window; NAN: no steady window, there was none. */
	double pps_min;
	double pps_median;
	double pps_max;
	uint64_t periods;       /* how many those were */
	uint64_t total_packets; /* the whole run, exact */
	uint64_t total_bytes;
};

struct sample_summary {
	bool measured;    /* false: the run ended before the end of its warm-up */
	double measure_s; /* warm-up end to stop */
	struct sample_window tx;
	struct sample_window rx;
	uint64_t offered; /* in the transmit window */
	uint64_t unsent;
	uint64_t total_offered; /* the whole run */
	uint64_t total_unsent;
	/* Device counters from warm-up end to stop. */
	struct sample_count missed;
	struct sample_count nombuf;
	struct sample_count errors;
	struct sample_count tx_errors;
	bool reset_seen; /* a device counter stepped back at some time of the whole run */
};

/* Rates of whole periods: exact extremes, and the values for a median. */
struct sample_periods {
	struct thin values; /* double */
	double min;
	double max;
};

/* The state of one run. Private to sample.c; one thread at a time. */
struct sample_run {
	uint64_t period_ns;
	struct sample_snapshot start;
	struct sample_snapshot base; /* at warm-up end */
	struct sample_snapshot last; /* the latest */
	struct sample_snapshot stop;
	bool warmed; /* base is set */
	bool stopped;
	struct {
		bool missed, nombuf, errors, tx_errors;
	} reset; /* since warm-up end */
	bool reset_seen;
	struct thin series; /* snapshots; the first is base */
	struct sample_periods tx_periods;
	struct sample_periods rx_periods;
	/* Periods that count only if a later frame shows that the receive window went on. */
	struct {
		bool busy; /* there is one with frames */
		double pps;
		uint64_t end_ns; /* a last frame from here on lies past it, as good as */
		uint64_t idle;   /* whole periods without frames since */
	} waiting;
};

/*
 * Begins a run.
 * @param period_ns the stats period; 0: no ticks will come, minimum, median and maximum stay
 * unknown
 * @return 0; -1 when there is no memory
 */
int sample_init(struct sample_run *r, uint64_t period_ns, const struct sample_snapshot *start);

/* Frees what the run holds. Safe on a zeroed struct and after a failed sample_init. */
void sample_fini(struct sample_run *r);

/* The warm-up is over. Without a warm-up, call it with the snapshot given to sample_init. */
void sample_warmup_end(struct sample_run *r, const struct sample_snapshot *s);

/*
 * A stats period passed, in the warm-up or in the measured time. Late ticks do no harm: rates are
 * over the time that really passed. A period cut to less than 90 % of its length is in the series
 * but not in minimum, median and maximum.
 * @param out the interval since the previous snapshot; may be NULL
 */
void sample_tick(
	struct sample_run *r, const struct sample_snapshot *s, struct sample_interval *out);

/*
 * The measured time ends. The rest since the last tick becomes the last interval.
 * @param out that interval; may be NULL
 */
void sample_stop(
	struct sample_run *r, const struct sample_snapshot *s, struct sample_interval *out);

/* The drain is over: the totals of the whole run are final. Without a drain: the stop snapshot. */
void sample_finish(struct sample_run *r, const struct sample_snapshot *s);

/* The figures of the run; call after sample_finish. */
void sample_summarize(
	struct sample_run *r, const struct sample_rx_stamps *rx, struct sample_summary *out);

/* Intervals in the series of the measured time, and the i-th of them, in order of time. */
size_t sample_series_len(const struct sample_run *r);
void sample_series_get(const struct sample_run *r, size_t i, struct sample_interval *out);

/*
 * The figures of the interval between two snapshots; pure. A device counter that stepped back
 * sets reset_seen and is not known; so is one that was not known at either end.
 * @param origin_ns where t_s counts from
 */
void sample_interval(const struct sample_snapshot *from, const struct sample_snapshot *to,
	uint64_t origin_ns, struct sample_interval *out);

/* Packets, bytes and rates of a stretch of time. Exact counts; no overflow at any size. */
struct sample_rate sample_rate(uint64_t packets, uint64_t bytes, uint64_t length_ns);

/* The difference of a device counter; unknown if either is, or if it stepped back. */
struct sample_count sample_delta(struct sample_count from, struct sample_count to);
