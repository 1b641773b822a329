#!/usr/bin/env bash
# GETQUOTAROOT by imapclient 4.1.0 (RFC 9208): a folder name with a blank, and a mailbox without a quota.
#
# Guessed: get_quota_root() quotes a folder name as select_folder() does, and returns no roots where the server sends
# none. Seen: it sends the name as it stands, so that a server reads two arguments; and where the server answers OK
# without a QUOTAROOT line, as Dovecot 2.3.19.1 does for a mailbox without a quota, it raises IndexError.
#
# What follows: ask for the quota of INBOX alone, or quote the name; take IndexError for "no quota".
# Needs python3 and network access to the package registry. Installs into a temporary folder; fails if anything changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check imapclient==4.1.0
"$folder/venv/bin/python" - >"$folder/seen" <<'PYTHON'
import socketserver
import threading

import imapclient

HEARD = []


class Session(socketserver.StreamRequestHandler):
    """IMAP server that announces QUOTA, and answers as a server without any quota does."""

    def handle(self):
        self.wfile.write(b"* OK [CAPABILITY IMAP4rev1 QUOTA] ready\r\n")
        for line in self.rfile:
            tag, command = line.split(None, 1)
            HEARD.append(command.decode().strip())
            verb = command.split()[0].upper()
            if verb == b"CAPABILITY":
                self.wfile.write(b"* CAPABILITY IMAP4rev1 QUOTA\r\n")
            elif verb == b"SELECT":
                self.wfile.write(b"* 0 EXISTS\r\n* OK [UIDVALIDITY 1] ok\r\n")
            self.wfile.write(tag + b" OK done\r\n")


with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with imapclient.IMAPClient("127.0.0.1", server.server_address[1], ssl=False, timeout=10) as imap:
        imap.login("ann", "secret")
        imap.select_folder("Old mail")
        try:
            print("returned", imap.get_quota_root("Old mail"))
        except IndexError as error:
            print("IndexError:", error)
    print(*(line for line in HEARD if line.startswith(("SELECT", "GETQUOTAROOT"))), sep="\n")
    server.shutdown()
print("imapclient", imapclient.__version__)
PYTHON
cat "$folder/seen"
diff "$folder/seen" - <<'SEEN'
IndexError: tuple index out of range
SELECT "Old mail"
GETQUOTAROOT Old mail
imapclient 4.1.0
SEEN
echo "as stated"
