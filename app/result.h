/* SPDX-License-Identifier: BSD-3-Clause */
/* Fills the report model from a run. */
#pragma once

#include "host.h"
#include "report.h"
#include "run.h"
#include "sampler.h"
#include "verdict.h"

/* The report and what it points to. */
struct result {
	struct report report;
	struct report_used used[REPORT_MAX_USED];
	struct expect_result expect;
	struct verdict verdict;
	char id[17];
	char started_utc[32];
	char src_ip[ADDR_IPV4_LEN], dst_ip[ADDR_IPV4_LEN], dst_mac[ADDR_MAC_LEN];
	char udp_ports[64];
	struct report_port *ports; /* owned, with mac */
	struct report_lcore *lcores;
	struct report_queue *queues;
	struct report_peer *peers;     /* owned */
	struct report_sender *senders; /* owned, as above; NULL: no account is kept */
};

/*
 * Everything that is known before the run.
 * @return 0 or -1; result_free() in both cases
 */
int result_begin(struct result *res, const struct run *r, const struct host *host, int argc,
	char **argv, struct err *e);

/* Everything else, and the verdict. s stays referenced by the report. */
void result_end(struct result *res, const struct run *r, const struct sampler_result *s);

/* Its part of result_end(): what arrived, by sender. */
void result_account(struct result *res, const struct run *r);

/* Its part of result_end(), after result_account(): what the other sides said. */
void result_peers(struct result *res, const struct run *r);

/* Its part of result_end(): how a rate was kept to. */
void result_pacing(struct result *res, const struct run *r, const struct sampler_result *s);

void result_free(struct result *res);

/* Writes how a firewall is to be opened for the flows: "UDP 32768-40959 ...". @return buf */
const char *result_udp_ports(const struct config *cfg, uint32_t flows, char *buf, size_t size);
