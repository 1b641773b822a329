#!/usr/bin/env bash
# The mails that mlmmj 1.3.0 (Debian 12) writes by itself: a refusal, and the question whether to join (RFC 3834).
#
# Guessed: they are marked as automatic, as Mailman's and Sympa's are: by Auto-Submitted or Precedence, or at least by an
# empty envelope. Seen: no field says so, none names the list, and the envelope has an address.
#
# What follows: only the form of the Message-ID tells them from mail of a person. A program that answers such a question at
# its Reply-To, as it would a person's, has joined the list.
# Needs apt with Debian's packages, and python3. Installs into a temporary folder; fails if anything changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download mlmmj=1.3.0-4 >/dev/null 2>&1
dpkg --extract mlmmj*.deb parts
cat >server <<'PYTHON'
# Takes all mail, and writes down the sender of its envelope, and its header.
import itertools
import socketserver


class Session(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"220 mx.example.net ESMTP\r\n")
        for line in self.rfile:
            answer = b"250 ok\r\n"
            if line.startswith(b"MAIL"):
                sender = line
            elif line.startswith(b"DATA"):
                self.wfile.write(b"354 go on\r\n")
                mail = list(iter(self.rfile.readline, b".\r\n"))
                with open("sent", "ab") as sent:
                    sent.writelines([sender, *itertools.takewhile(b"\r\n".__ne__, mail), b"\r\n"])
            elif line.startswith(b"QUIT"):
                answer = b"221 bye\r\n"
            self.wfile.write(answer)


with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
    with open("port", "w") as port:
        print(server.server_address[1], file=port)
    server.serve_forever()
PYTHON
python3 server 2>/dev/null &
for _ in {1..50}; do [[ ! -s port ]] || break; sleep 0.1; done
mkdir -p club/{incoming,queue/discarded,archive,text,subconf,unsubconf,bounce,control,moderation,subscribers.d,digesters.d,requeue,nomailsubs.d}
cp parts/usr/share/mlmmj/text.skel/en/* club/text/
echo club@lists.example.org >club/control/listaddress
echo owner@example.org >club/control/owner
echo + >club/control/delimiter
echo 127.0.0.1 >club/control/relayhost
cp port club/control/smtpport
touch club/control/subonlypost
echo ann@example.org >club/subscribers.d/a
for extension in "" subscribe; do
	rm -f sent
	printf '%s\n' "From: gm@example.org" "To: club${extension:++$extension}@lists.example.org" "Subject: Turn 3" "Message-ID: <3@example.org>" \
		"Date: Sun, 29 Nov 2026 10:00:00 +0000" "" "Your report." |
		parts/usr/bin/mlmmj-receive -F -L "$folder/club" -s gm@example.org ${extension:+-e "$extension"}
	for _ in {1..50}; do [[ ! -s sent ]] || break; sleep 0.1; done
	cat sent
done | tr -d '\r' | sed -E 's/(=_).*_=/\1..._=/; s/<[0-9]+-[0-9]+-mlmmj-[0-9a-f]+@/<...-mlmmj-...@/; s/^Date: .*/Date: .../
	s/confsub-[0-9a-f]+-/confsub-...-/' >seen
echo "mlmmj $(dpkg-deb --field mlmmj*.deb Version)" >>seen
cat seen
diff seen - <<'SEEN'
MAIL FROM:<club+bounces-help@lists.example.org>
Subject: =?utf-8?q?Post_to_club=40lists.example.org_denied:_Turn_3?=
MIME-Version: 1.0
Content-Type: multipart/mixed;
 boundary="=_..._="
Content-Transfer-Encoding: 8bit
From: club+owner@lists.example.org
To: gm@example.org
Message-ID: <...-mlmmj-...@lists.example.org>
Date: ...

MAIL FROM:<club+bounces-confsub-...-gm=example.org@lists.example.org>
Subject: =?utf-8?q?Confirm_subscription_to_club=40lists.example.org?=
From: club+help@lists.example.org
To: gm@example.org
Message-ID: <...-mlmmj-...@lists.example.org>
Date: ...
MIME-Version: 1.0
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: 8bit
Reply-To: club+confsub-...-gm=example.org@lists.example.org

mlmmj 1.3.0-4
SEEN
echo "as stated"
