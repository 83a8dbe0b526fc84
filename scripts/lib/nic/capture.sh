# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Reads the whole configuration of an interface into a folder, a file for each aspect, in a form
# that is the same before and after if the configuration is: without lease times, numbers of
# interfaces or counters. An aspect that cannot be read here (no ethtool, no tc) has no file.

# capture IFNAME DIR
capture() {
	local name=$1 dir=$2
	[ -n "$name" ] || return 0
	capture_link "$name" >"$dir/link"
	capture_addresses "$name" >"$dir/addresses"
	capture_routes "$name" -4 >"$dir/routes4"
	capture_routes "$name" -6 >"$dir/routes6"
	capture_rules "$name" >"$dir/rules"
	ip neigh show dev "$name" nud permanent 2>/dev/null | sort >"$dir/neighbours"
	capture_qdisc "$name" >"$dir/qdisc" || rm -f "$dir/qdisc"
	capture_sysctl "$name" >"$dir/sysctl"
	capture_queues "$name" >"$dir/queues"
	capture_irqs >"$dir/irqs"
	capture_ethtool "$name" "$dir"
	[ ! -e "$ETC/resolv.conf" ] || cat "$ETC/resolv.conf" >"$dir/resolver"
	capture_zone "$name" >"$dir/zone" || rm -f "$dir/zone"
}

capture_link() {
	local dir=$SYS/class/net/$1
	printf 'mtu %s\n' "$(first_line "$dir/mtu")"
	printf 'mac %s\n' "$(first_line "$dir/address")"
	printf 'txqueuelen %s\n' "$(first_line "$dir/tx_queue_len")"
	printf 'alias %s\n' "$(first_line "$dir/ifalias")"
	printf 'group %s\n' "$(first_line "$dir/netdev_group")"
	# Only what ip can set: up 0x1, promiscuous 0x100, all multicast 0x200.
	printf 'up %d\n' $(($(first_line "$dir/flags") & 0x1))
	printf 'promisc %d\n' $((($(first_line "$dir/flags") & 0x100) / 0x100))
	printf 'allmulticast %d\n' $((($(first_line "$dir/flags") & 0x200) / 0x200))
}

# "inet 10.0.0.2/24 brd 10.0.0.255 scope global secondary eth0:1": without lifetimes. The kernel
# makes link-local addresses itself, and temporary ones come and go.
capture_addresses() {
	ip -o addr show dev "$1" 2>/dev/null | awk '
		/ temporary | fe80::.* scope link / { next }
		{
			sub(/\\.*/, "")
			$1 = $2 = ""
			gsub(/ (tentative|dadfailed|deprecated)/, "")
			$1 = $1
			print
		}'
}

# Routes of all tables that name the interface, in one line each; those of the kernel's own making
# come back with the addresses, and those of router advertisements with the next one.
capture_routes() {
	ip "$2" route show table all 2>/dev/null | awk '
		/^[^ \t]/ { if (NR > 1) print line; line = $0; next }
		{ line = line " " $0 }
		END { if (line != "") print line }' | awk -v name="$1" '
		{
			named = 0
			for (i = 1; i < NF; i++)
				if ($i == "dev" && $(i + 1) == name)
					named = 1
		}
		!named || / table local/ || / proto (kernel|ra|redirect)/ { next }
		$1 ~ /^(local|broadcast|anycast|multicast)$/ { next }
		{
			gsub(/ (linkdown|dead|offload|trap|rt_offload)/, "")
			gsub(/ expires [0-9]+sec/, "")
			gsub(/ error -?[0-9]+/, "")
			$1 = $1
			print
		}'
}

capture_rules() {
	{ ip -4 rule show && ip -6 rule show | sed 's/^/-6 /'; } 2>/dev/null | awk -v name="$1" '
		{
			sub(/\[detached\] ?/, "")
			for (i = 1; i < NF; i++)
				if (($i == "iif" || $i == "oif") && $(i + 1) == name) {
					$1 = $1
					print
					break
				}
		}'
}

# Only a root qdisc that somebody set: the kernel's own has the handle 0.
capture_qdisc() {
	have tc || return 1
	tc qdisc show dev "$1" 2>/dev/null | awk '
		/ root / && $3 != "0:" {
			sub(/ refcnt [0-9]+/, "")
			$1 = $1
			print
		}'
}

# "PATH VALUE", the path below /proc/sys/net.
capture_sysctl() {
	local dir
	for dir in "$PROC"/sys/net/ipv{4,6}/{conf,neigh}/"$1"; do
		[ -d "$dir" ] || continue
		# One process for them all; some cannot be read.
		{ cd "$dir" && grep -s '' ./*; } | sed -n "s|^\./|${dir#"$PROC/sys/net/"}/|p"
	done | sed "s|/$1/|/@/|; s|:| |" | grep -vE '/(mtu|stable_secret|[a-z_]*_lst_attempt) '
}

# Which CPUs serve a queue in software (RPS, XPS).
capture_queues() {
	local file
	for file in "$SYS/class/net/$1"/queues/*/{rps_cpus,rps_flow_cnt,xps_cpus,xps_rxqs}; do
		[ -e "$file" ] || continue
		printf '%s %s\n' "${file#"$SYS/class/net/$1/"}" "$(first_line "$file")"
	done | awk 'NF == 2'
}

# device_irqs: "NUMBER ACTION" of the NIC's interrupts. Numbers change, the actions' names do not,
# but for virtio's own number.
device_irqs() {
	local number action
	for number in "$NIC_DIR/msi_irqs"/*; do
		number=${number##*/}
		for action in "$PROC/irq/$number"/*/; do
			[ -d "$action" ] || continue
			action=${action%/}
			printf '%s %s\n' "$number" "${action##*/}"
		done
	done | sed 's/ virtio[0-9]*-/ virtio-/'
}

capture_irqs() {
	local number action
	device_irqs | while read -r number action; do
		printf '%s %s\n' "$action" "$(first_line "$PROC/irq/$number/smp_affinity_list")"
	done | sort
}

capture_ethtool() {
	local name=$1 dir=$2
	have ethtool || return 0
	ethtool -l "$name" 2>/dev/null | ethtool_current >"$dir/channels" || rm -f "$dir/channels"
	ethtool -g "$name" 2>/dev/null | ethtool_current >"$dir/rings" || rm -f "$dir/rings"
	ethtool -c "$name" 2>/dev/null | awk -F': *' '
		/^Adaptive/ { split($0, w, /[: \t]+/); print "adaptive-rx " w[3]; print "adaptive-tx " w[5]; next }
		NF == 2 && $2 ~ /^[0-9]+$/ { print $1, $2 }' >"$dir/coalescing"
	ethtool -k "$name" 2>/dev/null | awk '
		/\[fixed\]/ || /^Features/ { next }
		{ sub(/:$/, "", $1); sub(/^[ \t]+/, "", $1); print $1, $2 }' | sort >"$dir/offloads"
	ethtool -x "$name" 2>/dev/null | awk '
		/^RSS hash key:/ { getline; if ($1 ~ /:/) print "key", $1; next }
		/^ *[0-9]+:/ { for (i = 2; i <= NF; i++) table = table " " $i }
		END { if (table != "") print "table" table }' >"$dir/rss"
	for name in channels rings coalescing offloads rss; do
		[ -s "$dir/$name" ] || rm -f "$dir/$name"
	done
}

# The second half of ethtool -l and -g: what is set now.
ethtool_current() {
	awk -F':[ \t]*' '
		/^Current hardware settings/ { now = 1; next }
		now && NF == 2 && $2 ~ /^[0-9]+$/ { print tolower($1), $2; some = 1 }
		END { exit !some }' | sed 's/ mini / -mini /; s/ jumbo / -jumbo /; s/^\(rx\|tx\) \(-[a-z]*\) /\1\2 /'
}

capture_zone() {
	have firewall-cmd && firewall-cmd --state >/dev/null 2>&1 || return 1
	firewall-cmd --get-zone-of-interface="$1" 2>/dev/null || :
}

# The first gateway of a default route, else of any route, over the interface.
gateway_of() {
	[ -n "$1" ] || return 0
	ip -4 route show dev "$1" 2>/dev/null | awk '
		{
			for (i = 1; i < NF; i++)
				if ($i == "via") {
					if ($1 == "default") { best = $(i + 1); exit }
					if (best == "") best = $(i + 1)
				}
		}
		END { if (best != "") print best }'
}

# A gateway may not answer pings: that it can be resolved is as good.
gateway_answers() {
	[ -n "$2" ] || return 1
	ping -c 1 -W 2 -I "$1" "$2" >/dev/null 2>&1 && return 0
	ip neigh show to "$2" dev "$1" 2>/dev/null | grep -qE 'lladdr .*(REACHABLE|DELAY|STALE)'
}

# A name that no cache has, so that a server must answer: "no such name" is an answer.
resolver_works() {
	local server
	if have resolvectl && resolvectl status >/dev/null 2>&1; then
		resolvectl query --cache=no . -t NS >/dev/null 2>&1
		return $?
	fi
	server=$(awk '$1 == "nameserver" { print $2; exit }' "$ETC/resolv.conf" 2>/dev/null)
	[ -n "$server" ] || return 1
	have nslookup || return 1
	nslookup -timeout=2 localhost "$server" >/dev/null 2>&1
}
