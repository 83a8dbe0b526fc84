# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Where this machine runs, and which programs may come in the way.

doctor_cloud() {
	local dmi=$SYS/class/dmi/id all='' name
	for name in sys_vendor product_name board_vendor chassis_asset_tag bios_vendor; do
		all+="$(first_line "$dmi/$name")|"
	done
	case $all in
	*'Amazon EC2'*) finding ok machine "Amazon EC2, $(first_line "$dmi/product_name")" ;;
	*Google*) finding ok machine "Google Compute Engine" ;;
	*7783-7084-3265-9085-8269-3286-77*) finding ok machine "Microsoft Azure" ;;
	*'Alibaba Cloud'*) finding ok machine "Alibaba Cloud" ;;
	*'Tencent Cloud'*) finding ok machine "Tencent Cloud" ;;
	*CTyun* | *'China Telecom'* | *ctyun*) finding ok machine "China Telecom Cloud" ;;
	*'Huawei Cloud'* | *HUAWEICLOUD*) finding ok machine "Huawei Cloud" ;;
	*OracleCloud*) finding ok machine "Oracle Cloud" ;;
	*VMware*) finding ok machine "a VMware guest" ;;
	*'Microsoft Corporation'*'Virtual Machine'*) finding ok machine "a Hyper-V guest" ;;
	*OpenStack*) finding ok machine "OpenStack" ;;
	*QEMU* | *KVM*) finding ok machine "a QEMU or KVM guest" ;;
	'|||||') finding ok machine "n/a: the firmware says nothing (DMI)" ;;
	*) finding ok machine "$(first_line "$dmi/sys_vendor") $(first_line "$dmi/product_name")" ;;
	esac
	finding ok firewall "a taken NIC passes the host's by; the cloud's must let UDP 32768-40959 in"
}

# What each may do while the NIC is gone. Names are as the kernel cuts them, at 15 characters.
agent_does() {
	case $1 in
	waagent | python3-waagent) printf 'reports the machine as not ready\n' ;;
	google_guest_ag*) printf 'configures NICs anew\n' ;;
	aliyun-service | assist_daemon | AliYunDun*) printf 'reports the machine as lost\n' ;;
	amazon-ssm-agen*) printf 'loses its connection\n' ;;
	watchdog | wd_keepalive) printf 'may reboot a machine whose network check fails\n' ;;
	irqbalance) printf 'moves interrupts to the CPUs of lcores\n' ;;
	*) return 1 ;;
	esac
}

doctor_programs() {
	local file name what seen=' ' holders lack
	for file in "$PROC"/[0-9]*/comm; do
		name=$(first_line "$file")
		[[ -n $name && $seen != *" $name "* ]] || continue
		what=$(agent_does "$name") || continue
		seen+="$name "
		finding warn agent "$name $what" "systemctl stop ${name%%_*}"
	done
	holders=$(dpdk_programs)
	if [ -n "$holders" ]; then
		finding warn programs "other programs of DPDK run: $holders" "$HERE/hugepages.sh status"
	else
		finding ok programs "no other program of DPDK runs"
	fi
	lack=$(missing 2 build | tr '\n' ' ')
	if [ -n "$lack" ] && [ ! -x "${PMDPERF:-$ROOT/build/app/pmdperf}" ]; then
		finding warn tools "not built, and to build it lack: ${lack% }" "$HERE/prepare PEER"
	elif [ ! -x "${PMDPERF:-$ROOT/build/app/pmdperf}" ]; then
		finding warn tools "pmdperf is not built" "$HERE/prepare PEER"
	else
		finding ok tools "pmdperf is built"
	fi
}

# A lock on a "config" file in a runtime folder of DPDK is held as long as its program runs.
dpdk_programs() {
	local file inode pid out=''
	for file in "$SYSROOT"/var/run/dpdk/*/config; do
		[ -e "$file" ] || continue
		inode=$(stat -c %i "$file" 2>/dev/null) || continue
		pid=$(awk -v inode="$inode" '{ split($6, at, ":"); if (at[3] == inode) { print $5; exit } }' \
			"$PROC/locks" 2>/dev/null)
		[ -z "$pid" ] || out+="${out:+, }$(first_line "$PROC/$pid/comm") ($pid)"
	done
	printf '%s\n' "$out"
}
