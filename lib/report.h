/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report model: plain structs that the program fills, and reporters that write it out. A
 * reporter is one file and one line in report.c. Strings and arrays are borrowed and outlive the
 * report. Unknown figures: NAN for doubles, not known for counts, and what the comments say.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "account.h"
#include "config.h"
#include "expect.h"
#include "notes.h"
#include "peer_receiver.h"
#include "sample.h"
#include "units.h"
#include "verdict.h"
#include "xstats.h"

struct report_hugepages {
	int node;      /* -1: the machine as a whole */
	uint64_t size; /* of a page, bytes */
	uint64_t total;
	uint64_t free;
};

struct report_host {
	const char *kernel;
	const char *cpu_model;
	unsigned cpus;
	unsigned numa_nodes;
	const struct report_hugepages *hugepages;
	size_t n_hugepages;
};

struct report_rings {
	uint16_t rxq, txq; /* queues */
	uint16_t rxd, txd; /* descriptors in each; 0: nothing was asked */
};

struct report_port {
	uint16_t port;
	const char *name;
	const char *driver;
	const char *mac;    /* text; NULL: unknown */
	const char *mode;   /* engine */
	int numa;           /* -1: unknown */
	uint32_t link_mbps; /* 0: unknown */
	uint16_t mtu;       /* 0: unknown */
	struct report_rings asked;
	struct report_rings used;
	/* The device's own counters over the whole run, as deltas. */
	struct sample_count imissed;
	struct sample_count nombuf;
	struct sample_count errors;
	struct sample_count tx_errors;
	/* The device's own packet counts beside ours. */
	struct sample_count ipackets;
	struct sample_count opackets;
	/* In the device's counts and in none of ours: ARP, ICMP, what sides say to each other. */
	uint64_t control_rx, control_tx;
	struct xstats xstats; /* the driver's own by name: what grew. Owned by who fills it */
};

struct report_lcore {
	unsigned lcore;
	int cpu;  /* -1: unknown */
	int numa; /* -1: unknown */
	unsigned streams;
	uint64_t packets;
	double busy_pct;
	double cycles_per_packet;
};

struct report_queue {
	uint16_t port;
	uint16_t queue;
	bool tx;
	uint64_t offered; /* tx only */
	uint64_t packets; /* the whole run */
	uint64_t bytes;
	double share_pct; /* of its port and direction: report_shares() */
};

/* What a receiver says of one sender, by the tags of its frames. */
struct report_sender {
	struct account_total came;
	bool sent_known; /* its final count is: then what is lost is exact */
	uint64_t sent;
};

/* What is not sent as it was is in no sender's account. */
struct report_account {
	bool kept; /* false: nobody looked for tags, and the rest says nothing */
	const struct report_sender *senders;
	size_t n_senders;
	uint64_t untagged; /* frames that are not of this program */
	uint64_t corrupt;  /* tagged, with a wrong checksum */
	uint64_t crowded;  /* tagged, of senders for which there was no room */
};

/* All that is known of loss, over the whole run. Only what has final counts is in it. */
struct report_loss {
	bool known;
	uint64_t sent, received, lost, duplicated, reordered;
};

/*
 * Another side of the run, and what it said in the band (peer_proto.h). To a sender a receiver, by
 * the port it sends from; to a receiver the port of a sender.
 */
struct report_peer {
	uint32_t ip; /* host byte order */
	uint8_t run;
	uint16_t port; /* the sender's */
	bool is_sender;
	bool exact;                 /* nothing that it said lacks a part of the run */
	const char *state;          /* "complete", or what is wrong, as a sentence's end */
	uint64_t sent;              /* to it; only of a receiver */
	uint64_t instance;          /* of its process */
	const uint64_t *rx;         /* words of PEER_R_; NULL: it said nothing, or is a sender */
	const struct peer_sent *tx; /* NULL: it said nothing, or is a receiver */
	const uint64_t *queue;      /* frames by its receive queues */
	unsigned nb_queues;
};

/* How a sender kept to --rate. Times over the whole run, in nanoseconds. */
struct report_pacing {
	bool kept; /* false: no rate was asked for, and the rest says nothing */
	uint64_t asked_pps;
	uint64_t late_max_ns; /* a frame left after it was due, at most */
	uint64_t given_up;    /* frames that were due too long ago, in no time sent */
	uint64_t gap_p50_ns;  /* between frames of one queue; 0: they left together */
	uint64_t gap_p99_ns;
};

/* What is sent; only read when the process sends. */
struct report_traffic {
	uint32_t flows_per_core;
	uint64_t flows; /* in all */
	const char *src_ip;
	const char *dst_ip;
	const char *dst_mac;
	const char *udp_ports; /* "1024-17407"; NULL: not said */
	bool default_ips;      /* one of the addresses is the default */
	bool default_mac;      /* the destination MAC is the default */
};

enum {
	REPORT_MAX_USED = 8,
};

/* The effective value of an option that nobody gave, or of which more was needed. */
struct report_used {
	const char *option;
	char value[32];
	bool is_string;
};

struct report {
	/* Complete before begin(). */
	const char *version;
	const char *dpdk;
	const char *id;          /* of this run */
	const char *started_utc; /* ISO 8601 */
	const char *const *argv;
	size_t argc;
	struct report_host host;
	const struct config *config;    /* echoed option by option; NULL: none */
	const struct report_used *used; /* in place of what config says */
	size_t n_used;
	const struct report_port *ports;
	size_t n_ports;
	const struct report_lcore *lcores; /* before the run: packets and busy not yet known */
	size_t n_lcores;
	bool sends;
	bool receives;
	uint32_t frame_len; /* bytes without CRC; 0: not known (a receiver takes what comes) */
	struct report_traffic traffic;
	uint64_t warmup_ns;
	uint64_t duration_ns; /* 0: until a signal */
	uint64_t stats_period_ns;
	const struct notes *notes; /* may grow until end() */

	/* Complete before end(). */
	const struct report_queue *queues;
	size_t n_queues;
	const struct sample_run *samples;
	const struct sample_summary *summary;
	struct report_account account;
	struct report_loss loss;
	const struct report_peer *peers;
	size_t n_peers;
	struct report_pacing pacing;
	const struct expect_result *expect;
	const struct verdict *verdict;
};

/*
 * Frames lost of a sender: exactly, if what it sent is known, else those that gaps in sequences
 * show, which leaves out what was sent before the first and after the last frame that came.
 */
uint64_t report_lost(const struct report_sender *s);

/* Adds up the senders whose counts are known. */
struct report_loss report_sum_loss(const struct report_account *a);

/* The same of what receivers said to a sender: those that are exact, each process once. */
struct report_loss report_sum_peers(const struct report_peer *peers, size_t n);

/* Both directions of a side that sends and receives are in one. */
void report_add_loss(struct report_loss *sum, const struct report_loss *loss);

/* Where one reporter writes. Zero-initialise, then set out and quiet. */
struct report_sink {
	FILE *out;           /* opened by the caller, closed by the caller */
	bool quiet;          /* only the final report */
	int write_errno;     /* the first failure to write; 0: none */
	unsigned lines;      /* interval lines since the header: the console's own */
	unsigned notes_said; /* notes already written: the console's own */
};

/*
 * A way to write a report. Each function returns 0, or -errno when the report could not be
 * written. NULL means that nothing is written at that moment.
 */
struct reporter {
	const char *name;
	const char *help; /* one line */
	int (*begin)(struct report_sink *s, const struct report *r);
	int (*interval)(
		struct report_sink *s, const struct report *r, const struct sample_interval *iv);
	int (*end)(struct report_sink *s, const struct report *r);
};

/*
 * Lines under 80 columns of ASCII, flushed one by one, without cursor control. A closed output
 * (the caller ignores SIGPIPE) silences it and is never an error: the test goes on.
 */
extern const struct reporter report_console;
/* One JSON object at the end. Errors to write, such as a full disk, are returned. */
extern const struct reporter report_json;

/* All reporters, ended by NULL. */
extern const struct reporter *const report_table[];

/* The reporter of that name, or NULL. */
const struct reporter *report_find(const char *name);

/* Fills share_pct of each queue: of the packets of its port and direction. NAN if those are 0. */
void report_shares(struct report_queue *q, size_t n);

/* Notes before a run: clamped descriptors, addresses left at their defaults. */
void report_begin_notes(const struct report *r, struct notes *notes);

/*
 * Notes after it: silent queues, device counters that were reset, runs too short for a minimum and
 * maximum. Needs queues and summary.
 */
void report_end_notes(const struct report *r, struct notes *notes);
