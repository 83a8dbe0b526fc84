/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "report_text.h"

enum {
	SENDERS_LISTED = 8, /* the result file has all */
};

/* "5 lost of 1000 sent", or what gaps in sequences show. */
static void
say_sender(struct report_sink *s, const struct report_sender *from)
{
	const struct account_total *t = &from->came;
	char ip[ADDR_IPV4_LEN], lost[80];

	if (from->sent_known)
		snprintf(lost, sizeof(lost), "%" PRIu64 " lost of %" PRIu64 " sent",
			report_lost(from), from->sent);
	else
		snprintf(lost, sizeof(lost), "%" PRIu64 " lost by the gaps between them",
			report_lost(from));
	report_text(s, 12,
		"  from      %s run %u: %" PRIu64 " frames of %" PRIu64 " flows, %s; %" PRIu64
		" twice, %" PRIu64 " out of order",
		addr_format_ipv4(t->src_ip, ip), t->run, t->received, t->flows, lost, t->duplicated,
		t->reordered);
	if (t->reordered > 0)
		report_text(s, 12, "            out of order by %" PRIu64 " places at most%s",
			t->extent,
			t->unsure > 0 ? "; some so late that they may have come twice" : "");
	if (t->moved > 0)
		report_text(s, 12, "            %" PRIu64 " flows came on more than one queue",
			t->moved);
	if (t->untold > 0)
		report_text(s, 12,
			"            %" PRIu64
			" frames are of flows beyond --rx-flows: received, and "
			"no more is known of them",
			t->untold);
}

void
report_text_account(struct report_sink *s, const struct report_account *a)
{
	if (!a->kept)
		return;
	for (size_t i = 0; i < a->n_senders && i < SENDERS_LISTED; i++)
		say_sender(s, &a->senders[i]);
	if (a->n_senders > SENDERS_LISTED)
		report_text(s, 12, "            and %zu more senders: in the result file",
			a->n_senders - SENDERS_LISTED);
	if (a->untagged > 0)
		report_text(s, 12,
			"  untagged  %" PRIu64 " frames: not pmdperf's, or sent with --no-tag",
			a->untagged);
	if (a->corrupt > 0)
		report_text(s, 12, "  corrupt   %" PRIu64 " frames whose checksum is wrong",
			a->corrupt);
	if (a->crowded > 0)
		report_text(s, 12,
			"  crowded   %" PRIu64 " frames of senders beyond %d on one queue",
			a->crowded, ACCOUNT_SENDERS);
}
