/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The result file. Its names are a contract that scripts read. The object is built in memory and
 * written at the end. Every value goes through put(), which notices when memory runs out: an
 * incomplete result is not written.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"
#include "report.h"
#include "report_json_value.h"

static json_t *
tool_json(bool *failed, const struct report *r)
{
	json_t *o = json_object();

	put(failed, o, "version", text(r->version));
	put(failed, o, "dpdk", text(r->dpdk));
	return o;
}

static json_t *
host_json(bool *failed, const struct report_host *h)
{
	json_t *o = json_object(), *pages = json_array();

	put(failed, o, "kernel", text(h->kernel));
	put(failed, o, "cpu_model", text(h->cpu_model));
	put(failed, o, "cpus", maybe_zero(h->cpus));
	put(failed, o, "numa_nodes", maybe_zero(h->numa_nodes));
	for (size_t i = 0; i < h->n_hugepages; i++) {
		json_t *p = json_object();

		put(failed, p, "numa", maybe_int(h->hugepages[i].node));
		put(failed, p, "size", integer(h->hugepages[i].size));
		put(failed, p, "total", integer(h->hugepages[i].total));
		put(failed, p, "free", integer(h->hugepages[i].free));
		put_item(failed, pages, p);
	}
	put(failed, o, "hugepages", pages);
	return o;
}

struct echo_to {
	bool *failed;
	json_t *o;
	const struct report *report;
};

static void
echo_option(void *arg, const struct config_echo *echo)
{
	const struct echo_to *to = arg;
	json_t *o = json_object();
	json_t *value;

	switch (echo->json) {
	case OPTION_JSON_BOOL:
	case OPTION_JSON_NUMBER:
		value = json_loads(echo->value, JSON_DECODE_ANY, NULL);
		break;
	case OPTION_JSON_STRING:
		value = text(echo->value);
		break;
	default:
		value = json_null();
		break;
	}
	for (size_t i = 0; i < to->report->n_used; i++) {
		const struct report_used *u = &to->report->used[i];

		if (strcmp(u->option, echo->name) != 0)
			continue;
		json_decref(value);
		value = u->is_string ? text(u->value) : json_loads(u->value, JSON_DECODE_ANY, NULL);
	}
	put(to->failed, o, "value", value);
	put(to->failed, o, "from", text(echo->origin));
	put(to->failed, to->o, echo->name, o);
}

static json_t *
config_json(bool *failed, const struct report *r)
{
	struct echo_to to = {failed, json_object(), r};

	if (r->config != NULL)
		config_foreach(r->config, echo_option, &to);
	return to.o;
}

static json_t *
rings_json(bool *failed, const struct report_rings *r)
{
	json_t *o = json_object();

	put(failed, o, "rxq", json_integer(r->rxq));
	put(failed, o, "txq", json_integer(r->txq));
	put(failed, o, "rxd", r->rxd == 0 ? json_null() : json_integer(r->rxd));
	put(failed, o, "txd", r->txd == 0 ? json_null() : json_integer(r->txd));
	return o;
}

static json_t *
xstats_json(bool *failed, const struct xstats *x)
{
	json_t *o = json_object();

	for (size_t i = 0; i < x->n; i++)
		put(failed, o, x->list[i].name, integer(x->list[i].value));
	return o;
}

static json_t *
ports_json(bool *failed, const struct report *r)
{
	json_t *array = json_array();

	for (size_t i = 0; i < r->n_ports; i++) {
		const struct report_port *p = &r->ports[i];
		json_t *o = json_object();

		put(failed, o, "port", json_integer(p->port));
		put(failed, o, "name", text(p->name));
		put(failed, o, "driver", text(p->driver));
		put(failed, o, "mac", text(p->mac));
		put(failed, o, "mode", text(p->mode));
		put(failed, o, "numa", maybe_int(p->numa));
		put(failed, o, "link_mbps", maybe_zero(p->link_mbps));
		put(failed, o, "mtu", maybe_zero(p->mtu));
		put(failed, o, "asked", rings_json(failed, &p->asked));
		put(failed, o, "used", rings_json(failed, &p->used));
		put(failed, o, "ipackets", count(p->ipackets));
		put(failed, o, "opackets", count(p->opackets));
		put(failed, o, "control_rx", integer(p->control_rx));
		put(failed, o, "control_tx", integer(p->control_tx));
		put(failed, o, "imissed", count(p->imissed));
		put(failed, o, "nombuf", count(p->nombuf));
		put(failed, o, "errors", count(p->errors));
		put(failed, o, "tx_errors", count(p->tx_errors));
		put(failed, o, "xstats", xstats_json(failed, &p->xstats));
		put_item(failed, array, o);
	}
	return array;
}

static json_t *
lcores_json(bool *failed, const struct report *r)
{
	json_t *array = json_array();

	for (size_t i = 0; i < r->n_lcores; i++) {
		const struct report_lcore *l = &r->lcores[i];
		json_t *o = json_object();

		put(failed, o, "lcore", json_integer(l->lcore));
		put(failed, o, "cpu", maybe_int(l->cpu));
		put(failed, o, "numa", maybe_int(l->numa));
		put(failed, o, "streams", json_integer(l->streams));
		put(failed, o, "packets", integer(l->packets));
		put(failed, o, "busy_pct", number(l->busy_pct));
		put(failed, o, "cycles_per_packet", number(l->cycles_per_packet));
		put_item(failed, array, o);
	}
	return array;
}

static json_t *
queues_json(bool *failed, const struct report *r)
{
	json_t *array = json_array();

	for (size_t i = 0; i < r->n_queues; i++) {
		const struct report_queue *q = &r->queues[i];
		json_t *o = json_object();

		put(failed, o, "port", json_integer(q->port));
		put(failed, o, "queue", json_integer(q->queue));
		put(failed, o, "dir", text(q->tx ? "tx" : "rx"));
		put(failed, o, "packets", integer(q->packets));
		put(failed, o, "bytes", integer(q->bytes));
		put(failed, o, "share_pct", number(q->share_pct));
		put_item(failed, array, o);
	}
	return array;
}

static json_t *
samples_json(bool *failed, const struct report *r)
{
	json_t *array = json_array();
	size_t n = r->samples != NULL ? sample_series_len(r->samples) : 0;

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_object();
		struct sample_interval iv;

		sample_series_get(r->samples, i, &iv);
		put(failed, o, "t_s", seconds(iv.t_s));
		put(failed, o, "tx_pps", r->sends ? number(iv.tx.pps) : json_null());
		put(failed, o, "rx_pps", r->receives ? number(iv.rx.pps) : json_null());
		put(failed, o, "tx_bps", r->sends ? number(iv.tx.bps) : json_null());
		put(failed, o, "rx_bps", r->receives ? number(iv.rx.bps) : json_null());
		put(failed, o, "unsent", r->sends ? integer(iv.unsent) : json_null());
		put(failed, o, "drops", r->receives ? count(iv.drops) : json_null());
		put_item(failed, array, o);
	}
	return array;
}

/* The figures that both directions have. */
static json_t *
window_json(bool *failed, const struct sample_window *w)
{
	json_t *o = json_object();

	put(failed, o, "packets", integer(w->rate.packets));
	put(failed, o, "bytes", integer(w->rate.bytes));
	put(failed, o, "window_s", seconds(w->window_s));
	put(failed, o, "pps", number(w->rate.pps));
	put(failed, o, "pps_min", number(w->pps_min));
	put(failed, o, "pps_median", number(w->pps_median));
	put(failed, o, "pps_max", number(w->pps_max));
	put(failed, o, "bps", number(w->rate.bps));
	put(failed, o, "bps_l1", number(w->rate.bps_l1));
	put(failed, o, "total_packets", integer(w->total_packets));
	put(failed, o, "total_bytes", integer(w->total_bytes));
	return o;
}

static json_t *
tx_json(bool *failed, const struct sample_summary *s)
{
	json_t *o = window_json(failed, &s->tx);

	put(failed, o, "offered", integer(s->offered));
	put(failed, o, "unsent", integer(s->unsent));
	put(failed, o, "errors", count(s->tx_errors));
	put(failed, o, "total_offered", integer(s->total_offered));
	put(failed, o, "total_unsent", integer(s->total_unsent));
	return o;
}

static json_t *
rx_json(bool *failed, const struct sample_summary *s)
{
	json_t *o = window_json(failed, &s->rx);

	put(failed, o, "missed", count(s->missed));
	put(failed, o, "nombuf", count(s->nombuf));
	put(failed, o, "errors", count(s->errors));
	return o;
}

static json_t *
summary_json(bool *failed, const struct report *r)
{
	json_t *o = json_object();

	put(failed, o, "frame_len", maybe_zero(r->frame_len));
	put(failed, o, "measure_s", seconds(r->summary->measure_s));
	put(failed, o, "tx", r->sends ? tx_json(failed, r->summary) : json_null());
	put(failed, o, "rx", r->receives ? rx_json(failed, r->summary) : json_null());
	return o;
}

static json_t *
run_json(bool *failed, const struct report *r)
{
	json_t *o = json_object(), *argv = json_array();

	for (size_t i = 0; i < r->argc; i++)
		put_item(failed, argv, text(r->argv[i]));
	put(failed, o, "id", text(r->id));
	put(failed, o, "started_utc", text(r->started_utc));
	put(failed, o, "argv", argv);
	return o;
}

/* Sentences; a warning says so. */
static json_t *
notes_json(bool *failed, const struct notes *l)
{
	json_t *array = json_array();
	char line[NOTE_TEXT + 16];

	for (unsigned i = 0; l != NULL && i < l->nb; i++) {
		snprintf(line, sizeof(line), "%s%s", l->note[i].warning ? "warning: " : "",
			l->note[i].text);
		put_item(failed, array, text(line));
	}
	return array;
}

static json_t *
verdict_json(bool *failed, const struct verdict *v)
{
	json_t *o = json_object();

	put(failed, o, "status", text(verdict_name(v->status)));
	put(failed, o, "reasons", notes_json(failed, &v->reasons));
	return o;
}

static json_t *
asked(uint64_t rate)
{
	return rate != 0 ? integer(rate) : json_null();
}

/* What was asked, and the smaller share of it that was reached. */
static json_t *
expect_json(bool *failed, const struct report *r)
{
	const struct expect_result *x = r->expect;
	json_t *o;

	if (x == NULL || !x->asked)
		return json_null();
	o = json_object();
	put(failed, o, "pps", asked(r->config->expect.pps));
	put(failed, o, "bps", asked(r->config->expect.bps));
	put(failed, o, "reached", number(fmin(x->pps_pct, x->bps_pct) / 100));
	put(failed, o, "stepped_down", x->steady ? json_boolean(x->stepped) : json_null());
	return o;
}

static json_t *
pacing_json(bool *failed, const struct report *r)
{
	const struct report_pacing *p = &r->pacing;
	json_t *o;

	if (!p->kept)
		return json_null();
	o = json_object();
	put(failed, o, "asked_pps", integer(p->asked_pps));
	put(failed, o, "achieved_pps", number(r->summary->tx.rate.pps));
	put(failed, o, "late_max_ns", integer(p->late_max_ns));
	put(failed, o, "given_up", integer(p->given_up));
	put(failed, o, "gap_p50_ns", integer(p->gap_p50_ns));
	put(failed, o, "gap_p99_ns", integer(p->gap_p99_ns));
	return o;
}

static json_t *
report_object(bool *failed, const struct report *r)
{
	json_t *o = json_object();

	put(failed, o, "schema", text("pmdperf/1"));
	put(failed, o, "tool", tool_json(failed, r));
	put(failed, o, "host", host_json(failed, &r->host));
	put(failed, o, "config", config_json(failed, r));
	put(failed, o, "ports", ports_json(failed, r));
	put(failed, o, "lcores", lcores_json(failed, r));
	put(failed, o, "queues", queues_json(failed, r));
	put(failed, o, "samples", samples_json(failed, r));
	put(failed, o, "summary", summary_json(failed, r));
	put(failed, o, "run", run_json(failed, r));
	put(failed, o, "expect", expect_json(failed, r));
	put(failed, o, "pacing", pacing_json(failed, r));
	put(failed, o, "account", report_json_account(failed, &r->account));
	put(failed, o, "loss", report_json_loss(failed, &r->loss));
	put(failed, o, "peers", report_json_peers(failed, r));
	put(failed, o, "trials", json_array());
	put(failed, o, "latency", json_null());
	put(failed, o, "verdict", verdict_json(failed, r->verdict));
	put(failed, o, "notes", notes_json(failed, r->notes));
	return o;
}

static int
write_object(FILE *out, const json_t *o)
{
	/* Enough digits for a terabit a second to three decimals, and none that are noise. */
	size_t flags = JSON_INDENT(2) | JSON_REAL_PRECISION(15);

	errno = 0;
	if (json_dumpf(o, out, flags) != 0 || fputc('\n', out) == EOF || fflush(out) != 0)
		return errno != 0 ? -errno : -EIO;
	return 0;
}

static int
json_end(struct report_sink *s, const struct report *r)
{
	bool failed = false;
	json_t *o = report_object(&failed, r);
	int ret = failed ? -ENOMEM : write_object(s->out, o);

	json_decref(o);
	if (ret != 0)
		s->write_errno = -ret;
	return ret;
}

const struct reporter report_json = {
	.name = "json",
	.help = "one JSON object at the end, for programs",
	.end = json_end,
};
