# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034,SC2154 # main.sh and choice.sh have what is not here
#
# A step is one run of pmdperf by one profile.

VERDICT=0 # exit status: the worst of all steps
STEP=     # the one that is going on
STEP_LOG=
ENDED= # by Ctrl-C: no more steps

# Ctrl-C ends a step as its time does, with all that was measured; then everything is given back.
on_signal() {
	if [ "$1" -eq 130 ] && [ -n "$STEP" ]; then
		ENDED=yes
		signal_child "$CHILD" TERM || :
		return 0
	fi
	[ -n "$HOLD_SIGNALS" ] || exit "$1"
	HELD_SIGNAL=$1
}

# ini_value PROFILE KEY
ini_value() {
	sed -n "s/^$2[ \t]*=[ \t]*\([^; \t]*\).*/\1/p" "$ROOT/config/$1.ini" | head -n 1
}

# step_seconds PROFILE: measured time of a sender.
step_seconds() {
	if [ -n "$duration" ]; then
		printf '%s\n' "$duration"
	else
		parse_duration "$(ini_value "$1" duration)"
	fi
}

# How long the NIC is needed at most.
bind_seconds() {
	local step sum=$BIND_MARGIN
	for step in "${steps[@]}"; do
		sum=$((sum + $(step_seconds "$step") + PAUSE + RX_WAIT + RX_IDLE))
	done
	[ "$sum" -le "$BIND_MAX" ] || sum=$BIND_MAX
	printf '%s\n' "$sum"
}

# One lcore for each physical core of the NIC's node, CPU 0's core left to the system if there is
# another; a queue for each. More than the device has are left out by pmdperf, and said.
queue_count() {
	local dir cpus=() key system0='' seen=' ' count=0
	cpus=("$SYS"/devices/system/node/node"$node"/cpu[0-9]*)
	[ -d "${cpus[0]}" ] || cpus=("$SYS"/devices/system/cpu/cpu[0-9]*)
	for dir in "${cpus[@]}"; do
		key=$(first_line "$dir/topology/physical_package_id"):$(first_line "$dir/topology/core_id")
		[ "$key" != : ] || continue # offline
		[ "${dir##*/}" != cpu0 ] || system0=$key
		[[ $seen != *" $key "* ]] || continue
		seen+="$key "
		count=$((count + 1))
	done
	[ -z "$system0" ] || [ "$count" -lt 2 ] || count=$((count - 1))
	printf '%s\n' "$((count > 0 ? count : 1))"
}

# What the driver is to be told, by the NIC's preset.
devargs() {
	local words=
	[ -z "$preset" ] || words=$(preset_get "$preset" use devargs)
	printf '%s\n' "${words:+,$words}"
}

# check_expect: rates as pmdperf takes them; which step each is for is their unit's matter.
check_expect() {
	local rate
	[ -n "$expect" ] || return 0
	for rate in ${expect//,/ }; do
		[[ $rate =~ ^[0-9]+(\.[0-9]+)?[kMGT]?(pps|bps)$ ]] ||
			usage_error "--expect takes rates such as 12Mpps,50Gbps, not '$rate'"
	done
}

# expect_for PROFILE: packets a second are judged with short frames, bandwidth with long ones; with
# one step alone, both.
expect_for() {
	local length
	length=$(ini_value "$1" txpkts)
	if [ ${#steps[@]} -eq 1 ] || [ -z "$length" ]; then
		printf '%s\n' "$expect"
	elif [ "$length" -le 256 ]; then
		printf '%s\n' "$expect" | tr , '\n' | grep pps || :
	else
		printf '%s\n' "$expect" | tr , '\n' | grep bps || :
	fi
}

# step_words PROFILE NAME: sets the array NAME to pmdperf's words.
step_words() {
	local queues most='' rate made=()
	queues=$(queue_count)
	# No NIC of its kind has more, so that lcores are not asked for in vain.
	[ -z "$preset" ] || most=$(preset_get "$preset" limits "$([ "$ROLE" = send ] && echo tx || echo rx)-queues")
	[ -z "$most" ] || [ "$queues" -le "$most" ] || queues=$most
	if [ -n "$io" ]; then
		queues=1
		made=(--no-pci -- "--io=$io" "--interface=$interface")
		[ -z "$STEER_QUEUE" ] || made+=("--io-queue=$STEER_QUEUE")
	else
		made=(-a "$nic$(devargs)" --)
	fi
	made+=("--config=$ROOT/config/$1.ini" "--src-ip=$own_ip")
	rate=$(expect_for "$1")
	[ -z "$rate" ] || made+=("--expect=$rate")
	if [ "$ROLE" = send ]; then
		made+=(--forward-mode=txonly "--dst-ip=$peer_ip" "--txq=$queues")
		[ -z "$gateway" ] || made+=("--gateway=$gateway")
		[ -z "$next_hop" ] || made+=("--dst-mac=$next_hop")
		[ -z "$duration" ] || made+=("--duration=${duration}s")
	else
		made+=(--forward-mode=rxonly "--rxq=$queues" "--rx-wait=${RX_WAIT}s" "--rx-idle=${RX_IDLE}s"
			--warmup=0 "--duration=${duration:-0}")
		[ "$queues" -eq 1 ] || made+=(--rss-udp)
	fi
	eval "$2=(\"\${made[@]}\")"
}

check_length() {
	local length
	length=$(ini_value "$1" txpkts)
	[ -z "$length" ] || [ -z "$mtu" ] || [ "$ROLE" = receive ] || [ "$length" -le $((mtu + 14)) ] ||
		die "frames of $length bytes do not pass: the path's MTU is $mtu, so $((mtu + 14)) at most" \
			"Set txpkts in config/$1.ini"
}

# run_step PROFILE NUMBER
run_step() {
	local words=() status=0
	check_length "$1"
	step_words "$1" words
	STEP=$2-$1
	STEP_LOG=$results/$STEP.log
	say "" "Step $2 of ${#steps[@]}: $1"
	if [ "$ROLE" = send ]; then
		say "Sending for $(step_seconds "$1") s"
	else
		say "Waiting up to $RX_WAIT s for the first frame; the step ends $RX_IDLE s after the last. Ctrl-C ends it"
	fi
	printf '%s\n' "$program ${words[*]}" >"$results/$STEP.command"
	start_child "$program" "${words[@]}" "--json=$results/$STEP.json" >"$STEP_LOG" 2>"$STEP_LOG.err"
	follow "$CHILD" "$STEP_LOG"
	reap "$CHILD" || status=$?
	STEP=
	step_judge "$1" "$status"
}

# follow PID LOG: shows the lines of the rates as they come, until the process ends, and nothing else:
# the rest is in the log.
follow() {
	local line part='' last=''
	while true; do
		is_alive "$1" || last=yes
		while IFS= read -r line <&3 || { part+=$line && false; }; do
			line=$part$line
			part=
			[[ ! $line =~ ^\ +[0-9]+\.[0-9]{3}\ |^\ +time\ s ]] || say "$line"
		done
		[ -z "$last" ] || return 0
		sleep 0.2 || : # Ctrl-C ends it, too
	done 3<"$2"
}

# step_judge PROFILE STATUS: a step that could not run ends the script, after all is given back.
step_judge() {
	case $2 in
	0) ;;
	3) VERDICT=3 ;;
	*) die "the step $1 failed with exit status $2:" "$(tail -n 12 "$STEP_LOG.err")" ;;
	esac
}

pause_between() {
	[ "$ROLE" = send ] || return 0
	say "Pausing $PAUSE s: the receiver ends its step meanwhile"
	run sleep "$PAUSE"
}

# The last screen, from the result files.
card_write() {
	local back=$nic_back
	[ "$back" != none ] || back="no NIC was taken"
	[ "$pages_back" = none ] || back+="; $pages_back"
	awk -v role="$ROLE" -v steps="${steps[*]}" -v folder="$results" -v back="$back" \
		-v again="$HERE/show" -f "$HERE/lib/measure/card.awk"
}
