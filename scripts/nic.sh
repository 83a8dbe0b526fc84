#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# nic.sh - take a NIC from the kernel, and give it back exactly as it was
#
# usage: nic.sh status [NIC]
#        nic.sh bind NIC [--driver DRIVER] [--console] [--detached]
#                        [--max-bound TIME] [--idle TIME] [--dry-run]
#        nic.sh restore [NIC] [--dry-run]
#        nic.sh confirm [NIC]
#
# NIC is a PCI address (0000:00:05.0), a MAC or the name of an interface.
#
#   status    the NICs that are here, what they carry, which are taken
#   bind      saves the NIC's whole configuration and binds it to a driver for
#             user space. Refuses a NIC that carries the default route, an SSH
#             session or storage.
#   restore   gives it back: driver, name, addresses, routes and all else, and
#             proves it
#   confirm   disarms the switch: the NIC stays bound until restore
#
#   --driver DRIVER   auto (default), vfio-pci, igb_uio or uio_pci_generic
#   --console         you are at the VNC or serial console: also a NIC that
#                     carries the default route. The dead man's switch is armed
#   --detached        nobody has to be able to log in while the NIC is gone
#   --max-bound TIME  arm the dead man's switch: the NIC is given back after this
#                     time, whatever happens (60s to 24h; with --console 30m if
#                     not given)
#   --idle TIME       and when no pmdperf made progress on it for this time
#                     (default 5m)
#   --dry-run         print each step and change nothing
#   --help            this text
#
# TIME is 90, 90s, 30m or 2h. Needs root. Exit status: 0 done, 1 refused or
# failed, 2 wrong usage.

# shellcheck source-path=SCRIPTDIR
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/lib/common.sh"
. "$HERE/lib/system.sh"
. "$HERE/lib/nic/find.sh"
. "$HERE/lib/nic/driver.sh"
. "$HERE/lib/nic/igb_uio.sh"
. "$HERE/lib/nic/sockets.sh"
. "$HERE/lib/nic/guard.sh"
. "$HERE/lib/nic/capture.sh"
. "$HERE/lib/nic/state.sh"
. "$HERE/lib/nic/owner.sh"
. "$HERE/lib/nic/apply.sh"
. "$HERE/lib/nic/restore.sh"
. "$HERE/lib/nic/switch.sh"
. "$HERE/lib/nic/status.sh"
. "$HERE/lib/nic/lock.sh"

MAX_BOUND_DEFAULT=1800
IDLE_DEFAULT=300

command=
nic=
driver=auto
console=
detached=
max_bound=
idle=
TAKING= # the device whose bind has begun and is not done

# need_value OPTION [VALUE]
need_value() {
	[ -n "${2-}" ] || usage_error "$1 takes a value"
}

# need_duration OPTION LOW HIGH TEXT: prints seconds.
need_duration() {
	local seconds
	seconds=$(parse_duration "${4-}") || seconds=-1
	[[ $seconds -ge $2 && $seconds -le $3 ]] ||
		usage_error "$1 takes a time from $2s to $(($3 / 3600))h, such as 90s, 30m or 2h, not '${4-}'"
	printf '%s\n' "$seconds"
}

need_driver() {
	[[ " auto $USER_DRIVERS " == *" $1 "* ]] ||
		usage_error "--driver takes auto, ${USER_DRIVERS// /, }; not '$1'"
}

parse_words() {
	while [ $# -gt 0 ]; do
		case $1 in
		--driver=* | --max-bound=* | --idle=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
		esac
		case $1 in
		--driver) need_value "$@" && need_driver "$2" && driver=$2 && shift ;;
		--console) console=yes ;;
		--detached) detached=yes ;;
		--max-bound)
			max_bound=$(need_duration --max-bound 60 86400 "${2-}")
			shift
			;;
		--idle)
			idle=$(need_duration --idle 10 86400 "${2-}")
			shift
			;;
		--dry-run) DRY_RUN=yes ;;
		-h | --help) print_help && exit 0 ;;
		-*) usage_error "unknown option '$1'" ;;
		*)
			if [ -z "$command" ]; then
				command=$1
			elif [ -z "$nic" ]; then
				nic=$1
			else
				usage_error "one NIC at a time: '$nic', and what is '$1'?"
			fi
			;;
		esac
		shift
	done
}

# What an option is for, or it is refused: nothing is silently ignored.
check_words() {
	case $command in
	bind) [ -n "$nic" ] || usage_error "bind which NIC? See: $0 status" ;;
	status | restore | confirm)
		[ "$driver$console$detached$max_bound$idle" = auto ] ||
			usage_error "--driver, --console, --detached, --max-bound and --idle belong to bind"
		[ -z "$DRY_RUN" ] || [ "$command" = restore ] ||
			usage_error "--dry-run belongs to bind and restore"
		;;
	'') usage_error "which command? status, bind, restore or confirm" ;;
	*) usage_error "unknown command '$command'; valid: status, bind, restore, confirm" ;;
	esac
	[ -z "$detached" ] || [ -n "$console" ] || usage_error "--detached goes with --console"
	[ -z "$idle" ] || [ -n "$console$max_bound" ] ||
			usage_error "--idle goes with --max-bound or --console"
}

need_root() {
	[ -n "$SYSROOT" ] || [ "$(id -u)" -eq 0 ] || die "$command needs root: sudo $0 ..."
}

do_bind() {
	local kept
	nic_find "$nic"
	if kept=$(stays_with_kernel "$NIC_ID"); then
		! is_user_driver "$NIC_DRIVER" || die \
			"$NIC_ID is a $kept NIC on $NIC_DRIVER: DPDK finds it only with the kernel's own driver" \
			"Give it back: $0 restore $NIC_ID"
		say "$NIC_ID is a $kept NIC: DPDK drives it beside the kernel's driver." \
			"There is nothing to bind." \
			"Use it as it is: pmdperf -a $NIC_ID -- ..."
		return 0
	fi
	printf '%s: driver %s, interface %s, MAC %s%s\n' "$NIC_ID" "$(or_dash "$NIC_DRIVER")" \
		"$(or_dash "$NIC_IF")" "$(or_dash "$NIC_MAC")" "$([ -z "$NIC_IF" ] || carries_text "$NIC_IF")"
	if is_taken "$NIC_ID" && is_user_driver "$NIC_DRIVER"; then
		not_bound "it is bound to $NIC_DRIVER already, since $(state_value "$NIC_ID" saved_utc)" \
			"To give it back: $0 restore $NIC_ID"
	fi
	! is_taken "$NIC_ID" ||
			not_bound "an earlier bind of it was broken off" "First: $0 restore $NIC_ID"
	[ -z "$NIC_DRIVER" ] || ! is_user_driver "$NIC_DRIVER" ||
		not_bound "it is bound to $NIC_DRIVER already, but not by this script:" \
			"nothing is known to give back"
	guard_check "$console" "$detached"
	driver_choose "$driver" || not_bound "no driver"
	[ "$DRIVER" != vfio-pci ] || group_is_viable || not_bound "its IOMMU group is in use"
	say "Driver $DRIVER: $DRIVER_WHY"
	[ -z "$console" ] || max_bound=${max_bound:-$MAX_BOUND_DEFAULT}
	step "save the configuration of $NIC_ID"
	state_save "$DRIVER" || not_bound "its configuration cannot be saved in $STATE_DIR"
	if [ -n "$max_bound" ]; then
		step "arm the dead man's switch: ${max_bound} s"
		switch_arm "$NIC_ID" "$max_bound" "${idle:-$IDLE_DEFAULT}" || {
			state_drop
			not_bound "the dead man's switch could not be armed"
		}
	fi
	TAKING=$NIC_ID
	if take "$NIC_ID"; then
		TAKING=
		bound_text
		return 0
	fi
	complain "nic.sh: $NIC_ID did not go to $DRIVER: it has $(or_dash "$(pci_driver "$NIC_ID")")"
	undo_bind || :
	not_bound "the driver $DRIVER did not take it"
}

# Whatever ends a bind half way, a signal too: the NIC goes back. If that fails, the switch goes on.
undo_bind() {
	local bdf=$TAKING
	[ -n "$bdf" ] && [ -z "$DRY_RUN" ] || return 0
	TAKING=
	say "Giving $bdf back, for it is NOT bound"
	if ! nic_restore "$bdf"; then
		complain "nic.sh: $bdf is not as it was: see above. Try again: $0 restore $bdf"
		return 1
	fi
	switch_disarm "$bdf"
}
CLEANUP_STEPS="undo_bind $CLEANUP_STEPS"

take() {
	[ -n "$DRY_RUN" ] || owner_release
	if [ -n "$NIC_IF" ]; then
		step "set $NIC_IF down"
		attempt ip link set "$NIC_IF" down || :
	fi
	bind_to "$1" "$DRIVER"
}

bound_text() {
	[ -z "$DRY_RUN" ] || { say "Nothing was changed (--dry-run)." && return 0; }
	say "Bound: $NIC_ID is with $DRIVER now."
	say "  use it:        pmdperf -a $NIC_ID -- --forward-mode=rxonly"
	say "  give it back:  $0 restore $NIC_ID"
	[ -z "$max_bound" ] ||
		say "  by itself:     after $max_bound s, or ${idle:-$IDLE_DEFAULT} s without a pmdperf" \
			"                 at work; $0 confirm $NIC_ID stops that"
	say "If all else fails, reboot from the cloud's console: the NIC comes back."
}

# Sets nic to the PCI address; without a NIC given, to the only one that was taken.
choose_taken() {
	local taken
	if [ -n "$nic" ]; then
		nic_find "$nic"
		nic=$NIC_ID
		return 0
	fi
	taken=$(state_list)
	case $taken in
	'') say "No NIC was taken: there is nothing to $command." && exit 0 ;;
	*$'\n'*) usage_error "$command which of these? ${taken//$'\n'/ }" ;;
	*) nic=$taken ;;
	esac
}

do_restore() {
	choose_taken
	if ! state_exists "$nic"; then
		nic_facts "$nic"
		! is_user_driver "$NIC_DRIVER" ||
			die "$nic is bound to $NIC_DRIVER, but not by this script: nothing is known to give back" \
				"Its kernel driver alone: echo > /sys/bus/pci/devices/$nic/driver_override;" \
				"echo $nic > /sys/bus/pci/drivers/$NIC_DRIVER/unbind; echo $nic > /sys/bus/pci/drivers_probe"
		switch_disarm "$nic"
		say "$nic is with its driver $(or_dash "$NIC_DRIVER") already: nothing to restore."
		return 0
	fi
	nic_restore "$nic" || exit 1
	[ -n "$DRY_RUN" ] || switch_disarm "$nic"
	say "Restored: $nic"
}

do_confirm() {
	choose_taken
	is_taken "$nic" || die "$nic is not taken: there is nothing to confirm"
	switch_confirm "$nic"
}

# The words after "watch" are the switch's own: see switch.sh.
if [ "${1:-}" = watch ]; then
	shift
	switch_watch "$@"
	exit
fi
parse_words "$@"
check_words
[ "$command" = status ] || need_root
make_tmp_dir
[ "$command" = status ] || take_lock
"do_$command"
