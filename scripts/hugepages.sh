#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# hugepages.sh - hugepages for pmdperf: how many it needs, reserved, and given back
#
# usage: hugepages.sh status  [-- PMDPERF WORDS...]
#        hugepages.sh reserve [--mem MB[,MB...]] [--page-size 2M|1G] [--dry-run]
#                             [-- PMDPERF WORDS...]
#        hugepages.sh release [--dry-run]
#
#   status    each node's pages: all, free, added by us, needed; who holds them; what is mounted
#   reserve   adds what lacks, on each node, all or nothing; mounts hugetlbfs if it is not
#   release   gives back what reserve added, and nothing else
#
#   --mem MB[,MB...]   needed on node 0, node 1, ... instead of what pmdperf says
#   --page-size SIZE   2M (default) or 1G; if pages of 1 GB cannot be had, 2 MB are taken
#   --dry-run          print each change and make none
#   --help             this text
#
# PMDPERF WORDS are those of the run to come: "pmdperf WORDS --plan" tells what it needs on which
# node. Without words it is the default run's need for each NIC of one queue. Reserving needs root.
# Exit status: 0 done, 1 not all could be had (nothing is added then), 2 wrong usage.
#
# Environment: PMDPERF=PROGRAM asks that program instead of build/app/pmdperf.

# shellcheck source-path=SCRIPTDIR
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/lib/common.sh"
. "$HERE/lib/system.sh"
. "$HERE/lib/hugepages_pool.sh"

program=${PMDPERF:-$ROOT/build/app/pmdperf}
command=
page_kb=2048
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
	case $command in
	reserve) ;;
	release | status)
		if [ -n "$mem" ] || { [ "$command" = release ] && [ ${#words[@]} -gt 0 ]; }; then
			usage_error "--mem and the words of a run belong to reserve"
		fi
		[ -z "$DRY_RUN" ] || [ "$command" != status ] || usage_error "--dry-run belongs to reserve and release"
		;;
	'') usage_error "which command? status, reserve or release" ;;
	*) usage_error "unknown command '$command'; valid: status, reserve, release" ;;
	esac
	[ -z "$mem" ] || [ ${#words[@]} -eq 0 ] || usage_error "either --mem or the words of a run"
}

# Lines of "NODE MB": from --mem, or from what pmdperf plans.
needs() {
	local node=0 mb plan
	if [ -n "$mem" ]; then
		for mb in ${mem//,/ }; do
			[ "$mb" -eq 0 ] || printf '%s %s\n' "$node" "$mb"
			node=$((node + 1))
		done
		return
	fi
	[ -x "$program" ] || {
		complain "hugepages.sh: $program is not built, so the need is not known" \
			"Build it (./scripts/quickstart.sh does), or say --mem MB"
		return 1
	}
	[ ${#words[@]} -gt 0 ] || words=(--no-pci --vdev=net_null0 -- --forward-mode=rxonly)
	[[ " ${words[*]} " == *" -- "* || " ${words[*]} " == *" --config"* ]] || words+=(--)
	plan=$("$program" "${words[@]}" --plan 2>&1) || {
		complain "hugepages.sh: pmdperf refuses these words:" "$plan"
		return 1
	}
	# Both processes of a test on one machine are two runs: say --mem for their sum.
	printf '%s\n' "$plan" | awk '
		/^[^ ]/ { memory = /^Memory/ }
		memory && $1 == "node" { print $2, $3 }'
}

# How many pages, of a size, that are. One more, for pools do not fill pages to the edge.
pages_of() {
	printf '%s\n' $((($1 * 1024 + $2 - 1) / $2 + ($2 < 1048576)))
}

# reserve_all KB: returns 1 with POOL_WHY when a node cannot have what lacks; nothing is added then.
reserve_all() {
	local kb=$1 node mb pages lack done_nodes=()
	while read -r node mb; do
		if ! printf '%s\n' "$(pool_nodes)" | grep -qx "$node"; then
			POOL_WHY="there is no node $node; nodes here: $(pool_nodes | tr '\n' ' ')"
			undo_all "$kb" ${done_nodes[@]+"${done_nodes[@]}"}
			return 1
		fi
		pages=$(pages_of "$mb" "$kb")
		lack=$((pages - $(pool_count "$node" "$kb" free)))
		if [ "$lack" -le 0 ]; then
			say "node $node: $mb MB are needed, $(pool_count "$node" "$kb" free) pages of $(page_text "$kb") are free: enough"
			continue
		fi
		if ! pool_grow "$node" "$kb" "$lack"; then
			undo_all "$kb" ${done_nodes[@]+"${done_nodes[@]}"}
			return 1
		fi
		[ -n "$DRY_RUN" ] || say "node $node: $mb MB are needed; $lack pages of $(page_text "$kb") asked, $lack got"
		done_nodes+=("$node:$lack")
	done <<<"$need"
}

undo_all() {
	local kb=$1 each file
	shift
	for each in "$@"; do
		pool_shrink "${each%%:*}" "$kb" "${each#*:}" || :
		file=$(pool_state)
		# The last line of this node and size is the one just added.
		[ -n "$DRY_RUN" ] || awk -v line="pages ${each%%:*} $kb ${each#*:}" '
			{ text[NR] = $0 }
			$0 == line { last = NR }
			END { for (i = 1; i <= NR; i++) if (i != last) print text[i] }' "$file" >"$file.new" &&
			mv "$file.new" "$file"
	done
}

do_reserve() {
	need=$(needs) || exit 1
	[ -n "$need" ] || die "pmdperf plans to use no hugepages with these words" "Say --mem MB if others need them"
	pool_remove_leftovers
	if ! reserve_all "$page_kb"; then
		[ "$page_kb" -gt 2048 ] || die "NOT reserved: $POOL_WHY" \
			"Who holds pages: $0 status. A machine that ran long has its memory in pieces: reserve soon after a boot."
		complain "hugepages.sh: no pages of 1 GB: $POOL_WHY" "Taking pages of 2 MB instead"
		page_kb=2048
		reserve_all 2048 || die "NOT reserved: $POOL_WHY"
	fi
	pool_need_mount "$page_kb" || complain "hugepages.sh: hugetlbfs could not be mounted: pmdperf does without, other programs may not"
}

do_release() {
	local file kind node kb count status=0
	file=$(pool_state)
	pool_remove_leftovers
	pool_forget_stale
	if ! grep -qE '^(pages|mount) ' "$file" 2>/dev/null; then
		say "Nothing was reserved by this script since the boot: nothing to give back."
		return
	fi
	while read -r kind node kb count; do
		[ "$kind" = pages ] && { pool_shrink "$node" "$kb" "$count" || status=1; }
	done < <(awk '$1 == "pages" { n[$2 " " $3] += $4 } END { for (k in n) print "pages", k, n[k] }' "$file")
	while read -r kind node; do
		[ "$kind" != mount ] || attempt umount "$node" 2>/dev/null ||
			complain "hugepages.sh: $node is still in use and stays mounted"
	done <"$file"
	[ -n "$DRY_RUN" ] || rm -f "$file"
	return "$status"
}

do_status() {
	local node kb mb holder total plan
	plan=$(needs 2>/dev/null) || plan=
	total=$(awk '/^MemTotal/ { print $2 }' "$PROC/meminfo")
	printf '%-5s %-6s %9s %9s %9s %9s\n' node pages all free ours needed
	for node in $(pool_nodes); do
		mb=$(printf '%s\n' "$plan" | awk -v node="$node" '$1 == node { print $2 }')
		for kb in 2048 1048576; do
			pool_dir "$node" "$kb" >/dev/null || continue
			printf '%-5s %-6s %9s %9s %9s %9s\n' "$node" "$(page_text "$kb")" \
				"$(pool_count "$node" "$kb" total)" "$(pool_count "$node" "$kb" free)" \
				"$(pool_ours "$node" "$kb")" "$([ -z "$mb" ] || pages_of "$mb" "$kb")"
		done
	done
	for kb in 2048 1048576; do
		printf 'hugetlbfs for pages of %s: %s\n' "$(page_text "$kb")" "$(pool_mount "$kb" | sed 's/^$/not mounted/')" |
			sed 's/: $/: not mounted/'
	done
	printf 'The common guide (MemTotal / 1024 / 2048) gives %s pages of 2 MB on this machine.\n' \
		$((total / 1024 / 2048))
	pool_holders | while read -r holder; do
		printf 'held by process %s MB\n' "$holder"
	done
	pool_leftovers | while read -r holder; do
		printf 'left by a dead program: %s (release or reserve removes it)\n' "$holder"
	done
}

parse_words "$@"
if [ "$command" != status ]; then
	[ -n "$SYSROOT" ] || [ -n "$DRY_RUN" ] || [ "$(id -u)" -eq 0 ] || die "$command needs root: sudo $0 ..."
	if [ -z "$DRY_RUN" ]; then
		mkdir -p "$RUN_DIR"
		exec {LOCK}>>"$RUN_DIR/hugepages.lock"
		flock -w 30 "$LOCK" || die "another hugepages.sh is at work and does not end"
	fi
fi
"do_$command"
