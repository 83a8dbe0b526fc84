#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# bench.sh - pmdperf's speed beside dpdk-testpmd's, in turns on the same CPUs
#
# usage: ./scripts/bench.sh [--rounds N] [--seconds N] [--case NAME]...
#                           [--json FILE]
#
#   --rounds N    how often each case is measured (default 11); medians of ratios
#                 are judged
#   --seconds N   measured time of each run (default 1)
#   --case NAME   only this case; may be repeated. Cases are in
#                 tests/bench/cases.py: null-tx null-rx pair-64 pair-64-packed
#                 pair-1430 pair-1430-packed flows-null flows-pair
#   --json FILE   where the result goes (default results/bench-*.json)
#   --tool NAME   run only pmdperf or testpmd; nothing is compared
#   --help        this text
#
# Installs what is missing (root), builds into build/, borrows hugepages and
# gives them back. It wants an idle machine: the two CPUs it uses must have
# nothing else to do. All cases with the defaults take about a quarter of an
# hour.
#
# Exit status: 0 every goal was met, 1 it could not run, 2 wrong usage, 3 a goal
# was missed.

# shellcheck source-path=SCRIPTDIR
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/lib/common.sh"
. "$HERE/lib/process.sh"
. "$HERE/lib/packages.sh"
. "$HERE/lib/build.sh"
. "$HERE/lib/hugepages.sh"

PAGES=512 # testpmd's default pools take 375 MB a process

[[ " $* " != *" --help "* && " $* " != *" -h "* ]] || {
	print_help
	exit 0
}
bench=(/usr/bin/python3 "$ROOT/tests/bench/bench.py")
# A wrong option is found before anything is installed.
[ ! -x /usr/bin/python3 ] || "${bench[@]}" --check "$@" || exit

make_tmp_dir
cd "$ROOT"
need_packages build testpmd
say "Building into build/"
build_program build "$TMP_DIR/build.log" app/pmdperf ||
	die "the build failed:" "$(tail -n 20 "$TMP_DIR/build.log")"
choose_cpus
[ "$CPU_A" != "$CPU_B" ] ||
	die "a sender and a receiver need a CPU each, and only CPU $CPU_A may be used"
hugepages_reserve "$PAGES" "$NODE" || die "$HUGE_WHY"
run "${bench[@]}" --program "$ROOT/build/app/pmdperf" --cpus "$CPU_A" "$CPU_B" "$@"
