# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Borrows 2 MB hugepages from the kernel and gives back exactly what was added, whatever others
# reserved or released in between.

HUGE_DIR=   # the counters that were changed
HUGE_ADDED=0
HUGE_WHY=   # why there are not enough

# hugepages_dir NODE: the node's own counters, or the machine's where sysfs has no nodes.
hugepages_dir() {
	local dir
	for dir in "/sys/devices/system/node/node$1/hugepages/hugepages-2048kB" \
		/sys/kernel/mm/hugepages/hugepages-2048kB; do
		[ -e "$dir/nr_hugepages" ] && printf '%s\n' "$dir" && return 0
	done
	return 1
}

# Memory that the kernel could still hand out on the node, in 2 MB pages. A quarter of the machine,
# and at least 256 MB, is left to everyone else.
hugepages_affordable() {
	awk '/^MemTotal/ { total = $2 } /^MemAvailable/ { available = $2 }
		END {
			keep = total / 4 > 262144 ? total / 4 : 262144
			pages = int((available - keep) / 2048)
			print (pages > 0 ? pages : 0)
		}' /proc/meminfo
}

# hugepages_reserve PAGES NODE: returns 0 when PAGES are free on the node. Otherwise returns 1,
# HUGE_WHY says why, and nothing is reserved.
hugepages_reserve() {
	local want=$1 node=$2 free before lack
	HUGE_DIR=$(hugepages_dir "$node") || {
		HUGE_WHY="this kernel has no 2 MB hugepages"
		return 1
	}
	free=$(<"$HUGE_DIR/free_hugepages")
	lack=$((want - free))
	[ "$lack" -gt 0 ] || return 0
	HUGE_WHY="$want hugepages of 2 MB are needed on node $node, $free are free"
	if [ ! -w "$HUGE_DIR/nr_hugepages" ] || [ "$(id -u)" -ne 0 ]; then
		HUGE_WHY+=" and reserving them needs root"
		return 1
	fi
	if [ "$(hugepages_affordable)" -lt "$lack" ]; then
		HUGE_WHY+=" and the machine has too little free memory for the rest"
		return 1
	fi
	# The kernel stops early on a signal or when memory is in pieces: what counts is what it did.
	hold_signals
	before=$(<"$HUGE_DIR/nr_hugepages")
	printf '%s\n' "$((before + lack))" 2>/dev/null >"$HUGE_DIR/nr_hugepages" || :
	HUGE_ADDED=$(($(<"$HUGE_DIR/nr_hugepages") - before))
	release_signals
	if [ "$HUGE_ADDED" -lt "$lack" ]; then
		HUGE_WHY+=" and the kernel found only $HUGE_ADDED more"
		hugepages_give_back
		return 1
	fi
}

hugepages_give_back() {
	local now
	[ "$HUGE_ADDED" -gt 0 ] || return 0
	now=$(<"$HUGE_DIR/nr_hugepages")
	hold_signals
	if printf '%s\n' "$((now - HUGE_ADDED))" >"$HUGE_DIR/nr_hugepages"; then
		HUGE_ADDED=0
		release_signals
	else
		release_signals
		complain "could not give back $HUGE_ADDED hugepages: $HUGE_DIR/nr_hugepages is $now"
		return 1
	fi
}
