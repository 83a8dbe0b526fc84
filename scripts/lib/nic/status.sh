# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# nic.sh status: the NICs that are here, within 80 columns.

# What nobody would like to lose: "default route, SSH, storage, bond0".
nic_carries() {
	local above=() name
	mapfile -t above < <(interfaces_above "$1" | sort -u)
	{
		[ -z "$(default_route_over "${above[@]}")" ] || printf 'default route\n'
		[ -z "$(ssh_session_over "${above[@]}")" ] || printf 'SSH\n'
		[ -z "$(storage_over "${above[@]}")" ] || printf 'storage\n'
		for name in "${above[@]}"; do
			[ "$name" = "$1" ] || printf '%s\n' "$name"
		done
	} | joined
}

# Lines, as words between commas.
joined() {
	awk '{ printf "%s%s", (NR > 1 ? ", " : ""), $0 } END { if (NR) print "" }'
}

# write_combining BDF: yes, no or unknown, from the types of memory that the kernel mapped the
# device's BARs with: debugfs has lines "PAT: [mem 0xSTART-0xEND] TYPE".
write_combining() {
	local list=$SYS/kernel/debug/x86/pat_memtype_list
	[ -r "$list" ] || { printf 'unknown\n' && return 0; }
	awk '
		function number(hex,    i, n) {
			hex = tolower(hex)
			sub(/^0x/, "", hex)
			for (i = 1; i <= length(hex); i++)
				n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		NR == FNR { if ($2 != "0x0000000000000000") { low[++bars] = number($1); high[bars] = number($2) } next }
		match($0, /0x[0-9a-fA-F]+ *- *0x[0-9a-fA-F]+/) {
			split(substr($0, RSTART, RLENGTH), range, / *- */)
			for (i = 1; i <= bars; i++)
				if (number(range[1]) <= high[i] && number(range[2]) > low[i]) {
					mapped = 1
					if (/write-combining/)
						combining = 1
				}
		}
		END { print (combining ? "yes" : (mapped ? "no" : "unknown")) }' \
		"$SYS/bus/pci/devices/$1/resource" "$list"
}

# A user that is not root can pin no more than this; vfio pins all memory of the program.
memlock_text() {
	local limit huge
	limit=$(ulimit -l)
	[ "$limit" != unlimited ] || { printf 'unlimited\n' && return 0; }
	huge=$(awk '/^HugePages_Total/ { n = $2 } /^Hugepagesize/ { print n * $2 }' "$PROC/meminfo")
	printf '%s KiB' "$limit"
	[ "$limit" -ge "${huge:-0}" ] || printf ': too little for %s KiB of hugepages, but for root' "$huge"
	printf '\n'
}

do_status() {
	local bdf name
	if [ -n "$nic" ]; then
		nic_find "$nic"
	else
		NIC_ID=
	fi
	printf '%-12s %-15s %-15s %-17s %4s %s\n' 'PCI address' interface driver MAC node group
	for bdf in ${NIC_ID:-$(pci_nics)}; do
		name=$(pci_interface "$bdf")
		printf '%-12s %-15s %-15s %-17s %4s %s\n' "$bdf" "$(or_dash "$name")" \
			"$(or_dash "$(pci_driver "$bdf")")" \
			"$(or_dash "$(first_line "$SYS/class/net/${name:-/}/address")")" \
			"$(node_text "$(pci_attribute "$bdf" numa_node)")" \
			"$(or_dash "$(link_name "$SYS/bus/pci/devices/$bdf/iommu_group")")"
		status_details "$bdf" "$name"
	done
	printf 'locked memory: %s\n' "$(memlock_text)"
}

node_text() {
	[ "${1:--1}" -ge 0 ] && printf '%s\n' "$1" || printf '?\n'
}

status_details() {
	local bdf=$1 name=$2 text
	if [ -n "$name" ]; then
		printf '    carries: %s\n' "$(or_dash "$(nic_carries "$name")")"
		text=$(ip -o addr show dev "$name" scope global 2>/dev/null | awk '{ print $4 }')
		[ -z "$text" ] || printf '%s\n' "$text" | sed 's/^/    address: /'
	fi
	if text=$(stays_with_kernel "$bdf"); then
		printf '    %s: DPDK uses it beside the kernel, nothing has to be bound\n' "$text"
	fi
	if is_user_driver "$(pci_driver "$bdf")"; then
		printf '    write-combining: %s\n' "$(write_combining "$bdf")"
		text=$(device_holders "$bdf" | tr '\n' ' ')
		[ -z "$text" ] || printf '    used by process %s\n' "$text"
	fi
	state_exists "$bdf" || return 0
	state_load "$bdf"
	if state_is_stale; then
		printf '    a saved state from before the last boot: nic.sh restore %s drops it\n' "$bdf"
		return 0
	fi
	printf '    taken %s from %s; it was %s %s\n' "$(state_get saved_utc)" \
		"$(or_dash "$(state_get driver)")" "$(state_get ifname)" "$(state_get mac)"
	text=$(switch_status "$bdf")
	[ -z "$text" ] || printf "    dead man's switch: %s\n" "$text"
}
