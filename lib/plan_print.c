/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "memory.h"

enum {
	WIDTH = 79,
	QUEUES_TEXT = 28,
	NODE_TEXT = 12,
};

/* Prints words after a lead, breaking lines at WIDTH; further lines are indented to its end. */
static void
print_wrapped(FILE *out, const char *lead, const char *text)
{
	unsigned indent = (unsigned)fprintf(out, "%s", lead);
	unsigned column = indent;

	while (*text != '\0') {
		unsigned len = (unsigned)strcspn(text, " ");

		if (column + 1 + len > WIDTH && column > indent) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		}
		column += (unsigned)fprintf(out, " %.*s", (int)len, text);
		text += len;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

static void
print_lcore(FILE *out, const char *role, unsigned lcore, int cpu, int node)
{
	char node_text[NODE_TEXT], cpu_text[NODE_TEXT] = "several";

	if (cpu >= 0)
		snprintf(cpu_text, sizeof(cpu_text), "%d", cpu);
	fprintf(out, "  %-6s  lcore %4u  CPU %-7s  node %s", role, lcore, cpu_text,
		topology_node_text(node, node_text, sizeof(node_text)));
}

/* "16 flows (3 or 2 a queue)": flows differ by one at most. */
static void
print_flows(FILE *out, const struct plan_worker *w)
{
	uint32_t most = plan_flows_of(w->flows, w->nb_tx, 0);
	uint32_t least = plan_flows_of(w->flows, w->nb_tx, w->nb_tx - 1);

	fprintf(out, ", %" PRIu32 " flows", w->flows);
	if (w->nb_tx > 1 && most == least)
		fprintf(out, " (%" PRIu32 " a queue)", most);
	else if (w->nb_tx > 1)
		fprintf(out, " (%" PRIu32 " or %" PRIu32 " a queue)", most, least);
}

static void
print_queues(FILE *out, const struct plan *plan, unsigned worker, unsigned port, enum plan_dir dir)
{
	struct cpuset queues = {0};
	char text[QUEUES_TEXT];
	bool crossing = false;

	for (unsigned s = 0; s < plan->nb_streams; s++) {
		const struct plan_stream *stream = &plan->streams[s];

		if (stream->worker != worker || stream->port != port || stream->dir != dir)
			continue;
		cpuset_add(&queues, stream->queue);
		crossing = stream->crossing;
	}
	if (cpuset_empty(&queues))
		return;
	fprintf(out, "          port %2u %s queues %s%s\n", plan->ports[port].port_id,
		dir == PLAN_TX ? "tx" : "rx", cpuset_format(&queues, text, sizeof(text)),
		crossing ? "  (on another node)" : "");
}

static void
print_workers(FILE *out, const struct plan *plan)
{
	fprintf(out, "Lcores\n");
	print_lcore(out, "main", (unsigned)plan->main_lcore, plan->main_cpu, plan->main_node);
	fprintf(out, "%s\n", plan->main_shares ? ", shares a worker's CPU" : "");
	for (unsigned w = 0; w < plan->nb_workers; w++) {
		const struct plan_worker *worker = &plan->workers[w];

		print_lcore(out, "worker", worker->lcore, worker->cpu, worker->node);
		if (worker->nb_tx > 0)
			print_flows(out, worker);
		fputc('\n', out);
		for (unsigned p = 0; p < plan->nb_ports; p++) {
			print_queues(out, plan, w, p, PLAN_TX);
			print_queues(out, plan, w, p, PLAN_RX);
		}
	}
}

static void
print_count(FILE *out, const char *name, bool works, unsigned used, unsigned asked)
{
	fprintf(out, "  %s %u", name, used);
	if (used < asked)
		fprintf(out, " of %u asked", asked);
	if (!works)
		fprintf(out, " (not polled)");
}

static void
print_ports(FILE *out, const struct plan *plan)
{
	char node[NODE_TEXT];

	fprintf(out, "Ports\n");
	for (unsigned p = 0; p < plan->nb_ports; p++) {
		const struct plan_port *port = &plan->ports[p];

		fprintf(out, "  port %2u  node %-7s", port->port_id,
			topology_node_text(port->node, node, sizeof(node)));
		print_count(out, "txq", port->tx, port->used_txq, port->asked_txq);
		print_count(out, "rxq", port->rx, port->used_rxq, port->asked_rxq);
		fputc('\n', out);
	}
}

static void
print_memory(FILE *out, const struct memory_need *mem)
{
	fprintf(out, "Memory\n");
	for (unsigned i = 0; i < mem->nb_nodes; i++) {
		const struct memory_node *node = &mem->node[i];

		if (node->bytes == 0)
			continue;
		fprintf(out, "  node %-3d %6" PRIu64 " MB", node->id, (node->bytes >> 20) + 1);
		if (mem->no_huge)
			fprintf(out, " of ordinary memory, EAL takes %" PRIu64 " MB",
				mem->fixed_mb);
		else if (node->page_kb == 0)
			fprintf(out, ", no hugepages there");
		else
			fprintf(out, ": %" PRIu64 " pages of %" PRIu64 " kB, %" PRIu64 " free",
				node->pages, node->page_kb, node->free_pages);
		fputc('\n', out);
	}
}

void
plan_print(FILE *out, const struct plan *plan, const struct memory_need *mem,
	const struct notes *notes)
{
	print_workers(out, plan);
	print_ports(out, plan);
	if (mem != NULL)
		print_memory(out, mem);
	for (unsigned i = 0; notes != NULL && i < notes->nb; i++)
		print_wrapped(
			out, notes->note[i].warning ? "Warning:" : "Note:", notes->note[i].text);
	if (notes != NULL && notes->lost > 0)
		fprintf(out, "Note: %u more notes\n", notes->lost);
}
