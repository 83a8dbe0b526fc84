# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Child processes, known by their pid and stopped on every exit; and the CPUs to put them on.
# Each child leads a process group of its own, so that what it started ends with it.

CHILDREN=()
CHILD= # the last one started

start_child() {
	hold_signals
	setsid "$@" </dev/null {STDOUT}>&- {STDERR}>&- &
	CHILD=$!
	CHILDREN+=("$CHILD")
	release_signals
}

is_alive() {
	kill -0 "$1" 2>/dev/null
}

# Waits for a child and forgets it. Returns its exit status.
reap() {
	local status=0 pid left=()
	wait "$1" 2>/dev/null || status=$?
	for pid in ${CHILDREN[@]+"${CHILDREN[@]}"}; do
		[ "$pid" = "$1" ] || left+=("$pid")
	done
	CHILDREN=(${left[@]+"${left[@]}"})
	return "$status"
}

# The child's whole group; or the child alone, if it was only just started.
signal_child() {
	kill -s "$2" -- "-$1" 2>/dev/null || kill -s "$2" "$1" 2>/dev/null
}

# Asks, waits up to ten seconds, then insists. Returns the child's exit status.
stop_child() {
	local i
	signal_child "$1" TERM || :
	for ((i = 0; i < 100; i++)); do
		signal_child "$1" 0 || break
		sleep 0.1
	done
	! signal_child "$1" KILL || complain "process $1 did not end within 10 s of SIGTERM: killed"
	reap "$1"
}

stop_children() {
	local pid
	for pid in ${CHILDREN[@]+"${CHILDREN[@]}"}; do
		stop_child "$pid" || :
	done
}

# run COMMAND...: as COMMAND alone, but a signal to the script ends it at once. A command in the
# foreground would hold the script's own traps back until it is done.
run() {
	start_child "$@"
	reap "$CHILD"
}

# Sets CPU_A and CPU_B to two CPUs that this process may use: on one NUMA node, on two cores if
# there are, and not CPU 0, which serves most interrupts, if there is a choice. They are the same
# where there is only one. NODE is CPU_A's.
choose_cpus() {
	# shellcheck disable=SC2034 # for the caller
	read -r CPU_A CPU_B NODE < <(
		LC_ALL=C lscpu -p=CPU,CORE,NODE | awk -F, '
			NR == FNR && /^Cpus_allowed_list/ {
				sub(/.*[ \t]/, "")
				for (i = split($0, part, ","); i > 0; i--) {
					n = split(part[i], end, "-")
					for (cpu = end[1]; cpu <= end[n]; cpu++)
						may[cpu] = 1
				}
			}
			NR != FNR && ($1 in may) {
				count++
				id[count] = $1
				core[count] = $2
				node[count] = $3 + 0
			}
			END {
				best = -1
				for (a = 1; a <= count; a++)
					for (b = a; b <= count; b++) {
						score = (a != b) * 8 + (core[a] != core[b]) * 4
						score += (node[a] == node[b]) * 2 + (id[a] != 0)
						if (score > best) {
							best = score
							pick = id[a] " " id[b] " " node[a]
						}
					}
				print pick
			}' /proc/self/status -
	)
}
