# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# Memory that a run needs: hugepages, and the right to pin them.

doctor_memory() {
	local dir node pages free total=0 text='' size mounts
	for dir in "$SYS"/devices/system/node/node[0-9]*; do
		[ -d "$dir" ] || continue
		node=${dir##*/node}
		for size in 2048 1048576; do
			pages=$(first_line "$dir/hugepages/hugepages-${size}kB/nr_hugepages")
			[ "${pages:-0}" -gt 0 ] || continue
			free=$(first_line "$dir/hugepages/hugepages-${size}kB/free_hugepages")
			text+="${text:+, }node $node: $pages of $([ "$size" = 2048 ] && echo 2 MB || echo 1 GB), $free free"
			total=$((total + free))
		done
	done
	if [ -z "$text" ]; then
		finding warn hugepages "none is reserved; scripts/send and scripts/receive do it" \
			"$HERE/hugepages.sh reserve --mem 512"
	elif [ "$total" -eq 0 ]; then
		finding warn hugepages "$text: other programs have them" "$HERE/hugepages.sh status"
	else
		finding ok hugepages "$text"
	fi
	mounts=$(awk '$3 == "hugetlbfs" { printf "%s%s", sep, $2; sep = ", " }' "$PROC/mounts" 2>/dev/null)
	finding ok hugetlbfs "${mounts:-not mounted; pmdperf needs no mount}"
	text=$(awk '/^MemAvailable/ { print int($2 / 1024) }' "$PROC/meminfo" 2>/dev/null)
	if [ -z "$text" ]; then
		finding ok memory "n/a: /proc/meminfo cannot be read"
	elif [ "$text" -lt 512 ]; then
		finding bad memory "$text MB are available, a run needs 512 MB with all it starts" "free -m"
	else
		finding ok memory "$text MB are available"
	fi
	text=$(memlock_text)
	if [[ $text == *'too little'* ]]; then
		finding warn memlock "$text" "ulimit -l unlimited"
	else
		finding ok memlock "$text"
	fi
}
