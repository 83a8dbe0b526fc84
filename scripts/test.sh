#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# test.sh - build pmdperf and run its tests
#
# usage: ./scripts/test.sh [SUITE...]
#
#   unit          the logic in lib/, no hardware and no DPDK devices
#   integration   the program on DPDK's virtual devices (hugepages are borrowed
#                 and given back)
#   scripts       the scripts themselves
#   fuzz          random words and files, a short round
#   bundle        the tarball of bundle.sh, in a system of another release and on
#                 an old CPU
#   e2e           real PCI NICs in QEMU guests, taken from the kernel and given
#                 back
#   lint          shellcheck, codespell, clang-format, cppcheck; one test each
#   --help        this text
#
# Without a suite: all but lint. With CI=true: lint too, warnings are errors, and
# the unit tests also run in a build by clang (build-clang/).
#
# Installs what is missing (root). The last line is "N passed, N failed, N
# skipped"; a suite that breaks, or a build that fails, is a failure. The exit
# status is 0 only if something ran and nothing failed.

# shellcheck source-path=SCRIPTDIR
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/lib/common.sh"
. "$HERE/lib/process.sh"
. "$HERE/lib/packages.sh"
. "$HERE/lib/build.sh"
. "$HERE/lib/hugepages.sh"

SUITES=(unit integration scripts fuzz bundle e2e lint)
PAGES=512 # 1 GB: two programs at a time with room for testpmd-sized pools

CI=${CI:-}
suites=()
while [ $# -gt 0 ]; do
	case $1 in
	-h | --help) print_help && exit 0 ;;
	-*) usage_error "unknown option '$1'" ;;
	*)
		[[ " ${SUITES[*]} " == *" $1 "* ]] ||
			usage_error "unknown suite '$1'; valid: ${SUITES[*]}"
		suites+=("$1")
		;;
	esac
	shift
done
if [ ${#suites[@]} -eq 0 ]; then
	suites=(unit integration scripts fuzz bundle e2e)
	[ "$CI" != true ] || suites+=(lint)
fi

passed=0 failed=0 skipped=0

# The line that others read comes last, whatever happens before.
print_verdict() {
	say "$passed passed, $failed failed, $skipped skipped"
}
CLEANUP_STEPS+=' print_verdict'

# fail_suite NAME REASON: what broke before it could be counted.
fail_suite() {
	complain "$1: $2"
	failed=$((failed + 1))
}

# add_counts NAME PARSER FILE: reads "P F S" from count_tests.py.
add_counts() {
	local name=$1 p f s
	read -r p f s < <(/usr/bin/python3 "$HERE/lib/count_tests.py" "$2" "$3") || {
		fail_suite "$name" "its results cannot be read"
		return 0
	}
	say "$name: $p passed, $f failed, $s skipped"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

# build DIR: returns 1, with the failure counted and shown, when it does not build.
build() {
	local log=$TMP_DIR/build.log
	say "Building into $(basename "$1")/"
	build_program "$1" "$log" || {
		tail -n 40 "$log" >&2
		fail_suite "build in $(basename "$1")" "failed"
		return 1
	}
}

# unit_tests NAME DIR
unit_tests() {
	local name=$1 dir=$2 log=$TMP_DIR/unit.log
	rm -f "$dir/meson-logs/testlog.json"
	CMOCKA_MESSAGE_OUTPUT=TAP run meson test -C "$dir" --no-rebuild --suite unit >"$log" 2>&1 ||
		[ -e "$dir/meson-logs/testlog.json" ] || tail -n 20 "$log" >&2
	add_counts "$name" meson "$dir/meson-logs/testlog.json"
}

# python_tests NAME FOLDER [PYTEST_WORD...]
python_tests() {
	local name=$1 folder=$2 status=0
	local xml=$TMP_DIR/$name.xml
	shift 2
	if [ -z "$(find "$folder" -name 'test_*.py' -print -quit)" ]; then
		fail_suite "$name" "there are no tests in $folder"
		return 0
	fi
	PMDPERF=$ROOT/build/app/pmdperf run /usr/bin/python3 -m pytest -q -p no:cacheprovider \
		--junitxml="$xml" "$@" "$folder" || status=$?
	add_counts "$name" junit "$xml"
	# 0: all passed, 1: some failed and are counted; anything else broke off.
	[ "$status" -le 1 ] || fail_suite "$name" "pytest ended with status $status"
}

run_unit() {
	unit_tests unit "$ROOT/build"
	if [ "$CI" = true ] && CC=clang build "$ROOT/build-clang"; then
		unit_tests "unit (clang)" "$ROOT/build-clang"
	fi
}

run_integration() {
	choose_cpus
	hugepages_reserve "$PAGES" "$NODE" ||
		complain "integration: $HUGE_WHY; tests that need them are skipped or fail"
	python_tests integration "$ROOT/tests/integration"
	hugepages_give_back
}

run_scripts() {
	python_tests scripts "$ROOT/tests/scripts"
}

run_fuzz() {
	python_tests fuzz "$ROOT/tests/fuzz"
}

run_bundle() {
	python_tests bundle "$ROOT/tests/bundle"
}

# Guests wait more than they work, so two share the machine.
run_e2e() {
	python_tests e2e "$ROOT/tests/e2e" -n 2
}

# lint_with TOOL [ARGUMENT...]
lint_with() {
	local log=$TMP_DIR/lint.log
	if ! command -v "$1" >/dev/null; then
		say "lint: $1 is not here: skipped"
		skipped=$((skipped + 1))
	elif run "$@" >"$log" 2>&1; then
		passed=$((passed + 1))
	else
		tail -n 40 "$log" >&2
		fail_suite lint "$1 found something"
	fi
}

run_lint() {
	local shell=() c=()
	# Shell is in files of that name, and in those without an extension.
	mapfile -t shell < <(find scripts tests .ci -name '*.sh' -o -path '.ci/run' -o \
		-path 'scripts/*' -type f ! -name '*.*')
	mapfile -t c < <(find app lib tests -name '*.[ch]')
	lint_with shellcheck -x "${shell[@]}"
	# runn, trafic: misspelt on purpose in tests of messages; iif: a word of ip rule
	lint_with codespell --ignore-words-list=runn,trafic,iif app lib config scripts tests .ci ./*.md \
		meson.build
	lint_with clang-format --dry-run -Werror "${c[@]}"
	# uninitvar: the compilers know better which loops run at least once
	lint_with cppcheck --quiet --error-exitcode=1 --std=c11 --enable=portability \
		--inline-suppr --suppress=uninitvar -I lib lib app
}

# The packages of a suite that was not asked for are not installed.
needed_packages() {
	printf 'build unit\n'
	[[ ${suites[*]} != *integration* ]] || printf 'pytest decode testpmd screen\n'
	[[ ${suites[*]} != *scripts* ]] || printf 'pytest\n'
	[[ ${suites[*]} != *fuzz* ]] || printf 'pytest clang\n'
	[[ ${suites[*]} != *bundle* ]] || printf 'pytest e2e\n'
	[[ ${suites[*]} != *e2e* ]] || printf 'pytest xdist e2e\n'
	[[ ${suites[*]} != *lint* ]] || printf 'lint\n'
	[ "$CI" != true ] || printf 'clang\n'
}

make_tmp_dir
cd "$ROOT"
[ "$CI" = true ] && werror=true || werror=false
export MESON_OPTIONS="-Dtests=enabled -Dwerror=$werror"
read -r -d '' -a groups < <(needed_packages) || :
try_install "${groups[@]}" || fail_suite packages "what the tests need is not all here"
if build "$ROOT/build"; then
	for suite in "${suites[@]}"; do
		"run_$suite"
	done
fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
