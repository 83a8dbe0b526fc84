# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The dead man's switch: a process of its own that gives a NIC back when its time is up, whatever
# became of the shell that took it.
#
# $RUN_DIR/nic/BDF/ has
#   switch          TOKEN: it is armed. Written and removed by who holds the lock of nic.sh; the
#                   watcher holds it while it fires, and looks again, then, for its own token
#   lease           "PID COUNT": a pmdperf that uses the NIC rewrites it each second while it makes
#                   progress. The watcher looks for a change
#   TOKEN/watcher   "PID START END": that token's watcher, and when its time is up
#   TOKEN/firing    there once it has begun to fire
# Times are seconds since the boot: the clock of the day may jump. Processes are the machine's own,
# also where tests give another root.
#
# The watcher has read all its code when it is armed, and starts no process until it fires: it would
# take time from the program that measures.

SWITCH_ARM_SECONDS=10
SWITCH_RETRY_SECONDS=30
SWITCH_RETRY_MAX=3600
SWITCH_LOCK_SECONDS=120 # a restore that waits for a DHCP server needs less

switch_dir() {
	printf '%s/nic/%s\n' "$RUN_DIR" "$1"
}

switch_log() {
	printf '%s/nic-%s.log\n' "$STATE_DIR" "$1"
}

# parse_duration TEXT: prints seconds: 90, 90s, 30m, 2h. Returns 1 for anything else.
parse_duration() {
	local unit=1
	[[ $1 =~ ^([0-9]{1,6})([smh]?)$ ]] || return 1
	case ${BASH_REMATCH[2]} in
	m) unit=60 ;;
	h) unit=3600 ;;
	esac
	printf '%s\n' $((10#${BASH_REMATCH[1]} * unit))
}

# start_of PID: sets START to the moment at which a process started, in ticks since the boot: with
# its pid, its identity. Nothing if there is no such process, or only what is left of one.
start_of() {
	local line words
	START=
	{ read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
	# The name comes first, in parentheses, and may hold anything.
	read -r -a words <<<"${line##*) }"
	[ "${words[0]:-Z}" = Z ] || START=${words[19]:-}
}

# Sets NOW.
read_uptime() {
	local up=
	{ read -r up _ <"$PROC/uptime"; } 2>/dev/null || :
	[[ ! $up =~ ^[0-9]+ ]] || NOW=${BASH_REMATCH[0]}
}

# switch_arm BDF MAX_SECONDS IDLE_SECONDS: returns 0 once the watcher is proved to run.
switch_arm() {
	local dir log token launch
	[ -z "$DRY_RUN" ] || return 0
	dir=$(switch_dir "$1")
	log=$(switch_log "$1")
	rm -rf "$dir"
	mkdir -p "$dir" "$STATE_DIR" || return 1
	printf '%-11s %-20s\n' 0 0 >"$dir/lease" || return 1
	for launch in launch_by_systemd launch_by_setsid; do
		# A watcher that comes too late finds another's token, and ends.
		token=$(cat /proc/sys/kernel/random/uuid)
		mkdir "$dir/$token" && printf '%s\n' "$token" >"$dir/switch" || return 1
		"$launch" "$log" "$1" "$2" "$3" "$token" || continue
		! wait_for "$SWITCH_ARM_SECONDS" switch_is_alive "$1" || return 0
	done
	rm -rf "$dir"
	complain "nic.sh: the watcher of the dead man's switch did not start; see $log"
	return 1
}

# launch_by_systemd LOG WORD...: in a unit of its own, which no end of a session touches. The shell
# is named, for systemd may not be allowed to execute a file in somebody's home. What the watcher
# starts, such as a DHCP client, outlives it.
launch_by_systemd() {
	[ -e "$SYSROOT/run/systemd/system" ] && have systemd-run || return 1
	systemd-run --unit="pmdperf-nic-$2-${5%%-*}" --property=KillMode=process \
		--setenv=PMDPERF_SYSROOT="$SYSROOT" --setenv=PATH="$PATH" \
		"$BASH" "$HERE/nic.sh" watch "${@:2}" >>"$1" 2>&1
}

launch_by_setsid() {
	setsid "$BASH" "$HERE/nic.sh" watch "${@:2}" </dev/null >>"$1" 2>&1 \
		{STDOUT}>&- {STDERR}>&- {LOCK}>&- &
}

# switch_is_armed BDF: sets WATCH to the folder of its watcher.
switch_is_armed() {
	local dir token=
	dir=$(switch_dir "$1")
	{ read -r token <"$dir/switch"; } 2>/dev/null || :
	WATCH=$dir/$token
	[ -n "$token" ]
}

# Its watcher is a live process, the same that wrote its name. Sets END.
switch_is_alive() {
	local pid start
	switch_is_armed "$1" || return 1
	{ read -r pid start END <"$WATCH/watcher"; } 2>/dev/null || return 1
	start_of "$pid"
	[ "$START" = "$start" ]
}

switch_disarm() {
	[ -n "$DRY_RUN" ] || rm -rf "$(switch_dir "$1")"
}

# Returns 1 if it is too late.
switch_confirm() {
	if ! switch_is_armed "$1"; then
		say "No switch is armed for $1: it stays bound until: $0 restore $1"
		return 0
	fi
	if switch_is_alive "$1" && [ -e "$WATCH/firing" ]; then
		complain "nic.sh: too late: the dead man's switch is giving $1 back; see $(switch_log "$1")"
		return 1
	fi
	# The lease stays: it harms nobody, and a pmdperf has it open.
	rm -f "$(switch_dir "$1")/switch"
	say "Confirmed: the switch is disarmed. $1 stays bound until: $0 restore $1"
}

# For status: "armed, 1234 s left", "firing", "DEAD", or nothing.
switch_status() {
	switch_is_armed "$1" || return 0
	if ! switch_is_alive "$1"; then
		printf 'DEAD: it will not fire. Restore, or confirm\n'
	elif [ -e "$WATCH/firing" ]; then
		printf 'firing: see %s\n' "$(switch_log "$1")"
	else
		read_uptime
		printf 'armed, %s s left\n' $((END - NOW))
	fi
}

# -- the watcher --

switch_say() {
	say "$(date -u +%Y-%m-%dT%H:%M:%SZ) $*"
}

# On every console, also one that is quiet; a serial line that stands still holds nobody up.
switch_tell() {
	switch_say "$@"
	{ [ ! -e "$DEV/kmsg" ] || printf '<3>pmdperf: %s\n' "$*" >>"$DEV/kmsg"; } 2>/dev/null || :
}

# SIGTERM is for the watcher only when the machine goes down, which gives the NIC back anyway. Who
# ends the processes of a session doesn't mean this one; to disarm it there is confirm.
switch_on_term() {
	[ "$(systemctl is-system-running 2>/dev/null)" != stopping ] || exit 0
	switch_say "SIGTERM is of no effect: use $0 confirm, or restore"
}

# Whether this watcher's switch is the armed one.
switch_is_mine() {
	local armed=
	{ read -r armed <"$dir/switch"; } 2>/dev/null || :
	[ "$armed" = "$token" ]
}

# switch_watch BDF MAX_SECONDS IDLE_SECONDS TOKEN: ends when it is disarmed or has fired. The
# functions below work with its variables.
switch_watch() {
	[ $# -eq 4 ] || usage_error "watch is for nic.sh itself: see bind --max-bound"
	local bdf=$1 max=$2 idle=$3 token=$4 dir armed renewed line last NOW START pause
	local why='' user=0 user_start=''
	# Handlers, for what is ignored would be ignored by a DHCP client started here, too.
	trap : HUP INT QUIT PIPE
	trap switch_on_term TERM
	unset PMDPERF_KILL_AT
	cd /
	dir=$(switch_dir "$bdf")
	exec </dev/null >>"$(switch_log "$bdf")" 2>&1
	TMP_DIR=$dir/$token
	mkfifo "$TMP_DIR/never"
	exec {pause}<>"$TMP_DIR/never"
	read_uptime
	armed=$NOW
	renewed=$NOW
	last=$(first_line "$dir/lease")
	start_of $$
	printf '%s\n' "$$ $START $((armed + max))" >"$TMP_DIR/watcher"
	switch_say "$bdf: armed for $max s, or $idle s without progress"
	while [ -z "$why" ]; do
		# Nobody writes there: a second without a process for it.
		read -r -t 1 -u "$pause" _ || :
		switch_is_mine || { switch_say "$bdf: disarmed" && return 0; }
		read_uptime
		line=$last
		{ read -r line <"$dir/lease"; } 2>/dev/null || :
		if [ "$line" != "$last" ]; then
			last=$line
			renewed=$NOW
			user=${line%% *}
			start_of "$user"
			user_start=$START
		fi
		if [ $((NOW - armed)) -ge "$max" ]; then
			why="its $max s are up"
		elif [ $((NOW - renewed)) -ge "$idle" ]; then
			why="no pmdperf made progress for $idle s"
		fi
	done
	switch_fire
}

# Tries until it works: another program may have the device, and let it go later. When the driver is
# back but something is not as it was, each try disturbs: they get rarer.
switch_fire() {
	local seconds=$SWITCH_RETRY_SECONDS status
	while :; do
		status=0
		# On its own: nothing that goes wrong in it ends the watcher.
		(switch_fire_once) || status=$?
		if [ "$status" -eq 3 ]; then
			switch_say "$bdf: disarmed"
			return 0
		fi
		switch_release_hugepages
		if [ "$status" -eq 0 ]; then
			switch_tell "$bdf is given back"
			return 0
		fi
		switch_say "$bdf: not all is as it was; again in $seconds s"
		sleep "$seconds" || :
		! switch_has_driver || [ "$seconds" -ge "$SWITCH_RETRY_MAX" ] || seconds=$((seconds * 2))
	done
}

# Exit status: 0 when the NIC is as it was, 3 when the switch was disarmed in the last moment.
switch_fire_once() {
	switch_lock
	switch_is_mine || exit 3
	if [ ! -e "$TMP_DIR/firing" ]; then
		: >"$TMP_DIR/firing"
		switch_tell "$bdf goes back to the kernel now: $why"
	fi
	# Also one that has lost the device, or has not opened it yet. A pid alone is nobody: another
	# process may have it by now.
	start_of "$user"
	if [ -n "$START" ] && [ "$START" = "$user_start" ] &&
		[ "$(first_line "/proc/$user/comm")" = pmdperf ]; then
		switch_say "end pmdperf, process $user"
		end_process "$user"
	fi
	if state_exists "$bdf"; then
		nic_restore "$bdf" || exit 1
	fi
	rm -rf "$dir"
}

# A nic.sh that was stopped with Ctrl-Z, or hangs, has the lock: it must not keep the NIC.
switch_lock() {
	local file=$RUN_DIR/nic.lock pid i
	exec {LOCK}>>"$file"
	for ((i = 0; i < SWITCH_LOCK_SECONDS; i++)); do
		! flock -n "$LOCK" || break
		sleep 1
	done
	if [ "$i" -eq "$SWITCH_LOCK_SECONDS" ]; then
		pid=$(first_line "$file")
		switch_say "$bdf: process $pid has been at work for $i s: killed"
		! grep -qa nic.sh "/proc/$pid/cmdline" || kill -KILL "$pid" || :
		# What it started may have the lock, too: no reason to wait any longer.
		flock -n "$LOCK" || :
	fi
	printf '%s\n' $$ >"$file"
}

switch_has_driver() {
	local driver
	driver=$(pci_driver "$bdf")
	[ -n "$driver" ] && ! is_user_driver "$driver"
}

switch_release_hugepages() {
	[ -x "$HERE/hugepages.sh" ] && switch_has_driver || return 0
	"$HERE/hugepages.sh" release || :
}
