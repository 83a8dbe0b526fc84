#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# hugepages.sh - hugepages for pmdperf: needed, reserved, given back
#
# usage: hugepages.sh status  [--page-size 2M|1G] [-- PMDPERF WORDS...]
#        hugepages.sh reserve [--mem MB[,MB...]] [--page-size 2M|1G] [--dry-run]
#                             [-- PMDPERF WORDS...]
#        hugepages.sh release [--dry-run]
#
#   status    each node's pages: all, free, added by us, needed; who holds them;
#             what is mounted
#   reserve   adds what lacks, on each node, all or nothing; mounts hugetlbfs if
#             it is not
#   release   gives back what reserve added, and nothing else
#
# Both also remove the hugepage files that dead programs of DPDK left.
#
#   --mem MB[,MB...]   needed on node 0, node 1, ... instead of what pmdperf says
#   --page-size SIZE   2M (default) or 1G; if pages of 1 GB cannot be had, 2 MB
#                      are taken
#   --dry-run          print each change and make none
#   --help             this text
#
# PMDPERF WORDS are those of the run to come: "pmdperf WORDS --plan" tells what
# it needs on which node. Without words it is the need of a receiver with one
# port of one queue. Both processes of a test on one machine are two runs: say
# --mem for their sum. Reserving needs root. Exit status: 0 done, 1 not all could
# be had (nothing is added then), 2 wrong usage.
#
# Environment: PMDPERF=PROGRAM asks that program instead of build/app/pmdperf.

# shellcheck source-path=SCRIPTDIR
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/lib/common.sh"
. "$HERE/lib/system.sh"
. "$HERE/lib/hugepages_pool.sh"
. "$HERE/lib/hugepages_files.sh"

program=${PMDPERF:-$ROOT/build/app/pmdperf}
command=
page_kb=
mem=
words=()

parse_words() {
	while [ $# -gt 0 ]; do
		case $1 in
		--mem=* | --page-size=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
		esac
		case $1 in
		--mem)
			[[ ${2-} =~ ^[0-9]{1,7}(,[0-9]{1,7})*$ ]] ||
				usage_error "--mem takes MB for each node, such as 512 or 512,0, not '${2-}'"
			mem=$2
			shift
			;;
		--page-size)
			case ${2-} in
			2M) page_kb=2048 ;;
			1G) page_kb=1048576 ;;
			*) usage_error "--page-size takes 2M or 1G, not '${2-}'" ;;
			esac
			shift
			;;
		--dry-run) DRY_RUN=yes ;;
		-h | --help) print_help && exit 0 ;;
		--)
			shift
			words=("$@")
			[ $# -gt 0 ] || usage_error "the words of a pmdperf run come after --"
			break
			;;
		-*) usage_error "unknown option '$1'" ;;
		*)
			[ -z "$command" ] || usage_error "one command at a time: '$command', and what is '$1'?"
			command=$1
			;;
		esac
		shift
	done
	check_words
}

# What an option is for, or it is refused: nothing is silently ignored.
check_words() {
	case $command in
	reserve) [[ -z $mem || $mem =~ [1-9] ]] || usage_error "--mem $mem is no memory at all" ;;
	release)
		[ -z "$mem$page_kb${words[*]-}" ] ||
			usage_error "--mem, --page-size and the words of a run belong to reserve"
		;;
	status)
		[ -z "$mem" ] || usage_error "--mem belongs to reserve"
		[ -z "$DRY_RUN" ] || usage_error "--dry-run belongs to reserve and release"
		;;
	'') usage_error "which command? status, reserve or release" ;;
	*) usage_error "unknown command '$command'; valid: status, reserve, release" ;;
	esac
	[ -z "$mem" ] || [ ${#words[@]} -eq 0 ] || usage_error "either --mem or the words of a run"
	page_kb=${page_kb:-2048}
}

# Sets need to lines of "NODE MB": from --mem, or from what pmdperf plans. Otherwise returns 1 with
# the reason in need_why.
find_need() {
	local node=0 mb plan
	need=
	if [ -n "$mem" ]; then
		for mb in ${mem//,/ }; do
			[ $((10#$mb)) -eq 0 ] || need+="$node $((10#$mb))"$'\n'
			node=$((node + 1))
		done
		return 0
	fi
	[ -x "$program" ] || {
		need_why="$program is not built: ./scripts/quickstart.sh builds it; or say --mem MB"
		return 1
	}
	[ ${#words[@]} -gt 0 ] || words=(--no-pci --vdev=net_null0 -- --forward-mode=rxonly)
	plan=$("$program" "${words[@]}" --plan 2>&1) || {
		need_why="pmdperf refuses these words: $plan"
		return 1
	}
	need=$(printf '%s\n' "$plan" | awk '
		/^[^ ]/ { memory = /^Memory/ }
		memory && $1 == "node" && !/ordinary memory/ { print $2, $3 }')
}

# pages_of MB KB: as pmdperf counts them, with 2 MB for the gaps between pools.
pages_of() {
	printf '%s\n' $(((($1 + 2) * 1024 + $2 - 1) / $2))
}

# reserve_all KB: all or nothing. Returns 1 with POOL_WHY.
reserve_all() {
	local kb=$1 node mb lack each added=()
	while read -r node mb; do
		[ -n "$node" ] || continue
		lack=$(($(pages_of "$mb" "$kb") - $(pool_count "$node" "$kb" free)))
		if ! pool_nodes | grep -qx "$node"; then
			POOL_WHY="there is no node $node; nodes here: $(pool_nodes | tr '\n' ' ')"
		elif [ "$lack" -le 0 ]; then
			printf 'node %s: %s MB are needed, %s pages of %s are free: enough\n' \
				"$node" "$mb" "$(pool_count "$node" "$kb" free)" "$(page_text "$kb")"
			continue
		elif pool_grow "$node" "$kb" "$lack"; then
			added+=("$node:$lack")
			[ -n "$DRY_RUN" ] || printf 'node %s: %s MB are needed; %s pages of %s asked, %s got\n' \
				"$node" "$mb" "$lack" "$(page_text "$kb")" "$lack"
			[ -n "$HELD_SIGNAL" ] || continue
			POOL_WHY="interrupted"
		fi
		for each in ${added[@]+"${added[@]}"}; do
			pool_shrink "${each%%:*}" "$kb" "${each#*:}" || :
		done
		return 1
	done <<<"$need"
}

do_reserve() {
	find_need || die "$need_why"
	[ -n "$need" ] || die "pmdperf plans to use no hugepages with these words" \
		"Say --mem MB if others need them"
	lock_pools
	hold_signals
	pool_settle
	huge_remove_leftovers
	if ! reserve_all "$page_kb"; then
		[ "$page_kb" -gt 2048 ] || not_reserved
		[ -z "$HELD_SIGNAL" ] || not_reserved
		complain "hugepages.sh: no pages of 1 GB: $POOL_WHY" "Taking pages of 2 MB instead"
		page_kb=2048
		reserve_all 2048 || not_reserved
	fi
	huge_need_mount "$page_kb" ||
		complain "hugepages.sh: hugetlbfs could not be mounted: pmdperf does without," \
			"other programs may not"
	release_signals
}

not_reserved() {
	complain "hugepages.sh: NOT reserved: $POOL_WHY" "Who holds pages: $0 status." \
		"A machine that ran long has its memory in pieces: reserve soon after a boot."
	release_signals
	exit 1
}

# What could not be given back stays remembered, for another try.
do_release() {
	local what node kb count status=0
	lock_pools
	hold_signals
	pool_settle
	huge_remove_leftovers
	[ -n "$(pool_lines)" ] ||
		say "Nothing was reserved by this script since the boot: nothing to give back."
	while read -r what node kb count; do
		case $what in
		pages) pool_shrink "$node" "$kb" "$count" || status=1 ;;
		mount) huge_unmount "$node${kb:+ $kb}" || status=1 ;;
		esac
	done < <(pool_lines)
	release_signals
	return "$status"
}

do_status() {
	local node kb mb why=
	find_need || why=$need_why
	printf '%-5s %-6s %9s %9s %9s %9s\n' node pages all free ours needed
	for node in $(pool_nodes); do
		mb=$(printf '%s\n' "$need" | awk -v node="$node" '$1 == node { print $2 }')
		for kb in 2048 1048576; do
			pool_dir "$node" "$kb" >/dev/null || continue
			# Nobody has to have pages of 1 GB.
			[ "$kb" -eq "$page_kb" ] || [ "$(pool_count "$node" "$kb" nr)" -gt 0 ] || continue
			printf '%-5s %-6s %9s %9s %9s %9s\n' "$node" "$(page_text "$kb")" \
				"$(pool_count "$node" "$kb" nr)" "$(pool_count "$node" "$kb" free)" \
				"$(pool_ours "$node" "$kb")" "$(needed_text)"
		done
	done
	[ -z "$why" ] || say "needed: not known: $why"
	printf "The common guide's formula (MemTotal kB / 1024 / 2048) gives %s pages of 2 MB.\n" \
		$(($(awk '/^MemTotal/ { print $2 }' "$PROC/meminfo") / 1024 / 2048))
	for kb in 2048 1048576; do
		mb=$(huge_mount_of "$kb")
		printf 'hugetlbfs for pages of %s: %s\n' "$(page_text "$kb")" "${mb:-not mounted}"
	done
	show_holders
}

# Either size alone would do.
needed_text() {
	if [ -n "$why" ]; then
		printf '?\n'
	elif [ -n "$mb" ]; then
		pages_of "$mb" "$kb"
	else
		printf '0\n'
	fi
}

show_holders() {
	local mb pid name count=0 left
	while read -r mb pid name; do
		count=$((count + 1))
		[ "$count" -gt 5 ] || say "held by process $pid $name $mb MB"
	done < <(huge_holders)
	[ "$count" -le 5 ] || say "and by $((count - 5)) more processes"
	left=$(huge_leftovers)
	[ -z "$left" ] || printf '%s\n' "$left" | awk '
		{ sub(/\/[^\/]*$/, ""); n[$0]++ }
		END {
			for (dir in n)
				print "left by dead programs: " n[dir] " files in " dir " (reserve and release remove them)"
		}'
}

# One at a time. What it starts does not keep the lock.
lock_pools() {
	[ -z "$DRY_RUN" ] || return 0
	mkdir -p "$RUN_DIR" || die "cannot make $RUN_DIR"
	have flock || {
		complain "hugepages.sh: there is no flock here: do not run it twice at a time"
		return 0
	}
	exec {LOCK}>>"$RUN_DIR/hugepages.lock"
	flock -w 30 "$LOCK" || die "another hugepages.sh is at work and does not end"
}

parse_words "$@"
[ "$command" = status ] || [ -n "$SYSROOT$DRY_RUN" ] || [ "$(id -u)" -eq 0 ] ||
	die "$command needs root: sudo $0 ..."
"do_$command"
