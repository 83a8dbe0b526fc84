# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Puts the saved configuration of an interface back. Each part looks at what is there first and
# changes only what differs, so it can be broken off anywhere and run again. What the owner of the
# interface sets (addresses, routes) is left to it.

# state_apply: the kernel's driver has the NIC of the loaded state again.
state_apply() {
	local name
	name=$(state_get ifname)
	[ -n "$name" ] || return 0
	wait_for 10 interface_is_back || {
		complain "nic.sh: the driver is back, but no interface came up on $(state_get bdf)"
		return 1
	}
	nic_facts "$(state_get bdf)"
	[ "$NIC_IF" = "$name" ] || apply_name "$name" || return 1
	nic_facts "$(state_get bdf)"
	apply_device "$name"
	apply_link "$name"
	apply_sysctl "$name"
	apply_queues "$name"
	if [ "$(state_get owner)" = none ]; then
		apply_up "$name"
		apply_addresses "$name"
		apply_neighbours "$name"
		apply_routes "$name"
	else
		owner_take_back || complain "nic.sh: $(state_get owner) did not take $name back in time"
		wait_for "$OWNER_SECONDS" owner_has_configured "$name" || :
		# Beside a lease there may be addresses and routes that somebody set by hand.
		apply_addresses "$name" permanent
		apply_routes "$name"
	fi
	apply_rules
	apply_irqs
	apply_zone "$name"
	apply_resolver
}

interface_is_back() {
	[ -n "$(pci_interface "$(state_get bdf)")" ]
}

# Another interface may have got the name in the meantime: it keeps it.
apply_name() {
	step "rename $NIC_IF to $1"
	if [ -e "$SYS/class/net/$1" ]; then
		complain "nic.sh: another interface is called $1 now; this one stays $NIC_IF"
		return 1
	fi
	ip link set "$NIC_IF" down && attempt ip link set "$NIC_IF" name "$1"
}

# value_of FILE WORD: the rest of the line that begins with the word.
value_of() {
	sed -n "s/^$2 //p" "$1" 2>/dev/null | head -n 1
}

apply_link() {
	local name=$1 word value now command
	capture_link "$name" >"$TMP_DIR/link"
	for word in mac mtu txqueuelen alias group promisc allmulticast; do
		value=$(value_of "$STATE/link" "$word")
		now=$(value_of "$TMP_DIR/link" "$word")
		[ "$value" != "$now" ] || continue
		step "set $word of $name to '$value'"
		case $word in
		mac) command="address $value" ;;
		promisc | allmulticast) command="$word $([ "$value" = 1 ] && echo on || echo off)" ;;
		alias)
			attempt ip link set dev "$name" alias "$value" || :
			continue
			;;
		*) command="$word $value" ;;
		esac
		# shellcheck disable=SC2086 # two words
		attempt ip link set dev "$name" $command ||
				complain "nic.sh: could not set $word of $name to $value"
	done
}

apply_up() {
	local name=$1 up
	up=$(value_of "$STATE/link" up)
	[ "$up" != "$(capture_link "$name" | sed -n 's/^up //p')" ] || return 0
	if [ "$up" = 1 ]; then
		step "set $name up"
		attempt ip link set "$name" up
	else
		step "set $name down"
		attempt ip link set "$name" down
	fi
}

# missing_lines SAVED NOW: what was there and is not.
missing_lines() {
	awk -v now="$2" '
		BEGIN { while ((getline line <now) > 0) there[line] = 1 }
		!($0 in there)' "$1" 2>/dev/null || :
}

# apply_addresses IFNAME [permanent]: with "permanent", only those no DHCP client or router gave.
apply_addresses() {
	local name=$1 line
	capture_addresses "$name" >"$TMP_DIR/addresses"
	while read -r line; do
		[ "${2:-}" != permanent ] || [[ $line != *' dynamic'* ]] || continue
		step "add the address ${line#* }"
		apply_address "$name" "$line" || complain "nic.sh: could not add the address ${line#* }"
	done < <(missing_lines "$STATE/addresses" "$TMP_DIR/addresses")
}

# "inet 10.0.0.2/24 brd 10.0.0.255 scope global secondary noprefixroute eth0:1": flags that the
# kernel gives itself are left out, a label goes last. "peer" stands before the prefix.
apply_address() {
	local name=$1 words=() out=() i
	read -r -a words <<<"$2"
	for ((i = 1; i < ${#words[@]}; i++)); do
		case ${words[i]} in
		secondary | dynamic | permanent | mngtmpaddr | stable-privacy) ;;
		brd | scope | peer | metric | proto)
			out+=("${words[i]}" "${words[i + 1]}")
			i=$((i + 1))
			;;
		noprefixroute | nodad | home | optimistic | autojoin) out+=("${words[i]}") ;;
		"$name"*) out+=(label "${words[i]}") ;;
		*) out+=("${words[i]}") ;;
		esac
	done
	[ "${words[0]}" != inet6 ] || out+=(nodad)
	attempt ip addr add "${out[@]}" dev "$name"
}

apply_neighbours() {
	local name=$1 line
	ip neigh show dev "$name" nud permanent 2>/dev/null | sort >"$TMP_DIR/neighbours"
	while read -r line; do
		step "add the neighbour $line"
		# shellcheck disable=SC2086 # words of ip
		attempt ip neigh replace ${line% PERMANENT} nud permanent dev "$name" || :
	done < <(missing_lines "$STATE/neighbours" "$TMP_DIR/neighbours")
}

# Routes may need one another (a gateway that another route leads to): rounds, until one brings
# nothing more.
apply_routes() {
	local name=$1 family file line left before
	for family in 4 6; do
		file=$STATE/routes$family
		left=-1
		while :; do
			before=$left
			capture_routes "$name" "-$family" >"$TMP_DIR/routes"
			left=$(missing_lines "$file" "$TMP_DIR/routes" | wc -l)
			if [ "$left" -eq 0 ] || [ "$left" -eq "$before" ]; then
				break
			fi
			while read -r line; do
				[ "$before" -ne -1 ] || step "add the route $line"
				# shellcheck disable=SC2086 # words of ip
				attempt ip "-$family" route append $line 2>/dev/null || :
			done < <(missing_lines "$file" "$TMP_DIR/routes")
			[ -z "$DRY_RUN" ] || break
		done
		[ "$left" -eq 0 ] || missing_lines "$file" "$TMP_DIR/routes" |
			sed 's/^/nic.sh: could not add the route /' >&2
	done
}

# The kernel keeps rules that name an interface which is gone; what was lost is added.
apply_rules() {
	local line
	capture_rules "$(state_get ifname)" >"$TMP_DIR/rules"
	while read -r line; do
		step "add the rule $line"
		if [[ $line == -6* ]]; then
			line=${line#-6 }
			# shellcheck disable=SC2086 # words of ip
			attempt ip -6 rule add pref ${line/:/} || :
		else
			# shellcheck disable=SC2086
			attempt ip rule add pref ${line/:/} || :
		fi
	done < <(missing_lines "$STATE/rules" "$TMP_DIR/rules")
}

apply_sysctl() {
	local name=$1 path value file
	[ -s "$STATE/sysctl" ] || return 0
	capture_sysctl "$name" >"$TMP_DIR/sysctl"
	while read -r path value; do
		file=$PROC/sys/net/${path/@/$name}
		step "set ${path/@/$name} to $value"
		put "$value" "$file" || complain "nic.sh: could not write '$value' to $file"
	done < <(missing_lines "$STATE/sysctl" "$TMP_DIR/sysctl")
}

apply_queues() {
	local name=$1 path value
	capture_queues "$name" >"$TMP_DIR/queues"
	while read -r path value; do
		[ -e "$SYS/class/net/$name/$path" ] || continue
		step "set $path of $name to $value"
		put "$value" "$SYS/class/net/$name/$path" || :
	done < <(missing_lines "$STATE/queues" "$TMP_DIR/queues")
}

apply_irqs() {
	local action cpus number now
	[ -s "$STATE/irqs" ] || return 0
	# Interrupts exist only while the link is up, and come a moment later.
	capture_irqs >"$TMP_DIR/irqs"
	while read -r action cpus; do
		number=$(device_irqs | awk -v action="$action" '$2 == action { print $1; exit }')
		[ -n "$number" ] || continue
		now=$(first_line "$PROC/irq/$number/smp_affinity_list")
		[ "$now" != "$cpus" ] || continue
		step "let $action interrupt CPU $cpus"
		put "$cpus" "$PROC/irq/$number/smp_affinity_list" || :
	done < <(missing_lines "$STATE/irqs" "$TMP_DIR/irqs")
}

# What ethtool and tc set. Channels first: they decide how many queues the rest is about.
apply_device() {
	local name=$1 part words
	capture_ethtool "$name" "$TMP_DIR"
	for part in channels rings coalescing offloads; do
		[[ -s $STATE/$part && -s $TMP_DIR/$part ]] || continue
		words=$(missing_lines "$STATE/$part" "$TMP_DIR/$part" | tr '\n' ' ')
		[ -n "$words" ] || continue
		step "set $part of $name: $words"
		case $part in
		channels) words="-L $name $words" ;;
		rings) words="-G $name $words" ;;
		coalescing) words="-C $name $words" ;;
		offloads) words="-K $name $words" ;;
		esac
		# shellcheck disable=SC2086 # words of ethtool
		attempt ethtool $words >/dev/null 2>&1 || complain "nic.sh: ethtool $words failed"
	done
	apply_rss "$name"
	apply_qdisc "$name"
}

# ethtool prints the table entry by entry and takes weights: how often each queue stands in it.
apply_rss() {
	local name=$1 words=()
	[ -s "$STATE/rss" ] && ! cmp -s "$STATE/rss" "$TMP_DIR/rss" || return 0
	[ -z "$(value_of "$STATE/rss" key)" ] || words+=(hkey "$(value_of "$STATE/rss" key)")
	read -r -a weights < <(value_of "$STATE/rss" table | awk '{
		for (i = 1; i <= NF; i++) { n[$i]++; if ($i > max) max = $i }
		for (i = 0; i <= max; i++) printf "%d ", n[i]
		print "" }')
	[ ${#weights[@]} -eq 0 ] || words+=(weight "${weights[@]}")
	step "set the RSS table of $name"
	attempt ethtool -X "$name" "${words[@]}" >/dev/null 2>&1 ||
		complain "nic.sh: ethtool -X $name ${words[*]} failed"
}

# tc prints more than it takes: with the saved parameters if it takes them, else the kind alone.
apply_qdisc() {
	local name=$1 kind handle rest
	[ -s "$STATE/qdisc" ] || return 0
	capture_qdisc "$name" >"$TMP_DIR/qdisc" || return 0
	! cmp -s "$STATE/qdisc" "$TMP_DIR/qdisc" || return 0
	read -r _ kind handle _ rest <"$STATE/qdisc"
	step "set the qdisc of $name: $kind"
	# shellcheck disable=SC2086 # words of tc
	attempt tc qdisc replace dev "$name" root handle "$handle" "$kind" $rest 2>/dev/null ||
		attempt tc qdisc replace dev "$name" root handle "$handle" "$kind" ||
		complain "nic.sh: tc could not set the qdisc $kind of $name"
}

apply_zone() {
	local zone
	zone=$(first_line "$STATE/zone")
	[ -n "$zone" ] && [ "$(capture_zone "$1" || :)" != "$zone" ] || return 0
	step "put $1 into the firewall zone $zone"
	attempt firewall-cmd --zone="$zone" --change-interface="$1" >/dev/null || :
}

# A resolv.conf that is a link belongs to a service, which writes it itself.
apply_resolver() {
	[ "$(state_get owner)" = none ] && [ -e "$STATE/resolver" ] &&
		[ ! -L "$ETC/resolv.conf" ] || return 0
	! cmp -s "$STATE/resolver" "$ETC/resolv.conf" || return 0
	step "put resolv.conf back"
	attempt cp "$STATE/resolver" "$ETC/resolv.conf"
}

# A lease has come: an address that the owner gave, and the default route if there was one.
owner_has_configured() {
	local name=$1
	! grep -q '^inet ' "$STATE/addresses" || capture_addresses "$name" | grep -q '^inet ' || return 1
	! grep -q '^default' "$STATE/routes4" || capture_routes "$name" -4 | grep -q '^default'
}
