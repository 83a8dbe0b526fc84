/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the user asked for, from argv over INI over defaults. Written once before EAL starts, const
 * from then on. The table in config_table.c has one row for each option; the command line, INI
 * keys, the help and the echo in the result file all come from it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "addr.h"
#include "config_file.h"
#include "err.h"
#include "notes.h"
#include "option.h"

enum {
	CONFIG_MAX_PORTS = 32,         /* as RTE_MAX_ETHPORTS in distributions */
	CONFIG_MAX_SEGS = 8,           /* segments of one frame */
	CONFIG_MAX_BURST = 512,        /* as testpmd */
	CONFIG_MAX_RX_FLOWS = 1 << 26, /* all pairs of ports that flow.h has */
	CONFIG_MAX_QUEUES = 1024,      /* as RTE_MAX_QUEUES_PER_PORT */
	CONFIG_MIN_FRAME = 60,         /* the shortest Ethernet frame without its CRC */
	CONFIG_CRC_LEN = 4,
	CONFIG_MIN_HEADERS = 42,  /* Ethernet 14 + IPv4 20 + UDP 8 */
	CONFIG_MAX_IFNAME = 15,   /* IFNAMSIZ without the final zero */
	CONFIG_MAX_FLOWS = 65536, /* per lcore: what flow.h can keep disjoint */
};

enum tx_cksum {
	TX_CKSUM_SOFTWARE, /* a sum per flow, computed before the run */
	TX_CKSUM_OFFLOAD,  /* by the device */
	TX_CKSUM_NONE,     /* UDP checksum 0: "not computed" (RFC 768) */
};

/* How an interface is used that stays with the kernel. */
enum io_mode {
	IO_NONE, /* ports are NICs taken from the kernel, and vdevs */
	IO_AF_PACKET,
	IO_AF_XDP,
};

struct config {
	/* the run */
	const char *forward_mode; /* engine of every port without a mode of its own */
	const char *port_mode[CONFIG_MAX_PORTS]; /* engine by port; NULL: forward_mode */
	uint64_t duration_ns;                    /* measured time; 0: until a signal */
	uint64_t warmup_ns;                      /* before the measured time */
	uint64_t rx_wait_ns; /* how long a receiver waits for traffic; 0: it measures at once */
	uint64_t rx_idle_ns; /* how long without traffic ends it; 0: nothing does */
	struct option_rates expect; /* what is to be reached; 0: nothing */
	uint32_t expect_min;        /* percent of it */
	uint64_t max_loss;          /* millionths of what is sent that may be lost */
	uint64_t stats_period_ns;   /* between console lines; 0: no lines */
	bool quiet;                 /* only the final report */
	bool plan;                  /* print the plan and stop */
	const char *config_file;    /* NULL: none */
	const char *json_file;      /* NULL: none */

	/* ports, queues and lcores */
	enum io_mode io;
	const char *interface; /* of io; NULL: none */
	uint16_t io_queue;     /* the first of its queues that af_xdp uses */
	uint64_t portmask;     /* bit N: use port N; 0: all */
	uint16_t nb_cores;     /* forwarding lcores; 0: all workers */
	uint16_t rxq, txq;
	uint16_t rxd, txd;    /* 0: what the driver prefers */
	uint32_t max_pkt_len; /* longest frame, with its CRC as in testpmd: MTU + 18; 0: the port's
				 own */
	uint32_t rx_flows;    /* that are accounted for on each receive queue */
	bool rss_udp;
	bool enable_rx_cksum;

	/* memory */
	uint32_t mbcache;         /* mbufs in a pool's per-lcore cache */
	uint32_t total_num_mbufs; /* in each pool; 0: computed */
	uint32_t mbuf_size;       /* data room with headroom, bytes; 0: computed */

	/* traffic */
	uint16_t burst;
	uint16_t txpkts[CONFIG_MAX_SEGS]; /* segment lengths, bytes; their sum is the frame */
	uint16_t nb_txpkts;
	uint32_t flows_per_core;
	enum tx_cksum tx_cksum;
	uint32_t src_ip, dst_ip; /* host byte order */
	bool has_own_src_ip;     /* nobody gave src_ip: it is the port's own, found later */
	uint32_t gateway;        /* the next hop's address; 0: dst_ip is on the link */
	bool has_dst_mac;
	struct mac dst_mac;    /* for every port without an eth_peer */
	uint64_t eth_peer_set; /* bit N: eth_peer[N] was given */
	struct mac eth_peer[CONFIG_MAX_PORTS];
	struct option_rate rate; /* of all senders together; 0: as fast as it goes */
	uint32_t prime;          /* frames of each flow before anything counts */
	bool no_tag;
	bool no_control;
	uint16_t tx_udp_src,
		tx_udp_dst; /* first source port, and destination; 0: those of flow.h */

	/* What was given, and where. Owned by this struct, as are the strings that came from there.
	 */
	struct options given;
};

/* What config_parse() returns for a question to be answered instead of a run. */
enum {
	CONFIG_HELP = 1,
	CONFIG_VERSION = 2,
};

/*
 * Fills c from argv over the file of --config over defaults, and checks it as a whole. c->given
 * points into *c: c must not be copied or moved afterwards.
 * @param argv our words only: what follows "--", or everything where there is no EAL part; borrowed
 * @param engines names of the engines, ends with NULL; borrowed, c keeps names of its own
 * @param eal filled from the section [eal] of the file; the caller frees it, whatever is returned
 * @return 0; CONFIG_HELP or CONFIG_VERSION; or -1. Call config_free() in every case.
 */
int config_parse(struct config *c, int argc, char **argv, const char *const *engines,
	struct ini_eal_words *eal, struct err *e);

void config_free(struct config *c);

/* True if the user gave this option, here or in the file; name without dashes, one of the table. */
bool config_given(const struct config *c, const char *name);

/* True if name, without dashes, is an option of this program. */
bool config_is_option(const char *name);

/* "default", "command line" or "FILE:LINE". Writes into buf and returns buf. */
const char *config_origin(const struct config *c, const char *name, char *buf, size_t len);

/*
 * Puts "--port-mode=3=txonly" or "c.ini:3: port-mode = 3=txonly" before the message of e: the words
 * that gave the option, or its name alone if none did.
 * @param option without dashes, one of the table
 * @param key the port of a keyed option; ignored for others
 * @return -1
 */
int config_blame(const struct config *c, const char *option, unsigned int key, struct err *e);

/* The same for e->option, if there is one; it then counts as named. Returns -1. */
int config_blame_err(const struct config *c, struct err *e);

/*
 * Refuses --tx-udp if its source ports, one for each flow, would pass 65535.
 * @param all_flows of all sending lcores together
 * @return 0, or -1 with EXIT_USAGE and the option named
 */
int config_check_tx_udp(const struct config *c, uint32_t all_flows, struct err *e);

/* The option's name most like this one, or NULL if none is. */
const char *config_nearest(const char *name);

/* One option for the echo. value is text as the user could give it; NULL with OPTION_JSON_NULL. */
struct config_echo {
	const char *name;
	const char *value;
	enum option_json
		json; /* bool and number: value is the JSON itself; durations are seconds */
	const char *origin;
};

/*
 * Calls fn for every option with a value of its own, in the order of the table. What echo points to
 * is good during the call only. --tx-ip shows as the src-ip and dst-ip that it sets.
 */
void config_foreach(
	const struct config *c, void (*fn)(void *arg, const struct config_echo *echo), void *arg);

/*
 * Adds what is allowed but probably not meant, a sentence each: a multicast destination, a period
 * longer than the run, ...
 */
void config_notes(const struct config *c, struct notes *notes);

/* The frame length: the sum of txpkts, bytes without CRC. */
uint32_t config_frame_len(const struct config *c);

/* Whether frames sent carry a tag (tag.h): unless --no-tag is given, or their first segment has no
 * room for it. */
bool config_tagged(const struct config *c);

/* The engine of a port, or NULL: neither --port-mode nor --forward-mode names one. */
const char *config_mode(const struct config *c, unsigned int port);

/* The destination MAC the user gave for a port, or NULL. */
const struct mac *config_dst_mac(const struct config *c, unsigned int port);

/*
 * The address whose MAC has to be asked for where none is given.
 * @return false: the user gave neither --gateway nor --dst-ip, and the default is nobody's
 */
bool config_next_hop(const struct config *c, uint32_t *ip);

/*
 * The address a port answers for: the source of one that sends. One that only receives is the
 * destination of a sender beside it; alone it is --src-ip, its own, or the default destination.
 * @param sends the port sends
 * @param any_sends some port of the run does
 */
uint32_t config_own_ip(const struct config *c, bool sends, bool any_sends);

/* Everything --help says, at most 80 columns wide. engines as for config_parse(). */
void config_print_help(FILE *out, const char *const *engines);
