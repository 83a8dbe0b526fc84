# SPDX-License-Identifier: BSD-3-Clause
"""Frames as others see them: pcap files, checksums, tshark, the RSS hash. Nothing here shares code
with the program."""
import collections
import ipaddress
import struct
import subprocess

# The RSS key that Microsoft published with its test vectors; most drivers' default.
RSS_KEY = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcb"
                        "ae7b30b477cb2da38030f20c6a42b73bbeac01fa")
ETH, IP, UDP = 14, 20, 8
HEADERS = ETH + IP + UDP
PCAP_FILE, PCAP_RECORD = 24, 16


def read_pcap(path):
    """Yields each frame whole. A record cut short by the end of the file fails."""
    data = path.read_bytes()
    magic = data[:4]
    order = "<" if magic in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = PCAP_FILE
    while at < len(data):
        kept, length = struct.unpack_from(order + "8xII", data, at)
        assert kept == length, f"{length} bytes sent, {kept} in the file"
        assert at + PCAP_RECORD + kept <= len(data), "the last record is cut short"
        yield data[at + PCAP_RECORD:at + PCAP_RECORD + kept]
        at += PCAP_RECORD + kept


def write_pcap(path, frames):
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i, frame in enumerate(frames):
            f.write(struct.pack("<IIII", 0, i, len(frame), len(frame)) + frame)


def port_pairs(path, length):
    """The (source, destination) UDP ports of a file of equally long frames, in order."""
    data = memoryview(path.read_bytes())[PCAP_FILE:]
    rest = length - ETH - IP - 4
    records = struct.Struct(f"<8xII{ETH + IP}x4s{rest}x")
    assert len(data) % records.size == 0, f"not all frames have {length} bytes"
    raw = [ports for kept, full, ports in records.iter_unpack(data)
           if kept == full == length]
    assert len(raw) == len(data) // records.size, f"not all frames have {length} bytes"
    names = {r: struct.unpack("!HH", r) for r in set(raw)}
    return [names[r] for r in raw]


def flow_counts(path, length=64):
    return collections.Counter(port_pairs(path, length))


def inet_sum(data):
    """The one's complement sum of 16-bit words (RFC 1071): 0xffff over what has a correct sum."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total > 0xffff:
        total = (total & 0xffff) + (total >> 16)
    return total


def udp_sum(frame):
    """Over pseudo header, UDP header and payload."""
    ip = frame[ETH:]
    length, = struct.unpack_from("!H", ip, IP + 4)
    return inet_sum(ip[12:20] + struct.pack("!BBH", 0, ip[9], length) + ip[IP:IP + length])


def udp_field(frame):
    return struct.unpack_from("!H", frame, ETH + IP + 6)[0]


def check_frame(frame, length, cksum=True):
    """Everything a strict receiver would look at."""
    ip_len, = struct.unpack_from("!H", frame, ETH + 2)
    udp_len, = struct.unpack_from("!H", frame, ETH + IP + 4)
    assert len(frame) == length
    assert frame[12:15] == b"\x08\x00\x45"
    assert ip_len == length - ETH and udp_len == length - ETH - IP
    assert frame[ETH + 9] == 17
    assert inet_sum(frame[ETH:ETH + IP]) == 0xffff
    if cksum:
        assert udp_field(frame) != 0 and udp_sum(frame) == 0xffff
    else:
        assert udp_field(frame) == 0


TAG = struct.Struct("!HBBIIHI")  # magic, version and kind, run, flow, sequence, time in two parts


class Tag:
    def __init__(self, frame):
        magic, kind, self.run, self.flow, number, high, low = TAG.unpack_from(frame, HEADERS)
        self.sequence = (number - self.flow * 0x9e3779b1) & 0xffffffff  # each flow has its start
        assert (magic, kind) == (0x9d17, 0x10), frame.hex()
        self.time = high << 32 | low


def check_tags(frames):
    """All frames of one sender, in the order they were sent. Returns the number of its flows."""
    ports, sequence, runs, time = {}, {}, set(), 0
    for frame in frames:
        tag = Tag(frame)
        runs.add(tag.run)
        assert ports.setdefault(tag.flow, frame[ETH + IP:ETH + IP + 4]) == frame[ETH + IP:ETH + IP + 4]
        assert tag.sequence == sequence.get(tag.flow, 0), f"flow {tag.flow}"
        sequence[tag.flow] = tag.sequence + 1
        assert tag.time >= time
        time = tag.time
    assert len(runs) == 1
    assert sorted(ports) == list(range(len(ports))) and len(set(ports.values())) == len(ports)
    assert max(sequence.values()) - min(sequence.values()) <= 1
    return len(ports)


TSHARK_FIELDS = {
    "len": "frame.len", "src": "eth.src", "dst": "eth.dst", "ip_len": "ip.len",
    "ip_src": "ip.src", "ip_dst": "ip.dst", "ttl": "ip.ttl", "ip_ok": "ip.checksum.status",
    "udp_len": "udp.length", "udp_ok": "udp.checksum.status", "sport": "udp.srcport",
    "dport": "udp.dstport", "payload": "udp.payload", "expert": "_ws.expert.message",
    "malformed": "_ws.malformed",
}
# What tshark calls a checksum.
GOOD, ABSENT = "1", "3"


def tshark(path, count=1000):
    """The first frames of a file as Wireshark's dissectors read them."""
    words = ["tshark", "-r", str(path), "-n", "-T", "fields", "-E", "separator=|",
             "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE", "-c", str(count)]
    for field in TSHARK_FIELDS.values():
        words += ["-e", field]
    out = subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout
    return [dict(zip(TSHARK_FIELDS, line.split("|"), strict=True)) for line in out.splitlines()]


def toeplitz(src_ip, dst_ip, src_port, dst_port, key=RSS_KEY):
    """The RSS hash over addresses and ports."""
    data = (ipaddress.IPv4Address(src_ip).packed + ipaddress.IPv4Address(dst_ip).packed +
            struct.pack("!HH", src_port, dst_port))
    bits, width = int.from_bytes(key, "big"), len(key) * 8
    value = 0
    for i in range(len(data) * 8):
        if data[i // 8] >> (7 - i % 8) & 1:
            value ^= bits >> (width - 32 - i) & 0xffffffff
    return value


def rss_queue(hash_value, queues, table=128):
    """Where cards put a hash: the low bits choose from a table that goes round the queues."""
    return hash_value % table % queues


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


def udp_frame(dst, src, length=60, src_ip="198.19.7.1", dst_ip="198.19.7.2", ports=(40000, 40001)):
    """A UDP frame without a UDP checksum, as IPv4 allows."""
    return ip_frame(dst, src, 17, struct.pack("!HHHH", *ports, length - ETH - IP, 0), length,
                    src_ip, dst_ip)


def ip_frame(dst, src, protocol, payload, length=60, src_ip="198.19.7.1", dst_ip="198.19.7.2"):
    head = struct.pack("!BBHHHBBH", 0x45, 0, length - ETH, 0, 0, 64, protocol, 0)
    addresses = ipaddress.IPv4Address(src_ip).packed + ipaddress.IPv4Address(dst_ip).packed
    total = ~inet_sum(head + addresses) & 0xffff
    head = head[:10] + struct.pack("!H", total) + addresses
    return (mac(dst) + mac(src) + b"\x08\x00" + head + payload).ljust(length, b"\0")


def arp_frame(dst, src):
    return (mac(dst) + mac(src) + bytes.fromhex("0806000108000604") +
            struct.pack("!H", 1) + mac(src) + bytes([198, 19, 7, 1]) + bytes(6) +
            bytes([198, 19, 7, 2])).ljust(60, b"\0")


def icmp_frame(dst, src):
    echo = struct.pack("!BBHHH", 8, 0, 0, 1, 1)
    echo = echo[:2] + struct.pack("!H", ~inet_sum(echo) & 0xffff) + echo[4:]
    return ip_frame(dst, src, 1, echo)


def ipv6_frame(dst, src):
    """UDP over IPv6 to nobody: test traffic of somebody else, no control frame."""
    head = struct.pack("!IHBB", 0x60000000, 8, 17, 64) + bytes(15) + b"\1" + bytes(15) + b"\2"
    return (mac(dst) + mac(src) + b"\x86\xdd" + head +
            struct.pack("!HHHH", 40000, 40001, 8, 0)).ljust(62, b"\0")
