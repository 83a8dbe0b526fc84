# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154 # main.sh has what is not here
#
# A run from SSH, without a console: a process that the connection's end does not touch takes the
# NIC, measures, gives it back. The session pauses meanwhile, and thaws.

# Of a detached run: its output; and once all is given back, its exit status and result folder.
detached_log() {
	printf '%s\n' "$ROOT/results/$ROLE-detached.log"
}

detached_status() {
	printf '%s\n' "$ROOT/results/$ROLE-detached.status"
}

# detach_self WORD...: the words of this run. Ends the script.
detach_self() {
	local word words=() command log
	for word in "$@"; do
		[ "$word" = --detach ] || words+=("$word")
	done
	mkdir -p "$ROOT/results"
	log=$(detached_log)
	rm -f "$(detached_status)"
	: >"$log"
	# It must not be taken for a part of the session, which would forbid it to take the NIC.
	command=(env -u SSH_CONNECTION -u SSH_CLIENT -u SSH_TTY PMDPERF_DETACHED=yes "PMDPERF=${PMDPERF:-}"
		"PATH=$PATH" "$BASH" "$HERE/$ROLE" ${words[@]+"${words[@]}"})
	detach_by_systemd "$log" "${command[@]}" || detach_by_setsid "$log" "${command[@]}"
	say "Detached. This session pauses while the NIC is away, at most $(bind_seconds) s, and goes on after." \
		"What it says:  tail -f $log" \
		"The result:    $HERE/show"
	exit 0
}

detach_by_systemd() {
	[ -e "$SYSROOT/run/systemd/system" ] && have systemd-run || return 1
	# shellcheck disable=SC2016 # for the unit's own shell
	systemd-run --unit="pmdperf-$ROLE-$$" "$BASH" -c 'exec "${@:2}" >>"$1" 2>&1' "$ROLE" "$@" >/dev/null 2>&1
}

# The parent ends at once, so that the run is nobody's child.
detach_by_setsid() {
	(setsid "${@:2}" </dev/null >>"$1" 2>&1 {STDOUT}>&- {STDERR}>&- &)
}

is_detached() {
	[ -n "${PMDPERF_DETACHED:-}" ]
}

# Whoever waits for the end of a detached run looks for this.
note_end() {
	! is_detached || printf '%s %s\n' "$EXIT_STATUS" "${results##*/}" >"$(detached_status)"
}

# wait_for_start: until --at, with the NIC still there.
wait_for_start() {
	local now
	now=$(date +%s)
	[ -n "$start_at" ] && [ "$start_at" -gt "$now" ] || return 0
	say "Starting in $((start_at - now)) s"
	run sleep "$((start_at - now))"
}
