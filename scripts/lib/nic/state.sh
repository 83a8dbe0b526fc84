# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# What a NIC was like before it was taken: $STATE_DIR/nic/BDF/, plain text. `meta` has NAME=VALUE
# lines, the other files are what capture.sh wrote. It is made beside its place and renamed, so it
# is whole or not there. It outlives a crash; a reboot gives the NIC back and makes it stale.

STATE= # the folder of the NIC at hand

state_dir() {
	printf '%s/nic/%s\n' "$STATE_DIR" "$1"
}

# The devices that have a saved state, a line each.
state_list() {
	local dir
	for dir in "$STATE_DIR"/nic/*; do
		[ -e "$dir/meta" ] && printf '%s\n' "${dir##*/}"
	done
	return 0
}

state_exists() {
	[ -e "$(state_dir "$1")/meta" ]
}

# state_value BDF NAME: nothing if it was not saved. Values are text, never code.
state_value() {
	sed -n "s/^$2=//p" "$(state_dir "$1")/meta" 2>/dev/null | head -n 1
}

state_load() {
	STATE=$(state_dir "$1")
}

state_get() {
	sed -n "s/^$1=//p" "$STATE/meta" | head -n 1
}

state_is_stale() {
	[ "$(state_get boot_id)" != "$(boot_id)" ]
}

# Taken while the machine was up as it is now, and not given back yet.
is_taken() {
	[ -e "$(state_dir "$1")/meta" ] && [ "$(state_value "$1" boot_id)" = "$(boot_id)" ]
}

# state_save TARGET: of the NIC that nic_find found, soon to be bound to the driver TARGET.
state_save() {
	local new
	STATE=$(state_dir "$NIC_ID")
	[ -z "$DRY_RUN" ] || { say "    would save the configuration in $STATE" && return 0; }
	mkdir -p "$STATE_DIR/nic" || return 1
	chmod 700 "$STATE_DIR/nic"
	rm -rf "$STATE_DIR/nic/.new."*
	new=$(mktemp -d "$STATE_DIR/nic/.new.XXXXXX") || return 1
	capture "$NIC_IF" "$new"
	owner_find "$NIC_IF" "$new"
	{
		printf 'version=1\n'
		printf 'boot_id=%s\n' "$(boot_id)"
		printf 'saved_utc=%s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
		printf 'bdf=%s\nifname=%s\nmac=%s\n' "$NIC_ID" "$NIC_IF" "$NIC_MAC"
		printf 'driver=%s\ntarget=%s\n' "$NIC_DRIVER" "$1"
		printf 'override=%s\n' "$(pci_attribute "$NIC_ID" driver_override | sed 's/^(null)$//')"
		printf 'owner=%s\n' "$OWNER"
		printf 'gateway=%s\n' "$(gateway_of "$NIC_IF")"
		printf 'gateway_answered=%s\n' "$(yes_if gateway_answers "$NIC_IF" "$(gateway_of "$NIC_IF")")"
		printf 'resolver_worked=%s\n' "$(yes_if resolver_works)"
	} >"$new/meta"
	sync || :
	rm -rf "$STATE"
	mv "$new" "$STATE"
}

state_drop() {
	[ -n "$DRY_RUN" ] || rm -rf "$STATE"
}

yes_if() {
	if "$@" >/dev/null 2>&1; then
		printf 'yes\n'
	else
		printf 'no\n'
	fi
}
