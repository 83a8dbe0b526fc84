/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver's own counters by name. */
#include <ctype.h>
#include <stdlib.h>

#include "port.h"

static_assert(XSTAT_NAME == RTE_ETH_XSTATS_NAME_SIZE, "a name fits");

/* Of a driver's text, which goes into a file that others parse, only what is ASCII. */
static void
copy_name(char *to, const char *from)
{
	size_t i;

	for (i = 0; i < XSTAT_NAME - 1 && from[i] != '\0'; i++)
		to[i] = isprint((unsigned char)from[i]) ? from[i] : '?';
	to[i] = '\0';
}

struct xstats
port_xstats(const struct port *p)
{
	struct xstats x = {0};
	struct rte_eth_xstat_name *names = NULL;
	struct rte_eth_xstat *values = NULL;
	int n = rte_eth_xstats_get_names(p->id, NULL, 0);

	if (n <= 0)
		return x;
	names = calloc((size_t)n, sizeof(*names));
	values = calloc((size_t)n, sizeof(*values));
	x.list = calloc((size_t)n, sizeof(*x.list));
	if (names != NULL && values != NULL && x.list != NULL &&
		rte_eth_xstats_get_names(p->id, names, (unsigned)n) == n &&
		rte_eth_xstats_get(p->id, values, (unsigned)n) == n) {
		for (int i = 0; i < n; i++) {
			if (values[i].id >= (uint64_t)n)
				continue;
			copy_name(x.list[x.n].name, names[values[i].id].name);
			x.list[x.n++].value = values[i].value;
		}
	}
	free(names);
	free(values);
	if (x.n == 0)
		xstats_free(&x);
	return x;
}
