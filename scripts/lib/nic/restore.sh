# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Gives a NIC back and proves it. Works from wherever the taking or an earlier restore was broken
# off, and again when all is done.

END_SECONDS=5

# end_holders BDF: ends every pmdperf that has the device open: TERM, 5 s, KILL. Returns 1 if some
# other program has it, which is named and left alone.
end_holders() {
	local bdf=$1 pid name i
	while read -r pid name; do
		if [ "$name" != pmdperf ]; then
			complain "nic.sh: process $pid ($name) is using $bdf: end it first"
			return 1
		fi
		step "end pmdperf, process $pid"
		end_process "$pid"
	done < <(device_holders "$bdf")
	for ((i = 0; i < 50; i++)); do
		[ -n "$(device_holders "$bdf")" ] || return 0
		[ -z "$DRY_RUN" ] || return 0
		sleep 0.1
	done
	complain "nic.sh: $bdf is still in use by $(device_holders "$bdf" | tr '\n' ' ')"
	return 1
}

end_process() {
	local pid=$1 i
	attempt kill -TERM "$pid" 2>/dev/null || return 0
	for ((i = 0; i < END_SECONDS * 10; i++)); do
		kill -0 "$pid" 2>/dev/null || return 0
		[ -z "$DRY_RUN" ] || return 0
		sleep 0.1
	done
	attempt kill -KILL "$pid" 2>/dev/null || :
}

# nic_restore BDF: returns 0 when the NIC is as it was, proved. The saved state is dropped then,
# and stays where it is otherwise, for another try.
nic_restore() {
	local bdf=$1 driver
	state_load "$bdf"
	nic_facts "$bdf"
	if [ ! -d "$NIC_DIR" ]; then
		complain "nic.sh: the device $bdf is gone from the PCI bus" \
			"Its saved configuration stays in $STATE"
		return 1
	fi
	if state_is_stale; then
		restore_after_reboot
		return $?
	fi
	say "Giving $bdf back to $(or_dash "$(state_get driver)")"
	if is_user_driver "$NIC_DRIVER" && ! is_user_driver "$(state_get driver)"; then
		end_holders "$bdf" || return 1
	fi
	if ! bind_back "$bdf" "$(state_get driver)" "$(state_get override)"; then
		driver=$(or_dash "$(pci_driver "$bdf")")
		complain "nic.sh: NOT restored: $bdf has the driver $driver, not $(state_get driver)" \
			"Try again: $0 restore $bdf; or reboot from the cloud's console: the NIC comes back."
		return 1
	fi
	if [ -n "$DRY_RUN" ]; then
		say "    would put back what is saved in $STATE, and compare"
		return 0
	fi
	state_apply || return 1
	state_prove || {
		complain "nic.sh: $bdf has its driver again, but not all is as it was" \
			"What was saved is in $STATE. $0 restore $bdf tries again."
		return 1
	}
	step "forget the saved state"
	state_drop
	noiommu_off
}

# A reboot gave the NIC back, and whoever configures the machine at boot configured it.
restore_after_reboot() {
	if is_user_driver "$NIC_DRIVER"; then
		complain "nic.sh: the machine was rebooted since, and something bound it to $NIC_DRIVER again" \
			"Look for driverctl, or a service that binds at boot. The saved configuration is in $STATE"
		return 1
	fi
	say "The machine was rebooted since $NIC_ID was taken: it has" \
		"its driver $(or_dash "$NIC_DRIVER") and the configuration of the boot. What was saved is of no use any more."
	state_drop
}

# state_prove: a line for each aspect. Returns 1 if something is not as it was.
state_prove() {
	local dir=$TMP_DIR/now name bad=0 aspect
	name=$(state_get ifname)
	say "Proof"
	prove_line driver "$(state_get driver)" "$(pci_driver "$(state_get bdf)")" || bad=1
	[ -n "$name" ] || return "$bad"
	prove_line name "$name" "$(pci_interface "$(state_get bdf)")" || return 1
	nic_facts "$(state_get bdf)"
	wait_for 10 carrier_is_back "$name" || :
	apply_irqs
	rm -rf "$dir"
	mkdir "$dir"
	capture "$name" "$dir"
	for aspect in link addresses routes4 routes6 rules neighbours sysctl queues irqs channels rings \
		coalescing offloads rss qdisc zone resolver; do
		[ -e "$STATE/$aspect" ] || continue
		prove_aspect "$aspect" "$dir" || bad=1
	done
	prove_reach gateway_answered "gateway $(state_get gateway)" \
		gateway_answers "$name" "$(state_get gateway)" || bad=1
	prove_reach resolver_worked resolver resolver_works || bad=1
	return "$bad"
}

carrier_is_back() {
	[ "$(value_of "$STATE/link" up)" != 1 ] || [ "$(first_line "$SYS/class/net/$1/carrier")" = 1 ]
}

prove_line() {
	if [ "$2" = "$3" ]; then
		printf '  %-11s as before: %s\n' "$1" "$(or_dash "$2")"
	else
		printf '  %-11s DIFFERS: was %s, is %s\n' "$1" "$(or_dash "$2")" "$(or_dash "$3")"
		return 1
	fi
}

# A DHCP server may have given another address, which is the owner's business.
prove_aspect() {
	local aspect=$1 was=$STATE/$1 now=$2/$1 same=
	if cmp -s "$was" "$now"; then
		[ ! -s "$was" ] || printf '  %-11s as before\n' "$aspect"
		return 0
	fi
	[ -e "$now" ] || : >"$now"
	if [ "$(state_get owner)" != none ] && [[ $aspect =~ ^(addresses|routes.|resolver)$ ]]; then
		owner_has_configured "$(state_get ifname)" && same=yes
	fi
	# The order in which addresses and routes stand is not configuration.
	if [ -z "$same" ] && cmp -s <(sort "$was") <(sort "$now"); then
		printf '  %-11s as before\n' "$aspect"
		return 0
	elif [ -n "$same" ]; then
		printf '  %-11s set anew by %s:\n' "$aspect" "$(state_get owner)"
	else
		printf '  %-11s DIFFERS:\n' "$aspect"
	fi
	{
		missing_lines "$was" "$now" | sed 's/^/    was  /'
		missing_lines "$now" "$was" | sed 's/^/    is   /'
	} | cut -c1-200 | head -n 20
	[ -n "$same" ]
}

# prove_reach KEY TEXT COMMAND...: only what worked before has to work now.
prove_reach() {
	local key=$1 text=$2
	shift 2
	[ "$(state_get "$key")" = yes ] || return 0
	if wait_for 5 "$@" >/dev/null 2>&1; then
		printf '  %-11s answers\n' "$text"
	else
		printf '  %-11s does NOT answer, as it did before\n' "$text"
		return 1
	fi
}
