# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034 # whoever sources this reads them
#
# Who manages an interface: NetworkManager, systemd-networkd (netplan stands before one of these
# two), ifupdown, a DHCP client on its own, or nobody. Before the NIC goes, a DHCP client is ended
# without its giving the lease back; afterwards the interface is handed back to its owner, so that
# a lease stays a lease.

OWNER= # NetworkManager, networkd, ifupdown, dhcp-client or none
OWNER_SECONDS=30

# owner_find IFNAME DIR: sets OWNER. The words of a DHCP client go to DIR/dhcp-client, each ended
# by a NUL as the kernel has them.
owner_find() {
	local name=$1 dir=$2
	OWNER=none
	[ -n "$name" ] || return 0
	dhcp_client_save "$name" "$dir"
	if nm_has "$name"; then
		OWNER=NetworkManager
	elif networkd_has "$name"; then
		OWNER=networkd
	elif ifupdown_has "$name"; then
		OWNER=ifupdown
	elif [ -e "$dir/dhcp-client" ]; then
		OWNER=dhcp-client
	fi
}

nm_has() {
	have nmcli || return 1
	case $(nmcli -t -f GENERAL.STATE device show "$1" 2>/dev/null) in
	GENERAL.STATE:10[!0-9]* | GENERAL.STATE:10 | '') return 1 ;; # 10 is "unmanaged"
	esac
}

# networkd keeps a file for each interface, and writes in it whether it manages it.
networkd_has() {
	local index state
	index=$(first_line "$SYS/class/net/$1/ifindex")
	[ -n "$index" ] || return 1
	state=$(sed -n 's/^ADMIN_STATE=//p' "$SYSROOT/run/systemd/netif/links/$index" 2>/dev/null)
	[ -n "$state" ] && [ "$state" != unmanaged ]
}

# ifupdown writes down what it brought up: "eth0=eth0".
ifupdown_has() {
	have ifup || return 1
	grep -q "^$1=" "$SYSROOT/run/network/ifstate" 2>/dev/null
}

# dhcp_clients: "PID NAME" of the DHCP clients that run for themselves. Those of NetworkManager
# are its own business.
dhcp_clients() {
	local dir parent
	for dir in "$PROC"/[0-9]*; do
		case $(first_line "$dir/comm") in
		dhclient | dhcpcd | udhcpc | busybox) ;;
		*) continue ;;
		esac
		grep -qaE '(dhclient|dhcpcd|udhcpc)' "$dir/cmdline" 2>/dev/null || continue
		parent=$(awk '{ sub(/.*\) . /, ""); print $1 }' "$dir/stat" 2>/dev/null)
		[ "$(first_line "$PROC/$parent/comm")" != NetworkManager ] || continue
		printf '%s\n' "${dir##*/}"
	done
}

# dhcp_client_of IFNAME: the pid of the client whose words name the interface.
dhcp_client_of() {
	local pid
	for pid in $(dhcp_clients); do
		if tr '\0' '\n' 2>/dev/null <"$PROC/$pid/cmdline" | grep -qxE -e "(-i)?$1"; then
			printf '%s\n' "$pid"
			return 0
		fi
	done
}

dhcp_client_save() {
	local pid
	pid=$(dhcp_client_of "$1")
	[ -n "$pid" ] || return 0
	cat "$PROC/$pid/cmdline" >"$2/dhcp-client"
}

# owner_release: of the NIC whose state is loaded. SIGKILL, for a client that is asked to end may
# give the lease back to the server, or take the address off.
owner_release() {
	local name pid
	name=$(state_get ifname)
	# shellcheck disable=SC2153 # state_load sets it
	[ -e "$STATE/dhcp-client" ] || return 0
	pid=$(dhcp_client_of "$name")
	[ -n "$pid" ] || return 0
	step "stop the DHCP client of $name (process $pid), which keeps its lease"
	attempt kill -KILL "$pid"
}

# owner_take_back: the interface is there again under its name. Returns 1 if the owner did not
# take it. Never adds an address itself.
owner_take_back() {
	local name owner
	name=$(state_get ifname)
	owner=$(state_get owner)
	case $owner in
	NetworkManager)
		step "hand $name back to NetworkManager"
		wait_for 5 nm_is_done "$name" || attempt nmcli --wait "$OWNER_SECONDS" device connect "$name"
		;;
	networkd)
		step "hand $name back to systemd-networkd"
		wait_for 5 networkd_is_done "$name" && return 0
		! have networkctl || attempt networkctl reconfigure "$name" || attempt networkctl up "$name" || :
		wait_for "$OWNER_SECONDS" networkd_is_done "$name"
		;;
	ifupdown)
		step "hand $name back to ifupdown"
		attempt ifup --force "$name"
		;;
	dhcp-client)
		[ -z "$(dhcp_client_of "$name")" ] || return 0
		step "start the DHCP client of $name again"
		dhcp_client_start "$name"
		;;
	esac
}

nm_is_done() {
	[[ $(nmcli -t -f GENERAL.STATE device show "$1" 2>/dev/null) == GENERAL.STATE:100* ]]
}

networkd_is_done() {
	local index
	index=$(first_line "$SYS/class/net/$1/ifindex")
	grep -q '^ADMIN_STATE=configured$' "$SYSROOT/run/systemd/netif/links/$index" 2>/dev/null
}

# With its own words, as it was. What does not go into the background by itself is put there. What
# it says stays in the state's folder.
dhcp_client_start() {
	local words=() word client
	while IFS= read -r -d '' word; do
		words+=("$word")
	done <"$STATE/dhcp-client"
	client=$(state_dir "$(state_get bdf)").dhcp.log
	[ -z "$DRY_RUN" ] || { attempt "${words[@]}" && return 0; }
	ip link set "$1" up || :
	(
		[ -z "${LOCK:-}" ] || exec {LOCK}>&- # or no later nic.sh gets it
		exec setsid "${words[@]}" </dev/null >"$client" 2>&1 {STDOUT}>&- {STDERR}>&-
	) &
	wait_for 5 dhcp_client_runs "$1"
}

dhcp_client_runs() {
	[ -n "$(dhcp_client_of "$1")" ]
}

# wait_for SECONDS COMMAND...: until it succeeds.
wait_for() {
	local i seconds=$1
	shift
	for ((i = 0; i < seconds * 5; i++)); do
		! "$@" || return 0
		[ -z "$DRY_RUN" ] || return 0
		sleep 0.2
	done
	"$@"
}
