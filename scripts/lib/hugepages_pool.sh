# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# The kernel's pools of hugepages, a pool for each NUMA node and page size: what is there, what can
# be added, what we added. dpdk-hugepages.py sets totals, and so takes away what others reserved;
# here only what was added is ever taken back.
#
# $STATE_DIR/hugepages remembers it: "boot ID", "pages NODE KB COUNT", "mount FOLDER".

POOL_WHY= # why a pool could not grow

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

# pool_count NODE KB total|free
pool_count() {
	local dir name=nr_hugepages
	[ "$3" != free ] || name=free_hugepages
	dir=$(pool_dir "$1" "$2") || { printf '0\n' && return; }
	cat "$dir/$name"
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

# pool_grow NODE KB PAGES: adds pages to the pool, all or none. What was added is remembered before
# anything else can happen. Returns 1 with POOL_WHY.
pool_grow() {
	local node=$1 kb=$2 pages=$3 dir before after
	dir=$(pool_dir "$node" "$kb") || {
		POOL_WHY="this kernel has no pages of $(page_text "$kb") on node $node"
		return 1
	}
	if [ "$(pool_available_kb "$node")" -lt $((pages * kb)) ]; then
		POOL_WHY="node $node can spare only $(($(pool_available_kb "$node") / 1024)) MB of the $((pages * kb / 1024)) MB"
		return 1
	fi
	hold_signals
	before=$(cat "$dir/nr_hugepages")
	put $((before + pages)) "$dir/nr_hugepages" || :
	[ -z "$DRY_RUN" ] || { release_signals && return 0; }
	after=$(cat "$dir/nr_hugepages")
	if [ $((after - before)) -lt "$pages" ]; then
		# In pieces: the kernel gives what it finds.
		put "$before" "$dir/nr_hugepages" || :
		POOL_WHY="asked node $node for $pages pages of $(page_text "$kb"), got $((after - before))"
		[ "$kb" -lt 1048576 ] || POOL_WHY+="; pages of 1 GB are best reserved at boot: hugepagesz=1G hugepages=$pages on the kernel's command line"
		release_signals
		return 1
	fi
	pool_remember pages "$node" "$kb" "$pages"
	release_signals
}

# pool_shrink NODE KB PAGES: takes back what was added, as far as nobody uses it.
pool_shrink() {
	local dir before after want
	dir=$(pool_dir "$1" "$2") || return 0
	before=$(cat "$dir/nr_hugepages")
	want=$((before - $3))
	put $((want > 0 ? want : 0)) "$dir/nr_hugepages" || :
	[ -z "$DRY_RUN" ] || return 0
	after=$(cat "$dir/nr_hugepages")
	say "node $1: $((before - after)) pages of $(page_text "$2") given back, $after stay"
	# Pages in use become surplus, and go when their owner does.
	[ "$after" -le "$want" ] || {
		complain "hugepages.sh: node $1: $((after - want)) pages could not be given back"
		return 1
	}
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

pool_state() {
	printf '%s/hugepages\n' "$STATE_DIR"
}

# Adds a line to what is remembered. What was remembered before a reboot is gone with the pages.
pool_remember() {
	local file
	[ -z "$DRY_RUN" ] || return 0
	file=$(pool_state)
	mkdir -p "$STATE_DIR"
	pool_forget_stale
	[ -e "$file" ] || printf 'boot %s\n' "$(boot_id)" >"$file"
	printf '%s\n' "$*" >>"$file"
}

pool_forget_stale() {
	local file
	file=$(pool_state)
	[ ! -e "$file" ] || [ "$(first_line "$file")" = "boot $(boot_id)" ] || rm -f "$file"
}

# pool_ours NODE KB: how many of its pages we added.
pool_ours() {
	awk -v node="$1" -v kb="$2" -v boot="boot $(boot_id)" '
		NR == 1 && $0 != boot { exit }
		$1 == "pages" && $2 == node && $3 == kb { n += $4 }
		END { print n + 0 }' "$(pool_state)" 2>/dev/null || printf '0\n'
}

# The folder where hugetlbfs with pages of this size is mounted; nothing if none is.
pool_mount() {
	awk -v size="$1" -v usual="$(awk '/^Hugepagesize/ { print $2 }' "$PROC/meminfo")" '
		$3 == "hugetlbfs" {
			kb = usual
			if (match($4, /pagesize=[0-9]+[KMG]/)) {
				text = substr($4, RSTART + 9, RLENGTH - 9)
				kb = text + 0
				if (text ~ /M$/) kb *= 1024
				if (text ~ /G$/) kb *= 1048576
			}
			if (kb == size) { print $2; exit }
		}' "$PROC/mounts"
}

# pool_need_mount KB: mounts hugetlbfs for the size if no mount is there.
pool_need_mount() {
	local dir
	[ -z "$(pool_mount "$1")" ] || return 0
	dir=$SYSROOT/dev/hugepages
	[ "$1" = "$(awk '/^Hugepagesize/ { print $2 }' "$PROC/meminfo")" ] || dir=$RUN_DIR/hugepages-$1kB
	attempt mkdir -p "$dir" || return 1
	attempt mount -t hugetlbfs -o "pagesize=$1K" nodev "$dir" || return 1
	pool_remember mount "$dir"
	say "hugetlbfs for pages of $(page_text "$1") mounted at $dir"
}

# Files that programs of DPDK left when they were killed: nobody has them open or mapped. They
# hold their pages until they are removed.
pool_leftovers() {
	local dir used
	used=$( (cat "$PROC"/[0-9]*/maps | awk '/map_[0-9]+$/ { print $NF }'
		ls -l "$PROC"/[0-9]*/fd | awk '/map_[0-9]+$/ { print $NF }') 2>/dev/null | sort -u)
	while read -r dir; do
		for file in "$dir"/*map_[0-9]*; do
			[ -f "$file" ] || continue
			printf '%s\n' "$used" | grep -qxF -e "$file" || printf '%s\n' "$file"
		done
	done < <(awk '$3 == "hugetlbfs" { print $2 }' "$PROC/mounts")
}

pool_remove_leftovers() {
	local file count=0
	while read -r file; do
		attempt rm -f "$file" && count=$((count + 1))
	done < <(pool_leftovers)
	[ "$count" -eq 0 ] || say "removed $count hugepage files of programs that are dead"
}

# "PID NAME MB" of the programs that hold hugepages.
pool_holders() {
	local dir
	for dir in "$PROC"/[0-9]*; do
		awk -v pid="${dir##*/}" -v name="$(first_line "$dir/comm")" '
			/^(Private|Shared)_Hugetlb/ { kb += $2 }
			END { if (kb > 0) print pid, name, int(kb / 1024) }' "$dir/smaps_rollup" 2>/dev/null || :
	done
}
