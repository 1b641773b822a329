#!/usr/bin/env bash
# The report of nullmailer 2.2 (Debian 12) on a mail that it has given up (RFC 3464).
#
# Guessed: when `queuelifetime` is over, the sender gets a report with the action "failed", as of a mail that is refused
# for good; nullmailer-send(8) says that the mail is moved to the failed queue then, and a bounce generated. Seen: where
# the last refusal was for now (451), that report has the action "delayed", and says that a final report follows. None
# does: the mail lies in the failed queue already, and is not tried again.
#
# What follows: who waits for the final report never learns that the mail was lost. nullmailer sends no others by itself.
# Needs apt with Debian's packages, python3, and user namespaces with overlays. Installs into a temporary folder; fails
# if anything changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download nullmailer=1:2.2-4 >/dev/null 2>&1
dpkg --extract nullmailer*.deb parts
mkdir -p root/{dev,usr,etc/nullmailer,var/spool/nullmailer/{queue,failed,tmp}}
for name in bin sbin lib lib64; do ln -s "usr/$name" "root/$name"; done
cp /etc/passwd /etc/group root/etc/
mkfifo root/var/spool/nullmailer/trigger
cat >server <<'PYTHON'
# Takes mail for gm@example.org, and refuses all other recipients for now.
import socketserver


class Session(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"220 mx.example.net ESMTP\r\n")
        for line in self.rfile:
            if line.startswith(b"RCPT") and b"<gm@" not in line:
                self.wfile.write(b"451 4.2.1 mailbox is busy\r\n")
            elif line.startswith(b"DATA"):
                self.wfile.write(b"354 go on\r\n")
                with open("sent", "ab") as sent:
                    sent.writelines(iter(self.rfile.readline, b".\r\n"))
                self.wfile.write(b"250 ok\r\n")
            else:
                self.wfile.write(b"250 ok\r\n")


with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
    with open("port", "w") as port:
        print(server.server_address[1], file=port)
    server.serve_forever()
PYTHON
python3 server 2>/dev/null &
for _ in {1..50}; do [[ ! -s port ]] || break; sleep 0.1; done
echo "127.0.0.1 smtp --port=$(cat port)" >root/etc/nullmailer/remotes
echo mx.example.org | tee root/etc/mailname >root/etc/nullmailer/me
echo 3 >root/etc/nullmailer/queuelifetime
echo 1 | tee root/etc/nullmailer/pausetime >root/etc/nullmailer/maxpause
printf '%s\n' gm@example.org late@example.net "" "From: gm@example.org" "To: late@example.net" "Subject: Turn 3" \
	"Message-ID: <3@example.org>" "" "Your report." >root/var/spool/nullmailer/queue/1
cat >session <<'SESSION'
mount -t overlay overlay -o lowerdir=parts/usr:/usr root/usr
mount --rbind /dev root/dev
exec timeout 15 chroot root /usr/sbin/nullmailer-send
SESSION
unshare --mount --map-root-user --pid --fork --kill-child bash session >log 2>&1 || true
{
	echo "nullmailer $(dpkg-deb --field nullmailer*.deb Version)"
	echo "reports: $(grep -c '^Subject: Returned mail' sent)"
	tr -d '\r' <sent | sed -n '/^This is/,/^proves/p; /^Final-Recipient/,/^Status/p; /^Diagnostic/p'
	(cd root/var/spool/nullmailer && echo "queue: $(ls queue | wc -l), failed: $(ls failed | wc -l)")
} >seen
cat seen
diff seen - <<'SEEN'
nullmailer 1:2.2-4
reports: 1
This is the nullmailer delivery system.  The message attached below
has not been delivered to one or more of the intended recipients:

	<late@example.net>

A final delivery status notification will be generated if delivery
proves to be impossible within the configured time limit.
Final-Recipient: rfc822; late@example.net
Action: delayed
Status: 4.2.1
Diagnostic-Code: SMTP; 451 4.2.1 mailbox is busy
queue: 0, failed: 1
SEEN
echo "as stated"
