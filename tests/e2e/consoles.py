# SPDX-License-Identifier: BSD-3-Clause
"""A person at a guest's serial console: types lines, reads the screen."""

import re
import socket
import time

PROMPT = "guest# "

# The console's shell; what is typed there runs there. It ends when somebody types "exit".
SHELL = f"""
mkdir -p /out/results
mount --bind /out/results /src/results
cat >/tmp/rc <<'RC'
PS1='{PROMPT}'
stty rows 25 cols 80 -echo
RC
stty -F /dev/ttyS1 clocal
TERM=linux setsid -c bash --rcfile /tmp/rc -i </dev/ttyS1 >/dev/ttyS1 2>&1
"""


class Console:
    """The other end of the guest's second serial port."""

    def __init__(self, folder, name):
        self.path = folder / name
        self.text = ""
        self.socket = None

    def device(self):
        return ["-serial", f"unix:{self.path},server=on,wait=off"]

    def connect(self, seconds=30):
        """At once when the guest has started: what nobody reads is lost."""
        end = time.monotonic() + seconds
        while not self.path.exists():
            assert time.monotonic() < end, "the guest has no console"
            time.sleep(0.05)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(str(self.path))

    def _read(self, seconds):
        self.socket.settimeout(seconds)
        try:
            self.text += self.socket.recv(65536).decode(errors="replace").replace("\r", "")
        except TimeoutError:
            pass

    def wait_for(self, pattern, seconds=120):
        """Waits for text that was not read before; returns all up to its end."""
        end = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.text)
            if found:
                before, self.text = self.text[:found.end()], self.text[found.end():]
                return before
            self._read(0.5)
            assert time.monotonic() < end, f"not on the console in {seconds} s: {pattern}\n{self.text}"

    def type(self, line):
        self.socket.sendall(line.encode() + b"\n")

    def key(self, char):
        self.socket.sendall(char)

    def command(self, line, seconds=120):
        """Types it and waits for the prompt; returns what was shown between."""
        self.type(line)
        return self.wait_for(re.escape(PROMPT), seconds)[:-len(PROMPT)]

    def close(self):
        if self.socket is not None:
            self.socket.close()


def screen(text, rows=25, columns=80):
    """What is left on a screen that does not scroll back: no cursor control but newlines."""
    text = re.sub(r"\x1b\[[0-9;?]*[\]a-zA-Z]", "", text)
    lines = []
    for line in text.split("\n"):
        while len(line) > columns:
            lines.append(line[:columns])
            line = line[columns:]
        lines.append(line)
    return lines[-rows:]
