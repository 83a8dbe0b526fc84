/* SPDX-License-Identifier: BSD-3-Clause */
#include "host.h"

#include <numa.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

/* CPUs of this process: its affinity, which a cgroup's cpuset narrows too. */
static void
allowed_cpus(struct cpuset *set)
{
	struct bitmask *mask = numa_bitmask_alloc(CPUSET_MAX);

	cpuset_zero(set);
	if (mask == NULL)
		return;
	if (numa_sched_getaffinity(0, mask) > 0) {
		for (unsigned cpu = 0; cpu < CPUSET_MAX; cpu++) {
			if (numa_bitmask_isbitset(mask, cpu))
				cpuset_add(set, cpu);
		}
	}
	numa_bitmask_free(mask);
}

static void
read_cpu_model(char *buf, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];

	snprintf(buf, size, "unknown");
	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) == 0 && colon != NULL) {
			colon += strspn(colon, ": \t");
			colon[strcspn(colon, "\n")] = '\0';
			snprintf(buf, size, "%s", colon);
			break;
		}
	}
	fclose(f);
}

int
host_refresh(struct host *h, struct err *e)
{
	struct cpuset allowed;

	if (topology_read(&h->topo, "", e) != 0)
		return -1;
	allowed_cpus(&allowed);
	if (cpuset_count(&allowed) > 0)
		topology_allow(&h->topo, &allowed);
	h->nb_pages = 0;
	for (unsigned i = 0; i < h->topo.nb_nodes; i++) {
		const struct topology_node *node = &h->topo.nodes[i];

		for (unsigned k = 0; k < node->nb_sizes; k++)
			h->pages[h->nb_pages++] = (struct report_hugepages){
				.node = h->topo.numa ? node->id : -1,
				.size = node->pages[k].size_kb * 1024,
				.total = node->pages[k].total,
				.free = node->pages[k].free,
			};
	}
	return 0;
}

int
host_read(struct host *h, struct err *e)
{
	memset(h, 0, sizeof(*h));
	(void)uname(&h->uts);
	read_cpu_model(h->cpu_model, sizeof(h->cpu_model));
	return host_refresh(h, e);
}

struct report_host
host_report(const struct host *h)
{
	return (struct report_host){
		.kernel = h->uts.release,
		.cpu_model = h->cpu_model,
		.cpus = h->topo.nb_cpus,
		.numa_nodes = h->topo.nb_nodes,
		.hugepages = h->pages,
		.n_hugepages = h->nb_pages,
	};
}
