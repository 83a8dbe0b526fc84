#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
#
# quickstart.sh - build pmdperf and show, in half a minute, that it works here
#
# usage: ./scripts/quickstart.sh [--seconds N]
#
#   --seconds N   measured time for each frame size (default 5)
#   --help        this text
#
# Installs what is missing (root), builds into build/, borrows 2 MB hugepages
# (root), and lets a sender and a receiver, two processes, exchange frames
# through a virtio ring: 64 bytes, then 1430. No NIC is touched. Hugepages are
# given back on every exit, Ctrl-C included, and nothing is left outside this
# folder. Results and logs stay in results/quickstart-*/. In a bundle nothing is
# installed or built.
#
# Environment: PMDPERF=PROGRAM runs that program instead of building one.

# shellcheck source-path=SCRIPTDIR
set -eu
HERE=$(cd "$(dirname "$0")" && pwd)
. "$HERE/lib/common.sh"
. "$HERE/lib/process.sh"
. "$HERE/lib/packages.sh"
. "$HERE/lib/build.sh"
. "$HERE/lib/hugepages.sh"

FRAME_SIZES=(64 1430)
RING=1024
WARMUP=1
PAGES=64 # 128 MB: both processes together use a third of it
# Which end of the ring sends: virtio_user (as a guest does) or vhost (as a host does).
SENDER=virtio_user

seconds=5
while [ $# -gt 0 ]; do
	case $1 in
	--seconds) need_count "$@" && seconds=$2 && shift 2 ;;
	-h | --help) print_help && exit 0 ;;
	*) usage_error "unknown argument '$1'" ;;
	esac
done

program=${PMDPERF:-$ROOT/build/app/pmdperf}
results=results/quickstart-$(date +%Y%m%d-%H%M%S)-$$
memory=() # EAL words
memory_text=

prepare_program() {
	[ -z "${PMDPERF:-}" ] && ! is_bundle || return 0
	need_packages build
	if [ -x "$program" ]; then
		say "Building what has changed in build/"
	else
		say "Building into build/"
	fi
	build_program "$ROOT/build" "$TMP_DIR/build.log" app/pmdperf ||
		die "the build failed:" "$(tail -n 20 "$TMP_DIR/build.log")"
}

# Without hugepages the memory is ordinary and shared through memfd: slower, but it works.
prepare_memory() {
	if hugepages_reserve "$PAGES" "$NODE"; then
		memory_text="2 MB hugepages"
		say "Hugepages: $PAGES of 2 MB are free on node $NODE, $HUGE_ADDED of them borrowed for this run"
	else
		memory=(--no-huge --no-shconf -m 256)
		memory_text="ordinary pages (no hugepages: slower)"
		say "Hugepages: none, because $HUGE_WHY; continuing with ordinary memory, which is slower"
	fi
}

# The receiver starts first, so the socket is made by its end, whichever that is.
choose_devices() {
	local socket=$1 ring=queues=1,queue_size=$RING
	case $SENDER in
	virtio_user)
		sender_device=net_virtio_user0,path=$socket,$ring
		receiver_device=net_vhost0,iface=$socket
		;;
	vhost)
		sender_device=net_vhost0,iface=$socket,client=1
		receiver_device=net_virtio_user0,path=$socket,server=1,$ring
		;;
	esac
}

# start_side ROLE CPU DEVICE NAME [OPTION...]: the main lcore sleeps and can share the worker's CPU.
# EAL's runtime files go to the private folder. The pid is in $CHILD.
start_side() {
	local role=$1 cpu=$2 device=$3 name=$4
	shift 4
	start_child env RUNTIME_DIRECTORY="$TMP_DIR" "$program" \
		--lcores "0@$cpu,1@$cpu" --no-pci --file-prefix="$role" ${memory[@]+"${memory[@]}"} \
		--vdev "$device" -- --json "$results/$name.json" "$@" \
		>"$results/$name.log" 2>&1
}

fail() {
	local log=$results/$2.log
	complain "quickstart.sh: $1" "last lines of $log:" "$(tail -n 12 "$log" | cut -c1-200)"
	exit 1
}

wait_for_socket() {
	local socket=$1 pid=$2 name=$3 i
	for ((i = 0; i < 300; i++)); do
		[ ! -S "$socket" ] || return 0
		is_alive "$pid" || fail "the receiver did not start" "$name"
		sleep 0.1
	done
	fail "the receiver was not ready within 30 s" "$name"
}

# measure SIZE: the sender ends by itself, the receiver is told to once the sender has.
measure() {
	local size=$1 socket=$TMP_DIR/$1.sock sender receiver status=0 i
	choose_devices "$socket"
	say "Measuring $size B frames: ${WARMUP} s of warm-up, then $seconds s"
	start_side receiver "$CPU_B" "$receiver_device" "$size-receiver" --forward-mode=rxonly
	receiver=$CHILD
	wait_for_socket "$socket" "$receiver" "$size-receiver"
	start_side sender "$CPU_A" "$sender_device" "$size-sender" --forward-mode=txonly \
		--txpkts="$size" --warmup="$WARMUP" --duration="$seconds"
	sender=$CHILD
	for ((i = 0; i < (WARMUP + seconds + 30) * 5; i++)); do
		is_alive "$sender" || break
		is_alive "$receiver" || fail "the receiver ended before the sender" "$size-receiver"
		sleep 0.2
	done
	! is_alive "$sender" || fail "the sender did not end in time" "$size-sender"
	reap "$sender" || status=$?
	[ "$status" -eq 0 ] || fail "the sender failed with exit status $status" "$size-sender"
	stop_child "$receiver" || status=$?
	[ "$status" -eq 0 ] || fail "the receiver failed with exit status $status" "$size-receiver"
}

# RHEL 8 has a Python of its own, not on PATH, and some systems none: a bundle works there, too.
find_python() {
	local file
	for file in /usr/bin/python3 /usr/libexec/platform-python; do
		if [ -x "$file" ]; then
			printf '%s\n' "$file"
			return 0
		fi
	done
	return 1
}

# Without Python: what the receivers reported.
show_results() {
	local size
	for size in "${FRAME_SIZES[@]}"; do
		say "Frames of $size bytes, received through a virtio ring with memory from $memory_text"
		sed -n '/^RESULT/,$p' "$results/$size-receiver.log"
	done
	say "This is pmdperf's own ceiling per core on this machine, not the speed of a NIC."
	say "Results: $results/ (JSON and console logs)"
}

make_tmp_dir
cd "$ROOT"
prepare_program
choose_cpus
mkdir -p "$results"
prepare_memory
for size in "${FRAME_SIZES[@]}"; do
	measure "$size"
done
borrowed=$HUGE_ADDED
hugepages_give_back
remove_tmp_dir
if python=$(find_python); then
	"$python" "$HERE/lib/quickstart_screen.py" "$results" \
		--sender "net_$SENDER" --ring "$RING" --memory "$memory_text" --borrowed "$borrowed" \
		--cpus "$CPU_A" "$CPU_B" --sizes "${FRAME_SIZES[@]}"
else
	show_results
fi
