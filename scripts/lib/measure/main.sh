# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# What scripts/send and scripts/receive have in common, ROLE says which it is: checks, memory, the
# NIC, the steps, and in any case everything back and the card last on the screen.

# shellcheck source-path=SCRIPTDIR/../..
. "$HERE/lib/common.sh"
. "$HERE/lib/system.sh"
. "$HERE/lib/process.sh"
. "$HERE/lib/nic/find.sh"
. "$HERE/lib/nic/state.sh"
. "$HERE/lib/nic/driver.sh"
. "$HERE/lib/nic/switch.sh"
. "$HERE/lib/preset.sh"
. "$HERE/lib/measure/profile.sh"
. "$HERE/lib/measure/route.sh"
. "$HERE/lib/measure/program.sh"
. "$HERE/lib/measure/console.sh"
. "$HERE/lib/measure/choice.sh"
. "$HERE/lib/measure/steps.sh"
. "$HERE/lib/measure/steer.sh"
. "$HERE/lib/measure/detach.sh"

RX_WAIT=300 # seconds a receiver waits for a step's first frame
RX_IDLE=10  # and after its last
PAUSE=20    # between two steps of a sender: longer than RX_IDLE and a receiver's start
BIND_MARGIN=120
BIND_MAX=86400

steps=() # profiles, in order
io=
interface=
nic=
duration=
expect=
keep_bound=
detach=
preset=   # file of config/nic/ for the NIC; nothing if there is none
start_at= # seconds since 1970; nothing: at once
results= # folder; nothing before it is made
nic_back=none
pages_back=none

# need_value OPTION [VALUE]
need_value() {
	[ -n "${2-}" ] || usage_error "$1 takes a value"
}

parse_words() {
	while [ $# -gt 0 ]; do
		case $1 in
		--io=* | --nic=* | --duration=* | --expect=* | --at=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
		esac
		case $1 in
		--io)
			[[ ${2-} =~ ^af_(packet|xdp)$ ]] ||
				usage_error "--io takes af_packet or af_xdp, perhaps with an interface after it, not '${2-}'"
			io=$2
			shift
			if [ $# -gt 1 ] && [ -d "$SYS/class/net/$2" ]; then
				interface=$2
				shift
			fi
			;;
		--nic) need_value "$@" && nic=$2 && shift ;;
		--duration)
			duration=$(parse_duration "${2-}") || duration=0
			[[ $duration -ge 1 && $duration -le 86400 ]] ||
				usage_error "--duration takes a time from 1s to 24h, such as 30s or 2m, not '${2-}'"
			shift
			;;
		--expect) need_value "$@" && expect=$2 && shift ;;
		--keep-bound) keep_bound=yes ;;
		--detach) detach=yes ;;
		--at)
			[[ ${2-} =~ ^[0-9]{1,12}$ && $2 -le $(($(date +%s) + 86400)) ]] ||
				usage_error "--at takes a time within a day in seconds since 1970 (date +%s), not '${2-}'"
			start_at=$2
			shift
			;;
		-h | --help) print_help && exit 0 ;;
		-*) usage_error "unknown option '$1'" ;;
		*) steps+=("$1") ;;
		esac
		shift
	done
	[ ${#steps[@]} -gt 0 ] || steps=(bandwidth pps)
}

check_words() {
	local step
	for step in "${steps[@]}"; do
		[[ $step != */* && -f $ROOT/config/$step.ini ]] ||
			usage_error "there is no profile '$step'; there are: $(profiles)"
	done
	[ -z "$io" ] || [ -z "$nic$keep_bound" ] ||
		usage_error "with --io no NIC is taken: --nic and --keep-bound say nothing"
	check_expect
}

profiles() {
	local file names=
	for file in "$ROOT"/config/*.ini; do
		file=${file##*/}
		names+="${names:+, }${file%.ini}"
	done
	printf '%s\n' "$names"
}

# The NIC goes back before all else, and the card comes last. Each step of this may fail alone.
give_back() {
	local status=0
	console_loud
	steer_end || status=1
	if [ "$nic_back" = due ]; then
		if [ -n "$keep_bound" ]; then
			nic_back="kept: $nic stays taken; to give it back: $HERE/nic.sh restore $nic"
		elif "$HERE/nic.sh" restore "$nic" >"$results/restore.log" 2>&1; then
			nic_back="the NIC $nic, with all it had"
		else
			nic_back="NOT the NIC $nic: see $results/restore.log; try $HERE/nic.sh restore $nic"
			status=1
		fi
	fi
	if [ "$pages_back" = due ] && [ -z "$keep_bound" ]; then
		pages_back="the hugepages"
		"$HERE/hugepages.sh" release >"$results/release.log" 2>&1 || {
			pages_back="NOT the hugepages: see $results/release.log"
			status=1
		}
	fi
	return "$status"
}

show_card() {
	[ -n "$results" ] || return 0
	card_write >"$results/card.txt" 2>&1 || :
	ln -sfn "${results##*/}" "$ROOT/results/last"
	say ""
	cat "$results/card.txt" || :
}

# Memory for each step: its plan says how much on which node. One runs after the other, so what the
# first has serves the next.
reserve_memory() {
	local step words=()
	pages_back=due
	for step in "${steps[@]}"; do
		step_words "$step" words
		"$HERE/hugepages.sh" reserve -- "${words[@]}" >>"$results/hugepages.log" 2>&1 ||
			die "there is not enough memory in hugepages:" "$(tail -n 4 "$results/hugepages.log")"
	done
}

take_nic() {
	local max apart=()
	if state_exists "$nic" && is_user_driver "$(pci_driver "$nic")"; then
		say "$nic is taken already, by an earlier run"
		nic_back=due
		return 0
	fi
	if stays_with_kernel "$nic" >/dev/null; then
		say "$nic is driven beside the kernel: nothing has to be taken"
		return 0
	fi
	max=$(bind_seconds)
	say "Taking $nic; it is given back after $max s at the latest, whatever happens"
	nic_back=due
	! is_detached || apart=(--detached)
	"$HERE/nic.sh" bind "$nic" --console ${apart[@]+"${apart[@]}"} --max-bound "${max}s" >"$results/bind.log" 2>&1 && return 0
	nic_back="the NIC $nic was not taken"
	! grep -q 'NOT bound: this SSH session' "$results/bind.log" ||
		die "$nic is not taken: this SSH session runs over it" \
			"At the machine's console: $0 ${steps[*]}" \
			"From here, without a console: $0 ${steps[*]} --detach"
	die "$nic is not taken:" "$(sed -n '/^nic.sh:/,$p' "$results/bind.log")"
}

measure_main() {
	local step i=0
	parse_words "$@"
	check_words
	[ -n "$SYSROOT" ] || [ "$(id -u)" -eq 0 ] || die "needs root: sudo $0"
	profile_exists || die "this machine is not prepared" \
		"First, over SSH while the network is there: $HERE/prepare PEER"
	need_program
	make_tmp_dir
	! is_detached || CLEANUP_STEPS="$CLEANUP_STEPS note_end"
	choose_way
	[ -z "$detach" ] || detach_self "$@"
	wait_for_start
	results=$ROOT/results/$ROLE-$(date +%Y%m%d-%H%M%S)-$$
	mkdir -p "$results"
	cp "$PROFILE_FILE" "$results/profile"
	CLEANUP_STEPS="stop_children give_back show_card remove_tmp_dir note_end"
	console_quiet
	[ -z "$preset" ] || say "NIC preset: $(preset_text "$preset")" | fold -s -w 79
	[ -n "$io" ] || "$HERE/doctor.sh" --blocking "$nic" >"$results/doctor.log" 2>&1 ||
		die "this machine is not fit for it:" "$(cat "$results/doctor.log")"
	reserve_memory
	[ -n "$io" ] || take_nic
	steer_begin
	for step in "${steps[@]}"; do
		[ -z "$ENDED" ] || break
		[ "$i" -eq 0 ] || pause_between
		i=$((i + 1))
		run_step "$step" "$i"
	done
	exit "$VERDICT"
}
