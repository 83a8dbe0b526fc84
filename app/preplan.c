/* SPDX-License-Identifier: BSD-3-Clause */
#include "preplan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_config.h>

#include "account.h"
#include "engine.h"
#include "io_vdev.h"
#include "port.h"
#include "result.h"

enum {
	/* At the end of each mbuf, for a control frame that must not disturb the one in front. */
	CONTROL_ROOM = 128,
	/* What no driver is known to exceed by itself; devices say what they prefer once opened. */
	DESCRIPTORS = 1024,
};

/* "0000:00:03.0 has virtio-pci as eth0, ...". @return how many NICs there are */
static unsigned
list_nics(char *list, size_t size)
{
	static struct topology_pci pci[TOPOLOGY_MAX_PCI];
	unsigned nb = topology_network_devices("", pci);
	size_t len = 0;

	list[0] = '\0';
	for (unsigned i = 0; i < nb && len < size - 96; i++)
		len += (size_t)snprintf(list + len, size - len, "%s%s has %s%s%s",
			i == 0 ? "" : ", ", pci[i].address,
			pci[i].driver[0] == '\0' ? "no driver" : pci[i].driver,
			pci[i].ifname[0] == '\0' ? "" : " as ", pci[i].ifname);
	return nb;
}

struct pci_address {
	unsigned domain, bus, slot, function;
};

/* "0000:00:05.0", "0:5.0", in any case, perhaps with device arguments behind a comma. */
static bool
parse_pci(const char *text, struct pci_address *a)
{
	int end = 0;

	*a = (struct pci_address){0};
	if (sscanf(text, "%8x:%2x:%2x.%1u%n", &a->domain, &a->bus, &a->slot, &a->function, &end) !=
		4) {
		*a = (struct pci_address){0};
		if (sscanf(text, "%2x:%2x.%1u%n", &a->bus, &a->slot, &a->function, &end) != 3)
			return false;
	}
	return text[end] == '\0' || text[end] == ',';
}

/* EAL goes on without a device of -a that isn't there. */
static int
check_allowed(const char *allow, struct err *e)
{
	char list[NOTE_TEXT], path[64];
	struct pci_address a;

	if (!parse_pci(allow, &a))
		return err_set(e, EXIT_USAGE,
			"-a %s: not a PCI address; one looks like 0000:00:05.0, with device "
			"arguments "
			"behind a comma",
			allow);
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%04x:%02x:%02x.%u", a.domain, a.bus,
		a.slot, a.function);
	if (access(path, F_OK) == 0)
		return 0;
	list_nics(list, sizeof(list));
	return err_set(e, EXIT_MACHINE, "-a %s: no such PCI device; NICs here: %s", allow,
		list[0] == '\0' ? "none" : list);
}

static bool
is_among(const char **words, unsigned nb, const char *address)
{
	struct pci_address device, word;

	if (!parse_pci(address, &device))
		return false;
	for (unsigned i = 0; i < nb; i++) {
		if (parse_pci(words[i], &word) && memcmp(&word, &device, sizeof(word)) == 0)
			return true;
	}
	return false;
}

/* Whether the words choose this PCI device; without -a and -b all are chosen. */
static bool
is_chosen(const struct eal_args *args, const char *address)
{
	if (is_among(args->block, args->nb_block, address))
		return false;
	return args->nb_allow == 0 || is_among(args->allow, args->nb_allow, address);
}

static int
add_port(const struct config *cfg, struct plan_port_in *ports, unsigned *nb, unsigned *id,
	const char *name, int node, struct err *e)
{
	unsigned port = (*id)++;
	const char *mode = config_mode(cfg, port);
	const struct engine *engine;

	if (*nb == CONFIG_MAX_PORTS || (cfg->portmask != 0 && !(cfg->portmask >> port & 1)))
		return 0;
	if (mode == NULL)
		return err_set(e, EXIT_USAGE,
			"port %u (%s) has nothing to do: give --forward-mode=txonly or rxonly for "
			"all "
			"ports, or --port-mode %u=txonly or rxonly for this one",
			port, name, port);
	engine = engine_find(mode);
	ports[(*nb)++] = (struct plan_port_in){
		.port_id = (uint16_t)port,
		.node = node,
		.tx = engine->sends,
		.rx = engine->receives,
		.max_txq = PLAN_LIMIT_UNKNOWN,
		.max_rxq = PLAN_LIMIT_UNKNOWN,
	};
	return 0;
}

int
preplan_ports(const struct config *cfg, const struct eal_args *args, struct plan_port_in *ports,
	struct err *e)
{
	static struct topology_pci pci[TOPOLOGY_MAX_PCI];
	unsigned nb_pci = args->no_pci ? 0 : topology_dpdk_ports("", pci);
	unsigned nb = 0, id = 0;

	for (unsigned i = 0; i < args->nb_allow; i++) {
		/* A vdev may be allowed by its name, too. */
		if (strncmp(args->allow[i], "net_", 4) != 0 &&
			check_allowed(args->allow[i], e) != 0)
			return -1;
	}
	for (unsigned i = 0; i < nb_pci; i++) {
		if (is_chosen(args, pci[i].address) &&
			add_port(cfg, ports, &nb, &id, pci[i].address, pci[i].node, e) != 0)
			return -1;
	}
	for (unsigned i = 0; i < args->nb_vdevs; i++) {
		const char *vdev = args->vdevs[i];

		if (strncmp(vdev, "net_", 4) != 0 && strncmp(vdev, "eth_", 4) != 0) {
			err_set(e, EXIT_USAGE, "not a network device; those are named net_...");
			return eal_args_blame_vdev(args, i, e);
		}
		if (add_port(cfg, ports, &nb, &id, vdev, TOPOLOGY_NODE_UNKNOWN, e) != 0)
			return -1;
	}
	for (uint16_t port = 0; id > 0 && nb == 0 && port < CONFIG_MAX_PORTS; port++) {
		if (port >= id && port_refuse_named(cfg, port, id, e) != 0)
			return -1;
	}
	return (int)nb;
}

int
preplan_no_port(const struct eal_args *args, struct err *e)
{
	char list[512];
	unsigned nb = list_nics(list, sizeof(list));

	if (args->no_pci)
		return err_set(e, EXIT_MACHINE,
			"no port found: --no-pci leaves NICs out, and no --vdev=net_... is given");
	if (nb == 0)
		return err_set(e, EXIT_MACHINE,
			"no port found: this machine has no PCI NIC; name a virtual one by "
			"--vdev=net_...");
	return err_set(e, EXIT_MACHINE,
		"no port found: no PCI NIC is bound to vfio-pci, igb_uio or uio_pci_generic%s "
		"(%s); "
		"bind one, or name a virtual one by --vdev=net_...",
		args->nb_allow > 0 ? " among those -a names" : "", list);
}

struct plan_in
preplan_in(const struct config *cfg, const struct host *host, const struct eal_args *args,
	const struct plan_port_in *ports, unsigned nb_ports)
{
	return (struct plan_in){
		.topo = &host->topo,
		.ports = ports,
		.nb_ports = nb_ports,
		.lcores_given = args->lcores_given,
		.main_given = args->main_lcore >= 0,
		.main_lcore = args->main_lcore >= 0 ? (unsigned)args->main_lcore : 0,
		.nb_cores = cfg->nb_cores,
		.nb_cores_given = cfg->nb_cores != 0,
		.txq = cfg->txq,
		.rxq = cfg->rxq,
		.txq_given = config_given(cfg, "txq"),
		.rxq_given = config_given(cfg, "rxq"),
		.flows_per_core = cfg->flows_per_core,
		.flows_given = config_given(cfg, "flows-per-core"),
	};
}

int
preplan_memory_in(const struct config *cfg, const struct host *host, const struct eal_args *args,
	struct memory_in *in, struct err *e)
{
	const char *option = "max-pkt-len";
	uint32_t longest = cfg->max_pkt_len, room_after = 0;

	for (unsigned i = 0; i < cfg->nb_txpkts; i++) {
		if (cfg->txpkts[i] + (uint32_t)CONTROL_ROOM > longest + room_after) {
			longest = cfg->txpkts[i];
			room_after = CONTROL_ROOM;
			option = "txpkts";
		}
	}
	if (io_vdev_place(cfg) > longest + room_after) {
		longest = io_vdev_place(cfg);
		room_after = 0;
		option = "io";
	}
	*in = (struct memory_in){
		.topo = &host->topo,
		.rxd = cfg->rxd != 0 ? cfg->rxd : DESCRIPTORS,
		.txd = cfg->txd != 0 ? cfg->txd : DESCRIPTORS,
		.cache = cfg->mbcache,
		.burst = cfg->burst,
		.asked_mbufs = cfg->total_num_mbufs,
		.channels = args->channels * (args->ranks == 0 ? 1 : args->ranks),
		.max_lcore = RTE_MAX_LCORE,
		.segments = cfg->nb_txpkts,
		.account_bytes = cfg->no_tag ? 0 : account_size(cfg->rx_flows),
		.no_huge = args->no_huge,
		.memory_mb = args->memory_mb,
		.socket_mem_mb = args->socket_mem_given ? args->socket_mem_mb : NULL,
	};
	if (memory_mbuf_size(cfg->mbuf_size, longest, room_after, &in->mbuf_size, e) == 0)
		return 0;
	if (e->option == NULL)
		e->option = option;
	return -1;
}

int
preplan_lcores(const struct plan_in *in, struct eal_args *args, struct notes *notes, struct err *e)
{
	if (args->lcores_given) {
		if (lcores_check(&args->lcores, in->topo, RTE_MAX_LCORE, notes, e) != 0)
			return eal_args_blame_lcores(args, e);
		return 0;
	}
	if (plan_choose_lcores(in, RTE_MAX_LCORE, &args->lcores, notes, e) != 0)
		return in->main_given ? eal_args_blame_lcores(args, e) : -1;
	return 0;
}

uint32_t
preplan_flows(const struct plan *plan)
{
	uint32_t flows = 0;

	for (unsigned i = 0; i < plan->nb_workers; i++)
		flows += plan->workers[i].flows;
	return flows;
}

int
preplan_print(const struct plan_in *in, const struct config *cfg, const struct memory_in *mem,
	const struct lcores *lcores, struct notes *notes, struct err *e)
{
	static struct memory_need need;
	struct plan plan;
	char ports[64];
	uint32_t flows;
	int rc = -1;

	memset(&plan, 0, sizeof(plan));
	if (plan_streams(in, lcores, &plan, notes, e) != 0)
		goto out;
	flows = preplan_flows(&plan);
	if (config_check_tx_udp(cfg, flows, e) != 0 || memory_need_plan(&need, &plan, mem, e) != 0)
		goto out;
	plan_print(stdout, &plan, &need, notes);
	if (flows > 0)
		printf("firewall: allow UDP with source and destination ports %s, from\n"
		       "          the sender's address, at the receiver\n",
			result_udp_ports(cfg, flows, ports, sizeof(ports)));
	printf("The limits of devices are known only once they are opened: a run may use less.\n");
	rc = 0;
out:
	plan_free(&plan);
	return rc;
}
