#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# doctor.sh - what a measurement will meet on this machine, and what mends it
#
# usage: scripts/doctor.sh [NIC] [--json | --blocking]
#
# Looks, and changes nothing. Needs no build and nothing that a bare system
# lacks; what only root can see is n/a for others. NIC is a PCI address, a MAC
# or an interface; without one all NICs are looked at.
#
#   --json       one object instead of lines
#   --blocking   only what would make a run fail, nothing else
#   --help       this text
#
# Each finding is ok, warn or bad; under what is not ok stands the command that
# mends it. Exit status: 0 nothing is bad, 1 something is, 2 wrong usage.

# shellcheck source-path=SCRIPTDIR
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/lib/common.sh"
. "$HERE/lib/system.sh"
. "$HERE/lib/packages.sh"
. "$HERE/lib/preset.sh"
. "$HERE/lib/nic/find.sh"
. "$HERE/lib/nic/state.sh"
. "$HERE/lib/nic/driver.sh"
. "$HERE/lib/nic/sockets.sh"
. "$HERE/lib/nic/guard.sh"
. "$HERE/lib/nic/status.sh"
. "$HERE/lib/doctor/memory.sh"
. "$HERE/lib/doctor/cpu.sh"
. "$HERE/lib/doctor/nic.sh"
. "$HERE/lib/doctor/console.sh"
. "$HERE/lib/doctor/cloud.sh"

form=text
nic=
FOUND=() # "STATE<tab>NAME<tab>TEXT<tab>COMMAND"

# finding STATE NAME TEXT [COMMAND]: STATE is ok, warn or bad.
finding() {
	FOUND+=("$1"$'\t'"$2"$'\t'"$3"$'\t'"${4-}")
}

parse_words() {
	while [ $# -gt 0 ]; do
		case $1 in
		--json | --blocking)
			[ "$form" = text ] || usage_error "one of --json and --blocking"
			form=${1#--}
			;;
		-h | --help) print_help && exit 0 ;;
		-*) usage_error "unknown option '$1'" ;;
		*)
			[ -z "$nic" ] || usage_error "one NIC at a time: '$nic', and what is '$1'?"
			nic=$1
			;;
		esac
		shift
	done
}

count_of() {
	local line count=0
	for line in "${FOUND[@]}"; do
		[ "${line%%$'\t'*}" != "$1" ] || count=$((count + 1))
	done
	printf '%s\n' "$count"
}

# show_findings [STATE]: all, or those of one state. Long lines go on under their text.
show_findings() {
	printf '%s\n' "${FOUND[@]}" | awk -F '\t' -v only="${1-}" '
		function fold(head, text,    cut) {
			while (length(head text) > 79) {
				for (cut = 80 - length(head); cut > 20 && substr(text, cut, 1) != " "; cut--)
					;
				if (cut <= 20)
					break
				print head substr(text, 1, cut - 1)
				text = substr(text, cut + 1)
				gsub(/./, " ", head)
			}
			print head text
		}
		only == "" || $1 == only {
			fold(sprintf("%-4s %-12s ", $1, $2), $3)
			# A command is for copying: it is not cut.
			if ($4 != "")
				print "                  > " $4
		}'
}

json_string() {
	local text=$1
	text=${text//\\/\\\\}
	text=${text//\"/\\\"}
	printf '%s' "$text" | LC_ALL=C tr '\001-\037' '?'
}

show_json() {
	local line state name text command first=yes
	printf '{\n  "schema": "pmdperf-doctor/1",\n  "bad": %s,\n  "warn": %s,\n  "ok": %s,\n' \
		"$(count_of bad)" "$(count_of warn)" "$(count_of ok)"
	printf '  "findings": ['
	for line in "${FOUND[@]}"; do
		IFS=$'\t' read -r state name text command <<<"$line"
		[ -n "$first" ] || printf ','
		first=
		printf '\n    {"state": "%s", "name": "%s", "text": "%s", "command": ' "$state" \
			"$(json_string "$name")" "$(json_string "$text")"
		if [ -n "$command" ]; then
			printf '"%s"}' "$(json_string "$command")"
		else
			printf 'null}'
		fi
	done
	printf '\n  ]\n}\n'
}

parse_words "$@"
[ -z "$nic" ] || nic_find "$nic"
doctor_cloud
doctor_memory
doctor_cpu
doctor_nics
doctor_console
doctor_programs
case $form in
json) show_json ;;
blocking) show_findings bad ;;
text)
	show_findings
	say "$(count_of bad) bad, $(count_of warn) warn, $(count_of ok) ok"
	;;
esac
[ "$(count_of bad)" -eq 0 ] || exit 1
