/* SPDX-License-Identifier: BSD-3-Clause */
/* How the streams kept to --rate. */
#include "result.h"
#include "txonly.h"

/* Below this share of the rate a run says so. */
#define REACHED 0.999

static uint64_t
ns_of(const struct sampler_result *s, uint64_t cycles)
{
	return s->clock_known ? (uint64_t)((double)cycles * 1e9 / clock_map_hz(&s->clock)) : 0;
}

void
result_pacing(struct result *res, const struct run *r, const struct sampler_result *s)
{
	static struct txonly_paced sum; /* large */
	const struct sample_rate *sent = &s->summary.tx.rate;
	struct report_pacing *out = &res->report.pacing;

	if (r->asked_pps == 0)
		return;
	for (unsigned i = 0; i < r->plan.nb_streams; i++)
		out->kept |= txonly_add_paced(&r->streams[i], &sum);
	out->asked_pps = r->asked_pps;
	out->late_max_ns = ns_of(s, sum.late);
	out->given_up = sum.given_up;
	out->gap_p50_ns = ns_of(s, hist_percentile(&sum.between, 50));
	out->gap_p99_ns = ns_of(s, hist_percentile(&sum.between, 99));
	/* A window that cuts a frame is not to blame. */
	if (s->summary.measured && ((double)sent->packets + 2) <
					   REACHED * (double)r->asked_pps * s->summary.tx.window_s)
		notes_warn(r->notes,
			"the rate asked for was not reached: devices refuse frames, or lcores do "
			"not get "
			"to run in time (late by %.3f ms at most)",
			(double)out->late_max_ns / 1e6);
}
