/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both directions of a port at once: its TX queues are txonly's, its RX queues rxonly's. Neither
 * knows of the other.
 */
#include "engine.h"

static const struct engine *
half(const struct stream *s)
{
	return s->sends ? &engine_txonly : &engine_rxonly;
}

static int
txrx_setup(struct stream *s, const struct engine_env *env, struct err *e)
{
	return half(s)->setup(s, env, e);
}

static void
txrx_teardown(struct stream *s)
{
	half(s)->teardown(s);
}

const struct engine engine_txrx = {
	.name = "txrx",
	.help = "sends and receives at once: txonly and rxonly on the queues of one port",
	.sends = true,
	.receives = true,
	.setup = txrx_setup,
	.teardown = txrx_teardown,
};
