/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINE_MAX_TEXT = CPUSET_TEXT_MAX,
};

/* Reads the first line of a sysfs file, without its newline. False if there is no such file. */
static bool __attribute__((format(printf, 4, 5)))
read_line(char *line, size_t size, const char *root, const char *fmt, ...)
{
	char path[PATH_MAX], file[PATH_MAX / 2];
	va_list ap;
	FILE *f;
	bool ok;

	va_start(ap, fmt);
	vsnprintf(file, sizeof(file), fmt, ap);
	va_end(ap);
	if (snprintf(path, sizeof(path), "%s%s", root, file) >= (int)sizeof(path))
		return false;
	f = fopen(path, "r");
	if (f == NULL)
		return false;
	ok = fgets(line, (int)size, f) != NULL;
	fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

static uint64_t
read_number(const char *root, const char *dir, const char *name)
{
	char line[64];

	return read_line(line, sizeof(line), root, "%s/%s", dir, name) ? strtoull(line, NULL, 10)
								       : 0;
}

static int
read_cpu_id(const char *root, int cpu, const char *name)
{
	char line[64];

	if (!read_line(line, sizeof(line), root, "/sys/devices/system/cpu/cpu%d/topology/%s", cpu,
		    name))
		return -1;
	return (int)strtol(line, NULL, 10);
}

static void
read_cpu(struct topology_cpu *c, const char *root, int cpu)
{
	char line[LINE_MAX_TEXT];
	struct cpuset threads = {0};
	struct err e;
	int id;

	*c = (struct topology_cpu){
		.cpu = (uint16_t)cpu,
		.node = TOPOLOGY_NODE_UNKNOWN,
		.core = read_cpu_id(root, cpu, "core_id"),
		.package = read_cpu_id(root, cpu, "physical_package_id"),
		.first_thread = (uint16_t)cpu,
		.allowed = true,
	};
	if (!read_line(line, sizeof(line), root,
		    "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu) ||
		cpuset_parse(&threads, line, &e) < 0 || !cpuset_has(&threads, (unsigned)cpu))
		return;
	c->first_thread = (uint16_t)cpuset_next(&threads, 0);
	CPUSET_FOREACH (id, &threads) {
		if (id < cpu)
			c->rank++;
	}
}

/* Lists the numbers in names "PREFIXnumber..." of a directory, up to the limit of a cpuset. */
static bool
list_numbers(struct cpuset *numbers, const char *root, const char *dir, const char *prefix)
{
	char path[PATH_MAX];
	struct dirent *entry;
	size_t len = strlen(prefix);
	DIR *d;

	*numbers = (struct cpuset){0};
	snprintf(path, sizeof(path), "%s%s", root, dir);
	d = opendir(path);
	if (d == NULL)
		return false;
	while ((entry = readdir(d)) != NULL) {
		if (strncmp(entry->d_name, prefix, len) == 0 &&
			isdigit((unsigned char)entry->d_name[len]))
			cpuset_add(numbers, (unsigned)strtoul(entry->d_name + len, NULL, 10));
	}
	closedir(d);
	return true;
}

static int
compare_pages(const void *a, const void *b)
{
	const struct topology_pages *x = a, *y = b;

	return (x->size_kb > y->size_kb) - (x->size_kb < y->size_kb);
}

/* Page sizes exceed what a set of ids holds, hence a walk of its own. */
static void
read_pages(struct topology_node *node, const char *root, const char *dir)
{
	static const char prefix[] = "hugepages-";
	char path[PATH_MAX], sub[PATH_MAX / 4];
	struct dirent *entry;
	DIR *d;

	snprintf(path, sizeof(path), "%s%s", root, dir);
	d = opendir(path);
	if (d == NULL)
		return;
	while ((entry = readdir(d)) != NULL && node->nb_sizes < TOPOLOGY_MAX_PAGE_SIZES) {
		struct topology_pages *pages = &node->pages[node->nb_sizes];

		if (strncmp(entry->d_name, prefix, sizeof(prefix) - 1) != 0)
			continue;
		snprintf(sub, sizeof(sub), "%s/%s", dir, entry->d_name);
		pages->size_kb = strtoull(entry->d_name + sizeof(prefix) - 1, NULL, 10);
		pages->total = read_number(root, sub, "nr_hugepages");
		pages->free = read_number(root, sub, "free_hugepages");
		if (pages->size_kb > 0)
			node->nb_sizes++;
	}
	closedir(d);
	qsort(node->pages, node->nb_sizes, sizeof(node->pages[0]), compare_pages);
}

/* "Node 0 MemTotal:       24576000 kB", without the node on a machine that has none. */
static void
read_meminfo(struct topology_node *node, const char *root, const char *file)
{
	char path[PATH_MAX], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, file);
	f = fopen(path, "r");
	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL) {
		const char *total = strstr(line, "MemTotal:");
		const char *avail = strstr(line, "MemFree:");

		if (total != NULL)
			node->mem_total_kb = strtoull(total + strlen("MemTotal:"), NULL, 10);
		if (avail != NULL)
			node->mem_free_kb = strtoull(avail + strlen("MemFree:"), NULL, 10);
	}
	fclose(f);
}

static void
read_node(struct topology *topo, const char *root, int id)
{
	struct topology_node *node = &topo->nodes[topo->nb_nodes++];
	char line[LINE_MAX_TEXT], path[128];
	struct cpuset cpus;
	struct err e;

	*node = (struct topology_node){.id = id};
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/hugepages", id);
	read_pages(node, root, path);
	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", id);
	read_meminfo(node, root, path);
	if (!read_line(line, sizeof(line), root, "/sys/devices/system/node/node%d/cpulist", id) ||
		cpuset_parse(&cpus, line, &e) < 0)
		return;
	for (unsigned i = 0; i < topo->nb_cpus; i++) {
		if (cpuset_has(&cpus, topo->cpus[i].cpu))
			topo->cpus[i].node = (int16_t)id;
	}
}

/* A kernel without NUMA has one memory for all CPUs; DPDK calls it node 0, too. */
static void
read_single_node(struct topology *topo, const char *root)
{
	struct topology_node *node = &topo->nodes[topo->nb_nodes++];

	*node = (struct topology_node){.id = 0};
	read_pages(node, root, "/sys/kernel/mm/hugepages");
	read_meminfo(node, root, "/proc/meminfo");
	for (unsigned i = 0; i < topo->nb_cpus; i++)
		topo->cpus[i].node = 0;
}

int
topology_read(struct topology *topo, const char *root, struct err *e)
{
	static const char online_file[] = "/sys/devices/system/cpu/online";
	char line[LINE_MAX_TEXT];
	struct cpuset online, nodes;
	int id;

	topo->numa = false;
	topo->nb_cpus = 0;
	topo->nb_nodes = 0;
	if (!read_line(line, sizeof(line), root, online_file))
		return err_set(e, EXIT_MACHINE, "%s%s cannot be read: is /sys mounted?", root,
			online_file);
	if (cpuset_parse(&online, line, e) < 0 || cpuset_empty(&online))
		return err_set(e, EXIT_MACHINE, "%s%s holds no list of CPUs: '%s'", root,
			online_file, line);
	CPUSET_FOREACH (id, &online)
		read_cpu(&topo->cpus[topo->nb_cpus++], root, id);
	if (!list_numbers(&nodes, root, "/sys/devices/system/node", "node") ||
		cpuset_empty(&nodes)) {
		read_single_node(topo, root);
		return 0;
	}
	topo->numa = true;
	CPUSET_FOREACH (id, &nodes) {
		if (id >= TOPOLOGY_MAX_NODES)
			return err_set(e, EXIT_MACHINE,
				"NUMA node %d: ids above %d are not supported", id,
				TOPOLOGY_MAX_NODES - 1);
		read_node(topo, root, id);
	}
	return 0;
}

void
topology_allow(struct topology *topo, const struct cpuset *allowed)
{
	for (unsigned i = 0; i < topo->nb_cpus; i++)
		topo->cpus[i].allowed = cpuset_has(allowed, topo->cpus[i].cpu);
}

const struct topology_cpu *
topology_find_cpu(const struct topology *topo, unsigned cpu)
{
	for (unsigned i = 0; i < topo->nb_cpus; i++) {
		if (topo->cpus[i].cpu == cpu)
			return &topo->cpus[i];
	}
	return NULL;
}

const struct topology_node *
topology_find_node(const struct topology *topo, int id)
{
	for (unsigned i = 0; i < topo->nb_nodes; i++) {
		if (topo->nodes[i].id == id)
			return &topo->nodes[i];
	}
	return NULL;
}

struct cpuset
topology_usable(const struct topology *topo)
{
	struct cpuset usable = {0};

	for (unsigned i = 0; i < topo->nb_cpus; i++) {
		if (topo->cpus[i].allowed)
			cpuset_add(&usable, topo->cpus[i].cpu);
	}
	return usable;
}

int
topology_node_of(const struct topology *topo, const struct cpuset *cpus)
{
	int common = TOPOLOGY_NODE_UNKNOWN;
	bool first = true;
	int id;

	CPUSET_FOREACH (id, cpus) {
		const struct topology_cpu *cpu = topology_find_cpu(topo, (unsigned)id);
		int node = cpu != NULL ? cpu->node : TOPOLOGY_NODE_UNKNOWN;

		if (!first && node != common)
			return TOPOLOGY_NODE_UNKNOWN;
		common = node;
		first = false;
	}
	return common;
}

const char *
topology_node_text(int node, char *buf, size_t size)
{
	if (node < 0)
		snprintf(buf, size, "unknown");
	else
		snprintf(buf, size, "%d", node);
	return buf;
}
