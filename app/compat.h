/* SPDX-License-Identifier: BSD-3-Clause */
/* What DPDK 22.11 and newer ones name differently. Nothing else belongs here. */
#pragma once

#include <rte_telemetry.h>
#include <rte_version.h>

/* Renamed in 23.03, and the old name was removed later. */
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
#define compat_tel_add_uint rte_tel_data_add_dict_uint
#else
#define compat_tel_add_uint rte_tel_data_add_dict_u64
#endif
