# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154 # main.sh has what is not here
#
# --io af_xdp on an interface of several queues. XDP takes all that comes to its queue, so one is set
# apart: RSS keeps the kernel's traffic on the others, and connections live on; the peer's UDP comes
# to a receiver's queue by an ntuple filter. Where the NIC cannot do that, the program says what it
# does not see. (ethtool(8): -l, -x, -X, -N)

STEER_QUEUE=  # the one set apart; nothing: none
STEER_UNDO=() # commands that set back what was changed, the last first

steer_queues() {
	ethtool -l "$interface" 2>/dev/null | awk '
		/^Current/ { now = 1 }
		now && /^(Combined|RX):/ && $2 ~ /^[0-9]+$/ { n += $2 }
		END { print n + 0 }'
}

# rss_is_plain QUEUES: the table is what "-X default" makes, or nothing could set it back.
rss_is_plain() {
	ethtool -x "$interface" 2>/dev/null | awk -v queues="$1" '
		/^ *[0-9]+: / {
			at = $1 + 0
			for (i = 2; i <= NF; i++) {
				entries++
				if ($i != (at + i - 2) % queues)
					other = 1
			}
		}
		END { exit entries == 0 || other }'
}

# steer_change UNDO COMMAND...: the command, and what sets it back.
steer_change() {
	local undo=$1
	shift
	printf '%s\n' "$*" >>"$results/steer.log"
	"$@" >>"$results/steer.log" 2>&1 || return 1
	STEER_UNDO=("$undo" ${STEER_UNDO[@]+"${STEER_UNDO[@]}"})
	printf 'to undo: %s\n' "$undo" >>"$results/steer.log"
}

# The rule's number is known only once it is there.
steer_filter() {
	local said number
	said=$(ethtool -N "$interface" flow-type udp4 src-ip "$peer_ip" dst-ip "$own_ip" action "$1" 2>&1)
	printf '%s\n' "ethtool -N: $said" >>"$results/steer.log"
	number=$(sed -n 's/.*rule with ID \([0-9]*\).*/\1/p' <<<"$said")
	[ -n "$number" ] || return 1
	steer_change "ethtool -N $interface delete $number" true
}

has_ntuple() {
	local state
	state=$(ethtool -k "$interface" 2>/dev/null | sed -n 's/^ntuple-filters: //p')
	case $state in
	on*) ;;
	off) steer_change "ethtool -K $interface ntuple off" ethtool -K "$interface" ntuple on ;;
	*) return 1 ;;
	esac
}

# steer_all QUEUES: each step of it, or a reason.
steer_all() {
	rss_is_plain "$1" || { echo "its RSS table is not the default one" && return 1; }
	steer_change "ethtool -X $interface default" ethtool -X "$interface" equal "$(($1 - 1))" ||
		{ echo "its RSS table cannot be set" && return 1; }
	[ "$ROLE" = receive ] || return 0
	has_ntuple || { echo "it has no ntuple filters" && return 1; }
	steer_filter "$(($1 - 1))" || { echo "it takes no such ntuple filter" && return 1; }
}

# Before the first step. A NIC that cannot do it is used as it is.
steer_begin() {
	local queues why
	[ "$io" = af_xdp ] || return 0
	queues=$(steer_queues)
	[ "$queues" -ge 2 ] || return 0
	steer_all "$queues" >"$results/steer.why" || {
		why=$(<"$results/steer.why")
		steer_end
		say "$interface has $queues queues and none can be set apart: $why." \
			"The first is used; what goes to the others is not seen."
		return 0
	}
	STEER_QUEUE=$((queues - 1))
	say "Queue $STEER_QUEUE of $interface is set apart for this; the kernel keeps the others."
}

# On every exit. Returns 1, with the command said, if something could not be set back.
steer_end() {
	local undo status=0
	for undo in ${STEER_UNDO[@]+"${STEER_UNDO[@]}"}; do
		# shellcheck disable=SC2086 # words without blanks
		$undo >>"$results/steer.log" 2>&1 || {
			complain "not set back; try: $undo"
			status=1
		}
	done
	STEER_UNDO=()
	return "$status"
}
