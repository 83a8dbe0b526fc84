/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine.h"

#include <string.h>

#include <rte_common.h>

static const struct engine *const engines[] = {
	&engine_rxonly,
	&engine_txonly,
	&engine_txrx,
};

const struct engine *
engine_find(const char *name)
{
	for (size_t i = 0; i < RTE_DIM(engines); i++) {
		if (strcmp(engines[i]->name, name) == 0)
			return engines[i];
	}
	return NULL;
}

const char *const *
engine_names(void)
{
	static const char *names[RTE_DIM(engines) + 1];

	for (size_t i = 0; i < RTE_DIM(engines); i++)
		names[i] = engines[i]->name;
	return names;
}
