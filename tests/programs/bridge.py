"""Takes mail by SMTP on loopback, and hands it to a sendmail command, as msmtpd does: `bridge.py PORT COMMAND`."""

from __future__ import annotations

import subprocess
import sys
from itertools import takewhile
from socketserver import StreamRequestHandler, ThreadingTCPServer


class Session(StreamRequestHandler):
    """One client, with one mail after the other."""

    def handle(self) -> None:
        """Answer until the client disconnects."""
        self.wfile.write(b"220 bridge ESMTP\r\n")
        sender = to = ""
        for line in self.rfile:
            address = line.decode().partition("<")[2].partition(">")[0]
            answer = b"250 ok\r\n"
            if line[:4].upper() == b"MAIL":
                sender = address
            elif line[:4].upper() == b"RCPT":
                to = address
            elif line[:4].upper() == b"DATA":
                self.wfile.write(b"354 go on\r\n")
                raw = b"".join(takewhile(b".\r\n".__ne__, self.rfile)).replace(b"\r\n..", b"\r\n.")
                answer = self.hand_on(sender, to, raw.replace(b"\r\n", b"\n"))
            self.wfile.write(answer)

    @staticmethod
    def hand_on(sender: str, to: str, raw: bytes) -> bytes:
        """Give a mail to the command."""
        done = subprocess.run([*sys.argv[2:], "-f", sender, "--", to], input=raw, check=False)
        return b"554 5.0.0 the command has failed\r\n" if done.returncode else b"250 ok\r\n"


if __name__ == "__main__":
    ThreadingTCPServer.daemon_threads = True
    with ThreadingTCPServer(("127.0.0.1", int(sys.argv[1])), Session) as server:
        server.serve_forever()
