# SPDX-License-Identifier: BSD-3-Clause
"""What is in the frames, read by others than the program: tshark, and sums of our own."""
import pathlib
import re

import pytest

import links
import packets

pytestmark = pytest.mark.usefixtures("hugepages")

# What else is said on the link is another test's matter.
TX = ["--forward-mode=txonly", "--warmup=0", "--no-control"]
PCAP_MAC = "02:70:63:61:70:00"  # net_pcap0's own
JUMBO = 9000


def capture(box, *own, length=64, duration="50ms"):
    """A short run into a file."""
    path = pathlib.Path(box.path) / "sent.pcap"
    r = box.run([f"--vdev=net_pcap0,tx_pcap={path}"],
                [*TX, f"--duration={duration}", f"--txpkts={length}", *own])
    assert r.status == 0, r.err
    assert r.summary["tx"]["unsent"] == 0
    return r, path


def without_tag(frame):
    """The bytes that all frames of a flow share: neither the UDP checksum nor the tag."""
    end = packets.HEADERS + packets.TAG.size
    return frame[:packets.HEADERS - 2] + frame[end:]


def check_all(frames, length, cksum=True, tags=True):
    """Every frame's tag; of the rest, the same bytes once, and many checksums."""
    frames = list(frames)
    if tags:
        packets.check_tags(frames)
    different = set(map(without_tag, frames) if tags else frames)
    assert len(different) <= 16, "16 flows, frames differ in their ports only"
    for frame in frames[:2000] + frames[-500:] if tags else different:
        packets.check_frame(frame, length, cksum)
        end = packets.HEADERS + packets.TAG.size if tags else packets.HEADERS
        assert not any(frame[end:])


def refused(r, *words):
    """Wrong usage: nothing was sent, one message says it all."""
    assert r.status == 2, r.out + r.err
    assert r.report is None
    for word in words:
        assert word in r.err, r.err


def check_decoded(rows, length, udp_ok=packets.GOOD):
    assert rows
    for row in rows:
        assert row["len"] == str(length)
        assert row["ip_len"] == str(length - 14) and row["udp_len"] == str(length - 34)
        assert row["ip_ok"] == packets.GOOD and row["udp_ok"] == udp_ok
        assert row["ip_src"] == "198.18.0.1" and row["ip_dst"] == "198.18.0.2"
        assert int(row["ttl"]) > 1
        assert row["malformed"] == ""
        assert set(row["payload"]) <= set("0123456789abcdef:")
        assert len(row["payload"].replace(":", "")) == 2 * (length - packets.HEADERS)


@pytest.mark.parametrize("length", [60, 61, 64, 65, 128, 1430, 1514, JUMBO])
def test_G2_lengths_and_checksums(box, length):
    r, path = capture(box, length=length)
    check_decoded(packets.tshark(path), length)
    frames = list(packets.read_pcap(path))
    check_all(frames, length)
    tx = r.summary["tx"]
    assert len(frames) == tx["total_packets"]
    assert tx["total_bytes"] == length * len(frames)
    assert r.summary["frame_len"] == length


@pytest.mark.parametrize("length", [60, 64, 1430])
def test_frames_without_tags(box, length):
    _, path = capture(box, "--no-tag", length=length)
    check_all(packets.read_pcap(path), length, tags=False)


@pytest.mark.parametrize("queues, flows", [(1, 1), (1, 7), (3, 16), (4, 300)])
def test_tags_of_many_flows(box, queues, flows):
    """Each queue's file is a sender's frames in order; together they have all its flows."""
    files = [pathlib.Path(box.path) / f"q{i}.pcap" for i in range(queues)]
    vdev = "--vdev=net_pcap0," + ",".join(f"tx_pcap={f}" for f in files)
    r = box.run([vdev], [*TX, "--duration=50ms", f"--txq={queues}", f"--flows-per-core={flows}"])
    assert r.status == 0, r.err
    seen = {}
    for file in files:
        for frame in packets.read_pcap(file):
            tag = packets.Tag(frame)
            assert tag.sequence == seen.get(tag.flow, 0)
            seen[tag.flow] = tag.sequence + 1
    assert sorted(seen) == list(range(flows))
    assert sum(seen.values()) == r.summary["tx"]["total_packets"]


def test_G2_sizes_one_after_another_leave_nothing_behind(box):
    """A second run of another length has its own lengths in every frame, not the first run's."""
    for length in (1400, 60, 777):
        _, path = capture(box, length=length)
        check_all(packets.read_pcap(path), length)


@pytest.mark.parametrize("kind, udp_ok, full", [("software", packets.GOOD, True),
                                                ("none", packets.ABSENT, False)])
@pytest.mark.parametrize("length", [60, 65, 1430])
def test_tx_cksum_by_word(box, kind, udp_ok, full, length):
    _, path = capture(box, f"--tx-cksum={kind}", length=length)
    check_decoded(packets.tshark(path), length, udp_ok)
    check_all(packets.read_pcap(path), length, cksum=full)


@pytest.mark.parametrize("vdev", ["net_null0", "net_ring0", "net_pcap0,tx_pcap=offload.pcap"])
def test_tx_cksum_offload_refused_where_the_device_has_none(box, vdev):
    r = box.run([f"--vdev={vdev}"], [*TX, "--duration=10ms", "--tx-cksum=offload"])
    refused(r, vdev.split(",")[0], "UDP checksums", "--tx-cksum=software")


@pytest.mark.parametrize("kind, segments", [
    ("software", "64"), ("none", "64"), ("offload", "64"), ("offload", "1430"),
    ("software", "42,18"), ("software", "100,200,300"), ("software", "100,100,13"),
    ("offload", "64,65")])
def test_frames_through_a_virtio_ring(box, kind, segments):
    """What a receiver behind a ring gets, checksums computed on the way included."""
    length = sum(int(n) for n in segments.split(","))
    pair = links.Pair(box)
    path = pathlib.Path(box.path) / "got.pcap"
    watcher = links.Watcher(box, pair.vhost(), path)
    pair.listening()
    r = box.run([pair.virtio()], [*TX, "--duration=100ms", f"--txpkts={segments}",
                                  f"--tx-cksum={kind}"])
    watcher.stop()
    assert r.status == 0, r.err
    frames = list(packets.read_pcap(path))
    assert len(frames) == r.summary["tx"]["total_packets"] > 0
    check_all(frames, length, cksum=kind != "none", tags=int(segments.split(",")[0]) >= 60)


def test_tx_cksum_offload_on_a_tap(box):
    """The driver computes the sum in software, segments or not; the kernel's side sees it."""
    links.need_root()
    name = f"pt{box.path[-8:]}"
    for segments in ("100", "42,58"):
        r = box.run([f"--vdev=net_tap0,iface={name}"],
                    [*TX, "--duration=50ms", "--tx-cksum=offload", f"--txpkts={segments}"])
        assert r.status == 0, r.err
        tx = r.summary["tx"]
        assert tx["total_packets"] > 0
        assert tx["total_bytes"] == 100 * tx["total_packets"]


@pytest.mark.parametrize("length", [0, 1, 20, 41])
def test_G1_below_the_headers_refused(box, length):
    r = box.run(["--vdev=net_null0"], [*TX, "--duration=10ms", f"--txpkts={length}"])
    refused(r, f"--txpkts={length}", "65535")


@pytest.mark.parametrize("length", [42, 59])
def test_G9_below_the_ethernet_minimum_refused(box, length):
    r = box.run(["--vdev=net_null0"], [*TX, "--duration=10ms", f"--txpkts={length}"])
    refused(r, "--txpkts", "60", "without the CRC")


def test_G9_minimum_is_sent_and_the_convention_said(box):
    r, path = capture(box, length=60)
    assert {len(f) for f in packets.read_pcap(path)} == {60}
    assert "60 B without CRC" in r.out


@pytest.mark.parametrize("segments, words", [
    ("100,0,100", ["--txpkts=100,0,100"]), ("41,100", ["42"]), ("20,20,20", ["42"]),
    ("42,17", ["60", "65535"]), ("60000,60000", ["65535"])])
def test_G4_segments_refused(box, segments, words):
    r = box.run(["--vdev=net_memif0,role=server,socket=refused.sock"],
                [*TX, "--duration=10ms", f"--txpkts={segments}"])
    refused(r, *words)


@pytest.mark.parametrize("vdev", ["net_null0", "net_pcap0,tx_pcap=refused.pcap"])
def test_segments_refused_where_the_device_cannot(box, vdev):
    r = box.run([f"--vdev={vdev}"], [*TX, "--duration=10ms", "--txpkts=42,18"])
    refused(r, vdev.split(",")[0], "segments", "60")


@pytest.mark.parametrize("segments", ["42,18", "64,64", "100,200,300", "100,100,13", "60,1"])
def test_G4_segments_arrive(box, segments):
    """In the receiver's own count, and in its bytes, not only in the sender's."""
    length = sum(int(n) for n in segments.split(","))
    pair = links.Pair(box)
    r = box.run([pair.memif("server", 0), pair.memif("client", 1)],
                ["--port-mode", "0=txonly", "--port-mode", "1=rxonly", "--warmup=0",
                 "--duration=300ms", f"--txpkts={segments}"], workers=2)
    links.check_lossless(r, r, length)


@pytest.mark.parametrize("segments", ["42,18", "64,65", "100,100,13"])
def test_G4_segments_decoded(box, segments):
    length = sum(int(n) for n in segments.split(","))
    pair = links.Pair(box)
    path = pathlib.Path(box.path) / "got.pcap"
    watcher = links.Watcher(box, pair.memif("server"), path)
    pair.listening()
    r = box.run([pair.memif("client")], [*TX, "--duration=200ms", f"--txpkts={segments}"])
    watcher.stop()
    assert r.status == 0, r.err
    check_decoded(packets.tshark(path), length)
    frames = list(packets.read_pcap(path))
    assert len(frames) == r.summary["tx"]["total_packets"] > 0
    check_all(frames, length, tags=int(segments.split(",")[0]) >= 60)


def address_for_zero_sum(sport, dport, length):
    """A destination address with which that pair's UDP checksum comes out as 0."""
    source = [0xc612, 1]  # 198.18.0.1
    known = source + [0xc612, 17, length - 34, sport, dport, length - 34]
    total = sum(known)
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    rest = 0xffff - total
    return f"198.18.{rest >> 8}.{rest & 0xff}"


TO = "--dst-mac=02:00:00:00:00:00"  # nobody answers ARP in a pcap file


@pytest.mark.parametrize("length", [60, 64, 65])
def test_G8_a_sum_of_zero_becomes_all_ones(box, length):
    _, path = capture(box, length=length)
    pairs = sorted(packets.flow_counts(path, length))
    for sport, dport in (pairs[0], pairs[7]):
        ip = address_for_zero_sum(sport, dport, length)
        _, path = capture(box, f"--dst-ip={ip}", TO, "--no-tag", length=length)
        zero = [f for f in packets.read_pcap(path)
                if f[34:38] == sport.to_bytes(2, "big") + dport.to_bytes(2, "big")]
        assert zero
        assert {packets.udp_field(frame) for frame in zero} == {0xffff}
        check_all(zero, length, tags=False)
        assert all(row["udp_ok"] == packets.GOOD for row in packets.tshark(path))


def test_G8_sums_of_tagged_frames_are_never_zero(box):
    """Of some hundred thousand different sums some are zero by chance."""
    _, path = capture(box, duration="200ms")
    for frame in packets.read_pcap(path):
        assert packets.udp_field(frame) != 0
        if packets.udp_field(frame) == 0xffff:
            packets.check_frame(frame, 64)


def test_G8_a_sum_of_zero_with_tx_udp(box):
    ip = address_for_zero_sum(5000, 6000, 64)
    _, path = capture(box, "--tx-udp=5000,6000", f"--dst-ip={ip}", TO, "--no-tag")
    first = [f for f in packets.read_pcap(path) if f[34:38] == bytes.fromhex("13881770")]
    assert first
    assert {packets.udp_field(f) for f in first} == {0xffff}
    assert {packets.udp_sum(f) for f in first} == {0xffff}


def test_G8_receiver_takes_frames_without_a_udp_checksum(box):
    path = pathlib.Path(box.path) / "in.pcap"
    frames = [packets.udp_frame("02:00:00:00:00:02", "02:00:00:00:00:01") for _ in range(100)]
    packets.write_pcap(path, frames)
    r = box.run([f"--vdev=net_pcap0,rx_pcap={path}"],
                ["--forward-mode=rxonly", "--warmup=0", "--duration=100ms"])
    assert r.status == 0, r.err
    assert r.summary["rx"]["total_packets"] == 100


def test_G10_addresses_stay_and_ports_vary(box):
    _, path = capture(box, "--src-ip=192.0.2.7", "--dst-ip=198.51.100.9",
                      "--dst-mac=02:00:00:00:00:42")
    rows = packets.tshark(path)
    assert {(r["ip_src"], r["ip_dst"]) for r in rows} == {("192.0.2.7", "198.51.100.9")}
    assert {(r["src"], r["dst"]) for r in rows} == {(PCAP_MAC, "02:00:00:00:00:42")}
    assert len({r["sport"] for r in rows}) == 16
    assert len({r["dport"] for r in rows}) == 16


def test_G10_tx_ip_and_eth_peer_as_in_testpmd(box):
    _, path = capture(box, "--tx-ip=192.0.2.7,192.0.2.8", "--eth-peer=0,02:00:00:00:00:43")
    rows = packets.tshark(path)
    assert {(r["ip_src"], r["ip_dst"], r["dst"]) for r in rows} == {
        ("192.0.2.7", "192.0.2.8", "02:00:00:00:00:43")}


def test_G6_source_mac_is_the_ports_own(veth, box):
    """An anti-spoof filter would let it through: what the peer's kernel counts came from us."""
    r = box.run([veth.vdev()], [*TX, "--duration=50ms"])
    assert r.report["ports"][0]["mac"] == veth.mac()
    assert veth.peer_received() == r.summary["tx"]["total_packets"]


# MTU 1500: a frame of 1514 bytes is the longest, in whatever way a driver counts.
@pytest.mark.parametrize("length", [60, 1430, 1513, 1514])
def test_F6_what_the_mtu_allows_arrives(veth, box, length):
    r = box.run([veth.vdev()], [*TX, "--duration=100ms", f"--txpkts={length}"])
    assert r.status == 0, r.err
    tx = r.summary["tx"]
    assert veth.peer_received() == tx["total_packets"] > 0
    assert veth.peer_received_bytes() == tx["total_bytes"] == length * tx["total_packets"]
    assert veth.mtu() == 1500


@pytest.mark.parametrize("length", [1515, 1516, 1517, 1518, 1519, 2000, 3000, 9000])
def test_F5_F6_G5_above_the_mtu_arrives_or_is_refused(veth, box, length):
    r = box.run([veth.vdev()], [*TX, "--duration=100ms", f"--txpkts={length}"])
    if r.status == 0:
        assert veth.peer_received() == r.summary["tx"]["total_packets"] > 0
    else:
        refused(r, "net_af_packet0", str(length), "1514", "MTU 1500")
        assert veth.peer_received() == 0
    assert veth.mtu() == 1500


@pytest.mark.parametrize("vdev", ["af_packet", "null"])
def test_G3_65535_named_with_the_limit(veth, box, vdev):
    words = veth.vdev() if vdev == "af_packet" else "--vdev=net_null0"
    r = box.run([words], [*TX, "--duration=10ms", "--txpkts=65535"])
    refused(r, "65535")
    limit = re.search(r"limit(?: is)? (\d+)", r.err)
    assert limit and int(limit[1]) < 65535, r.err
    assert "65663" not in r.err, r.err


@pytest.mark.parametrize("length", [1515, 2000, 3000, 9000])
def test_G3_null_takes_what_it_says(box, length):
    """Its frames are not cut: the bytes counted are those of the length asked."""
    r = box.run(["--vdev=net_null0"], [*TX, "--duration=20ms", f"--txpkts={length}"])
    assert r.status == 0, r.err
    assert r.summary["tx"]["total_bytes"] == length * r.summary["tx"]["total_packets"] > 0
    assert r.report["ports"][0]["mtu"] >= length - 14


def test_G3_an_mbuf_too_small_for_the_frame_is_refused(box):
    r = box.run(["--vdev=net_null0"],
                [*TX, "--duration=10ms", "--txpkts=2000", "--mbuf-size=2048"])
    refused(r, "--mbuf-size")


@pytest.mark.parametrize("length", [1414, 1415, 1430, 1500])
def test_G5_an_interface_with_a_smaller_mtu(veth, box, length):
    """The interface's MTU counts, not what the driver takes for granted."""
    veth.set_mtu(1400)
    r = box.run([veth.vdev()], [*TX, "--duration=100ms", f"--txpkts={length}"])
    if length <= 1414:
        assert r.status == 0, r.err
    if r.status == 0:
        assert veth.peer_received() == r.summary["tx"]["total_packets"] > 0
    else:
        refused(r, "net_af_packet0", str(length), "1414", "MTU 1400")
        assert veth.peer_received() == 0
    assert veth.mtu() == 1400


@pytest.mark.parametrize("length", [2000, 9000])
def test_F5_jumbo_through_a_virtio_ring(box, length):
    pair = links.Pair(box)
    tx, rx = links.exchange(box, pair.virtio(), pair.vhost(), [f"--txpkts={length}"],
                            [f"--max-pkt-len={length + 4}"], pair.listening)
    links.check_lossless(tx, rx, length)
    assert tx.report["ports"][0]["mtu"] == length - 14


@pytest.mark.parametrize("length", [1515, 1519, 9000])
def test_F5_memif_refuses_what_it_cannot_carry(box, length):
    r = box.run(["--vdev=net_memif0,role=server,socket=jumbo.sock"],
                [*TX, "--duration=10ms", f"--txpkts={length}"])
    refused(r, "net_memif0", str(length), "1514", "MTU 1500")


def test_G11_own_mac_as_destination_refused(box):
    for word in (f"--dst-mac={PCAP_MAC}", f"--eth-peer=0,{PCAP_MAC.upper()}"):
        r = box.run(["--vdev=net_pcap0,tx_pcap=own.pcap"], [*TX, "--duration=10ms", word])
        refused(r, "own", "--dst-mac")


def test_G11_own_mac_of_an_interface_refused(veth, box):
    r = box.run([veth.vdev()], [*TX, "--duration=10ms", f"--dst-mac={veth.mac()}"])
    refused(r, "own", "--dst-mac")
    assert veth.peer_received() == 0


@pytest.mark.parametrize("mac, word", [("01:00:5e:00:00:01", "multicast"),
                                       ("ff:ff:ff:ff:ff:ff", "broadcast"),
                                       ("00:00:00:00:00:00", "zero")])
def test_G11_odd_destinations_are_warned_of_and_used(box, mac, word):
    r, path = capture(box, f"--dst-mac={mac}")
    assert [n for n in r.report["notes"] if n.startswith("warning") and mac in n and word in n]
    assert {row["dst"] for row in packets.tshark(path, 100)} == {mac}


def test_G11_two_ports_of_one_mac_are_warned_of(veth, box):
    """Whatever stands between them learns one address on two of its ports."""
    other = links.Veth()
    try:
        links.sh("ip", "link", "set", other.here, "address", veth.mac())
        r = box.run([veth.vdev(), other.vdev().replace("packet0", "packet1")],
                    [*TX, "--duration=10ms"])
        assert r.status == 0, r.err
        assert [n for n in r.report["notes"] if n.startswith("warning") and veth.mac() in n]
    finally:
        other.close()
