# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# How a NIC could be taken, and each NIC.

doctor_nics() {
	local list bdf
	doctor_drivers
	list=${NIC_ID:-$(pci_nics)}
	[ -n "$list" ] || finding warn nic "no NIC is on PCI: --io af_packet uses any interface" "ip -br link"
	for bdf in $list; do
		doctor_nic "$bdf"
	done
}

doctor_drivers() {
	local groups lockdown
	groups=$(find "$SYS/kernel/iommu_groups" -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)
	lockdown=$(first_line "$SYS/kernel/security/lockdown")
	if [ "$groups" -gt 0 ]; then
		finding ok iommu "on, $groups groups: vfio-pci isolates the NIC"
	elif [ "$(first_line "$SYS/module/vfio/parameters/enable_unsafe_noiommu_mode")" = Y ]; then
		finding ok iommu "off; vfio works in its no-IOMMU mode"
	else
		finding ok iommu "off; nic.sh chooses vfio without it, igb_uio or uio_pci_generic"
	fi
	case $lockdown in
	*'[none]'* | '') ;;
	*)
		[ "$groups" -gt 0 ] || finding bad lockdown \
			"the kernel is locked down (secure boot), and there is no IOMMU: no driver can take a NIC" \
			"mokutil --sb-state"
		[ "$groups" -eq 0 ] || finding ok lockdown "on: vfio-pci with the IOMMU still works"
		;;
	esac
	if [ -d "$SYS/module/igb_uio" ]; then
		finding ok igb_uio "loaded"
	elif [ -e "$STATE_DIR/modules/$(uname -r)/igb_uio.ko" ]; then
		finding ok igb_uio "built for this kernel"
	elif [ "$groups" -eq 0 ]; then
		finding ok igb_uio "not there; nic.sh builds it if it must, while the network is there"
	fi
}

# channels_of IF, rings_of IF: "NOW MOST", as ethtool has it; nothing if it cannot be known.
channels_of() {
	have ethtool || return 0
	ethtool -l "$1" 2>/dev/null | awk '
		/^Pre-set/ { at = "max" }
		/^Current/ { at = "now" }
		/^(RX|Combined):/ && $2 ~ /^[0-9]+$/ && $2 > n[at] { n[at] = $2 }
		END { if (n["max"]) print n["now"] + 0, n["max"] }'
}

rings_of() {
	have ethtool || return 0
	ethtool -g "$1" 2>/dev/null | awk '
		/^Pre-set/ { at = "max" }
		/^Current/ { at = "now" }
		/^RX:/ && $2 ~ /^[0-9]+$/ { n[at] = $2 }
		END { if (n["max"]) print n["now"] + 0, n["max"] }'
}

# Its line says what it is, the next what it carries and can.
doctor_nic() {
	local bdf=$1 node name driver kept queues now most descriptors text='' above=() preset
	node=$(pci_attribute "$bdf" numa_node)
	preset=$(preset_of "$bdf")
	name=$(pci_interface "$bdf")
	driver=$(pci_driver "$bdf")
	kept=$(stays_with_kernel "$bdf") || kept=
	[ "${node:--1}" != -1 ] && node="node $node" || node="node n/a"
	text="driver $(or_dash "$driver"), interface $(or_dash "$name"), $node"
	[ -z "$kept" ] || text+="; $kept: DPDK uses it beside the kernel"
	finding ok "$bdf" "$text"
	if is_user_driver "$driver"; then
		finding warn "$bdf" "taken by $driver already" "$HERE/nic.sh restore $bdf"
	fi
	[ -z "$preset" ] || finding ok preset "$(preset_text "$preset")"
	[ -n "$name" ] || return 0
	now=$(find "$SYS/class/net/$name/queues" -maxdepth 1 -name 'rx-*' 2>/dev/null | wc -l)
	queues=$(channels_of "$name")
	most=${queues#* }
	if [ -z "$queues" ]; then
		finding ok queues "$name: $now now; how many are possible is n/a (ethtool -l)"
	elif [ "${queues% *}" -lt "$most" ]; then
		finding ok queues "$name: ${queues% *} in the kernel's use, $most possible, and pmdperf uses those"
	else
		finding ok queues "$name: $most"
	fi
	descriptors=$(rings_of "$name")
	if [ -n "$descriptors" ]; then
		finding ok descriptors "$name: ${descriptors% *} now, ${descriptors#* } at most"
	else
		finding ok descriptors "$name: n/a (ethtool -g)"
	fi
	finding ok mtu "$name: $(or_dash "$(first_line "$SYS/class/net/$name/mtu")")"
	if [ "$(first_line "$SYS/class/net/$name/carrier")" = 1 ]; then
		finding ok link "$name: up"
	else
		finding warn link "$name: no carrier" "ip link set $name up"
	fi
	mapfile -t above < <(interfaces_above "$name")
	text=$(default_route_over "${above[@]}")
	[ -z "$text" ] || finding ok traffic "$name carries the default route: it is taken at a console only"
	text=$(storage_over "${above[@]}")
	[ -z "$text" ] || finding bad storage \
		"$name carries $text: the machine hangs without the NIC" "$HERE/send --io af_packet"
}
