# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# What every script needs: messages, a private folder, and a clean-up that runs on every exit.
# Sourced after `set -eu`, before the other files.

# shellcheck disable=SC2034 # for those who source this
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
TMP_DIR=
HELD_SIGNAL=
HOLD_SIGNALS=

# A signal may come while a command's output goes to a log: the clean-up speaks to these.
exec {STDOUT}>&1 {STDERR}>&2

# In this order on every exit, as far as the files that have them were sourced. A step that had
# nothing to do, or was done before, is no error.
CLEANUP_STEPS='stop_children hugepages_give_back remove_runtime_dirs remove_tmp_dir'

# say LINE... A reader that went away is no reason to leave the clean-up half done.
say() {
	printf '%s\n' "$@" || :
}

# complain LINE...: to stderr.
complain() {
	printf '%s\n' "$@" >&2 || :
}

die() {
	complain "$(basename "$0"): $1" "${@:2}"
	exit 1
}

usage_error() {
	complain "$(basename "$0"): $*" "try: $0 --help"
	exit 2
}

# The exit status stays the script's own, unless all was well but something could not be undone.
run_cleanup() {
	local status=$? step
	trap - EXIT
	trap '' INT TERM HUP PIPE
	set +e
	exec 1>&"$STDOUT"
	exec 2>&"$STDERR"
	for step in $CLEANUP_STEPS; do
		declare -F "$step" >/dev/null || continue
		# shellcheck disable=SC2034 # for a step that passes it on
		EXIT_STATUS=$status
		"$step" || [ "$status" -ne 0 ] || status=1
	done
	exit "$status"
}

on_signal() {
	[ -n "$HOLD_SIGNALS" ] || exit "$1"
	HELD_SIGNAL=$1
}

# Between these two a signal waits: for a change and the note of it that must not be parted.
hold_signals() {
	HOLD_SIGNALS=1
}

release_signals() {
	HOLD_SIGNALS=
	[ -z "$HELD_SIGNAL" ] || exit "$HELD_SIGNAL"
}

trap run_cleanup EXIT
trap 'on_signal 129' HUP
trap 'on_signal 130' INT
trap 'on_signal 141' PIPE
trap 'on_signal 143' TERM

# Not in $TMPDIR: the path of a unix socket holds only 107 bytes.
make_tmp_dir() {
	hold_signals
	TMP_DIR=$(mktemp -d /tmp/pmdperf.XXXXXXXX)
	release_signals
}

remove_tmp_dir() {
	[ -z "$TMP_DIR" ] || rm -rf "$TMP_DIR"
}

# need_count OPTION [VALUE...]: ends the script unless the option has a count of at least 1.
need_count() {
	[[ ${2-} =~ ^[1-9][0-9]{0,5}$ ]] ||
		usage_error "$1 takes a whole number from 1 to 999999, not '${2-}'"
}

# Whether this is an unpacked bundle: the program is there, and nothing is built or installed for it.
is_bundle() {
	[ -e "$ROOT/BUNDLE" ]
}

# The comment at the head of a script is its help.
print_help() {
	awk 'NR > 2 && !/^#/ { exit } NR > 3 { sub(/^# ?/, ""); print }' "$0"
}
