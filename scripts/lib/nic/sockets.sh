# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# TCP connections of given processes, from procfs alone: ss may not be there, and a port number
# does not tell what listens on it.

# pids_named NAME...
pids_named() {
	local dir
	for dir in "$PROC"/[0-9]*; do
		! is_one_of "$(first_line "$dir/comm")" "$@" || printf '%s\n' "${dir##*/}"
	done
}

# tcp_ends PID...: "LOCAL REMOTE", the addresses of each established connection of the processes.
# IPv6 is written with all its digits, which ip understands; an IPv4 address in IPv6's form as IPv4.
tcp_ends() {
	local pid inodes
	inodes=$(for pid in "$@"; do
		ls -l "$PROC/$pid/fd" 2>/dev/null
	done | sed -n 's/.*socket:\[\([0-9]*\)\]$/\1/p')
	[ -n "$inodes" ] || return 0
	cat "$PROC/net/tcp" "$PROC/net/tcp6" 2>/dev/null | awk -v inodes="${inodes//$'\n'/ }" '
		function digit(hex, at) {
			return index("0123456789ABCDEF", substr(hex, at, 1)) - 1
		}
		function byte(hex, at) {
			return 16 * digit(hex, at) + digit(hex, at + 1)
		}
		function ipv4(hex) {
			return byte(hex, 7) "." byte(hex, 5) "." byte(hex, 3) "." byte(hex, 1)
		}
		# Each word of 32 bits has its bytes the other way round.
		function address(hex,    text, word, at) {
			sub(/:.*/, "", hex)
			if (length(hex) == 8)
				return ipv4(hex)
			if (substr(hex, 1, 24) == "0000000000000000FFFF0000")
				return ipv4(substr(hex, 25))
			for (word = 1; word <= 25; word += 8)
				for (at = word + 6; at >= word; at -= 2) {
					text = text tolower(substr(hex, at, 2))
					if (at == word + 4 || (at == word && word < 25))
						text = text ":"
				}
			return text
		}
		BEGIN { for (i = split(inodes, inode, " "); i > 0; i--) wanted[inode[i]] = 1 }
		$4 == "01" && ($10 in wanted) { print address($2), address($3) }'
}
