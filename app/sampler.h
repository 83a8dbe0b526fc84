/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The phases of a run on the main lcore: warm-up, measured time, drain. Engines and workers don't
 * know them.
 */
#pragma once

#include "clock_map.h"
#include "report.h"
#include "run.h"
#include "sample.h"

/* Where lines go while the run goes on. */
struct sampler_output {
	const struct reporter *reporter;
	struct report_sink *sink;
	const struct report *report;
};

struct sampler_result {
	struct sample_run samples; /* sample_fini() by the caller */
	struct sample_summary summary;
	struct sample_rx_stamps rx;
	struct clock_map clock;
	bool clock_known;
	uint64_t idle_from_ns; /* when traffic had ended; UINT64_MAX: nobody watched */
	bool no_traffic;       /* a receiver waited for it in vain */
	unsigned stuck;        /* workers that did not end */
};

/*
 * Launches the workers, samples until the time is up or a signal comes, and ends them.
 * @param out result; to sample_fini() in any case
 * @return 0 or -1: nothing was measured
 */
int sampler_run(struct run *r, const struct sampler_output *lines, struct sampler_result *out,
	struct err *e);
