#!/usr/bin/env bash
# The report of dma 0.13 (Debian 12) on a refused mail, as flufl.bounce 6.0.0 (in Mailman) and Mail::DeliveryStatus::BounceParser
# 1.543 (Debian 12) read it.
#
# Guessed: it is plain text, so no RFC 3464, but both know it by its words, as they know the texts of qmail, Exim and many more: who
# was not reached, and with 550 in it, that it is for good. Seen: flufl.bounce finds nobody in it, late or failed. BounceParser
# does, but not where the mail had X-Auto-Response-Suppress, which keeps answering machines silent: that field, in the header
# that the report quotes, makes the report "vacation autoreply" and no bounce.
#
# What follows: a list whose mail leaves through dma keeps every address that is gone. pbem reads the sentence, the code below it,
# and the Message-ID in the header that is quoted; its own mail has that field.
# Needs apt with Debian's packages, perl, Python 3.11 or newer with venv, and user namespaces with overlays. Installs into a
# temporary folder; fails if anything changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download dma=0.13-1+b1 libmail-deliverystatus-bounceparser-perl=1.543+repacked-1 libmime-tools-perl libmailtools-perl \
	libio-stringy-perl libconvert-binhex-perl libtimedate-perl >/dev/null 2>&1
for package in *.deb; do dpkg --extract "$package" parts; done
python3 -m venv python
python/bin/pip install --quiet --disable-pip-version-check flufl.bounce==6.0.0 2>/dev/null
mkdir -p root/{dev,usr,etc/dma,var/spool/dma,var/mail}
for name in bin sbin lib lib64; do ln -s "usr/$name" "root/$name"; done
cp /etc/passwd /etc/group root/etc/
cat >server <<'PYTHON'
# Takes mail for gm@example.org, and refuses all other recipients.
import socketserver


class Session(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"220 mx.example.net ESMTP\r\n")
        for line in self.rfile:
            if line.startswith(b"RCPT") and b"<gm@" not in line:
                self.wfile.write(b"550 5.1.1 no such user\r\n")
            elif line.startswith(b"DATA"):
                self.wfile.write(b"354 go on\r\n")
                with open("sent", "wb") as report:
                    report.writelines(line.replace(b"\r\n", b"\n") for line in iter(self.rfile.readline, b".\r\n"))
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
printf '%s\n' "SMARTHOST 127.0.0.1" "PORT $(cat port)" "MAILNAME mx.example.org" >root/etc/dma/dma.conf
printf '%s\n' "From: gm@example.org" "To: gone@example.net" "Subject: Turn 3" "Message-ID: <3@example.org>" \
	"Date: Sun, 29 Nov 2026 10:00:00 +0000" "" "Your report." >plain
sed '1i X-Auto-Response-Suppress: All' plain >marked
cat >session <<'SESSION'
mount -t overlay overlay -o lowerdir=parts/usr:/usr root/usr
mount --rbind /dev root/dev
# As no user of its own it does not become another one, which this namespace does not have.
unshare --user --map-user=8 --map-group=8 --keep-caps chroot root /usr/sbin/dma -D -f gm@example.org gone@example.net
SESSION
for mail in plain marked; do
	rm -f sent
	unshare --mount --map-root-user bash session <"$mail" >log 2>&1 || true
	for _ in {1..100}; do [[ ! -s sent ]] || break; sleep 0.1; done
	mv sent "report on $mail"
done
cat >read.pl <<'PERL'
use Mail::DeliveryStatus::BounceParser;
print "BounceParser $Mail::DeliveryStatus::BounceParser::VERSION\n";
for my $name (@ARGV) {
    open my $file, '<', $name or die;
    my $read = Mail::DeliveryStatus::BounceParser->new($file);
    print "$name: ", ($read->is_bounce ? 'a bounce' : "no bounce, $read->{type}"), ' (', join(', ', $read->addresses), ")\n";
}
PERL
cat >read.py <<'PYTHON'
import email
import sys
from importlib.metadata import version

from flufl.bounce import all_failures

print("flufl.bounce", version("flufl.bounce"))
for name in sys.argv[1:]:
    with open(name, "rb") as file:
        late, failed = all_failures(email.message_from_binary_file(file))
    print(f"{name}: failed {sorted(failed)}, late {sorted(late)}")
PYTHON
{
	echo "dma $(dpkg-deb --field dma_*.deb Version)"
	sed -n '/^From: MAIL/,/^Subject:/p; /^There/,/^Message headers/p' "report on marked"
	python/bin/python read.py "report on plain" "report on marked"
	perl -I parts/usr/share/perl5 read.pl "report on plain" "report on marked"
} >seen
cat seen
diff seen - <<'SEEN'
dma 0.13-1+b1
From: MAILER-DAEMON <>
To: gm@example.org
Subject: Mail delivery failed
There was an error delivering your mail to <gone@example.net>.

127.0.0.1 [127.0.0.1] did not like our RCPT TO:
550 5.1.1 no such user

Message headers follow.
flufl.bounce 6.0.0
report on plain: failed [], late []
report on marked: failed [], late []
BounceParser 1.543
report on plain: a bounce (gone@example.net)
report on marked: no bounce, vacation autoreply ()
SEEN
echo "as stated"
