/* SPDX-License-Identifier: BSD-3-Clause */
#include "io.h"

#include <dirent.h>
#include <linux/if_xdp.h>
#include <net/if.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "io_vdev.h"
#include "kernel_if.h"

#ifndef SOL_XDP
#define SOL_XDP 283 /* of newer C libraries */
#endif

static int
take_address(struct config *c, unsigned if_index, struct notes *notes, struct err *e)
{
	char text[ADDR_IPV4_LEN];
	uint32_t own = kernel_if_ipv4(if_index);

	if (own == 0 || config_given(c, "src-ip"))
		return 0;
	addr_format_ipv4(own, text);
	if (own == c->dst_ip) {
		err_set(e, EXIT_USAGE,
			"is %s's own address, which would be the source, too: give the other "
			"side's",
			c->interface);
		return config_blame(c, "dst-ip", 0, e);
	}
	c->src_ip = own;
	c->has_own_src_ip = true;
	notes_add(notes, "source address %s, that of %s", text, c->interface);
	return 0;
}

/* The driver would say "No such device or address". */
static int
check_queues(const struct config *c, unsigned if_index, struct err *e)
{
	unsigned there = kernel_if_queues(if_index);
	unsigned end = c->io_queue + RTE_MAX(c->rxq, c->txq);

	if (c->io != IO_AF_XDP || there == 0 || end <= there)
		return 0;
	err_set(e, EXIT_MACHINE,
		"%s has %u queues now, from 0 on, and this run takes them up to %u; fewer (--rxq, "
		"--txq, --io-queue), or: ethtool -L %s combined %u",
		c->interface, there, end - 1, c->interface, end);
	return config_blame(c, "interface", 0, e);
}

int
io_add_port(struct config *c, struct eal_args *args, struct notes *notes, struct err *e)
{
	char vdev[IO_VDEV_LEN], names[256];
	unsigned if_index;

	if (c->io == IO_NONE)
		return 0;
	if_index = if_nametoindex(c->interface);
	if (if_index == 0) {
		err_set(e, EXIT_MACHINE, "no such interface; those here: %s",
			kernel_if_names(names, sizeof(names)));
		return config_blame(c, "interface", 0, e);
	}
	if (!kernel_if_up(if_index)) {
		err_set(e, EXIT_MACHINE, "the interface is down: ip link set %s up", c->interface);
		return config_blame(c, "interface", 0, e);
	}
	if (check_queues(c, if_index, e) != 0 || take_address(c, if_index, notes, e) != 0)
		return -1;
	io_vdev(c, vdev, sizeof(vdev));
	if (args->nb_allow == 0 && !args->no_pci && eal_args_add(args, "--no-pci", NULL, e) != 0)
		return -1;
	return eal_args_add(args, "--vdev", vdev, e);
}

void
io_hold_last(struct rte_mempool *pool)
{
	void **all = calloc(pool->size, sizeof(*all));
	unsigned n = 0, last = 0;

	if (all == NULL)
		return;
	while (n < pool->size && rte_mempool_get(pool, &all[n]) == 0)
		n++;
	for (unsigned i = 1; i < n; i++) {
		if (all[i] > all[last])
			last = i;
	}
	for (unsigned i = 0; i < n; i++) {
		if (i != last)
			rte_mempool_put(pool, all[i]);
	}
	free(all);
}

/* The driver keeps its sockets to itself, but a process can ask each of its own. */
static void
count_xdp_sockets(unsigned *sockets, unsigned *zero_copy)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;

	*sockets = *zero_copy = 0;
	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		struct xdp_options options = {0};
		socklen_t len = sizeof(options);

		if (getsockopt(atoi(entry->d_name), SOL_XDP, XDP_OPTIONS, &options, &len) != 0)
			continue;
		++*sockets;
		*zero_copy += (options.flags & XDP_OPTIONS_ZEROCOPY) != 0;
	}
	if (dir != NULL)
		closedir(dir);
}

/* What falls into the program's queues is kept from the kernel, and the other way round. */
static void
note_queues(const struct config *c, struct notes *notes)
{
	unsigned there = kernel_if_queues(if_nametoindex(c->interface));
	unsigned used = RTE_MAX(c->rxq, c->txq);

	if (there == 0)
		return;
	if (used >= there)
		notes_add(notes,
			"while this runs the kernel receives nothing from %s: its connections over "
			"it pause",
			c->interface);
	else
		notes_warn(notes,
			"%u of %s's %u queues, from %u on: frames that the NIC puts into others go "
			"to the kernel and are not counted; connections that fall on these pause",
			used, c->interface, there, c->io_queue);
}

void
io_notes(const struct config *c, struct notes *notes)
{
	unsigned sockets, zero_copy;

	if (c->io == IO_AF_PACKET)
		notes_add(notes,
			"--io=af_packet: every frame passes the kernel's packet socket and is "
			"copied; "
			"this measures that path and %s's driver, not what the NIC can do",
			c->interface);
	if (c->io != IO_AF_XDP)
		return;
	count_xdp_sockets(&sockets, &zero_copy);
	notes_add(notes,
		"--io=af_xdp: frames pass the kernel's driver of %s and its XDP queues, not its "
		"stack; %s",
		c->interface,
		sockets == 0           ? "whether they are copied is not known"
		: zero_copy == sockets ? "without a copy (zero-copy)"
				       : "each is copied, for the driver has no zero-copy");
	note_queues(c, notes);
}
