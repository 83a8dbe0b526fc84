# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# File systems of hugepages, the files in them, and the programs that hold pages. Needs
# hugepages_pool.sh.

# "KB FOLDER" of each mount.
huge_mounts() {
	local usual dir type options kb
	usual=$(huge_usual_kb)
	while read -r _ dir type options _; do
		[ "$type" = hugetlbfs ] || continue
		kb=$usual
		if [[ $options =~ pagesize=([0-9]+)([KMG]) ]]; then
			kb=${BASH_REMATCH[1]}
			case ${BASH_REMATCH[2]} in
			M) kb=$((kb * 1024)) ;;
			G) kb=$((kb * 1048576)) ;;
			esac
		fi
		printf '%s %b\n' "$kb" "$dir"
	done <"$PROC/mounts"
}

huge_usual_kb() {
	awk '/^Hugepagesize/ { print $2 }' "$PROC/meminfo"
}

# huge_mount_of KB: the folder where pages of this size are mounted; nothing if they are not.
huge_mount_of() {
	huge_mounts | awk -v kb="$1" '$1 == kb { sub(/^[0-9]+ /, ""); print; exit }'
}

is_mount() {
	awk '{ print $2 }' "$PROC/mounts" | grep -qxF -e "$1"
}

# huge_need_mount KB: mounts hugetlbfs for the size if no mount is there. It is remembered first.
huge_need_mount() {
	local dir=$DEV/hugepages
	[ -z "$(huge_mount_of "$1")" ] || return 0
	{ [ "$1" = "$(huge_usual_kb)" ] && ! is_mount "$dir"; } || dir=$RUN_DIR/hugepages-$1kB
	step "mount hugetlbfs for pages of $(page_text "$1") at $dir"
	{ pool_lines && printf 'mount %s\n' "$dir"; } | pool_keep || return 1
	attempt mkdir -p "$dir" && attempt mount -t hugetlbfs -o "pagesize=$1K" nodev "$dir" && return 0
	huge_forget_mount "$dir"
	return 1
}

huge_forget_mount() {
	pool_lines | grep -vxF -e "mount $1" | pool_keep
}

# huge_unmount FOLDER: returns 1, and it stays remembered, while somebody has something in it.
huge_unmount() {
	if is_mount "$1"; then
		step "unmount $1"
		if [ -n "$(ls -A "$1")" ] || ! attempt umount "$1" 2>/dev/null; then
			complain "hugepages.sh: $1 is still in use and stays mounted"
			return 1
		fi
	fi
	[ -n "$DRY_RUN" ] || rmdir "$1" 2>/dev/null || :
	huge_forget_mount "$1"
}

# What live programs of DPDK use: "file DEVICE INODE" that they have mapped or open, "prefix NAME"
# whose config they have open, as whoever holds its lock has. Names of files are not compared: in a
# container the same file has another one.
huge_in_use() {
	local fds
	cat "$PROC"/[0-9]*/maps 2>/dev/null | awk '
		/map_[0-9]+$/ && !seen[$4, $5]++ {
			# As stat writes a device: low eight bits of the minor number last.
			split($4, part, ":")
			while (length(part[1]) < 3)
				part[1] = "0" part[1]
			device = substr(part[2], 1, length(part[2]) - 2) part[1] substr(part[2], length(part[2]) - 1)
			sub(/^0+/, "", device)
			print "file", device, $5
		}'
	# shellcheck disable=SC2012 # busybox's find tells no targets of links
	fds=$(ls -ln /dev/null "$PROC"/[0-9]*/fd 2>/dev/null | awk '
		/:$/ { dir = substr($0, 1, length($0) - 1) }
		{
			if ((at = index($0, " -> ")) == 0)
				next
			target = substr($0, at + 4)
			n = split(substr($0, 1, at - 1), word, " ")
			if (target ~ /map_[0-9]+$/)
				print "open", dir "/" word[n]
			else if (target ~ /\/dpdk\/[^\/]+\/config$/) {
				n = split(target, word, "/")
				print "prefix", word[n - 1]
			}
		}')
	printf '%s\n' "$fds" | grep '^prefix ' || :
	printf '%s\n' "$fds" | sed -n 's/^open //p' | huge_stat | awk '{ print "file", $1, $2 }'
}

# "DEVICE INODE NAME" of each file named.
huge_stat() {
	tr '\n' '\0' | xargs -0 stat -L -c '%D %i %n' 2>/dev/null || :
}

# All that are named as files of DPDK: PREFIXmap_NUMBER.
huge_files() {
	local dir file
	while read -r _ dir; do
		for file in "$dir"/*map_*; do
			[[ ! -f $file || -L $file || ! ${file##*/} =~ .map_[0-9]+$ ]] || printf '%s\n' "$file"
		done
	done < <(huge_mounts)
}

# Those of dead programs: nobody has them open or mapped, nobody runs with the prefix. They hold
# their pages until they are removed.
huge_leftovers() {
	[ -n "$SYSROOT" ] || [ "$(id -u)" -eq 0 ] || return 0 # other users' programs cannot be seen
	{
		huge_in_use
		huge_files | huge_stat
	} | awk '
		$1 == "file" || $1 == "prefix" { used[$0] = 1; next }
		{
			name = $0
			sub(/^[^ ]+ [^ ]+ /, "", name)
			prefix = name
			sub(/^.*\//, "", prefix)
			sub(/map_[0-9]+$/, "", prefix)
			if (!(("file " $1 " " $2) in used) && !(("prefix " prefix) in used))
				print name
		}'
}

huge_remove_leftovers() {
	local files file count=0
	files=$(huge_leftovers)
	[ -n "$files" ] || return 0
	step "remove $(printf '%s\n' "$files" | wc -l) hugepage files of programs that are dead"
	while read -r file; do
		# DPDK locks the files it uses. That holds against one that starts just now.
		if have flock; then
			attempt flock -n "$file" rm -f "$file" || continue
		else
			attempt rm -f "$file" || continue
		fi
		count=$((count + 1))
	done <<<"$files"
	[ -n "$DRY_RUN" ] || say "removed $count hugepage files of programs that are dead"
}

# "MB PID NAME" of the programs that hold hugepages, most first.
huge_holders() {
	cat "$PROC"/[0-9]*/status 2>/dev/null | awk '
		/^Name:/ { name = $2 }
		/^Pid:/ { pid = $2 }
		/^HugetlbPages:/ && $2 > 0 { print int($2 / 1024), pid, name }' | sort -rn
}
