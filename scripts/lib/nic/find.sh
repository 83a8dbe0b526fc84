# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034 # whoever sources this reads them
#
# From a name to one device, and what sysfs says of it. Nothing is ever chosen by default.

# Of the device that nic_find found.
NIC_ID=     # 0000:00:05.0
NIC_DIR=    # its folder in sysfs
NIC_DRIVER= # nothing if it has none
NIC_IF=     # its interface; nothing if it has none here
NIC_MAC=

# pci_driver BDF, pci_attribute BDF NAME
pci_driver() {
	link_name "$SYS/bus/pci/devices/$1/driver"
}

pci_attribute() {
	first_line "$SYS/bus/pci/devices/$1/$2"
}

pci_is_nic() {
	[[ $(pci_attribute "$1" class) == 0x02* ]]
}

# All PCI devices of the class "network", a line each.
pci_nics() {
	local dir
	for dir in "$SYS"/bus/pci/devices/*; do
		[ -d "$dir" ] && pci_is_nic "${dir##*/}" && printf '%s\n' "${dir##*/}"
	done
	return 0
}

# The interface of a device. A virtio NIC has it one level below, in virtioN/net/.
pci_interface() {
	local dir
	for dir in "$SYS/bus/pci/devices/$1"/net/* "$SYS/bus/pci/devices/$1"/virtio*/net/*; do
		[ -d "$dir" ] || continue
		printf '%s\n' "${dir##*/}"
		return 0
	done
}

# interface_device IFNAME: the PCI device below it; nothing for what is not on PCI.
interface_device() {
	local path part bdf=
	path=$(readlink -f "$SYS/class/net/$1/device" 2>/dev/null) || return 0
	while [ -n "$path" ]; do
		part=${path##*/}
		if [[ $part =~ ^[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$ ]]; then
			bdf=$part
			break
		fi
		path=${path%/*}
	done
	printf '%s\n' "$bdf"
}

# A table of the NICs that are here, for messages.
list_nics() {
	local bdf name
	for bdf in $(pci_nics); do
		name=$(pci_interface "$bdf")
		printf '  %s  driver %-16s %s\n' "$bdf" "$(or_dash "$(pci_driver "$bdf")")" \
			"${name:+$name $(first_line "$SYS/class/net/$name/address")}"
	done
}

or_dash() {
	printf '%s\n' "${1:--}"
}

no_such_nic() {
	complain "$(basename "$0"): there is no NIC '$1'$2" "NICs here:" "$(list_nics)"
	exit 2
}

# nic_facts BDF
nic_facts() {
	NIC_ID=$1
	NIC_DIR=$SYS/bus/pci/devices/$1
	NIC_DRIVER=$(pci_driver "$1")
	NIC_IF=$(pci_interface "$1")
	NIC_MAC=
	[ -z "$NIC_IF" ] || NIC_MAC=$(first_line "$SYS/class/net/$NIC_IF/address")
}

# find_by_mac MAC: the PCI devices that have it, or had it when they were taken. VLANs and bonds
# share their NIC's address, so only interfaces on a device count.
find_by_mac() {
	local name bdf
	{
		for name in "$SYS/class/net"/*; do
			name=${name##*/}
			[ "$(first_line "$SYS/class/net/$name/address")" = "$1" ] || continue
			interface_device "$name"
		done
		for bdf in $(state_list); do
			[ "$(state_value "$bdf" mac)" != "$1" ] || printf '%s\n' "$bdf"
		done
	} | sort -u | sed '/^$/d'
}

# nic_find WORD: a PCI address, a MAC or the name of an interface. Ends the script with status 2
# unless it is exactly one device.
nic_find() {
	local word=$1 found='' bdf
	case $word in
	*:*:*:*:*:*)
		word=$(printf '%s\n' "$word" | tr A-F a-f)
		found=$(find_by_mac "$word")
		[ -n "$found" ] || no_such_nic "$1" ": no interface on a PCI device has this MAC"
		[ "$(printf '%s\n' "$found" | wc -l)" -eq 1 ] ||
			usage_error "the MAC $1 is that of several devices; name one: ${found//$'\n'/ }"
		nic_facts "$found"
		;;
	*:*.*)
		word=$(printf '%s\n' "$word" | tr A-F a-f)
		[[ $word == *:*:* ]] || word=0000:$word
		[ -d "$SYS/bus/pci/devices/$word" ] || no_such_nic "$1" " on the PCI bus"
		nic_facts "$word"
		;;
	*/* | '') usage_error "'$word' is not a PCI address, a MAC or an interface" ;;
	*)
		# A taken NIC's name may have passed to another one.
		for bdf in $(state_list); do
			[ "$(state_value "$bdf" ifname)" != "$word" ] || found+="$bdf "
		done
		if [ -d "$SYS/class/net/$word" ]; then
			bdf=$(interface_device "$word")
			[ -n "$bdf" ] || no_pci_device "$word"
			[[ " $found" == *" $bdf "* ]] || found+="$bdf "
		fi
		case $found in
		'') no_such_nic "$1" "" ;;
		*' '*' ') usage_error "$1 is, or was, the name of several devices; name one: $found" ;;
		esac
		nic_facts "${found% }"
		;;
	esac
}

# no_pci_device IFNAME: says what to do instead.
no_pci_device() {
	local bus
	bus=$(link_name "$SYS/class/net/$1/device/subsystem")
	case $bus in
	vmbus)
		complain "$(basename "$0"): $1 is a Hyper-V NIC (netvsc): it has no PCI address to bind" \
			"On Azure its traffic runs over the mlx5 or MANA function that has the same MAC, which" \
			"DPDK uses beside the kernel. Nothing has to be bound: name that function to pmdperf (-a)." \
			"For netvsc alone: modprobe uio_hv_generic; write the class id into" \
			"/sys/bus/vmbus/drivers/uio_hv_generic/new_id, then the device id" \
			"$(basename "$(readlink -f "$SYS/class/net/$1/device")") into hv_netvsc/unbind and uio_hv_generic/bind."
		exit 1
		;;
	'') complain "$(basename "$0"): $1 is no hardware: it has no device below it" ;;
	*) complain "$(basename "$0"): $1 is on the bus '$bus'; only PCI devices can be bound" ;;
	esac
	exit 2
}
