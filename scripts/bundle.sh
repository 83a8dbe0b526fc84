#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# bundle.sh - make a tarball of pmdperf that runs on any x86-64 Linux, with
# nothing installed
#
# usage: ./scripts/bundle.sh [--out FILE]
#
#   --out FILE   the tarball (default build-bundle/pmdperf-VERSION-x86_64.tar.gz)
#   --help       this text
#
# In it: the program as one static executable (DPDK with its drivers, the C
# library and all others are part of it), the scripts, the profiles, the source
# of igb_uio, the program's own source, and the licences of what is linked in. It
# runs on a kernel of version 4.18 or newer and a CPU of the level x86-64-v2
# (SSE4.2 and POPCNT: all since about 2009). There no script builds or installs.
#
# Made on Debian or Ubuntu, whose packages bring static libraries; what is
# missing is installed (root). Builds into build-bundle/. One commit on one
# system gives the same tarball each time.

# shellcheck source-path=SCRIPTDIR
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/lib/common.sh"
. "$HERE/lib/process.sh"
. "$HERE/lib/system.sh"
. "$HERE/lib/packages.sh"
. "$HERE/lib/build.sh"
. "$HERE/lib/nic/igb_uio.sh"

# What clouds and common servers have, the virtual devices for tests, and what those build on.
DRIVERS=(
	bus_auxiliary bus_pci bus_vdev bus_vmbus
	common_iavf common_idpf common_mlx5
	mempool_ring mempool_stack
	net_af_packet net_af_xdp net_bnxt net_e1000 net_ena net_enic net_gve net_hinic net_i40e net_iavf
	net_ice net_idpf net_igc net_ionic net_ixgbe net_memif net_mlx4 net_mlx5 net_netvsc net_null
	net_ring net_tap net_vhost net_virtio net_vmxnet3
)
# Scripts for those who make pmdperf.
NOT_FOR_USERS=(bench.sh bundle.sh test.sh lib/count_tests.py)
BUILD=$ROOT/build-bundle

out=
while [ $# -gt 0 ]; do
	case $1 in
	--out=*) set -- --out "${1#*=}" "${@:2}" ;;
	esac
	case $1 in
	--out)
		[ -n "${2-}" ] || usage_error "--out takes the name of a file"
		out=$2
		shift 2
		;;
	-h | --help) print_help && exit 0 ;;
	*) usage_error "unknown argument '$1'" ;;
	esac
done

# Before the minutes that the build takes.
check_place() {
	local folder=.
	! is_bundle || die "this is a bundle: a new one is made from a clone of the source"
	[ "$(uname -m)" = x86_64 ] || die "a bundle is for x86-64, and this machine is $(uname -m)"
	{ have apt-get && have dpkg-query; } ||
		die "a bundle is made of Debian's packages, and there is no apt-get and dpkg here" \
			"Make it on Debian 12; it runs on any distribution"
	[ -n "$out" ] || return 0
	[[ $out != */* ]] || folder=${out%/*}
	{ [ -d "${folder:-/}" ] && [ -w "${folder:-/}" ]; } ||
		die "--out $out: the folder ${folder:-/} is not there or cannot be written to"
	[ ! -d "$out" ] || die "--out $out is a folder; name a file in it"
}

commit() {
	local id
	id=$(git -C "$ROOT" rev-parse HEAD 2>/dev/null) || { printf 'unknown\n' && return 0; }
	git -C "$ROOT" diff --quiet HEAD || id+=', with changes'
	printf '%s\n' "$id"
}

# -Map tells of which archives something was taken.
build() {
	say "Building into $(basename "$BUILD")/"
	MESON_OPTIONS="-Dmarch=x86-64-v2 -Dbuildtype=release -Dtests=disabled"
	MESON_OPTIONS+=" -Dc_link_args=-Wl,-Map=pmdperf.map"
	MESON_OPTIONS+=" -Dstatic_drivers=$(joined_by , "${DRIVERS[@]}")"
	build_program "$BUILD" "$TMP_DIR/build.log" app/pmdperf ||
		die "the build failed:" "$(grep -v 'warning: Using' "$TMP_DIR/build.log" | tail -n 20)"
	find_packages
}

joined_by() {
	local IFS=$1
	shift
	printf '%s\n' "$*"
}

# Sets packages to those that the archives in the program come from.
find_packages() {
	local file owner
	packages=()
	while read -r file; do
		# A package may know /usr/lib by its old name.
		owner=$(dpkg-query -S "$file" 2>/dev/null || dpkg-query -S "${file#/usr}" 2>/dev/null) ||
			die "$file is linked in, and no package has it: its licence is not known"
		packages+=("${owner%%:*}")
	done < <(linked_archives)
	[ ${#packages[@]} -gt 0 ] || die "pmdperf.map does not say what is linked in"
	mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
}

# The archives that the program has something of.
linked_archives() {
	sed -n 's/^\(\/[^ (]*\.a\)(.*/\1/p' "$BUILD/pmdperf.map" | sort -u | xargs realpath | sort -u
}

put_program() {
	mkdir -p "$top/build/app" "$top/bin"
	strip -o "$top/build/app/pmdperf" "$BUILD/app/pmdperf"
	ln -s ../build/app/pmdperf "$top/bin/pmdperf"
}

put_scripts() {
	local name
	cp -r "$ROOT/scripts" "$ROOT/config" "$ROOT/LICENSE" "$ROOT/README.md" "$top"
	for name in "${NOT_FOR_USERS[@]}"; do
		rm "$top/scripts/$name"
	done
}

# For who wants to change a library in the executable, as the LGPL has it: from this and the
# packages in VERSIONS a new one is made.
put_source() {
	mkdir "$top/source"
	cp -r "$ROOT/app" "$ROOT/lib" "$ROOT/meson.build" "$ROOT/meson_options.txt" "$top/source"
	printf '%s\n' "$MESON_OPTIONS" >"$top/source/MESON_OPTIONS"
}

# From the package always, whatever is in /usr/src here.
put_igb_uio() {
	local source dir=$TMP_DIR/igb_uio
	mkdir "$dir"
	if ! source=$(igb_uio_fetch "$dir"); then
		run apt-get update >"$dir/update.log" 2>&1 || :
		source=$(igb_uio_fetch "$dir") ||
			die "the package dpdk-kmods-dkms, for igb_uio, cannot be had:" "$(tail -n 5 "$dir/log")"
	fi
	cp -r "$source" "$top/dpdk-kmods"
	mkdir -p "$top/licences"
	cp "$dir/package/usr/share/doc/dpdk-kmods-dkms/copyright" "$top/licences/dpdk-kmods-dkms"
}

# Of each package, and what they refer to.
put_licences() {
	local package file
	mkdir -p "$top/licences/common"
	for package in "${packages[@]}"; do
		[ -e "/usr/share/doc/$package/copyright" ] ||
			die "/usr/share/doc/$package/copyright is missing, and a bundle must not go without it" \
				"A container may leave it out; then: apt-get install --reinstall $package"
		cp -L "/usr/share/doc/$package/copyright" "$top/licences/$package"
	done
	dpkg-query -W -f '${Package} ${source:Package} ${source:Version}\n' "${packages[@]}" |
		sort >"$top/licences/VERSIONS"
	while read -r file; do
		[ ! -e "$file" ] || cp -L "$file" "$top/licences/common"
	done < <(grep -oh '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' \
		"$top/licences"/*-* | sort -u)
}

put_readme() {
	cat >"$top/README.txt" <<-EOF
		$name

		Runs on any x86-64 Linux with kernel 4.18 or newer and a CPU with SSE4.2. Nothing is
		installed: unpack, use, remove the folder.

		    tar xzf $name.tar.gz
		    cd $name
		    sudo ./scripts/quickstart.sh           does it work here? No NIC is touched
		    ./build/app/pmdperf --help             every option (bin/pmdperf is the same)

		On a real NIC, at both machines; at the VNC or serial console if it is the only NIC:

		    sudo ./scripts/nic.sh status           the NICs, and what each carries
		    sudo ./scripts/hugepages.sh reserve --mem 512
		    sudo ./scripts/nic.sh bind eth1
		    sudo ./build/app/pmdperf -a 0000:00:06.0 -- --forward-mode=rxonly
		    sudo ./scripts/nic.sh restore eth1
		    sudo ./scripts/hugepages.sh release

		README.md is the manual; what it says of building and of tests is for the source.
		The scripts need bash, and nic.sh the command ip. If no driver for user space is there
		(nic.sh says so), igb_uio is built from dpdk-kmods/, which needs gcc, make and the
		headers of the running kernel.

		build/app/pmdperf is static: it uses no library of this system, and DPDK's drivers are
		in it (pmdperf -d loads no others). They are:
		$(printf '%s\n' "${DRIVERS[@]}" | grep ^net_ | sed 's/^net_//' | fmt -w 76 | sed 's/^/    /')

		LICENSE is pmdperf's. licences/ has those of what is linked in and of dpdk-kmods/ (GPL),
		and in VERSIONS the Debian packages and the versions of their sources. source/ has the
		program's own source, to link it with changed libraries.
	EOF
}

# The same files give the same bytes: names in order, no owner, one time for all.
pack() {
	local epoch=${SOURCE_DATE_EPOCH:-}
	[ -n "$epoch" ] || epoch=$(git -C "$ROOT" log -1 --format=%ct 2>/dev/null) ||
		epoch=$(stat -c %Y "$ROOT/meson.build")
	find "$top" -name __pycache__ -prune -exec rm -r {} +
	tar -C "$TMP_DIR" --format=gnu --sort=name --owner=0 --group=0 --numeric-owner \
		--mode=u=rwX,go=rX --mtime="@$epoch" -cf "$top.tar" "$name"
	gzip -9n "$top.tar"
	mv "$top.tar.gz" "$out"
	say "Bundle  $out"
	say "Size    $(stat -c %s "$out") bytes"
	say "SHA256  $(sha256sum <"$out" | cut -d ' ' -f 1)"
}

check_place
make_tmp_dir
need_packages build
build
version=$("$BUILD/app/pmdperf" --version)
name=$(awk '{ sub(/,/, "", $2); print "pmdperf-" $2 "-x86_64" }' <<<"$version")
out=${out:-$BUILD/$name.tar.gz}
top=$TMP_DIR/$name
mkdir "$top"
printf '%s\n' "$version" "commit $(commit)" >"$top/BUNDLE"
put_program
put_scripts
put_source
put_igb_uio
put_licences
put_readme
pack
