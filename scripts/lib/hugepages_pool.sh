# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The kernel's pools of hugepages, one for each NUMA node and page size: what is there, what can be
# added, what we added. dpdk-hugepages.py sets totals, and so takes away what others reserved;
# here only what was added is ever taken back.
#
# $STATE_DIR/hugepages remembers it, for this boot:
#     boot ID
#     pages NODE KB COUNT           added by us
#     change NODE KB BEFORE DELTA   begun: whoever comes next looks how far it went
#     mount FOLDER                  mounted by us

POOL_WHY=     # why a pool could not grow
POOL_MOVED=0  # by how many pages the last change moved the pool

# The NUMA nodes with memory, a line each; 0 where sysfs has no nodes.
pool_nodes() {
	local dir some=
	for dir in "$SYS"/devices/system/node/node[0-9]*; do
		[ -d "$dir/hugepages" ] || continue
		printf '%s\n' "${dir##*/node}"
		some=yes
	done
	[ -n "$some" ] || printf '0\n'
}

# pool_dir NODE KB: the folder of its counters. Returns 1 where there is none.
pool_dir() {
	local dir
	for dir in "$SYS/devices/system/node/node$1/hugepages/hugepages-$2kB" \
		"$SYS/kernel/mm/hugepages/hugepages-$2kB"; do
		[ -e "$dir/nr_hugepages" ] && printf '%s\n' "$dir" && return 0
	done
	return 1
}

# pool_count NODE KB nr|free|surplus
pool_count() {
	local dir count=
	dir=$(pool_dir "$1" "$2") && count=$(first_line "$dir/$3_hugepages")
	printf '%s\n' "${count:-0}"
}

# What nr_hugepages was set to: it is read with the pages that were taken from the pool while in
# use, which leave when their user does.
pool_size() {
	printf '%s\n' $(($(pool_count "$1" "$2" nr) - $(pool_count "$1" "$2" surplus)))
}

# What the node could still hand out, in kB: free memory and file caches, less what is left to
# everybody else: an eighth of the node, and at least 256 MB.
pool_available_kb() {
	local file=$SYS/devices/system/node/node$1/meminfo
	[ -e "$file" ] || file=$PROC/meminfo
	awk '
		{ sub(/^Node [0-9]+ /, "") }
		/^MemTotal/ { total = $2 }
		/^(MemFree|Active\(file\)|Inactive\(file\)|SReclaimable)/ { free += $2 }
		END {
			keep = total / 8 > 262144 ? total / 8 : 262144
			print int(free > keep ? free - keep : 0)
		}' "$file"
}

# pool_can_grow NODE KB PAGES: asks the counters, not the kernel. Returns 1 with POOL_WHY.
pool_can_grow() {
	local spare
	pool_dir "$1" "$2" >/dev/null || {
		POOL_WHY="this kernel has no pages of $(page_text "$2") on node $1"
		return 1
	}
	spare=$(pool_available_kb "$1")
	[ "$spare" -ge $(($3 * $2)) ] || {
		POOL_WHY="node $1 can spare only $((spare / 1024)) MB of the $(($3 * $2 / 1024)) MB"
		return 1
	}
}

# pool_move NODE KB DELTA: sets POOL_MOVED to what the kernel did, which stops early when memory is
# in pieces or a signal comes. Remembers nothing.
pool_move() {
	local dir before
	dir=$(pool_dir "$1" "$2") || return 1
	before=$(pool_size "$1" "$2")
	put $((before + $3)) "$dir/nr_hugepages" || :
	POOL_MOVED=$3
	[ -n "$DRY_RUN" ] || POOL_MOVED=$(($(pool_size "$1" "$2") - before))
}

# pool_change NODE KB DELTA: as pool_move, and remembered, even if the script is killed in between.
pool_change() {
	if [ -z "$DRY_RUN" ] && ! {
		pool_lines
		printf 'change %s %s %s %s\n' "$1" "$2" "$(pool_size "$1" "$2")" "$3"
	} | pool_keep; then
		POOL_MOVED=0
		return 1
	fi
	pool_move "$@"
	pool_settle
}

# pool_grow NODE KB PAGES: adds pages to the pool, all or none. Returns 1 with POOL_WHY.
pool_grow() {
	local got
	pool_can_grow "$@" || return 1
	step "node $1: add $3 pages of $(page_text "$2")"
	pool_change "$@" || {
		POOL_WHY="what is added could not be remembered in $STATE_DIR"
		return 1
	}
	got=$POOL_MOVED
	[ "$got" -lt "$3" ] || return 0
	POOL_WHY="asked node $1 for $3 pages of $(page_text "$2"), got $got"
	[ "$2" -lt 1048576 ] ||
		POOL_WHY+="; pages of 1 GB are best reserved at boot: hugepagesz=1G hugepages=$3 on the kernel's command line"
	[ "$got" -le 0 ] || pool_change "$1" "$2" "-$got" || :
	return 1
}

# pool_shrink NODE KB PAGES: takes back what was added.
pool_shrink() {
	local size held
	size=$(pool_size "$1" "$2")
	if [ "$size" -lt "$3" ]; then
		complain "hugepages.sh: node $1: $3 pages of $(page_text "$2") were added," \
			"but somebody set the pool to $size since: left as it is"
		pool_set_ours "$1" "$2" 0
		return $?
	fi
	step "node $1: give back $3 pages of $(page_text "$2")"
	pool_change "$1" "$2" "-$3" || return 1
	[ -z "$DRY_RUN" ] || return 0
	if [ "$POOL_MOVED" -gt "-$3" ]; then
		complain "hugepages.sh: node $1: only $((-POOL_MOVED)) of $3 pages of $(page_text "$2") could be given back"
		return 1
	fi
	held=$(pool_count "$1" "$2" surplus)
	say "node $1: $3 pages of $(page_text "$2") given back, $((size - $3)) stay"
	[ "$held" -eq 0 ] || say "node $1: $held pages are in use and go when their program ends"
}

page_text() {
	if [ "$1" -ge 1048576 ]; then
		printf '%s GB\n' $(($1 / 1048576))
	elif [ "$1" -ge 1024 ]; then
		printf '%s MB\n' $(($1 / 1024))
	else
		printf '%s kB\n' "$1"
	fi
}

# What is remembered, without the first line. What was before a reboot is gone with the pages.
pool_lines() {
	local file=$STATE_DIR/hugepages
	[ "$(first_line "$file")" != "boot $(boot_id)" ] || sed 1d "$file"
}

# Remembers the lines of its input and no others.
pool_keep() {
	local file=$STATE_DIR/hugepages lines
	lines=$(cat)
	[ -z "$DRY_RUN" ] || return 0
	if [ -z "$lines" ]; then
		rm -f "$file"
	else
		mkdir -p "$STATE_DIR" && printf 'boot %s\n%s\n' "$(boot_id)" "$lines" >"$file.new" &&
			mv "$file.new" "$file"
	fi
}

# pool_ours NODE KB: how many of its pages we added.
pool_ours() {
	pool_lines | awk -v node="$1" -v kb="$2" '
		$1 == "pages" && $2 == node && $3 == kb { n = $4 }
		END { print n + 0 }'
}

# pool_set_ours NODE KB COUNT: and no change of that pool is under way any more.
pool_set_ours() {
	{
		pool_lines | awk -v node="$1" -v kb="$2" '$1 == "mount" || $2 != node || $3 != kb'
		[ "$3" -eq 0 ] || printf 'pages %s %s %s\n' "$1" "$2" "$3"
	} | pool_keep
}

# Looks how far changes went that were begun, and remembers it.
pool_settle() {
	local node kb before delta moved
	while read -r _ node kb before delta; do
		moved=$(($(pool_size "$node" "$kb") - before))
		if [ "$delta" -ge 0 ]; then
			[ "$moved" -ge 0 ] || moved=0
			[ "$moved" -le "$delta" ] || moved=$delta
		else
			[ "$moved" -le 0 ] || moved=0
			[ "$moved" -ge "$delta" ] || moved=$delta
		fi
		pool_set_ours "$node" "$kb" $(($(pool_ours "$node" "$kb") + moved))
	done < <(pool_lines | awk '$1 == "change"')
}
