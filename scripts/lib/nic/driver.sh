# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034 # whoever sources this reads them
#
# Which driver for user space, whether it can work here, and the change of drivers itself.
#
# The kernel takes a write to bind and then leaves the device without a driver (vfio-pci where
# there is no IOMMU), and dpdk-devbind.py ends with status 0 when it refused. So everything that
# can be known is looked at before, and what counts afterwards is the driver link.

USER_DRIVERS='vfio-pci igb_uio uio_pci_generic'
DRIVER=     # what driver_choose decided on
DRIVER_WHY= # in a few words
UNBIND_SECONDS=10

is_user_driver() {
	[[ " $USER_DRIVERS uio_hv_generic " == *" $1 "* ]]
}

# What DPDK drives beside the kernel's driver: binding would only lose it.
stays_with_kernel() {
	local vendor device
	vendor=$(pci_attribute "$1" vendor)
	device=$(pci_attribute "$1" device)
	case $vendor:$device in
	0x15b3:*) printf 'mlx5 (or mlx4)\n' ;;
	0x1414:0x00ba | 0x1414:0x00b9) printf 'MANA\n' ;;
	*) return 1 ;;
	esac
}

# The bus's folder of drivers is the truth: a driver may be built in and have no module.
driver_is_here() {
	[ -d "$SYS/bus/pci/drivers/$1" ]
}

# Loads a driver if need be. Modules are never unloaded: others may have come to use them. A dry
# run asks whether there is such a module.
load_driver() {
	driver_is_here "$1" && return 0
	if [ -n "$DRY_RUN" ]; then
		if modinfo "$1" >/dev/null 2>&1; then
			attempt modprobe "$1"
			return $?
		fi
		[ "$1" = igb_uio ] && igb_uio_load
		return $?
	fi
	modprobe "$1" 2>/dev/null || [ "$1" != igb_uio ] || igb_uio_load || return 1
	driver_is_here "$1"
}

has_iommu() {
	[ -e "$SYS/bus/pci/devices/$1/iommu_group" ] && [ "$(noiommu_group "$1")" != yes ]
}

# A group that vfio made up for a device without an IOMMU says so in its name.
noiommu_group() {
	local name
	name=$(first_line "$SYS/bus/pci/devices/$1/iommu_group/name")
	[ "$name" = vfio-noiommu ] && printf 'yes\n'
	return 0
}

NOIOMMU_SWITCH=module/vfio/parameters/enable_unsafe_noiommu_mode

# can_use DRIVER BDF: returns 0, or 1 with the reason in DRIVER_WHY. Loads modules, nothing else.
can_use() {
	local driver=$1 bdf=$2
	case $driver in
	vfio-pci)
		if ! load_driver vfio-pci; then
			DRIVER_WHY="this kernel has no vfio-pci"
			return 1
		fi
		# By name: busybox's modprobe does not know soft dependencies.
		driver_is_here vfio_iommu_type1 || attempt modprobe vfio_iommu_type1 2>/dev/null || :
		if has_iommu "$bdf"; then
			DRIVER_WHY="an IOMMU guards the device"
		elif [ -e "$SYS/$NOIOMMU_SWITCH" ]; then
			DRIVER_WHY="no IOMMU here; vfio's no-IOMMU mode is switched on, which taints the kernel"
		else
			DRIVER_WHY="no IOMMU here, and this kernel is built without vfio's no-IOMMU mode"
			return 1
		fi
		;;
	igb_uio)
		if ! load_driver igb_uio; then
			DRIVER_WHY=${IGB_UIO_WHY:-"its module is not installed"}
			return 1
		fi
		DRIVER_WHY="no IOMMU is needed"
		;;
	uio_pci_generic)
		if [ -e "$SYS/bus/pci/devices/$bdf/physfn" ]; then
			DRIVER_WHY="it cannot drive a virtual function, which has no legacy interrupt (INTx)"
			return 1
		fi
		if ! load_driver uio_pci_generic; then
			DRIVER_WHY="this kernel has no uio_pci_generic"
			return 1
		fi
		if [ "$(pci_attribute "$bdf" irq)" = 0 ]; then
			DRIVER_WHY="it needs a legacy interrupt (INTx), and the device has none"
			return 1
		fi
		DRIVER_WHY="the last choice: no MSI-X, no IOMMU"
		;;
	esac
	if ! ls "$DEV" >/dev/null 2>&1; then
		DRIVER_WHY="there is no $DEV"
		return 1
	fi
}

# driver_choose auto|NAME: sets DRIVER and DRIVER_WHY, or says why none will do and returns 1.
driver_choose() {
	local driver reasons=()
	if [ "$1" != auto ]; then
		DRIVER=$1
		can_use "$1" "$NIC_ID" && return 0
		complain "nic.sh: $1 cannot be used for $NIC_ID: $DRIVER_WHY"
		return 1
	fi
	for driver in $USER_DRIVERS; do
		if can_use "$driver" "$NIC_ID"; then
			DRIVER=$driver
			[ ${#reasons[@]} -eq 0 ] || say "${reasons[@]/%/$'\n'}" | sed '/^$/d; s/^ *//'
			return 0
		fi
		reasons+=("not $driver: $DRIVER_WHY")
	done
	complain "nic.sh: no driver for user space can be used for $NIC_ID:" "${reasons[@]/#/  }"
	return 1
}

# vfio hands out a whole IOMMU group or nothing: each other member must be free of drivers that the
# kernel uses it with. Bridges may stay. Prints the members; returns 1 if one stands in the way.
group_is_viable() {
	local dir member driver name viable=0 lines=()
	dir=$SYS/bus/pci/devices/$NIC_ID/iommu_group/devices
	[ -d "$dir" ] || return 0
	for member in "$dir"/*; do
		member=${member##*/}
		[ "$member" != "$NIC_ID" ] || continue
		driver=$(pci_driver "$member")
		case $driver in
		'' | pcieport | vfio-pci | pci-stub) lines+=("  $member  $(or_dash "$driver")") ;;
		*)
			viable=1
			name=$(pci_interface "$member")
			lines+=("  $member  $driver${name:+, interface $name$(carries_text "$name")}: in the way")
			;;
		esac
	done
	[ "$viable" -ne 0 ] || return 0
	complain "nic.sh: $NIC_ID shares its IOMMU group $(link_name "$NIC_DIR/iommu_group") with devices the kernel uses:" \
		"${lines[@]}" \
		"vfio needs the whole group. Bind the others to vfio-pci too, or use a NIC with a group of its own."
	return 1
}

carries_text() {
	local address
	address=$(ip -o addr show dev "$1" scope global 2>/dev/null | awk '{ print $4; exit }')
	[ -z "$address" ] || printf ' with %s' "$address"
}

# unbind BDF: returns 1 if the device still has its driver after UNBIND_SECONDS. vfio's unbind
# waits for the program that has the device open, and cannot be broken off: it goes on in the
# background and ends when that program does.
unbind() {
	local bdf=$1 i
	local link=$SYS/bus/pci/devices/$bdf/driver
	[ -e "$link" ] || return 0
	if [ -n "$DRY_RUN" ]; then
		put "$bdf" "$link/unbind"
		return $?
	fi
	{ drop_lock && put "$bdf" "$link/unbind"; } &
	for ((i = 0; i < UNBIND_SECONDS * 10; i++)); do
		[ -e "$link" ] || return 0
		sleep 0.1
	done
	return 1
}

# The mode is the whole machine's: it is switched off again only if it was us who switched it on,
# and when the last NIC goes back.
noiommu_on() {
	[ "$(first_line "$SYS/$NOIOMMU_SWITCH")" != Y ] || return 0
	step "switch on vfio's no-IOMMU mode"
	[ -n "$DRY_RUN" ] || boot_id >"$STATE_DIR/noiommu"
	put 1 "$SYS/$NOIOMMU_SWITCH"
}

noiommu_off() {
	[ -e "$STATE_DIR/noiommu" ] && [ -z "$(state_list)" ] || return 0
	if [ "$(first_line "$STATE_DIR/noiommu")" = "$(boot_id)" ]; then
		step "switch vfio's no-IOMMU mode off again"
		put 0 "$SYS/$NOIOMMU_SWITCH" || complain "nic.sh: could not write 0 to $SYS/$NOIOMMU_SWITCH"
	fi
	rm -f "$STATE_DIR/noiommu"
}

# bind_to BDF DRIVER: unbinds and binds. Returns 0 only if the driver link says so.
bind_to() {
	local bdf=$1 driver=$2 dir=$SYS/bus/pci/devices/$1
	[ "$(pci_driver "$bdf")" != "$driver" ] || return 0
	if [ "$driver" = vfio-pci ] && ! has_iommu "$bdf"; then
		noiommu_on || return 1
	fi
	step "unbind $bdf from $(or_dash "$(pci_driver "$bdf")")"
	unbind "$bdf" || return 1
	step "bind $bdf to $driver"
	put "$driver" "$dir/driver_override" || return 1
	put "$bdf" "$SYS/bus/pci/drivers_probe" || :
	[ -n "$DRY_RUN" ] || [ "$(pci_driver "$bdf")" = "$driver" ]
}

# bind_back BDF DRIVER OVERRIDE: to the kernel's driver, or to none if DRIVER is empty.
bind_back() {
	local bdf=$1 driver=$2 override=$3 dir=$SYS/bus/pci/devices/$1
	if [ "$(pci_driver "$bdf")" != "$driver" ]; then
		step "unbind $bdf from $(or_dash "$(pci_driver "$bdf")")"
		unbind "$bdf" || return 1
	fi
	step "let $bdf have its own driver again"
	put "$override" "$dir/driver_override" || return 1
	[ "$(pci_driver "$bdf")" != "$driver" ] || return 0
	[ -n "$driver" ] || return 0
	driver_is_here "$driver" || attempt modprobe "$driver" 2>/dev/null || :
	put "$bdf" "$SYS/bus/pci/drivers_probe" || :
	[ -n "$DRY_RUN" ] || [ "$(pci_driver "$bdf")" = "$driver" ]
}
