# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Whether a NIC may be taken: what would break, who uses it, and whether anybody could log in
# afterwards to give it back.

# interfaces_above IFNAME: the interface and what stands on it: bonds, bridges, teams, VLANs.
interfaces_above() {
	local upper
	printf '%s\n' "$1"
	for upper in "$SYS/class/net/$1"/upper_*; do
		[ -e "$upper" ] || continue
		interfaces_above "${upper##*/upper_}"
	done
}

# A route of any table, IPv4 or IPv6, one- or many-pathed, that says "default" (or is the half of
# one, as VPNs set them) and names one of the interfaces. Prints the first.
default_route_over() {
	local family
	for family in -4 -6; do
		ip "$family" route show table all 2>/dev/null | awk -v names="$*" '
			BEGIN { for (i = split(names, name, " "); i > 0; i--) wanted[name[i]] = 1 }
			/^[^ \t]/ {
				route = $0
				isdefault = $1 ~ /^(default|0\.0\.0\.0\/[01]|128\.0\.0\.0\/1|::\/[01]|8000::\/1|2000::\/3)$/
			}
			isdefault {
				for (i = 1; i < NF; i++)
					if ($i == "dev" && ($(i + 1) in wanted)) {
						sub(/[ \t]+$/, "", route)
						print route
						next
					}
			}'
	done | head -n 1
}

# addresses_of IFNAME...: without the prefix length.
addresses_of() {
	local name
	for name in "$@"; do
		ip -o addr show dev "$name" 2>/dev/null | awk '{ sub(/\/.*/, "", $4); print $4 }'
	done
}

# route_leaves_over ADDRESS: the interface that packets to it take.
route_leaves_over() {
	ip route get "$1" 2>/dev/null |
		awk '{ for (i = 1; i < NF; i++) if ($i == "dev") { print $(i + 1); exit } }'
}

is_one_of() {
	local word=$1 other
	shift
	for other in "$@"; do
		[ "$word" != "$other" ] || return 0
	done
	return 1
}

# own_ssh_connection: "PEER OWN", the two ends of the SSH session that this shell belongs to. sudo
# drops the variable, so the processes above are asked, too.
own_ssh_connection() {
	local pid=$$ words=${SSH_CONNECTION:-}
	while [ -z "$words" ] && [ "${pid:-0}" -gt 1 ]; do
		words=$({ tr '\0' '\n' <"$PROC/$pid/environ"; } 2>/dev/null | sed -n 's/^SSH_CONNECTION=//p')
		pid=$(awk '/^PPid:/ { print $2 }' "$PROC/$pid/status" 2>/dev/null)
	done
	printf '%s\n' "$words" | awk 'NF >= 3 { gsub(/::ffff:/, ""); print $1, $3 }'
}

# runs_over OWN PEER IFNAME...: a connection uses the NIC that has its own end's address, however
# it is routed back, and the one that its packets leave over.
runs_over() {
	local own=$1 peer=$2
	shift 2
	is_one_of "$(ip -o addr show to "$own" 2>/dev/null | awk '{ print $2; exit }')" "$@" ||
		is_one_of "$(route_leaves_over "$peer")" "$@"
}

# own_ssh_over IFNAME...: prints the peer of this shell's session, if it runs over one of them.
own_ssh_over() {
	local own peer
	read -r peer own < <(own_ssh_connection) || return 0
	! runs_over "$own" "$peer" "$@" || printf '%s\n' "$peer"
}

# ssh_session_over IFNAME...: prints the peer of a session, anybody's, that runs over one of them.
ssh_session_over() {
	local own peer
	own_ssh_over "$@" | grep . && return 0
	# shellcheck disable=SC2046 # pids
	tcp_ends $(pids_named sshd sshd-session sshd-auth dropbear) | while read -r own peer; do
		if runs_over "$own" "$peer" "$@"; then
			printf '%s\n' "$peer"
			break
		fi
	done
}

# network_servers: what mounted file systems and block devices talk to: "WHAT ADDRESS" lines.
network_servers() {
	local file
	awk '$3 ~ /^(nfs4?|cifs|smb3|ceph|glusterfs|9p)$/ {
		server = ""
		if (match($4, /(^|,)addr=[^,]*/)) {
			server = substr($4, RSTART, RLENGTH)
			sub(/.*addr=/, "", server)
		} else if ($3 != "9p") {
			server = $1
			sub(/:.*/, "", server)
		}
		if (server != "")
			print $3 " on " $2, server
	}' "$PROC/mounts" 2>/dev/null | awk '{ print $1 "-" $2 "-" $3, $4 }'
	for file in "$SYS"/class/iscsi_connection/*/persistent_address; do
		[ -e "$file" ] && printf 'iSCSI %s\n' "$(first_line "$file")"
	done
	for file in "$SYS"/block/nbd*/pid; do
		[ -e "$file" ] || continue
		tcp_ends "$(first_line "$file")" | sed "s|^[^ ]*|$(basename "${file%/pid}")|"
	done
	return 0
}

# storage_over IFNAME...: a file system or disk that is reached over one of them.
storage_over() {
	local what server
	while read -r what server; do
		if is_one_of "$(route_leaves_over "$server")" "$@"; then
			printf '%s from %s\n' "${what//-/ }" "$server"
			return 0
		fi
	done < <(network_servers)
}

# device_holders BDF: "PID NAME" of the programs that have the device open through vfio or uio, or
# its memory mapped.
device_holders() {
	local dir=$SYS/bus/pci/devices/$1 paths=() path pid
	path=$(link_name "$dir/iommu_group")
	[ -z "$path" ] || paths+=("/dev/vfio/$path" "/dev/vfio/noiommu-$path")
	for path in "$dir"/uio/uio* "$dir"/vfio-dev/vfio*; do
		[ -e "$path" ] || continue
		case ${path##*/} in
		uio*) paths+=("/dev/${path##*/}") ;;
		*) paths+=("/dev/vfio/devices/${path##*/}") ;;
		esac
	done
	# "PATH:" comes before the files of each process. A path has no spaces here.
	{
		grep -lF "/$1/resource" "$PROC"/[0-9]*/maps 2>/dev/null | sed 's|/maps$||; s|.*/||'
		# shellcheck disable=SC2012 # where thousands of links point to, in one process
		ls -l "$PROC"/[0-9]*/fd 2>/dev/null | awk -v bdf="$1" -v paths="${paths[*]-}" '
			BEGIN { for (i = split(paths, path, " "); i > 0; i--) wanted[path[i]] = 1 }
			/^\// { sub(/\/fd:$/, ""); sub(/.*\//, ""); pid = $0; next }
			($NF in wanted) || index($NF, "/" bdf "/resource") { print pid }'
	} | sort -u | while read -r pid; do
		printf '%s %s\n' "$pid" "$(first_line "$PROC/$pid/comm")"
	done
}

# Somebody who could log in on a console: an account with a password that is not locked and with
# a shell, and a getty that waits on tty1 or a serial line. Says what lacks, or nothing.
console_lacks() {
	local accounts
	accounts=$(awk -F: '
		NR == FNR { if ($2 != "" && $2 !~ /^[!*]/) usable[$1] = 1; next }
		($1 in usable) && $7 !~ /(nologin|false|sync)$/ { print $1 }' \
		"$ETC/shadow" "$ETC/passwd" 2>/dev/null)
	if [ -z "$accounts" ]; then
		printf 'no account has a usable password (keys only): set one with passwd\n'
	elif ! console_has_getty; then
		printf 'no login waits on tty1 or ttyS0: start one, e.g. systemctl start serial-getty@ttyS0\n'
	fi
}

# A process whose terminal is tty1 or a serial console: a getty that waits there, or the shell of
# who logged in at it. Newer gettys do not name their terminal, and old ones have none yet.
console_has_getty() {
	local file words
	# Numbers of devices: tty1 is 4:1, ttyS0 4:64, ttyAMA0 204:64, hvc0 229:0.
	cat "$PROC"/[0-9]*/stat 2>/dev/null | awk '
		{ sub(/.*\) /, "") }
		$5 == 1025 || $5 == 1088 || $5 == 52288 || $5 == 58624 { found = 1 }
		END { exit !found }' && return 0
	for file in "$PROC"/[0-9]*/cmdline; do
		words=$({ tr '\0' ' ' <"$file"; } 2>/dev/null) || continue
		[[ $words =~ getty.*\ (/dev/)?(tty1|ttyS0|ttyAMA0|hvc0|console)(\ |$) ]] && return 0
	done
	return 1
}

CRITICAL= # what the NIC carries that --console allows to take; nothing if it carries none

# guard_check CONSOLE DETACHED: refuses with the reason, status 1, when the NIC must not be taken.
guard_check() {
	local console=$1 detached=$2 above=() what
	CRITICAL=
	# shellcheck disable=SC2153 # nic_find sets it
	if ! pci_is_nic "$NIC_ID"; then
		not_bound "$NIC_ID is no network device (class $(pci_attribute "$NIC_ID" class))"
	fi
	what=$(device_holders "$NIC_ID" | head -n 1)
	[ -z "$what" ] || not_bound "process $what is using the device"
	[ -n "$NIC_IF" ] || {
		[ -z "$NIC_DRIVER" ] || is_user_driver "$NIC_DRIVER" || not_bound \
			"$NIC_ID has the driver $NIC_DRIVER but no interface here" \
			"If it was moved into another network namespace, take it from there first."
		return 0
	}
	what=$(first_line "$NIC_DIR/sriov_numvfs")
	[ "${what:-0}" -eq 0 ] || not_bound "$what virtual functions live on $NIC_ID and would go with it" \
		"Use one of them; or first: echo 0 > /sys/bus/pci/devices/$NIC_ID/sriov_numvfs"
	mapfile -t above < <(interfaces_above "$NIC_IF" | sort -u)
	what=$(storage_over "${above[@]}")
	[ -z "$what" ] || not_bound "$what is reached over ${above[*]}: taking the NIC would hang it" \
		"Use another NIC. Nothing overrides this."
	what=$(own_ssh_over "${above[@]}")
	# scripts/prepare asks over SSH what the console's bind would do.
	if [ -n "$what" ] && [ -n "$console" ] && [ -n "$DRY_RUN" ]; then
		say "This SSH session, from $what, runs over ${above[*]}: bind it at the console, or detached."
		what=
	fi
	[ -z "$what" ] || not_bound "this SSH session, from $what, runs over ${above[*]}" \
		"Use a second NIC; or do it from the machine's VNC or serial console with --console."
	what=$(ssh_session_over "${above[@]}")
	[ -z "$what" ] || CRITICAL="the SSH session from $what"
	what=$(default_route_over "${above[@]}")
	[ -z "$what" ] || CRITICAL="the default route ($what)"
	what=$(printf '%s\n' "${above[@]}" | sed "/^$NIC_IF\$/d" | tr '\n' ' ')
	[ -z "$what" ] || [ -n "$CRITICAL" ] || CRITICAL="the interface ${what% }"
	[ -n "$CRITICAL" ] || return 0
	[ -n "$console" ] || not_bound "$NIC_IF carries $CRITICAL" \
		"Use a second NIC; or, at the machine's VNC or serial console, --console: it takes the NIC" \
		"and gives it back by itself after --max-bound unless confirmed."
	[ -z "$detached" ] || return 0
	what=$(console_lacks)
	[ -z "$what" ] || not_bound "nobody could log in afterwards: $what" \
		"Or use --detached, if nobody has to: the NIC comes back after --max-bound."
}

# not_bound REASON [LINE...]: nothing was changed.
not_bound() {
	complain "nic.sh: NOT bound: $1" "${@:2}"
	exit 1
}
