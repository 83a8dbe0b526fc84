/* SPDX-License-Identifier: BSD-3-Clause */
#include "verdict.h"

#include <inttypes.h>
#include <math.h>

#include "flow.h"

const char *
verdict_name(enum verdict_status s)
{
	static const char *const name[] = {
		[VERDICT_PASS] = "pass",
		[VERDICT_FAIL] = "fail",
		[VERDICT_UNVERIFIED] = "unverified",
	};

	return name[s];
}

enum exit_status
verdict_exit(enum verdict_status s)
{
	return s == VERDICT_FAIL ? EXIT_NEGATIVE : EXIT_DONE;
}

/* What stands between a sender and a receiver, the likeliest first. */
static void
add_checklist(const struct verdict_input *in, struct notes *l)
{
	notes_add(l, "check: was the sender started, and did it run during this side's time?");
	if (in->udp_ports != NULL)
		notes_add(l,
			"check: do security groups and firewalls on both sides let UDP ports %s "
			"in?",
			in->udp_ports);
	else
		notes_add(l,
			"check: do security groups and firewalls on both sides let UDP ports %d-%d "
			"in, "
			"which a sender uses by default?",
			FLOW_PORT_FIRST, FLOW_PORT_LAST);
	notes_add(l, "check: is the sender's source MAC that of its port, and --src-ip the address "
		     "the cloud gave it? Anti-spoof filters drop anything else");
	notes_add(l, "check: is the sender's --dst-mac the next hop's, and --dst-ip this side's "
		     "address? In clouds the next hop is the subnet's gateway");
	notes_add(l, "check: is the frame length within the MTU of both ports and of the path?");
}

/* @return whether sending failed */
static bool
judge_tx(const struct verdict_input *in, struct notes *l)
{
	static const char *const link[] = {
		[VERDICT_LINK_UNKNOWN] = "the link state is not known",
		[VERDICT_LINK_DOWN] = "the link is down",
		[VERDICT_LINK_UP] = "the link is up",
	};

	if (in->total_tx_offered == 0 && !in->measured)
		return false;
	if (in->total_tx_offered == 0) {
		notes_add(l, "this side was to send and offered no frame: its lcores found no free "
			     "mbuf, or did not get to run");
		return true;
	}
	if (in->total_tx_packets == 0) {
		notes_add(l, "the device accepted none of the %" PRIu64 " frames offered to it; %s",
			in->total_tx_offered, link[in->tx_link]);
		return true;
	}
	if (in->measured && in->tx_offered > 0 && in->tx_packets == 0) {
		notes_add(l,
			"the device accepted frames before, but none of the %" PRIu64
			" offered in the measured time; %s",
			in->tx_offered, link[in->tx_link]);
		return true;
	}
	return false;
}

/* @return whether receiving failed */
static bool
judge_rx(const struct verdict_input *in, struct notes *l)
{
	if (in->total_rx_packets == 0) {
		notes_add(l, "this side was to receive and got no frame");
		if (in->control > 0)
			notes_add(l,
				"but %" PRIu64
				" frames of ARP, ICMP or the like came: the link works, "
				"and what was sent is lost on the way or goes elsewhere",
				in->control);
		else
			notes_add(l,
				"no ARP or other frame came either: nobody asked for this side's "
				"address in all that time");
		add_checklist(in, l);
		return true;
	}
	if (in->no_traffic) {
		notes_add(l,
			"this side was to receive and no traffic came while it waited "
			"(--rx-wait), only %" PRIu64 " stray frames",
			in->total_rx_packets);
		add_checklist(in, l);
		return true;
	}
	if (in->measured && !in->brief && in->rx_packets == 0) {
		notes_add(l,
			"this side was to receive and got no frame in the measured time, only "
			"%" PRIu64 " before or after it; was the sender running by then?",
			in->total_rx_packets);
		return true;
	}
	return false;
}

/* "95.2 % of what was expected in PPS", for what was asked. @return whether it was too little */
static bool
judge_expect(const struct verdict_input *in, struct notes *l)
{
	const struct expect_result *x = in->expect;

	if (x == NULL || !x->asked || !in->measured)
		return false;
	if (!isnan(x->pps_pct))
		notes_add(l, "%.1f %% of the expected packets a second", x->pps_pct);
	if (!isnan(x->bps_pct))
		notes_add(l, "%.1f %% of the expected bandwidth", x->bps_pct);
	if (!x->met)
		notes_add(l, "less was reached than --expect-min of --expect asks for");
	if (x->stepped)
		notes_add(l,
			"the rate stepped down during the run: from %.3f Mpps in its first third "
			"to "
			"%.3f in its last (medians): has a burst credit run out?",
			x->first / 1e6, x->last / 1e6);
	else if (x->steady)
		notes_add(l, "the rate held: %.3f Mpps in the first third, %.3f in the last",
			x->first / 1e6, x->last / 1e6);
	return !x->met;
}

/* @return whether too much was lost */
static bool
judge_loss(const struct verdict_input *in, struct notes *l)
{
	double allowed = (double)in->max_loss / 1e6;
	double ratio = in->sent > 0 ? (double)in->lost / (double)in->sent : 0;

	if (!in->max_loss_given)
		return false;
	if (!in->loss_known) {
		notes_add(l, "--max-loss could not be judged: what was lost is not known to the "
			     "last frame");
		return false;
	}
	notes_add(l,
		"%" PRIu64 " of %" PRIu64 " frames were lost, %g %%; --max-loss lets %g %% pass",
		in->lost, in->sent, 100 * ratio, 100 * allowed);
	return ratio > allowed;
}

void
verdict_decide(const struct verdict_input *in, struct verdict *out)
{
	bool failed = false;

	*out = (struct verdict){0};
	if (in->receives)
		failed |= judge_rx(in, &out->reasons);
	if (in->sends)
		failed |= judge_tx(in, &out->reasons);
	if (failed) {
		out->status = VERDICT_FAIL;
		return;
	}
	failed = judge_expect(in, &out->reasons);
	failed |= judge_loss(in, &out->reasons);
	if (in->peers_told && in->peers_received == 0 && in->total_tx_packets > 0) {
		notes_add(&out->reasons,
			"the receiver says that nothing of what was sent came: it hears this side, "
			"and not its frames");
		failed = true;
	}
	if (!in->measured)
		notes_add(&out->reasons, "the run ended in its warm-up: nothing was measured");
	else if ((in->sends && in->tx_offered == 0) || (in->receives && in->rx_packets == 0))
		notes_add(&out->reasons, "the measured time was too short: no frame falls into it");
	if (in->receives) {
		out->status = failed ? VERDICT_FAIL : VERDICT_PASS;
		notes_add(&out->reasons, "%" PRIu64 " frames were received", in->total_rx_packets);
		return;
	}
	if (in->peers_told) {
		out->status = failed ? VERDICT_FAIL : VERDICT_PASS;
		notes_add(&out->reasons, "%" PRIu64 " frames arrived, says the receiver",
			in->peers_received);
		return;
	}
	out->status = failed ? VERDICT_FAIL : VERDICT_UNVERIFIED;
	if (in->peers_state != NULL)
		notes_add(
			&out->reasons, "no receiver vouches for what arrived: %s", in->peers_state);
	notes_add(&out->reasons, "only a sender ran: what the device accepted is not what arrived; "
				 "ask the receiver");
}
