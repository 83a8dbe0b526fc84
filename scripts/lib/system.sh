# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The one way by which scripts look at the system and change it. Tests give another root; a dry
# run only says what it would do.

# shellcheck disable=SC2034 # for those who source this
SYSROOT=${PMDPERF_SYSROOT:-}
SYS=$SYSROOT/sys
PROC=$SYSROOT/proc
DEV=$SYSROOT/dev
ETC=$SYSROOT/etc
RUN_DIR=$SYSROOT/run/pmdperf
STATE_DIR=$SYSROOT/var/lib/pmdperf
DRY_RUN=
STEPS=0

have() {
	command -v "$1" >/dev/null 2>&1
}

# step TEXT: says what is done next. Before each change of the system stands one, and it is where
# tests pull the plug.
step() {
	STEPS=$((STEPS + 1))
	[ "${PMDPERF_KILL_AT:-}" != "$STEPS" ] || kill -KILL $$ "$BASHPID"
	say "  - $*"
}

# put VALUE FILE: one write to sysfs or procfs. Returns what the write does, which proves nothing:
# read back what it was to change. A test's root may bring a kernel that answers the write.
put() {
	if [ -n "$DRY_RUN" ]; then
		say "    would write '$1' to $2"
		return 0
	fi
	printf '%s\n' "$1" 2>/dev/null >"$2" || return 1
	[ -z "$SYSROOT" ] || [ ! -x "$SYSROOT/kernel" ] || "$SYSROOT/kernel" "$2" "$1"
}

# attempt COMMAND...: a command that changes the system. It does not inherit the script's lock, for
# it may start what stays.
attempt() {
	if [ -n "$DRY_RUN" ]; then
		say "    would run: $*"
		return 0
	fi
	if [ -n "${LOCK:-}" ]; then
		eval "\"\$@\" $LOCK>&-"
	else
		"$@"
	fi
}

boot_id() {
	cat "$PROC/sys/kernel/random/boot_id"
}

# link_name PATH: the last part of a link's target; nothing if there is no link.
link_name() {
	local target
	target=$(readlink "$1") || return 0
	printf '%s\n' "${target##*/}"
}

# A line of a file, or nothing where it is not there or cannot be read.
first_line() {
	local line=
	{ read -r line <"$1"; } 2>/dev/null || :
	printf '%s\n' "$line"
}
