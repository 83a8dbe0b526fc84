# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# CPUs and the clock.

doctor_cpu() {
	local dir text governors isolated source flags
	text=
	for dir in "$SYS"/devices/system/node/node[0-9]*; do
		[ -e "$dir/cpulist" ] || continue
		text+="${text:+; }node ${dir##*/node}: CPUs $(first_line "$dir/cpulist")"
	done
	finding ok cpus "${text:-n/a: the kernel shows no nodes}"
	isolated=$(first_line "$SYS/devices/system/cpu/isolated")
	if [ -n "$isolated" ]; then
		finding ok isolated "CPUs $isolated are kept from other programs"
	else
		finding ok isolated "none; other programs and interrupts take time from lcores"
	fi
	case $(first_line "$SYS/devices/system/cpu/smt/active") in
	1) finding ok threads "two a core; one lcore is put on each physical core" ;;
	0) finding ok threads "one a core" ;;
	*) finding ok threads "n/a: the kernel does not say" ;;
	esac
	governors=$(cat "$SYS"/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor 2>/dev/null |
		sort -u | tr '\n' ' ')
	case $governors in
	'') finding ok governor "none: the frequency is the host's or the firmware's matter" ;;
	'performance ') finding ok governor performance ;;
	*) finding warn governor "${governors% }: rates change with the frequency" "cpupower frequency-set -g performance" ;;
	esac
	source=$(first_line "$SYS/devices/system/clocksource/clocksource0/current_clocksource")
	flags=$(grep -m 1 '^flags' "$PROC/cpuinfo" 2>/dev/null || :)
	case $source in
	tsc | kvm-clock | hyperv_clocksource_tsc_page | arch_sys_counter) finding ok clock "$source" ;;
	'') finding ok clock "n/a: the kernel does not say" ;;
	*) finding warn clock "$source: reading the time is slow, and the TSC is not trusted" \
		"cat $SYS/devices/system/clocksource/clocksource0/available_clocksource" ;;
	esac
	if [ -z "$flags" ]; then
		finding ok tsc "n/a: /proc/cpuinfo has no flags"
	elif [[ "$flags " == *' constant_tsc '* && "$flags " == *' nonstop_tsc '* ]]; then
		finding ok tsc "constant and nonstop"
	else
		finding warn tsc "not both constant and nonstop; each run compares it with the clock" \
			"grep -m 1 flags /proc/cpuinfo"
	fi
}
