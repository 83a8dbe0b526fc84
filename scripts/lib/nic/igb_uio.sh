# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# igb_uio is in no kernel. Where its module is not installed it is built from the distribution's
# dpdk-kmods source, in a folder of its own, and kept for the kernel it was built for.

IGB_UIO_WHY= # why it cannot be had

igb_uio_file() {
	printf '%s/modules/%s/igb_uio.ko\n' "$STATE_DIR" "$(uname -r)"
}

# igb_uio_load: returns 1 with the reason in IGB_UIO_WHY. In a dry run nothing is built.
igb_uio_load() {
	local file
	file=$(igb_uio_file)
	if [ ! -e "$file" ]; then
		igb_uio_can_be_built || return 1
		[ -z "$DRY_RUN" ] || { say "    would build igb_uio" && return 0; }
		igb_uio_build "$file" || return 1
	fi
	attempt modprobe uio 2>/dev/null || :
	# An ENA without write-combining is slow.
	attempt insmod "$file" wc_activate=1 2>/dev/null && return 0
	IGB_UIO_WHY="the kernel did not take $file (see dmesg; with secure boot, modules must be signed)"
	return 1
}

# All that a build needs is looked for before anything is made.
igb_uio_can_be_built() {
	local release
	release=$(uname -r)
	if [ ! -e "$SYSROOT/lib/modules/$release/build/Makefile" ]; then
		IGB_UIO_WHY="its module is not installed, and to build it the headers of this kernel are missing"
		IGB_UIO_WHY+=" (apt-get install linux-headers-$release, or dnf install kernel-devel-$release)"
		return 1
	fi
	if ! have make || ! have gcc; then
		IGB_UIO_WHY="its module is not installed, and building it needs gcc and make"
		return 1
	fi
	if [ -z "$(igb_uio_source)" ] && ! have apt-get; then
		IGB_UIO_WHY="its module is not installed; put the source of dpdk-kmods into /usr/src/dpdk-kmods"
		return 1
	fi
}

# The folder with igb_uio.c: a bundle's own, as dpdk-kmods-dkms has it, or the git tree.
igb_uio_source() {
	local file
	for file in "$ROOT"/dpdk-kmods/igb_uio.c "$SYSROOT"/usr/src/dpdk-kmods*/igb_uio.c \
		"$SYSROOT"/usr/src/dpdk-kmods*/igb_uio/igb_uio.c \
		"$SYSROOT"/usr/src/dpdk-kmods*/linux/igb_uio/igb_uio.c; do
		if [ -e "$file" ]; then
			printf '%s\n' "${file%/*}"
			return 0
		fi
	done
}

# igb_uio_fetch DIR: unpacks the distribution's package there, installs nothing, and prints the folder
# with igb_uio.c. Returns 1 with the reason in DIR/log.
igb_uio_fetch() {
	local file
	(cd "$1" && apt-get download dpdk-kmods-dkms && dpkg-deb -x dpdk-kmods-dkms_*.deb package) \
		>"$1/log" 2>&1 || return 1
	file=$(find "$1/package" -name igb_uio.c | head -n 1)
	printf '%s\n' "${file%/*}"
}

igb_uio_build() {
	local file=$1 dir=$TMP_DIR/igb_uio source
	source=$(igb_uio_source)
	mkdir -p "$dir"
	say "Building igb_uio for $(uname -r)"
	if [ -z "$source" ]; then
		source=$(igb_uio_fetch "$dir") || {
			IGB_UIO_WHY="its source, the package dpdk-kmods-dkms, cannot be had ($(tail -n 1 "$dir/log"))"
			return 1
		}
	fi
	cp -r "$source" "$dir/build" || return 1
	# Alone, whatever else the package would build.
	printf 'obj-m := igb_uio.o\n' >"$dir/build/Kbuild"
	if ! make -C "$SYSROOT/lib/modules/$(uname -r)/build" M="$dir/build" CONFIG_DEBUG_INFO_BTF_MODULES= modules \
		>"$dir/log" 2>&1 || [ ! -e "$dir/build/igb_uio.ko" ]; then
		complain "nic.sh: igb_uio does not build for this kernel:" "$(tail -n 5 "$dir/log")"
		IGB_UIO_WHY="it does not build for this kernel"
		return 1
	fi
	mkdir -p "${file%/*}"
	cp "$dir/build/igb_uio.ko" "$file.new" && mv "$file.new" "$file"
}
