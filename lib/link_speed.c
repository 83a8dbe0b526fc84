/* SPDX-License-Identifier: BSD-3-Clause */
#include "link_speed.h"

#include <stddef.h>
#include <string.h>

/* Those that have a link of their own; anything else is a guest's view or memory. */
static const char *const real[] = {"net_atlantic", "net_bnx2x", "net_bnxt", "net_cxgbe",
	"net_e1000_em", "net_e1000_igb", "net_e1000_igc", "net_enic", "net_fm10k", "net_hns3",
	"net_i40e", "net_iavf", "net_ice", "net_igc", "net_ixgbe", "net_ixgbe_vf", "net_mlx4",
	"net_nfp", "net_ngbe", "net_octeon", "net_qede", "net_sfc", "net_thunderx", "net_txgbe",
	"mlx5_pci", "net_mlx5"};

static const uint32_t speeds[] = {10, 100, 1000, 2500, 5000, 10000, 20000, 25000, 40000, 50000,
	56000, 100000, 200000, 400000, 800000};

const char *
link_speed_doubt(const char *driver, uint32_t mbps)
{
	if (mbps == 0 || mbps == UINT32_MAX)
		return "is not known";
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		if (speeds[i] != mbps)
			continue;
		for (size_t k = 0; k < sizeof(real) / sizeof(real[0]); k++) {
			if (strcmp(real[k], driver) == 0)
				return NULL;
		}
		return "is what a virtual device says, and nothing runs at it";
	}
	return "is no speed that any link has";
}
