# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034 # whoever sources this reads them
#
# What the kernel says of the way to a peer.

ROUTE_IF=      # interface
ROUTE_SRC=     # own address
ROUTE_GATEWAY= # nothing if the peer is on the link
ROUTE_MTU=     # if the route has one of its own
ROUTE_WHY=     # why there is none

is_ipv4() {
	local part
	[[ $1 =~ ^([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})$ ]] || return 1
	for part in "${BASH_REMATCH[@]:1}"; do
		[ "$((10#$part))" -le 255 ] || return 1
	done
}

# route_find PEER: returns 1 with ROUTE_WHY.
route_find() {
	local words=() i
	read -r -a words < <(ip -4 route get "$1" 2>&1 | tr '\n' ' ') || :
	ROUTE_IF='' ROUTE_SRC='' ROUTE_GATEWAY='' ROUTE_MTU=''
	for ((i = 0; i + 1 < ${#words[@]}; i++)); do
		case ${words[i]} in
		dev) ROUTE_IF=${words[i + 1]} ;;
		src) ROUTE_SRC=${words[i + 1]} ;;
		via) ROUTE_GATEWAY=${words[i + 1]} ;;
		mtu) ROUTE_MTU=${words[i + 1]} ;;
		esac
	done
	if [ "${words[0]:-}" = local ]; then
		ROUTE_WHY="$1 is this machine's own address"
		return 1
	fi
	case ${words[0]:-} in
	unreachable | prohibit | blackhole | broadcast | multicast) ROUTE_WHY="the route to $1 is '${words[0]}'" ;;
	*)
		[ -z "$ROUTE_IF" ] || return 0
		ROUTE_WHY="the kernel knows no way to $1 (ip route get: ${words[*]})"
		;;
	esac
	return 1
}

# route_prefix IF ADDRESS: "24"
route_prefix() {
	ip -4 -o addr show dev "$1" 2>/dev/null |
		awk -v ip="$2" '{ split($4, part, "/"); if (part[1] == ip) { print part[2]; exit } }'
}

# answers IP [SIZE]: one ping of at most two seconds; with a size it must not be fragmented.
answers() {
	if [ $# -gt 1 ]; then
		ping -c 1 -W 2 -M 'do' -s "$2" "$1" >/dev/null 2>&1
	else
		ping -c 1 -W 2 "$1" >/dev/null 2>&1
	fi
}

# neighbour_mac IF IP: as the kernel learned it.
neighbour_mac() {
	ip -4 neigh show "$2" dev "$1" 2>/dev/null |
		awk '{ for (i = 1; i < NF; i++) if ($i == "lladdr") { print $(i + 1); exit } }'
}
