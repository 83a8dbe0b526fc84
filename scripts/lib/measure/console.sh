# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# A console shows the card until somebody has read it: the kernel's messages would push it off the
# screen, and blanking hides it. Both are as before afterwards.

PRINTK_BEFORE=

console_quiet() {
	local level rest
	read -r level rest <"$PROC/sys/kernel/printk" 2>/dev/null || return 0
	if [ "$level" -gt 1 ] && put "1" "$PROC/sys/kernel/printk"; then
		PRINTK_BEFORE=$level
	fi
	# console_codes(4): minutes until blanking and powering down.
	[ "${TERM:-}" != linux ] || [ ! -t 1 ] || printf '\033[9;0]\033[14;0]'
}

console_loud() {
	local seconds
	[ -z "$PRINTK_BEFORE" ] || put "$PRINTK_BEFORE" "$PROC/sys/kernel/printk" || :
	PRINTK_BEFORE=
	[ "${TERM:-}" = linux ] && [ -t 1 ] || return 0
	seconds=$(first_line "$SYS/module/kernel/parameters/consoleblank")
	printf '\033[9;%d]' "$((${seconds:-0} / 60))"
}
