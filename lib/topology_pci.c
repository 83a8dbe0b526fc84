/* SPDX-License-Identifier: BSD-3-Clause */
#include "topology.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char pci_dir[] = "/sys/bus/pci/devices";

enum {
	CLASS_NETWORK = 0x02, /* the top byte of the three that a PCI class has */
};

/* Reads a number of any base from a file of the device. @return false if it is not there */
static bool
read_attr(const char *root, const char *address, const char *name, long *value)
{
	char path[PATH_MAX], line[64], *end;
	FILE *f;
	bool ok;

	if (snprintf(path, sizeof(path), "%s%s/%s/%s", root, pci_dir, address, name) >=
		(int)sizeof(path))
		return false;
	f = fopen(path, "r");
	if (f == NULL)
		return false;
	ok = fgets(line, sizeof(line), f) != NULL;
	fclose(f);
	if (!ok)
		return false;
	*value = strtol(line, &end, 0);
	return end != line;
}

int
topology_pci_node(const char *root, const char *address)
{
	long node;

	if (!read_attr(root, address, "numa_node", &node) || node < 0)
		return TOPOLOGY_NODE_UNKNOWN;
	return (int)node;
}

/* The driver is the last part of what the link "driver" points to. */
static void
read_driver(struct topology_pci *dev, const char *root)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *name;
	ssize_t len;

	dev->driver[0] = '\0';
	snprintf(path, sizeof(path), "%s%s/%s/driver", root, pci_dir, dev->address);
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return;
	target[len] = '\0';
	name = strrchr(target, '/');
	snprintf(dev->driver, sizeof(dev->driver), "%.31s", name != NULL ? name + 1 : target);
}

/* Puts the first name in a directory that begins with prefix into name; "" if there is none. */
static void
first_entry(const char *path, const char *prefix, char *name, size_t size)
{
	struct dirent *entry;
	DIR *d = opendir(path);

	name[0] = '\0';
	if (d == NULL)
		return;
	while ((entry = readdir(d)) != NULL) {
		if (entry->d_name[0] == '.' || strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		if (name[0] == '\0' || strcmp(entry->d_name, name) < 0)
			snprintf(name, size, "%.*s", (int)size - 1, entry->d_name);
	}
	closedir(d);
}

/* The kernel's interface lies below the device, or one bus further down (virtio). */
static void
read_ifname(struct topology_pci *dev, const char *root)
{
	char path[PATH_MAX / 2], sub[PATH_MAX], bus[64];

	snprintf(path, sizeof(path), "%s%s/%s", root, pci_dir, dev->address);
	snprintf(sub, sizeof(sub), "%s/net", path);
	first_entry(sub, "", dev->ifname, sizeof(dev->ifname));
	if (dev->ifname[0] != '\0')
		return;
	first_entry(path, "virtio", bus, sizeof(bus));
	if (bus[0] == '\0')
		return;
	snprintf(sub, sizeof(sub), "%s/%s/net", path, bus);
	first_entry(sub, "", dev->ifname, sizeof(dev->ifname));
}

static int
compare_address(const void *a, const void *b)
{
	const struct topology_pci *x = a, *y = b;

	return strcmp(x->address, y->address);
}

unsigned
topology_network_devices(const char *root, struct topology_pci *dev)
{
	char path[PATH_MAX];
	struct dirent *entry;
	unsigned nb = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s%s", root, pci_dir);
	d = opendir(path);
	if (d == NULL)
		return 0;
	while ((entry = readdir(d)) != NULL && nb < TOPOLOGY_MAX_PCI) {
		struct topology_pci *p = &dev[nb];
		long class, vendor = 0, device = 0;

		if (strlen(entry->d_name) >= sizeof(p->address) ||
			!read_attr(root, entry->d_name, "class", &class) ||
			class >> 16 != CLASS_NETWORK)
			continue;
		*p = (struct topology_pci){0};
		memcpy(p->address, entry->d_name, strlen(entry->d_name));
		if (read_attr(root, p->address, "vendor", &vendor))
			p->vendor = (uint16_t)vendor;
		if (read_attr(root, p->address, "device", &device))
			p->device = (uint16_t)device;
		p->node = topology_pci_node(root, p->address);
		read_driver(p, root);
		read_ifname(p, root);
		nb++;
	}
	closedir(d);
	qsort(dev, nb, sizeof(*dev), compare_address);
	return nb;
}

bool
topology_driver_is_dpdk(const char *driver)
{
	static const char *const drivers[] = {
		"vfio-pci",
		"igb_uio",
		"uio_pci_generic",
		/* These stay with the kernel while DPDK uses their queues. */
		"mlx4_core",
		"mlx5_core",
	};

	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++) {
		if (strcmp(driver, drivers[i]) == 0)
			return true;
	}
	return false;
}

unsigned
topology_dpdk_ports(const char *root, struct topology_pci *dev)
{
	unsigned nb = topology_network_devices(root, dev);
	unsigned kept = 0;

	for (unsigned i = 0; i < nb; i++) {
		if (topology_driver_is_dpdk(dev[i].driver))
			dev[kept++] = dev[i];
	}
	return kept;
}
