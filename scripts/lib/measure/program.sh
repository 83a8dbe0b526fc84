# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The program: built while the network is there, only looked for afterwards.

program=${PMDPERF:-$ROOT/build/app/pmdperf}

prepare_program() {
	[ -z "${PMDPERF:-}" ] || return 0
	need_packages build nic
	is_bundle || try_install qr || complain "warning: without it, show --qr has nothing to draw with"
	say "Building what has changed in build/"
	build_program "$ROOT/build" "$TMP_DIR/build.log" app/pmdperf ||
		die "the build failed:" "$(tail -n 20 "$TMP_DIR/build.log")"
}

# Ends the script unless a run can start without a network.
need_program() {
	[ -x "$program" ] || die "pmdperf is not built, and without its NIC this machine can install nothing" \
		"First, while the network is there: $HERE/prepare PEER"
	"$program" --version >/dev/null 2>&1 || die "$program does not start: $("$program" --version 2>&1 | tail -n 1)" \
		"First, while the network is there: $HERE/prepare PEER"
}
