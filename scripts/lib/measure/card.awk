# SPDX-License-Identifier: BSD-3-Clause
#
# The last screen of send and receive: 24 lines of 80 columns, from the steps' result files, in an
# awk of any kind, for machines that have nothing else.
#
# awk -f card.awk -v role=send -v steps="bandwidth pps" -v folder=DIR -v back=TEXT -v again=TEXT
#
# A result file is what pmdperf --json writes: a key or a value to a line, two blanks to a level.

BEGIN {
	WIDTH = 79  # a full 80th column wraps on some terminals
	HEIGHT = 23 # and the prompt has the last line
	direction = role == "send" ? "tx" : "rx"
	count = split(steps, step, " ")
	for (i = 1; i <= count; i++)
		have[i] = read_result(i, folder "/" i "-" step[i] ".json")
	top()
	for (i = 1; i <= count; i++)
		row(i)
	for (i = 1; i <= count; i++)
		counts(i)
	end_at = lines
	add("")
	add("Results     " folder)
	add("Given back  " back)
	add("Again       " again)
	show(end_at)
	exit
}

# Fills value[step, "summary.tx.pps"]; items of a list have their number from 0 in the path.
function read_result(at, file, line, level, name, found, path, item) {
	while ((getline line < file) > 0) {
		found = 1
		match(line, /^ */)
		level = RLENGTH / 2
		sub(/^ */, "", line)
		sub(/,$/, "", line)
		if (line ~ /^[]}]/)
			continue
		if (match(line, /^"[^"]*": /)) {
			name = substr(line, 2, RLENGTH - 4)
			line = substr(line, RLENGTH + 1)
		} else {
			name = item[level]++
		}
		path[level] = level > 1 ? path[level - 1] "." name : name
		item[level + 1] = 0
		if (line !~ /^[[{]$/)
			value[at, path[level]] = plain(line)
	}
	close(file)
	return found
}

function plain(text) {
	if (text ~ /^"/) {
		text = substr(text, 2, length(text) - 2)
		gsub(/\\"/, "\"", text)
		gsub(/\\\\/, "\\", text)
	}
	return text
}

function has(at, name) {
	return ((at SUBSEP name) in value)
}

function get(at, name) {
	return has(at, name) ? value[at, name] : "null"
}

# A line, wrapped where it is too long.
function add(text, cut) {
	while (length(text) > WIDTH) {
		for (cut = WIDTH + 1; cut > 4 && substr(text, cut, 1) != " "; cut--)
			;
		if (cut <= 4)
			cut = WIDTH + 1
		line_of[++lines] = substr(text, 1, cut - 1)
		text = substr(text, cut)
		sub(/^ */, "    ", text)
	}
	line_of[++lines] = text
}

function figure(number, scale, width, digits) {
	return sprintf("%" width "s", number == "null" ? "n/a" : sprintf("%." digits "f", number / scale))
}

# 12,345,678
function grouped(number, text, out) {
	if (number == "null")
		return "n/a"
	text = sprintf("%.0f", number)
	while (length(text) > 3) {
		out = "," substr(text, length(text) - 2) out
		text = substr(text, 1, length(text) - 3)
	}
	return text out
}

function top(i, head) {
	head = "pmdperf"
	for (i = count; i > 0; i--)
		if (have[i])
			head = "pmdperf " get(i, "tool.version") " - " get(i, "ports.0.name") \
				" (" get(i, "ports.0.driver") ")"
	add(head)
	add("===============================================================================")
	add(direction == "tx" ? "SENT: what the device took. What arrived, only the receiver can say." \
		: "RECEIVED, from the first frame to the last.")
	add("step         bytes      Mpps Gbit/s L2 Gbit/s L1 window s busy %  verdict")
}

# Of the busiest lcore.
function busy(at, i, most) {
	most = "null"
	for (i = 0; has(at, "lcores." i ".lcore"); i++)
		if (get(at, "lcores." i ".streams") > 0 && get(at, "lcores." i ".busy_pct") != "null" &&
		    (most == "null" || get(at, "lcores." i ".busy_pct") + 0 > most + 0))
			most = get(at, "lcores." i ".busy_pct")
	return most
}

function row(at, part, packets) {
	if (!have[at]) {
		add(sprintf("%-12.12s no result: see the log", step[at]))
		return
	}
	part = "summary." direction "."
	packets = get(at, part "packets")
	add(sprintf("%-12.12s", step[at]) \
		figure(packets > 0 ? get(at, part "bytes") / packets : "null", 1, 6, 0) \
		figure(get(at, part "pps"), 1e6, 10, 3) figure(get(at, part "bps"), 1e9, 10, 2) \
		figure(get(at, part "bps_l1"), 1e9, 10, 2) figure(get(at, part "window_s"), 1, 9, 1) \
		figure(busy(at), 1, 7, 0) "  " get(at, "verdict.status"))
}

# How evenly queues were used, which a table of 32 would not show better.
function spread(at, i, n, share, least, most) {
	for (i = 0; has(at, "queues." i ".dir"); i++) {
		if (get(at, "queues." i ".dir") != direction)
			continue
		share = get(at, "queues." i ".share_pct")
		share = share == "null" ? 0 : share + 0
		if (n == 0 || share < least)
			least = share
		if (n == 0 || share > most)
			most = share
		n++
	}
	return n < 2 ? "1 queue" : sprintf("%d queues, share %.1f-%.1f %%", n, least, most)
}

# What the tags of all senders' frames say: ", 5 lost", exact or by the gaps between them.
function lost(at, i, sum, exact) {
	exact = 1
	for (i = 0; has(at, "account.senders." i ".lost"); i++) {
		sum += get(at, "account.senders." i ".lost")
		if (get(at, "account.senders." i ".lost_exact") != "true")
			exact = 0
	}
	return i == 0 ? "" : ", " grouped(sum + 0) (exact ? " lost" : " lost by gaps")
}

function counts(at, part) {
	if (!have[at])
		return
	part = "summary." direction "."
	if (direction == "tx")
		add("  " step[at] ": " grouped(get(at, part "total_packets")) " frames taken by the device, " \
			grouped(get(at, part "total_unsent")) " refused; " spread(at))
	else
		add("  " step[at] ": " grouped(get(at, part "total_packets")) " frames received" lost(at) ", missed by the" \
			" device " grouped(get(at, part "missed")) "; " spread(at))
}

# Each only once, whichever step says it.
function warnings(at, k, text) {
	for (k = 0; has(at, "notes." k); k++) {
		text = get(at, "notes." k)
		if (text !~ /^warning: / || text in warned)
			continue
		warned[text] = 1
		add("  " text)
	}
}

# Between the figures and the end: what to know of the first run that is not as it should be, and
# what the steps warn of, as far as there is room.
function show(end_at, i, k, n, from, room) {
	for (i = 1; i <= end_at; i++)
		print line_of[i]
	from = lines
	for (i = 1; i <= count && from == lines; i++)
		if (have[i] && (get(i, "verdict.status") == "fail" || has(i, "expect.reached")))
			for (k = 0; has(i, "verdict.reasons." k); k++)
				add("  " get(i, "verdict.reasons." k))
	for (i = 1; i <= count; i++)
		warnings(i)
	n = lines - from
	room = HEIGHT - from
	for (i = 1; i <= n && i <= room; i++)
		print (i == room && n > room ? "  more: see the logs" : line_of[from + i])
	for (i = end_at + 1; i <= from; i++)
		print line_of[i]
}
