# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034 # main.sh and steps.sh read these
#
# Which NIC, and what is to be said of the way from it.

own_ip=
peer_ip=
gateway=
next_hop=
mtu=
node=-1

# With several NICs somebody at a console is asked, by number; Enter takes the one prepare found.
ask_for_nic() {
	local known=$1 nics=() bdf answer i
	for bdf in $(pci_nics); do
		nics+=("$bdf")
	done
	if [ ${#nics[@]} -lt 2 ] || [ ! -t 0 ]; then
		nic=$known
		return 0
	fi
	say "Which NIC?"
	for ((i = 0; i < ${#nics[@]}; i++)); do
		printf '  %s  %s  %s  %s%s\n' "$((i + 1))" "${nics[i]}" "$(or_dash "$(pci_interface "${nics[i]}")")" \
			"$(or_dash "$(pci_driver "${nics[i]}")")" "$([ "${nics[i]}" != "$known" ] || printf '  on the way to the peer')"
	done
	while true; do
		printf 'Number, or Enter for %s: ' "$known"
		read -r answer || die "no NIC was chosen"
		[ -n "$answer" ] || { nic=$known && return 0; }
		if [[ $answer =~ ^[0-9]{1,3}$ ]] && [ "$answer" -ge 1 ] && [ "$answer" -le ${#nics[@]} ]; then
			nic=${nics[answer - 1]}
			return 0
		fi
		say "'$answer' is not a number from 1 to ${#nics[@]}"
	done
}

interfaces() {
	local dir names=
	for dir in "$SYS"/class/net/*; do
		names+=" ${dir##*/}"
	done
	printf '%s\n' "${names# }"
}

# Sets nic or interface, and the addresses.
choose_way() {
	local known
	peer_ip=$(profile_get peer)
	if [ -n "$io" ]; then
		interface=${interface:-$(profile_get interface)}
		[ -d "$SYS/class/net/$interface" ] || die "there is no interface '$interface'" \
			"Interfaces here: $(interfaces)"
		same_way "$interface"
		return 0
	fi
	known=$(profile_get nic)
	if [ -n "$nic" ]; then
		nic_find "$nic"
		nic=$NIC_ID
	else
		[ -n "$known" ] || die "the way to $peer_ip is over $(profile_get interface), which is not on PCI" \
			"Use it as it is: $0 --io af_packet"
		ask_for_nic "$known"
	fi
	[ -d "$SYS/bus/pci/devices/$nic" ] || die "the NIC $nic of the profile is not there any more" \
		"Anew, over SSH: $HERE/prepare PEER"
	node=$(pci_attribute "$nic" numa_node)
	preset=$(preset_of "$nic")
	if [ "$nic" = "$known" ]; then
		same_way "$(profile_get interface)"
	else
		same_way "$(pci_interface "$nic")"
	fi
}

# same_way IF: what prepare recorded, if it was for this interface; else its own address, and the
# MAC of the next hop is to be asked for.
same_way() {
	if [ "$1" = "$(profile_get interface)" ]; then
		own_ip=$(profile_get own-ip)
		gateway=$(profile_get gateway)
		next_hop=$(profile_get next-hop)
		mtu=$(profile_get mtu)
		return 0
	fi
	own_ip=$(ip -4 -o addr show dev "$1" 2>/dev/null | awk '{ split($4, a, "/"); print a[1]; exit }')
	[ -n "$own_ip" ] || die "${1:-the NIC} has no IPv4 address, and prepare looked at $(profile_get interface) only"
	mtu=$(first_line "$SYS/class/net/$1/mtu")
}
