/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char root[64];
static struct topology topo; /* large */

/* Makes the directories above a path. */
static void
make_parents(const char *path)
{
	char dir[256];

	snprintf(dir, sizeof(dir), "%s", path);
	for (char *s = dir + 1; (s = strchr(s, '/')) != NULL; s++) {
		*s = '\0';
		mkdir(dir, 0755);
		*s = '/';
	}
}

static void
put(const char *file, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", root, file);
	make_parents(path);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", text);
	fclose(f);
}

static void __attribute__((format(printf, 3, 4)))
put_for(const char *file, const char *text, const char *fmt, ...)
{
	char dir[160], path[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(dir, sizeof(dir), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s/%s", dir, file);
	put(path, text);
}

static void
put_cpu(int cpu, const char *core, const char *package, const char *siblings)
{
	static const char fmt[] = "/sys/devices/system/cpu/cpu%d/topology";

	put_for("core_id", core, fmt, cpu);
	put_for("physical_package_id", package, fmt, cpu);
	put_for("thread_siblings_list", siblings, fmt, cpu);
}

static void
put_pages(int node, const char *kb, const char *total, const char *avail)
{
	static const char fmt[] = "/sys/devices/system/node/node%d/hugepages/hugepages-%skB";

	put_for("nr_hugepages", total, fmt, node, kb);
	put_for("free_hugepages", avail, fmt, node, kb);
}

static void
put_pci(const char *address, const char *class, const char *driver, const char *node)
{
	static const char fmt[] = "/sys/bus/pci/devices/%s";
	char link_path[256], target[128];

	put_for("class", class, fmt, address);
	put_for("vendor", "0x1d0f", fmt, address);
	put_for("device", "0xec20", fmt, address);
	if (node != NULL)
		put_for("numa_node", node, fmt, address);
	if (driver == NULL)
		return;
	snprintf(link_path, sizeof(link_path), "%s/sys/bus/pci/devices/%s/driver", root, address);
	snprintf(target, sizeof(target), "../../../../bus/pci/drivers/%s", driver);
	assert_int_equal(symlink(target, link_path), 0);
}

static int
make_root(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/test_topology.XXXXXX");
	return mkdtemp(root) != NULL ? 0 : -1;
}

static int
remove_root(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

/* Four cores with two threads each on two nodes; CPU 6 is offline. */
static void
put_two_nodes(void)
{
	put("/sys/devices/system/cpu/online", "0-5,7");
	put_cpu(0, "0", "0", "0,4");
	put_cpu(1, "1", "0", "1,5");
	put_cpu(2, "0", "1", "2");
	put_cpu(3, "1", "1", "3,7");
	put_cpu(4, "0", "0", "0,4");
	put_cpu(5, "1", "0", "1,5");
	put_cpu(7, "1", "1", "3,7");
	put("/sys/devices/system/node/node0/cpulist", "0-1,4-5");
	put("/sys/devices/system/node/node1/cpulist", "2-3,7");
	put("/sys/devices/system/node/node0/meminfo",
		"Node 0 MemTotal:       16384000 kB\nNode 0 MemFree:        8192000 kB");
	put_pages(0, "1048576", "2", "1");
	put_pages(0, "2048", "512", "100");
	put_pages(1, "2048", "256", "0");
	put("/sys/devices/system/node/online", "0-1");
}

static void
test_two_nodes(void **state)
{
	struct err e;

	(void)state;
	put_two_nodes();
	assert_int_equal(topology_read(&topo, root, &e), 0);
	assert_true(topo.numa);
	assert_int_equal(topo.nb_cpus, 7);
	assert_int_equal(topo.nb_nodes, 2);
	assert_int_equal(topo.cpus[5].cpu, 5);
	assert_int_equal(topo.cpus[5].node, 0);
	assert_int_equal(topo.cpus[5].core, 1);
	assert_int_equal(topo.cpus[5].package, 0);
	assert_int_equal(topo.cpus[5].rank, 1);
	assert_int_equal(topo.cpus[5].first_thread, 1);
	assert_int_equal(topo.cpus[6].cpu, 7);
	assert_int_equal(topo.cpus[6].node, 1);
	assert_int_equal(topo.cpus[6].first_thread, 3);
	assert_int_equal(topo.cpus[2].rank, 0);
	assert_int_equal(topo.nodes[0].nb_sizes, 2);
	assert_int_equal(topo.nodes[0].pages[0].size_kb, 2048);
	assert_int_equal(topo.nodes[0].pages[0].total, 512);
	assert_int_equal(topo.nodes[0].pages[0].free, 100);
	assert_int_equal(topo.nodes[0].pages[1].size_kb, 1048576);
	assert_int_equal(topo.nodes[0].pages[1].free, 1);
	assert_int_equal(topo.nodes[0].mem_total_kb, 16384000);
	assert_int_equal(topo.nodes[0].mem_free_kb, 8192000);
	assert_int_equal(topo.nodes[1].pages[0].total, 256);
	assert_int_equal(topo.nodes[1].pages[0].free, 0);
	assert_int_equal(topo.nodes[1].mem_total_kb, 0);
	assert_null(topology_find_cpu(&topo, 6));
	assert_int_equal(topology_find_cpu(&topo, 7)->cpu, 7);
	assert_int_equal(topology_find_node(&topo, 1)->id, 1);
	assert_null(topology_find_node(&topo, 2));
}

static void
test_no_node_directory(void **state)
{
	struct err e;

	(void)state;
	put("/sys/devices/system/cpu/online", "0-1");
	put("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "64");
	put("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "60");
	put("/proc/meminfo", "MemTotal:        1024000 kB\nMemFree:          512000 kB");
	assert_int_equal(topology_read(&topo, root, &e), 0);
	assert_false(topo.numa);
	assert_int_equal(topo.nb_nodes, 1);
	assert_int_equal(topo.nodes[0].id, 0);
	assert_int_equal(topo.nodes[0].pages[0].free, 60);
	assert_int_equal(topo.nodes[0].mem_total_kb, 1024000);
	assert_int_equal(topo.cpus[1].node, 0);
	/* Without a topology directory each CPU is a core of its own. */
	assert_int_equal(topo.cpus[1].core, -1);
	assert_int_equal(topo.cpus[1].first_thread, 1);
	assert_int_equal(topo.cpus[1].rank, 0);
}

static void
test_cpu_of_no_node(void **state)
{
	struct err e;

	(void)state;
	put("/sys/devices/system/cpu/online", "0-1");
	put("/sys/devices/system/node/node3/cpulist", "0");
	assert_int_equal(topology_read(&topo, root, &e), 0);
	assert_int_equal(topo.nodes[0].id, 3);
	assert_int_equal(topo.cpus[0].node, 3);
	assert_int_equal(topo.cpus[1].node, TOPOLOGY_NODE_UNKNOWN);
}

static void
test_no_sysfs(void **state)
{
	struct err e = {0};

	(void)state;
	assert_int_equal(topology_read(&topo, root, &e), -1);
	assert_int_equal(e.status, EXIT_MACHINE);
	assert_non_null(strstr(e.msg, "/sys/devices/system/cpu/online"));
}

static void
test_E6_allowed(void **state)
{
	struct cpuset allowed, usable;
	struct err e;
	char text[64];

	(void)state;
	put_two_nodes();
	assert_int_equal(topology_read(&topo, root, &e), 0);
	usable = topology_usable(&topo);
	assert_string_equal(cpuset_format(&usable, text, sizeof(text)), "0-5,7");
	/* What is allowed but offline is of no use. */
	assert_int_equal(cpuset_parse(&allowed, "1,6-7", &e), 0);
	topology_allow(&topo, &allowed);
	usable = topology_usable(&topo);
	assert_string_equal(cpuset_format(&usable, text, sizeof(text)), "1,7");
}

static void
test_node_of_a_set(void **state)
{
	struct cpuset set;
	struct err e;

	(void)state;
	put_two_nodes();
	assert_int_equal(topology_read(&topo, root, &e), 0);
	assert_int_equal(cpuset_parse(&set, "0,5", &e), 0);
	assert_int_equal(topology_node_of(&topo, &set), 0);
	assert_int_equal(cpuset_parse(&set, "2,7", &e), 0);
	assert_int_equal(topology_node_of(&topo, &set), 1);
	assert_int_equal(cpuset_parse(&set, "0,2", &e), 0);
	assert_int_equal(topology_node_of(&topo, &set), TOPOLOGY_NODE_UNKNOWN);
	assert_int_equal(cpuset_parse(&set, "6", &e), 0);
	assert_int_equal(topology_node_of(&topo, &set), TOPOLOGY_NODE_UNKNOWN);
}

static void
test_E5_unknown_pci_node_is_not_node_0(void **state)
{
	char text[16];

	(void)state;
	put_pci("0000:00:05.0", "0x020000", "vfio-pci", "-1");
	put_pci("0000:00:06.0", "0x020000", "vfio-pci", "0");
	put_pci("0000:00:07.0", "0x020000", "vfio-pci", "1");
	put_pci("0000:00:08.0", "0x020000", "vfio-pci", NULL);
	assert_int_equal(topology_pci_node(root, "0000:00:05.0"), TOPOLOGY_NODE_UNKNOWN);
	assert_int_equal(topology_pci_node(root, "0000:00:06.0"), 0);
	assert_int_equal(topology_pci_node(root, "0000:00:07.0"), 1);
	assert_int_equal(topology_pci_node(root, "0000:00:08.0"), TOPOLOGY_NODE_UNKNOWN);
	assert_int_equal(topology_pci_node(root, "0000:00:09.0"), TOPOLOGY_NODE_UNKNOWN);
	assert_string_equal(topology_node_text(-1, text, sizeof(text)), "unknown");
	assert_string_equal(topology_node_text(0, text, sizeof(text)), "0");
}

static void
test_ports_and_other_network_devices(void **state)
{
	struct topology_pci dev[TOPOLOGY_MAX_PCI];

	(void)state;
	put_pci("0000:00:07.0", "0x020000", "vfio-pci", "1");
	put_pci("0000:00:05.0", "0x020000", "ena", "0");
	put_pci("0000:00:06.0", "0x020700", "mlx5_core", "0");
	put_pci("0000:00:08.0", "0x010802", "vfio-pci", "0");
	put_pci("0000:00:09.0", "0x028000", NULL, "0");
	put_pci("0000:00:0a.0", "0x020000", "virtio-pci", "0");
	put_pci("0001:00:01.0", "0x020000", "uio_pci_generic", "0");
	put_pci("10000:00:01.0", "0x020000", "igb_uio", "0");
	put("/sys/bus/pci/devices/0000:00:05.0/net/ens5/mtu", "1500");
	put("/sys/bus/pci/devices/0000:00:0a.0/virtio3/net/eth3/mtu", "1500");
	assert_int_equal(topology_dpdk_ports(root, dev), 4);
	assert_string_equal(dev[0].address, "0000:00:06.0");
	assert_string_equal(dev[0].driver, "mlx5_core");
	assert_string_equal(dev[1].address, "0000:00:07.0");
	assert_int_equal(dev[1].node, 1);
	assert_int_equal(dev[1].vendor, 0x1d0f);
	assert_int_equal(dev[1].device, 0xec20);
	assert_string_equal(dev[2].address, "0001:00:01.0");
	assert_string_equal(dev[3].address, "10000:00:01.0");
	assert_int_equal(topology_network_devices(root, dev), 7);
	assert_string_equal(dev[0].address, "0000:00:05.0");
	assert_string_equal(dev[0].driver, "ena");
	assert_string_equal(dev[0].ifname, "ens5");
	assert_string_equal(dev[1].ifname, "");
	assert_string_equal(dev[3].address, "0000:00:09.0");
	assert_string_equal(dev[3].driver, "");
	assert_string_equal(dev[4].ifname, "eth3");
}

static void
test_machine_without_pci(void **state)
{
	struct topology_pci dev[TOPOLOGY_MAX_PCI];

	(void)state;
	assert_int_equal(topology_network_devices(root, dev), 0);
	assert_int_equal(topology_dpdk_ports(root, dev), 0);
	assert_false(topology_driver_is_dpdk(""));
	assert_false(topology_driver_is_dpdk("vfio"));
	assert_true(topology_driver_is_dpdk("vfio-pci"));
}

#define with_root(f) cmocka_unit_test_setup_teardown(f, make_root, remove_root)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		with_root(test_two_nodes),
		with_root(test_no_node_directory),
		with_root(test_cpu_of_no_node),
		with_root(test_no_sysfs),
		with_root(test_E6_allowed),
		with_root(test_node_of_a_set),
		with_root(test_E5_unknown_pci_node_is_not_node_0),
		with_root(test_ports_and_other_network_devices),
		with_root(test_machine_without_pci),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
