# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Borrows 2 MB hugepages for as long as a script runs, and gives back exactly what was added,
# whatever others reserved or released in between. Sourced after common.sh.

# shellcheck source-path=SCRIPTDIR
# shellcheck source=system.sh
. "$ROOT/scripts/lib/system.sh"
# shellcheck source=hugepages_pool.sh
. "$ROOT/scripts/lib/hugepages_pool.sh"

HUGE_NODE=
HUGE_ADDED=0
HUGE_WHY= # why there are not enough

# hugepages_reserve PAGES NODE: returns 0 when PAGES are free on the node. Otherwise returns 1,
# HUGE_WHY says why, and nothing is reserved.
hugepages_reserve() {
	local want=$1 free dir lack
	HUGE_NODE=$2
	dir=$(pool_dir "$2" 2048) || {
		HUGE_WHY="this kernel has no 2 MB hugepages"
		return 1
	}
	free=$(pool_count "$2" 2048 free)
	lack=$((want - free))
	[ "$lack" -gt 0 ] || return 0
	HUGE_WHY="$want hugepages of 2 MB are needed on node $2, $free are free"
	if [ ! -w "$dir/nr_hugepages" ] || [ "$(id -u)" -ne 0 ]; then
		HUGE_WHY+=" and reserving them needs root"
		return 1
	fi
	if ! pool_can_grow "$2" 2048 "$lack"; then
		HUGE_WHY+=" and $POOL_WHY that lack"
		return 1
	fi
	hold_signals
	pool_move "$2" 2048 "$lack"
	HUGE_ADDED=$POOL_MOVED
	release_signals
	if [ "$HUGE_ADDED" -lt "$lack" ]; then
		HUGE_WHY+=" and the kernel found only $HUGE_ADDED more"
		hugepages_give_back
		return 1
	fi
}

hugepages_give_back() {
	[ "$HUGE_ADDED" -gt 0 ] || return 0
	hold_signals
	pool_move "$HUGE_NODE" 2048 "-$HUGE_ADDED"
	HUGE_ADDED=$((HUGE_ADDED + POOL_MOVED))
	release_signals
	[ "$HUGE_ADDED" -le 0 ] || {
		complain "could not give back $HUGE_ADDED hugepages of 2 MB on node $HUGE_NODE"
		return 1
	}
}
