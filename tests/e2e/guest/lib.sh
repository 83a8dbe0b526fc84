# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# What cases share. $A and $B are the NICs at 00:10.0 and 00:11.0.

# shellcheck disable=SC2034,SC2154 # cases use what is here, and eval sets PID_*

set -u
export PATH=/usr/sbin:/usr/bin HOME=/root LC_ALL=C
A=0000:00:10.0
B=0000:00:11.0
PCI=/sys/bus/pci/devices
PROGRAM=/src/build/e2e/pmdperf/app/pmdperf
NIC="bash /src/scripts/nic.sh"
export PMDPERF=$PROGRAM

at() {
	local up
	read -r up _ </proc/uptime
	printf '[%s] %s\n' "$up" "$*"
}

fail() {
	at "FAIL: $*"
	exit 1
}

# expect STATUS COMMAND...: the command's status is this one.
expect() {
	local want=$1 got=0
	shift
	at "$ $*"
	"$@" || got=$?
	[ "$got" = "$want" ] || fail "'$*' ended with status $got, not $want"
}

# wait_until SECONDS COMMAND...
wait_until() {
	local i=$(($1 * 10))
	shift
	while ! "$@"; do
		[ $((i -= 1)) -gt 0 ] || fail "waited in vain for: $*"
		sleep 0.1
	done
}

driver_of() {
	[ -e "$PCI/$1/driver" ] && basename "$(readlink "$PCI/$1/driver")"
}

interface_of() {
	local name
	for name in "$PCI/$1"/net/* "$PCI/$1"/virtio*/net/*; do
		[ ! -e "$name" ] || { echo "${name##*/}" && return 0; }
	done
}

has_driver() {
	[ "$(driver_of "$1")" = "$2" ] || fail "$1 has the driver '$(driver_of "$1")', not '$2'"
}

has_interface() {
	[ -n "$(interface_of "$1")" ]
}

# has_carrier BDF: some NICs negotiate for seconds.
has_carrier() {
	[ "$(cat "/sys/class/net/$(interface_of "$1")/carrier" 2>/dev/null)" = 1 ]
}

# is_settled IFNAME: the kernel says up to a second late what a carrier makes of an interface.
is_settled() {
	! ip -o link show dev "$1" | grep -q 'NO-CARRIER.*LOWER_UP'
}

# Hugepages of 2 MB, all that were asked for.
hugepages() {
	echo "$1" >/proc/sys/vm/nr_hugepages
	[ "$(cat /proc/sys/vm/nr_hugepages)" -ge "$1" ] || fail "only $(cat /proc/sys/vm/nr_hugepages) of $1 hugepages"
}

# vfio_noiommu: vfio as a kernel with CONFIG_VFIO_NOIOMMU has it.
vfio_noiommu() {
	insmod /root/vfio.ko || fail "vfio with no-IOMMU mode does not load"
}

# start_pmdperf NAME CPU BDF MODE [OPTION...]: in the background; the pid is in PID_NAME. Its log
# and result are /out/NAME.log and /out/NAME.json.
start_pmdperf() {
	local name=$1 cpu=$2 bdf=$3 mode=$4
	shift 4
	rm -f "/out/$name.json"
	"$PROGRAM" --lcores "0@$cpu,1@$cpu" --file-prefix="$name" -m "${PMDPERF_MB:-64}" -a "$bdf" -- \
		--forward-mode="$mode" --total-num-mbufs=4096 --json="/out/$name.json" --stats-period=1 "$@" \
		>"/out/$name.log" 2>&1 &
	eval "PID_$name=$!"
}

# A line of samples came: the ports are started and the lcores poll.
is_running() {
	grep -q '^ *[0-9.]* .*[0-9]' <(sed -n '/time s/,$p' "/out/$1.log" | tail -n +2) || {
		kill -0 "$2" 2>/dev/null || fail "pmdperf $1 ended early: $(tail -n 5 "/out/$1.log")"
		return 1
	}
}

ended_well() {
	local status=0
	wait "$1" || status=$?
	[ "$status" -eq 0 ] || fail "pmdperf $2 ended with status $status: $(tail -n 8 "/out/$2.log")"
}

# exchange SENDER RECEIVER SECONDS [OPTION...]: a receiver on one NIC, then a sender on the other.
exchange() {
	local from=$1 to=$2 seconds=$3
	shift 3
	start_pmdperf rx 1 "$to" rxonly "$@"
	wait_until 60 is_running rx "$PID_rx"
	start_pmdperf tx 0 "$from" txonly --duration="$seconds" --warmup=0 "$@"
	ended_well "$PID_tx" tx
	kill -INT "$PID_rx"
	ended_well "$PID_rx" rx
	at "exchange done"
}

# Everything a user could see of an interface and its device, taken without the scripts' help.
picture() {
	local name=$1 file
	wait_until 30 is_settled "$name" >&2
	echo "driver $(driver_of "$2")"
	cat "/sys/class/net/$name/address" "/sys/class/net/$name/mtu" "/sys/class/net/$name/tx_queue_len"
	ip -o link show dev "$name" | sed 's/^[0-9]*://; s/ qlen .*//; s/master.*//'
	ip -o addr show dev "$name" | sed 's/^[0-9]*://; s/valid_lft.*//; s/\\.*//' | grep -v ' fe80'
	ip route show table all | grep "dev $name" | grep -v fe80 | sort
	ip -6 route show table all | grep "dev $name" | grep -v fe80 | sort
	ip rule
	ip neigh show dev "$name" nud permanent
	ethtool -k "$name" 2>/dev/null | grep -v fixed
	ethtool -g "$name" 2>/dev/null
	ethtool -l "$name" 2>/dev/null
	for file in /proc/sys/net/ipv4/conf/"$name"/* /proc/sys/net/ipv6/conf/"$name"/*; do
		case $file in
		*stable_secret) ;;
		*) echo "$file $(cat "$file" 2>/dev/null)" ;;
		esac
	done
}

# same_picture IFNAME BDF FILE: as it was when the file was taken.
same_picture() {
	picture "$1" "$2" >/out/picture.now
	diff "$3" /out/picture.now || fail "$1 is not as it was (<: before, >: now)"
}

answers() {
	ping -c 1 -W 2 "$1" >/dev/null 2>&1
}
