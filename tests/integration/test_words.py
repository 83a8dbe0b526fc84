# SPDX-License-Identifier: BSD-3-Clause
"""What is typed wrong: each word gets one message that names it, its range and what to do."""
import re

import pytest

from harness import call, refused

NULL = ["--no-pci", "--vdev=net_null0"]
TX = "--forward-mode=txonly"
RX = "--forward-mode=rxonly"
SHORT = ["--duration=100ms", "--warmup=0", "--quiet"]


def case(name, *rest):
    return pytest.param(*rest, id=name)


# Our words after "--", what the message must hold.
OWN_WORDS = [
    case("misspelt", ["--forward-mod=txonly"], ["--forward-mod", "--forward-mode?"]),
    case("misspelt_by_a_letter", [TX, "--txqq=3"], ["--txqq=3", "did you mean --txq?"]),
    case("swapped_letters", [TX, "--brust=3"], ["--brust=3", "did you mean --burst?"]),
    case("unknown", [TX, "--zzz"], ["--zzz", "unknown option", "--help"]),
    case("D4_missing_dashes", [TX, "nb-cores=2"], ["nb-cores=2", "--nb-cores=2"]),
    case("D4_one_dash", [TX, "-nb-cores=2"], ["-nb-cores=2", "--nb-cores=2"]),
    case("D4_three_dashes", [TX, "---nb-cores=2"], ["---nb-cores=2", "--nb-cores=2"]),
    case("D4_period_is_a_word", [TX, "--stats-period", "abc"], ["--stats-period=abc", "10ms", "1h"]),
    case("D4_period_negative", [TX, "--stats-period=-1"], ["--stats-period=-1", "10ms"]),
    case("D4_period_missing", [TX, "--stats-period"], ["--stats-period", "needs a value", "10ms"]),
    case("D4_stray_word", [TX, "stray"], ["'stray'"]),
    case("D4_empty_word", [TX, ""], ["''"]),
    case("flag_with_odd_value", [TX, "--quiet=maybe"], ["--quiet=maybe", "true or false"]),
    case("version_with_value", [TX, "--version=3"], ["--version=3", "no value"]),
    case("second_separator", [TX, "--", "--burst=3"], ["--", "twice"]),
    case("no_mode", [], ["--forward-mode", "txonly", "rxonly"]),
    case("no_mode_for_plan", ["--plan"], ["--forward-mode", "txonly", "rxonly"]),
    case("mode_of_one_port_only", ["--port-mode=1=txonly", "--portmask=1"], ["--port-mode"]),
    case("mode_misspelt", ["--forward-mode=txony"],
         ["--forward-mode=txony", "rxonly", "txonly", "did you mean txonly?"]),
    case("mode_empty", ["--forward-mode="], ["--forward-mode=", "rxonly", "txonly"]),
    case("port_mode_misspelt", ["--port-mode=0=rxony"], ["--port-mode=0=rxony", "rxonly?"]),
    case("port_mode_without_port", ["--port-mode=txonly"], ["--port-mode=txonly", "0 to 31"]),
    case("port_mode_port_too_high", ["--port-mode=32=txonly"], ["--port-mode=32=txonly", "0 to 31"]),
    case("repeated", [TX, "--forward-mode=rxonly"], [TX, "--forward-mode=rxonly", "contradicts"]),
    case("repeated_duration", [TX, "--duration=1s", "--duration=2s"],
         ["--duration=1s", "--duration=2s", "contradicts"]),
    case("repeated_by_another_name", [TX, "--src-ip=192.0.2.1", "--tx-ip=192.0.2.2,192.0.2.3"],
         ["--src-ip=192.0.2.1", "--tx-ip=192.0.2.2,192.0.2.3"]),
    case("burst_0", [TX, "--burst=0"], ["--burst=0", "1 to 512"]),
    case("burst_513", [TX, "--burst=513"], ["--burst=513", "1 to 512"]),
    case("burst_float", [TX, "--burst=1.5"], ["--burst=1.5", "1 to 512"]),
    case("burst_hex", [TX, "--burst=0x20"], ["--burst=0x20", "1 to 512"]),
    case("burst_negative", [TX, "--burst=-1"], ["--burst=-1", "1 to 512"]),
    case("burst_empty", [TX, "--burst="], ["--burst=", "1 to 512"]),
    case("burst_blank", [TX, "--burst= 3"], ["--burst= 3", "1 to 512"]),
    case("burst_above_64_bits", [TX, "--burst=18446744073709551617"], ["1 to 512"]),
    case("txq_0", [TX, "--txq=0"], ["--txq=0", "1 to 1024"]),
    case("txq_65537", [TX, "--txq=65537"], ["--txq=65537", "1 to 1024"]),
    case("rxq_1025", [TX, "--rxq=1025"], ["--rxq=1025", "1 to 1024"]),
    case("txd_7", [TX, "--txd=7"], ["--txd=7", "8 to 65535"]),
    case("rxd_65536", [TX, "--rxd=65536"], ["--rxd=65536", "8 to 65535"]),
    case("nb_cores_0", [TX, "--nb-cores=0"], ["--nb-cores=0", "1 to 1023"]),
    case("nb_cores_1024", [TX, "--nb-cores=1024"], ["--nb-cores=1024", "1 to 1023"]),
    case("flows_0", [TX, "--flows-per-core=0"], ["--flows-per-core=0", "1 to 65536"]),
    case("flows_65537", [TX, "--flows-per-core=65537"], ["--flows-per-core=65537", "1 to 65536"]),
    case("mbcache_513", [TX, "--mbcache=513"], ["--mbcache=513", "0 to 512"]),
    case("mbufs_1024", [TX, "--total-num-mbufs=1024"], ["--total-num-mbufs=1024", "1025 to"]),
    case("mbuf_size_191", [TX, "--mbuf-size=191"], ["--mbuf-size=191", "192 to"]),
    case("max_pkt_len_63", [TX, "--max-pkt-len=63"], ["--max-pkt-len=63", "64 to 65535"]),
    case("duration_unit", [TX, "--duration=10x"], ["--duration=10x", "1ms to 8760h"]),
    case("duration_too_short", [TX, "--duration=999us"], ["--duration=999us", "1ms to 8760h"]),
    case("duration_too_long", [TX, "--duration=9999999h"], ["--duration=9999999h", "8760h"]),
    case("warmup_too_long", [TX, "--warmup=61m"], ["--warmup=61m", "0s to 1h"]),
    case("period_too_short", [TX, "--stats-period=9ms"], ["--stats-period=9ms", "10ms to 1h"]),
    case("portmask_0", [TX, "--portmask=0"], ["--portmask=0", "0x1 to 0xffffffff"]),
    case("portmask_33_bits", [TX, "--portmask=0x100000000"], ["0x1 to 0xffffffff"]),
    case("portmask_word", [TX, "--portmask=zz"], ["--portmask=zz", "0x1 to 0xffffffff"]),
    case("length_below_headers", [TX, "--txpkts=41"], ["--txpkts=41", "60 to 65"]),
    case("length_of_headers", [TX, "--txpkts=42"], ["--txpkts=42", "60 to 65"]),
    case("length_59", [TX, "--txpkts=59"], ["--txpkts=59", "60 to 65"]),
    case("length_0", [TX, "--txpkts=0"], ["--txpkts=0"]),
    case("length_70000", [TX, "--txpkts=70000"], ["--txpkts=70000"]),
    case("length_over_mbuf", [TX, "--txpkts=65535"], ["--txpkts=65535"]),
    case("length_with_hole", [TX, "--txpkts=64,,64"], ["--txpkts=64,,64", "empty"]),
    case("length_comma_last", [TX, "--txpkts=64,"], ["--txpkts=64,", "empty"]),
    case("segments_9", [TX, "--txpkts=64,1,1,1,1,1,1,1,1"], ["at most 8"]),
    case("segment_first_below_headers", [TX, "--txpkts=41,100"], ["--txpkts=41,100", "42"]),
    case("src_ip", [TX, "--src-ip=300.1.1.1"], ["--src-ip=300.1.1.1", "192.0.2.1"]),
    case("src_ip_short", [TX, "--src-ip=10.1"], ["--src-ip=10.1", "192.0.2.1"]),
    case("src_ip_multicast", [TX, "--src-ip=224.0.0.1"], ["--src-ip=224.0.0.1", "multicast"]),
    case("dst_ip_zero", [TX, "--dst-ip=0.0.0.0"], ["--dst-ip=0.0.0.0"]),
    case("same_ips", [TX, "--src-ip=198.18.0.2"], ["--src-ip=198.18.0.2", "both 198.18.0.2"]),
    case("rx_wait_short", [RX, "--rx-wait=99ms"], ["--rx-wait=99ms", "100ms"]),
    case("rx_wait_of_a_sender", [TX, "--rx-wait=1s"], ["--rx-wait=1s", "receives"]),
    case("rx_idle_of_a_sender", [TX, "--rx-idle=1s"], ["--rx-idle=1s", "receives"]),
    case("io_without_a_name", [TX, "--io=af_packet"], ["--io=af_packet", "--interface"]),
    case("io_unknown", [TX, "--io=dpdk", "eth0"], ["--io=dpdk", "af_packet", "af_xdp"]),
    case("interface_alone", [TX, "--interface=eth1"], ["--interface=eth1", "--io"]),
    case("interface_with_a_comma", [TX, "--io=af_xdp", "a,b"], ["--interface=a,b", "comma"]),
    case("expect_no_rate", [TX, "--expect=12"], ["--expect=12", "12Mpps"]),
    case("expect_twice", [TX, "--expect=1pps,2pps"], ["--expect=1pps,2pps", "one kind"]),
    case("expect_zero", [TX, "--expect=0pps"], ["--expect=0pps", "is 0"]),
    case("expect_min_alone", [TX, "--expect-min=90"], ["--expect-min=90", "--expect"]),
    case("expect_min_101", [TX, "--expect=1pps", "--expect-min=101"], ["--expect-min=101", "100"]),
    case("gateway_zero", [TX, "--gateway=0.0.0.0"], ["--gateway=0.0.0.0"]),
    case("gateway_multicast", [TX, "--gateway=224.0.0.1"], ["--gateway=224.0.0.1"]),
    case("gateway_own", [TX, "--gateway=198.18.0.1"], ["--gateway=198.18.0.1", "own"]),
    case("tx_ip_one", [TX, "--tx-ip=192.0.2.1"], ["--tx-ip=192.0.2.1", "SRC,DST"]),
    case("tx_udp_0", [TX, "--tx-udp=0"], ["--tx-udp=0", "1 to 65535"]),
    case("tx_udp_3", [TX, "--tx-udp=1,2,3"], ["--tx-udp=1,2,3", "at most 2"]),
    case("tx_cksum", [TX, "--tx-cksum=hard"], ["--tx-cksum=hard", "software", "offload", "none"]),
    case("dst_mac", [TX, "--dst-mac=1:2:3"], ["--dst-mac=1:2:3", "02:00:00:00:00:01"]),
    case("eth_peer_mac", [TX, "--eth-peer=0,02:00:00:00:00"], ["02:00:00:00:00", "0 to 31"]),
    case("eth_peer_without_port", [TX, "--eth-peer=02:00:00:00:00:01"], ["PORT,MAC", "0 to 31"]),
    case("eth_peer_unused_port", [TX, "--portmask=1", "--eth-peer=1,02:00:00:00:00:01"],
         ["--eth-peer=1,02:00:00:00:00:01", "--portmask=0x1"]),
    case("mbuf_smaller_than_frame", [TX, "--mbuf-size=192", "--txpkts=1430"],
         ["--mbuf-size=192", "1430"]),
    case("mbufs_fewer_than_descriptors", [TX, "--total-num-mbufs=1025", "--txd=4096"],
         ["--total-num-mbufs=1025", "4096 descriptors", "at least"]),
    case("flows_fewer_than_queues", [TX, "--flows-per-core=4", "--txq=8"],
         ["--flows-per-core=4", "8"]),
    case("E4_two_lcores_on_one_queue", [TX, "--nb-cores=2", "--txq=1"], ["--nb-cores=2", "--txq"]),
    case("config_missing", ["--config=/nonexistent.ini"], ["--config=/nonexistent.ini"]),
    case("config_is_a_directory", ["--config=/"], ["--config=/", "directory"]),
    case("json_is_a_directory", [TX, "--json=/"], ["--json", "/", "directory"]),
    case("json_in_no_directory", [TX, "--json=/nonexistent/x.json"],
         ["--json", "/nonexistent/x.json", "No such file"]),
    case("json_in_proc", [TX, "--json=/proc/x.json"], ["--json", "/proc/x.json"]),
    case("json_empty", [TX, "--json="], ["--json="]),
    case("port_mode_of_absent_port", [TX, "--port-mode", "3=txonly"],
         ["--port-mode=3=txonly", "port 3", "not there", "1 port"]),
    case("eth_peer_of_absent_port", [TX, "--eth-peer=7,02:00:00:00:00:01"],
         ["--eth-peer=7,02:00:00:00:00:01", "port 7", "not there", "1 port"]),
    case("portmask_of_absent_port", [TX, "--portmask=0x3"],
         ["--portmask=0x3", "port 1", "not there", "1 port"]),
    case("portmask_of_absent_ports_only", [TX, "--portmask=2"],
         ["--portmask=2", "port 1", "not there", "1 port"]),
    case("segments_unsupported", [TX, "--txpkts=64,64"], ["--txpkts", "port 0", "segments"]),
    case("cksum_offload_unsupported", [TX, "--tx-cksum=offload"],
         ["port 0", "--tx-cksum=software"]),
    case("eal_word_vdev", [TX, "--vdev=net_null1"], ["--vdev=net_null1", "EAL", 'before the "--"']),
    case("eal_word_l", [TX, "-l", "0-1"], ["-l", "EAL", 'before the "--"']),
    case("eal_word_prefix", [TX, "--file-prefix=x"], ["--file-prefix=x", 'before the "--"']),
    case("eal_word_no_pci", [TX, "--no-pci"], ["--no-pci", 'before the "--"']),
    case("testpmd_interactive", [TX, "-i"], ["-i", "leave it out"]),
    case("testpmd_auto_start", [TX, "-a"], ["-a", "leave it out"]),
    case("testpmd_multi_flow", [TX, "--txonly-multi-flow"], ["--flows-per-core"]),
]


@pytest.mark.parametrize("words,texts", OWN_WORDS)
def test_own_words(box, words, texts):
    refused([*NULL, "--", *words], box.path, 2, *texts)


# Words before "--".
EAL_WORDS = [
    case("own_txq", ["--txq=3", *NULL], ["--txq=3", "after '--'"]),
    case("own_nb_cores_apart", ["--nb-cores", "1", *NULL], ["--nb-cores", "after '--'"]),
    case("own_mode", [*NULL, TX], [TX, "after '--'"]),
    case("unknown", ["--bogus", *NULL], ["--bogus"]),
    case("unknown_with_value", ["--bogus=1", *NULL], ["--bogus=1"]),
    case("misspelt", ["--no-pcii", "--vdev=net_null0"], ["--no-pcii", "--no-pci"]),
    case("stray", [*NULL, "stray"], ["'stray'"]),
    case("vdev_swallows_an_option", ["--vdev", "--no-pci"], ["--vdev", "needs a value"]),
    case("vdev_empty", ["--no-pci", "--vdev="], ["--vdev", "value"]),
    case("vdev_last", ["--no-pci", "--vdev"], ["--vdev", "needs a value"]),
    case("vdev_twice", [*NULL, "--vdev=net_null0,size=128"], ["net_null0", "net_null0,size=128"]),
    case("flag_with_value", ["--no-pci=1", "--vdev=net_null0"], ["--no-pci=1", "no value"]),
    case("E1_only_main", ["-l", "0", *NULL], ["at least one worker", "lcore 0", "-l 0-1"]),
    case("E1_only_main_mask", ["-c", "0x1", *NULL], ["at least one worker", "lcore 0"]),
    case("E6_cpu_absent", ["-l", "0,200", *NULL], ["CPU 200", "may use are", "0,200"]),
    case("E6_cpu_absent_in_map", ["--lcores=0@0,1@77", *NULL], ["CPU 77", "may use are"]),
    case("lcores_word", ["-l", "x", *NULL], ["-l", "'x'", "0-3,8"]),
    case("lcores_9999", ["-l", "0,9999", *NULL], ["-l", "9999", "0 to"]),
    case("lcores_twice", ["-l", "0-1", "-l", "0,1@0", *NULL], ["-l", "'0-1'", "'0,1@0'"]),
    case("lcores_and_mask", ["-l", "0-1", "-c", "3", *NULL], ["-l", "-c"]),
    case("mask_malformed", ["-c", "0xzz", *NULL], ["-c", "0xzz"]),
    case("mask_zero", ["-c", "0", *NULL], ["-c"]),
    case("main_lcore_elsewhere", ["--main-lcore=5", "-l", "0,1", *NULL], ["--main-lcore=5"]),
    case("main_lcore_word", ["--main-lcore=x", *NULL], ["--main-lcore", "'x'", "0 to"]),
    case("secondary", ["--proc-type=secondary", *NULL], ["--proc-type", "--file-prefix"]),
    case("prefix_with_slash", ["--file-prefix=a/b", *NULL], ["--file-prefix", "a/b"]),
    case("prefix_too_long", ["--file-prefix=" + "x" * 300, *NULL], ["--file-prefix"]),
    case("memory_0", ["-m", "0", *NULL], ["-m", "'0'", "1 to"]),
    case("socket_mem_word", ["--socket-mem=x", *NULL], ["--socket-mem", "'x'", "1024,0"]),
    case("channels_99", ["-n", "99", *NULL], ["-n", "'99'", "1 to 64"]),
    case("iova_mode", ["--iova-mode=xx", *NULL], ["--iova-mode", "xx"]),
    case("log_level", ["--log-level=foo:bar", *NULL], ["--log-level", "foo:bar"]),
    case("base_virtaddr", ["--base-virtaddr=zz", *NULL], ["--base-virtaddr"]),
    case("service_lcores", ["-s", "0x2", *NULL], ["-s", "leave it out"]),
]


@pytest.mark.parametrize("words,texts", EAL_WORDS)
def test_eal_words(box, words, texts):
    refused([*words, "--", TX], box.path, 2, *texts)


# INI text, our words after it, what the message must hold.
INI = [
    case("unknown_key", "[run]\nforward-mod=txonly\n", [], ["x.ini:2", "forward-mod'", "forward-mode?"]),
    case("unknown_section", "[runn]\nburst=3\n", [], ["x.ini:2", "[runn]", "[run]?"]),
    case("no_section", "burst=3\n", [], ["x.ini:1", "[pmdperf]"]),
    case("no_equals", "[run]\nburst 3\n", [], ["x.ini:2"]),
    case("broken_section", "[run\nburst=3\n", [], ["x.ini:1"]),
    case("no_key", "[run]\n=3\n", [], ["x.ini:2"]),
    case("out_of_range", "[run]\nburst=1000\n", [], ["x.ini:2", "burst = 1000", "1 to 512"]),
    case("out_of_range_though_overridden", "[run]\nburst=1000\n", ["--burst=4"],
         ["x.ini:2", "burst = 1000", "1 to 512"]),
    case("malformed", "# one\n\n[run]\nstats-period=abc\n", [], ["x.ini:4", "stats-period = abc", "10ms"]),
    case("contradiction", "[run]\nburst=4\n[traffic]\nburst=5\n", [], ["x.ini:4", "burst = 4", "line 2"]),
    case("mode", "[run]\nport-mode=0=txony\n", [], ["x.ini:2", "port-mode = 0=txony", "txonly?"]),
    case("length", "[run]\ntxpkts=20\n", [], ["x.ini:2", "txpkts = 20", "60 to 65"]),
    case("own_key_under_eal", "[eal]\nburst=3\n", [], ["x.ini:2", "burst", "[pmdperf]"]),
    case("eal_key_under_run", "[run]\nvdev=net_null0\n", [], ["x.ini:2", "vdev", "[eal]"]),
    case("eal_value_missing", "[eal]\nvdev=\n", [], ["x.ini:2", "vdev", "value"]),
    case("eal_flag", "[eal]\nno-pci=perhaps\n", [], ["x.ini:2", "no-pci", "perhaps", "true and false"]),
    case("eal_unknown", "[eal]\nno-pci=1\nvdev=net_null0\nbogus=1\n", [], ["x.ini:4", "bogus"]),
    case("eal_lcores_malformed", "[eal]\nlcores=x\n", [], ["x.ini:2", "lcores", "0-3,8"]),
    case("E1_eal_only_main", "[eal]\nno-pci=1\nvdev=net_null0\nlcores=0\n", [],
         ["x.ini:4", "lcores", "at least one worker"]),
    case("E6_eal_cpu_absent", "[eal]\nno-pci=1\nvdev=net_null0\nlcores=0,200\n", [],
         ["x.ini:4", "CPU 200", "may use are"]),
    case("config_in_config", "[run]\nconfig=y.ini\n", [], ["x.ini:2", "command line"]),
    case("help_in_config", "[run]\nhelp=true\n", [], ["x.ini:2", "command line"]),
    case("absent_port", "[eal]\nno-pci=1\nvdev=net_null0\n[run]\nport-mode=3=txonly\n", [],
         ["x.ini:5", "port-mode = 3=txonly", "not there"]),
]


@pytest.mark.parametrize("text,words,texts", INI)
def test_ini(box, text, words, texts):
    with open(f"{box.path}/x.ini", "w", encoding="ascii") as f:
        f.write(text)
    refused(["--config", "x.ini", TX, *words], box.path, 2, *texts)


def test_ini_zero_byte(box):
    with open(f"{box.path}/x.ini", "wb") as f:
        f.write(b"[run]\nburst=\0\n")
    refused(["--config", "x.ini", TX], box.path, 2, "x.ini:2")


def test_ini_line_too_long(box):
    with open(f"{box.path}/x.ini", "w", encoding="ascii") as f:
        f.write("[run]\nburst=" + "3" * 100000 + "\n")
    refused(["--config", "x.ini", TX], box.path, 2, "x.ini:2")


def test_words_without_separator(box):
    """Who forgets the "--" is told about it."""
    refused([*NULL, TX], box.path, 2, "--no-pci", '"--"')


def test_nothing_at_all(box):
    refused([], box.path, 2, "--forward-mode")


def test_K5_no_port(box):
    refused(["--no-pci", "--", TX], box.path, 1, "no port found", "--no-pci", "--vdev=net_")


def test_K5_no_port_bound(box):
    """Each NIC is shown with its driver; or there is none."""
    r = refused(["--", TX], box.path, 1, "no port found", "--vdev=net_")
    assert re.search(r"\d\d:\d\d\.\d has \S+|no PCI NIC", r.err), r.err


def test_K5_allowed_device_that_is_absent(box):
    refused(["-a", "0000:99:00.0", "--", TX], box.path, 1, "0000:99:00.0")


def test_K5_allowed_device_that_is_absent_beside_a_port(box):
    refused(["-a", "0000:99:00.0", "--vdev=net_null0", "--", TX], box.path, 1, "0000:99:00.0")


def test_K5_allowed_device_that_is_no_address(box):
    refused(["-a", "zz", "--vdev=net_null0", "--", TX], box.path, 2, "-a", "zz")


def test_repeated_the_same_is_fine(box):
    words = ["--duration=100ms", "--duration=0.1s", "--txq=1", "--txq=1", "--quiet", "--quiet"]
    r = call([*NULL, *box.lcores(), "--no-pci", "--", TX, *words, "--warmup=0"], box.path)
    assert (r.status, r.err) == (0, "")


@pytest.mark.parametrize("joined", [True, False])
def test_values_joined_or_apart(box, joined):
    words = ["--forward-mode", "txonly", "--duration", "100ms", "--warmup", "0"]
    if joined:
        words = [f"{a}={b}" for a, b in zip(words[::2], words[1::2])]
    r = call([*NULL, *box.lcores(), "--", *words, "--quiet"], box.path)
    assert (r.status, r.err) == (0, "")


def longest(text):
    return max(len(line) for line in text.splitlines())


def test_help(box):
    for words in (["--help"], ["-h"], [*NULL, "--", "--help"], ["--help", "--", TX]):
        r = call(words, box.path)
        assert (r.status, r.err) == (0, "")
        assert longest(r.out) < 80 and r.out.isascii()
        assert not re.search(r"[ \t]+$", r.out, re.M)
    for option in ("forward-mode port-mode duration warmup plan config help version stats-period "
                   "quiet json portmask nb-cores rxq txq rxd txd max-pkt-len rss-udp "
                   "enable-rx-cksum mbcache total-num-mbufs mbuf-size txpkts burst flows-per-core "
                   "src-ip dst-ip gateway io interface expect expect-min rx-wait rx-idle tx-ip tx-udp dst-mac eth-peer tx-cksum").split():
        assert re.search(rf"^[ *] --{option}\b", r.out, re.M), option
    for engine in ("txonly", "rxonly"):
        assert engine in r.out
    for status in ("0 done", "1 ", "2 ", "3 "):
        assert status in r.out[r.out.index("Exit status"):]


def test_help_shows_nothing_the_program_refuses(box):
    """Every option of --help that takes no value is one."""
    out = call(["--help"], box.path).out
    for option in re.findall(r"^[ *] --([a-z-]+)(?= )", out, re.M):
        if option in ("help", "version"):
            continue
        r = call([*NULL, "--", TX, "--plan", f"--{option}"], box.path)
        assert r.status == 0, f"--{option}: {r.err}"


def test_version(box):
    for words in (["--version"], ["-v", "--"], [*NULL, "--", "--version"]):
        r = call(words, box.path)
        assert (r.status, r.err) == (0, "")
        assert re.fullmatch(r"pmdperf \d+\.\d+\.\d+, DPDK \d+\.\d+\.\d+\S*\n", r.out), r.out


def test_version_in_report_reads_like_that_of_the_option(box):
    version = call(["--version"], box.path).out.strip()
    r = box.run(["--vdev=net_null0"], [TX, *SHORT])
    assert r.out.startswith(version + ","), r.out.splitlines()[0]
    assert r.report["tool"]["dpdk"] in version and "DPDK DPDK" not in r.out
