# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Installs what is missing, with apt or dnf/yum. What counts is whether the thing works, not which
# package it came from: a DPDK that was built by hand is as good.

# A row: group, how to see that it is there, its package for apt, its package for dnf.
PACKAGES='
build   cmd:cc                     gcc              gcc
build   cmd:meson                  meson            meson
build   cmd:ninja                  ninja-build      ninja-build
build   cmd:pkg-config             pkg-config       pkgconf-pkg-config
build   cmd:/usr/bin/python3       python3          python3
build   lib:libdpdk>=22.11         libdpdk-dev      dpdk-devel
build   lib:inih                   libinih-dev      inih-devel
build   lib:jansson                libjansson-dev   jansson-devel
build   file:/usr/include/numa.h   libnuma-dev      numactl-devel
nic     cmd:ip                 iproute2         iproute
nic     cmd:ethtool            ethtool          ethtool
nic     cmd:ping               iputils-ping     iputils
qr      cmd:qrencode               qrencode         qrencode
unit    lib:cmocka                 libcmocka-dev    libcmocka-devel
pytest  py:pytest                  python3-pytest   python3-pytest
xdist   py:xdist                   python3-pytest-xdist python3-pytest-xdist
decode  py:scapy                   python3-scapy    python3-scapy
decode  cmd:tshark                 tshark           wireshark-cli
decode  cmd:arping             iputils-arping   iputils
decode  cmd:ping               iputils-ping     iputils
screen  cmd:tmux                   tmux             tmux
screen  cmd:qrencode               qrencode         qrencode
testpmd cmd:dpdk-testpmd           dpdk-dev         dpdk
e2e     cmd:qemu-system-x86_64     qemu-system-x86  qemu-kvm
e2e     cmd:ping               iputils-ping     iputils
e2e     cmd:busybox                busybox-static   busybox
e2e     cmd:cpio                   cpio             cpio
e2e     cmd:lz4                    lz4              lz4
e2e     cmd:ethtool                ethtool          ethtool
e2e     cmd:make                   make             make
e2e     cmd:xz                     xz-utils         xz
e2e     cmd:ssh                    openssh-client   openssh-clients
clang   cmd:clang                  clang            clang
lint    cmd:shellcheck             shellcheck       ShellCheck
lint    cmd:codespell              codespell        codespell
lint    cmd:clang-format           clang-format     clang-tools-extra
lint    cmd:cppcheck               cppcheck         cppcheck
'

is_there() {
	case $1 in
	cmd:*) command -v "${1#cmd:}" >/dev/null ;;
	lib:*'>='*)
		local spec=${1#lib:}
		pkg-config --exists "${spec%>=*} >= ${spec#*>=}" 2>/dev/null
		;;
	lib:*) pkg-config --exists "${1#lib:}" 2>/dev/null ;;
	file:*) [ -e "${1#file:}" ] ;;
	py:*) /usr/bin/python3 -c "import ${1#py:}" 2>/dev/null ;;
	esac
}

# missing COLUMN GROUP...: prints a column of what is not there: 2 the thing, 3 apt's name, 4 dnf's.
missing() {
	local column=$1 group there apt dnf
	shift
	while read -r group there apt dnf; do
		[[ " $* " == *" $group "* ]] || continue
		[ "$group" != build ] || ! is_bundle || continue
		is_there "$there" && continue
		case $column in
		2) printf '%s\n' "${there#*:}" ;;
		3) printf '%s\n' "$apt" ;;
		4) printf '%s\n' "$dnf" ;;
		esac
	done <<<"$PACKAGES" | sort -u
}

# On RHEL and its kin some -devel packages are in a repository that is off by default. It is
# switched on for our call only. Prints dnf's option, or nothing.
dnf_extra_repo() {
	"$1" -q repolist --all 2>/dev/null |
		awk '$1 ~ /^(crb|powertools|codeready-builder-for-.*-rpms)$/ { print "--enablerepo=" $1; exit }'
}

# try_install GROUP...: returns 1, with the reason said, if something is still missing afterwards.
try_install() {
	local tool names command=() option
	if tool=$(command -v apt-get); then
		read -r -d '' -a names < <(missing 3 "$@") || :
		command=(env DEBIAN_FRONTEND=noninteractive "$tool" install -y --no-install-recommends)
	elif tool=$(command -v dnf || command -v yum); then
		read -r -d '' -a names < <(missing 4 "$@") || :
		option=$(dnf_extra_repo "$tool")
		command=("$tool" install -y ${option:+"$option"})
	else
		read -r -d '' -a names < <(missing 2 "$@") || :
	fi
	[ ${#names[@]} -gt 0 ] || return 0
	if [ -z "$tool" ]; then
		complain "missing: ${names[*]}" "no apt-get, dnf or yum is here to install them with"
		return 1
	fi
	if [ "$(id -u)" -ne 0 ]; then
		complain "missing: $(missing 2 "$@" | tr '\n' ' ')" \
			"Installing needs root. Run this, then the script again:" \
			"    sudo ${tool##*/} install -y ${option:+$option }${names[*]}"
		return 1
	fi
	say "Installing: ${names[*]}"
	install_quietly "${command[@]}" "${names[@]}" || return 1
	hash -r
	read -r -d '' -a names < <(missing 2 "$@") || :
	[ ${#names[@]} -gt 0 ] || return 0
	complain "installed what the distribution has, but still missing: ${names[*]}"
	if [[ ${names[*]} == *libdpdk* ]]; then
		complain "its DPDK is $(pkg-config --modversion libdpdk 2>/dev/null || echo unknown)." \
			"Debian 12, Ubuntu 24.04 and RHEL 9 have one that is new enough."
	fi
	return 1
}

# apt's lists are fetched only if the packages cannot be had with the ones that are here.
install_quietly() {
	local log=$TMP_DIR/install.log
	if [[ $* == *apt-get* ]] && run "$@" >"$log" 2>&1; then
		return 0
	elif [[ $* == *apt-get* ]]; then
		say "Fetching apt's package lists"
		run apt-get update >"$log" 2>&1 || {
			complain "apt-get update failed:" "$(tail -n 5 "$log")"
			return 1
		}
	fi
	run "$@" >"$log" 2>&1 || {
		complain "$* failed:" "$(tail -n 10 "$log")"
		return 1
	}
}

need_packages() {
	try_install "$@" || exit 1
}
