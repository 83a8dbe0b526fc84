# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# What is known of a kind of NIC before it is open: config/nic/*.ini, chosen by PCI id.

# preset_get FILE SECTION KEY: the value; nothing if there is none.
preset_get() {
	awk -v section="[$2]" -v key="$3" '
		/^\[/ { here = ($0 == section) }
		here && $1 == key && $2 == "=" { sub(/^[^=]*= */, ""); print; exit }' "$1"
}

# preset_for VENDOR:DEVICE: as 1af4:1041. Prints the file; nothing if none is for it.
preset_for() {
	local file
	[ -n "$1" ] || return 0
	for file in "$ROOT"/config/nic/*.ini; do
		if [[ ,$(preset_get "$file" match pci), == *",$1,"* ]]; then
			printf '%s\n' "$file"
			return 0
		fi
	done
}

# preset_of BDF: of the device that is there.
preset_of() {
	local vendor device
	vendor=$(pci_attribute "$1" vendor)
	device=$(pci_attribute "$1" device)
	preset_for "${vendor#0x}:${device#0x}"
}

# preset_text FILE: "virtio-net, verified: NOTE"
preset_text() {
	local name=${1##*/} tried=verified
	[ "$(preset_get "$1" use verified)" = yes ] || tried='not verified, taken from documents'
	printf '%s, %s: %s\n' "${name%.ini}" "$tried" "$(preset_get "$1" use note)"
}
