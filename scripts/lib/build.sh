# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Builds into a folder of the clone and reuses what is there.

# A build is for one machine (-march=native) and one place. After a move to another it is redone
# from the start. A folder without this mark was set up by hand: nothing is redone there.
build_mark() {
	printf '%s %s\n' "$ROOT" "$(grep -m1 -E '^(flags|Features)' /proc/cpuinfo | cksum)"
}

# build_program DIR LOG [TARGET...]: without targets, everything. Environment: CC for a new folder,
# MESON_OPTIONS (-Dname=value ...) for any. Returns 1 when it failed; LOG says why. In a bundle all is
# built.
build_program() {
	local dir=$1 log=$2 options=() set_up='' there
	local mark=$1/.pmdperf-machine asked=$1/.pmdperf-options
	shift 2
	! is_bundle || return 0
	read -r -a options <<<"${MESON_OPTIONS:-}" || :
	if [ ! -e "$dir/build.ninja" ]; then
		set_up=new
	elif there=$(cat "$mark" 2>/dev/null) && [ "$there" != "$(build_mark)" ]; then
		set_up=again
	fi
	if [ -n "$set_up" ]; then
		[ "$set_up" = new ] || rm -rf "$dir"
		run meson setup ${options[@]+"${options[@]}"} "$dir" "$ROOT" >"$log" 2>&1 || return 1
		build_mark >"$mark"
		printf '%s\n' "${options[*]}" >"$asked"
	elif [ ${#options[@]} -gt 0 ] && [ "$(cat "$asked" 2>/dev/null)" != "${options[*]}" ]; then
		run meson configure "$dir" "${options[@]}" >"$log" 2>&1 || return 1
		printf '%s\n' "${options[*]}" >"$asked"
	fi
	run ninja -C "$dir" "$@" >>"$log" 2>&1
}
