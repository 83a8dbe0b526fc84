#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# pair.sh - measure between two machines from a third place, by SSH
#
# usage: scripts/pair.sh SENDER RECEIVER [options] [-- WORDS of scripts/send]
#
# SENDER and RECEIVER are names that ssh knows; scripts/prepare was run on both.
# Both take their NIC at an agreed time with --detach, measure, give it back;
# then both results are brought here, into results/pair-*/. Connections that run
# over the tested NICs pause meanwhile.
#
#   --dir DIR   where pmdperf is on both machines (default: where it is here)
#   --sudo      put sudo before what is run there
#   --help      this text
#
# WORDS are profiles and options that scripts/send and scripts/receive share,
# such as: pps --io af_packet. Exit status: 0 done, 1 it could not be done,
# 2 wrong usage, 3 a result is negative.
#
# Environment: PMDPERF_SSH=COMMAND in place of ssh.

# shellcheck source-path=SCRIPTDIR
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/lib/common.sh"
. "$HERE/lib/process.sh"

AHEAD=15      # seconds from the agreement to the receiver's start
LEAD=10       # and from there to the sender's
CLOCK_SLACK=3 # that the machines' clocks may differ
POLL=3
PATIENCE=1800 # for all steps

names=()
words=()
dir=$ROOT
sudo=
results=

parse_words() {
	while [ $# -gt 0 ]; do
		case $1 in
		--dir=*) set -- --dir "${1#*=}" "${@:2}" ;;
		esac
		case $1 in
		--dir)
			[[ ${2-} == /* && ${2-} != *[\'\"\ ]* ]] || usage_error "--dir takes an absolute path, not '${2-}'"
			dir=$2
			shift
			;;
		--sudo) sudo='sudo ' ;;
		--)
			words=("${@:2}")
			break
			;;
		-h | --help) print_help && exit 0 ;;
		-*) usage_error "unknown option '$1'; words of scripts/send go after --" ;;
		*) names+=("$1") ;;
		esac
		shift
	done
	[ ${#names[@]} -eq 2 ] || usage_error "two machines: the sender and the receiver; given: ${names[*]-none}"
	[ "${names[0]}" != "${names[1]}" ] || usage_error "sender and receiver are both '${names[0]}'"
}

# there NAME COMMAND: one shell command in pmdperf's folder of a machine.
there() {
	local ssh=()
	read -r -a ssh <<<"${PMDPERF_SSH:-ssh -o BatchMode=yes -o ConnectTimeout=10}"
	"${ssh[@]}" "$1" "cd $dir && $2" </dev/null
}

# Everything that can be known before a NIC is touched.
check_machine() {
	local name=$1 role=$2 clock
	clock=$(there "$name" "date +%s") || die "$name cannot be reached by ssh without a password, or has no $dir"
	clock=$((clock - $(date +%s)))
	[ "${clock#-}" -le "$CLOCK_SLACK" ] ||
		die "the clock of $name is ${clock#-} s off ours: they start at an agreed time" \
			"Set it there, for example: chronyc makestep"
	there "$name" "test -s /var/lib/pmdperf/profile" ||
		die "$name is not prepared" "There: scripts/prepare PEER"
	there "$name" "${sudo}scripts/$role --help" >/dev/null || die "$name cannot run $dir/scripts/$role"
}

# start NAME ROLE TIME
start() {
	local word line=
	for word in ${words[@]+"${words[@]}"}; do
		line+=" $(printf '%q' "$word")"
	done
	there "$1" "${sudo}scripts/$2 --detach --at $3$line" >"$results/$2-start.log" 2>&1 ||
		die "$1 does not start:" "$(tail -n 5 "$results/$2-start.log")"
	say "$1 ($2): $(head -n 1 "$results/$2-start.log")"
}

# wait_end NAME ROLE END: prints the exit status and the result's folder. A machine that cannot be
# reached is away with its NIC.
wait_end() {
	local status
	while [ "$(date +%s)" -lt "$3" ]; do
		status=$(there "$1" "cat results/$2-detached.status" 2>/dev/null) || status=
		if [[ $status =~ ^[0-9]+\  ]]; then
			printf '%s\n' "$status"
			return 0
		fi
		sleep "$POLL"
	done
	return 1
}

# bring_home NAME ROLE FOLDER: without a folder, what it said.
bring_home() {
	mkdir -p "$results/$2"
	there "$1" "tar -c -C results $2-detached.log ${3:-}" | tar -x -C "$results/$2" ||
		die "the result of $1 cannot be fetched; there: $dir/scripts/show"
	[ -z "${3:-}" ] || mv "$results/$2/$3" "$results/$2/result"
}

parse_words "$@"
make_tmp_dir
check_machine "${names[0]}" send
check_machine "${names[1]}" receive
results=$ROOT/results/pair-$(date +%Y%m%d-%H%M%S)-$$
mkdir -p "$results"
begin=$(($(date +%s) + AHEAD))
start "${names[1]}" receive "$begin"
start "${names[0]}" send "$((begin + LEAD))"
end=$((begin + PATIENCE))
status=0
for i in 0 1; do
	role=send
	[ "$i" -eq 0 ] || role=receive
	got=$(wait_end "${names[i]}" "$role" "$end") ||
		die "${names[i]} has not ended in $PATIENCE s, or cannot be reached; its NIC comes back by itself"
	bring_home "${names[i]}" "$role" "${got#* }"
	case ${got%% *} in
	0) ;;
	3) status=3 ;;
	*) [ "$status" -eq 3 ] || status=1 ;;
	esac
done
for i in 0 1; do
	role=send
	[ "$i" -eq 0 ] || role=receive
	say "" "${names[i]}:"
	cat "$results/$role/result/card.txt" 2>/dev/null || tail -n 5 "$results/$role/$role-detached.log"
done
say "" "Both results: $results"
exit "$status"
