# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The profile of this machine: what the kernel knows of the way to the peer, and DPDK will not. A
# line is "key value", a tab, and where the value comes from.

PROFILE_FILE=$STATE_DIR/profile
PROFILE_LINES= # of a profile that is being made

# profile_add KEY VALUE ORIGIN: a value that is not known is left out.
profile_add() {
	[ -n "$2" ] || return 0
	PROFILE_LINES+="$1 $2"$'\t'"$3"$'\n'
}

# Complete or not at all. Readable by all: there is nothing secret in it.
profile_save() {
	mkdir -p "$STATE_DIR"
	printf '%s' "$PROFILE_LINES" >"$PROFILE_FILE.new"
	chmod 644 "$PROFILE_FILE.new"
	mv "$PROFILE_FILE.new" "$PROFILE_FILE"
}

profile_exists() {
	[ -s "$PROFILE_FILE" ]
}

# profile_get KEY: its value; nothing if there is none.
profile_get() {
	local key rest
	while read -r key rest; do
		[ "$key" = "$1" ] || continue
		printf '%s\n' "${rest%%$'\t'*}"
		return 0
	done 2>/dev/null <"$PROFILE_FILE" || :
}

profile_show() {
	local key rest
	while read -r key rest; do
		printf '  %-11s %-32s %s\n' "$key" "${rest%%$'\t'*}" "${rest#*$'\t'}"
	done <"$PROFILE_FILE"
}
