# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The console, which is all that is left while the NIC is taken.

doctor_console() {
	local text level rest blank
	if [ ! -r "$ETC/shadow" ]; then
		finding ok log-in "n/a: only root can see whether somebody could log in at a console"
	elif text=$(console_lacks) && [ -z "$text" ]; then
		finding ok log-in "somebody can log in at a console"
	elif [[ $text == *passwd* ]]; then
		finding warn log-in "no account has a password, so nobody can log in at a console" "passwd root"
	else
		finding warn log-in "no login waits at a console" "systemctl start serial-getty@ttyS0"
	fi
	blank=$(first_line "$SYS/module/kernel/parameters/consoleblank")
	if [ "${blank:-0}" -gt 0 ]; then
		finding warn blanking "the screen goes dark after $blank s; a run quiets that" \
			"setterm --blank 0 >/dev/tty1"
	else
		finding ok blanking "off"
	fi
	read -r level rest 2>/dev/null <"$PROC/sys/kernel/printk" || level=
	if [ "${level:-0}" -gt 4 ]; then
		finding warn messages "the kernel writes over the console (level $level); a run quiets that" \
			"dmesg -n 4"
	else
		finding ok messages "level ${level:-n/a}: the kernel stays quiet on the console"
	fi
}
