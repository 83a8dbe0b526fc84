# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# One nic.sh at a time. The kernel lets go of the lock when the last process that has it open ends,
# so what is started and stays (a DHCP client, an unbind that hangs) must not inherit it.

LOCK= # the open file

# take_lock: ends the script with status 1 if another one is at work.
take_lock() {
	local file=$RUN_DIR/nic.lock
	[ -z "$DRY_RUN" ] || return 0
	mkdir -p "$RUN_DIR" || die "cannot make $RUN_DIR"
	exec {LOCK}>>"$file"
	if have flock; then
		flock -n "$LOCK" || lock_is_taken "$(first_line "$file")"
	else
		take_lock_by_link "$file.owner"
	fi
	printf '%s\n' "$$" >"$file"
}

lock_is_taken() {
	die "another nic.sh is at work${1:+ (process $1)}: try again when it is done"
}

# Without flock: of several links to one name the kernel makes one. Who died with it lost it.
take_lock_by_link() {
	local file=$1 owner
	printf '%s\n' $$ >"$file.$$"
	if ! ln "$file.$$" "$file" 2>/dev/null; then
		owner=$(first_line "$file")
		if kill -0 "${owner:-0}" 2>/dev/null && grep -qa nic.sh "/proc/$owner/cmdline"; then
			rm -f "$file.$$"
			lock_is_taken "$owner"
		fi
		mv "$file.$$" "$file"
		[ "$(first_line "$file")" = $$ ] || lock_is_taken "$(first_line "$file")"
	fi
	rm -f "$file.$$"
}

# In a child that may outlive the script.
drop_lock() {
	[ -z "$LOCK" ] || exec {LOCK}>&-
}
