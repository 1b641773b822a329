#!/usr/bin/env bash
# A delivery report on two recipients, one of whom got the mail, as Mail::DeliveryStatus::BounceParser 1.543 (Debian 12) and
# flufl.bounce 6.0.0 (in Mailman) read it (RFC 3464).
#
# Guessed: each recipient counts for themselves, as each has a paragraph of fields (2.1): where one has the action "failed", the
# mail is a bounce, with their address and status. Seen: so flufl.bounce reads it. BounceParser ends at the first action that is
# neither "failed" nor "expanded", and says that the mail is no bounce; what stands below that is not read at all.
#
# What follows: the address that is gone is never found where the mail reached another, or is only late for them. A mail for each
# recipient, as pbem sends them, has reports on one alone.
# Needs apt with Debian's packages, perl, and Python 3.11 or newer with venv. Installs into a temporary folder; fails if
# anything changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download libmail-deliverystatus-bounceparser-perl=1.543+repacked-1 libmime-tools-perl libmailtools-perl libio-stringy-perl \
	libconvert-binhex-perl libtimedate-perl >/dev/null 2>&1
for package in *.deb; do dpkg --extract "$package" parts; done
python3 -m venv python
python/bin/pip install --quiet --disable-pip-version-check flufl.bounce==6.0.0 2>/dev/null
gone=$'Final-Recipient: rfc822; gone@example.net\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 no such user\n'
report() { # name, paragraphs
	local name=$1
	shift
	printf '%s\n' "From: MAILER-DAEMON@mx.example.net" "To: gm@example.org" "Subject: Delivery report" "MIME-Version: 1.0" \
		'Content-Type: multipart/report; report-type=delivery-status; boundary="part"' "" \
		--part "Content-Type: text/plain" "" "This is what became of your mail." "" \
		--part "Content-Type: message/delivery-status" "" "Reporting-MTA: dns; mx.example.net" "" "$@" \
		--part "Content-Type: text/rfc822-headers" "" "From: gm@example.org" "Message-ID: <3@example.org>" "" --part-- >"$name"
}
other() { printf '%s\n' "Final-Recipient: rfc822; mira@example.net" "Action: $1" "Status: $2" ""; }
report "failed" "$gone"
report "failed, failed" "$gone" "$(other failed 5.2.2)" ""
report "failed, delivered" "$gone" "$(other delivered 2.0.0)" ""
report "relayed, failed" "$(other relayed 2.0.0)" "" "$gone"
report "delayed, failed" "$(other delayed 4.0.0)" "" "$gone"
cat >read.pl <<'PERL'
use Mail::DeliveryStatus::BounceParser;
for my $name (@ARGV) {
    open my $file, '<', $name or die;
    my $read = Mail::DeliveryStatus::BounceParser->new($file);
    my @found = map { $_->get('email') . ' ' . $_->get('action') } $read->reports;
    s/\s+$// for @found;
    print "$name: ", ($read->is_bounce ? 'a bounce' : 'no bounce'), ' (', join(', ', @found), ")\n";
}
print "BounceParser $Mail::DeliveryStatus::BounceParser::VERSION\n";
PERL
cat >read.py <<'PYTHON'
import email
import sys
from importlib.metadata import version

from flufl.bounce import all_failures

for name in sys.argv[1:]:
    with open(name, "rb") as file:
        late, failed = all_failures(email.message_from_binary_file(file))
    print(f"{name}: failed {sorted(each.decode() for each in failed)}, late {sorted(each.decode() for each in late)}")
print("flufl.bounce", version("flufl.bounce"))
PYTHON
reports=(failed "failed, failed" "failed, delivered" "relayed, failed" "delayed, failed")
perl -I parts/usr/share/perl5 read.pl "${reports[@]}" >seen
python/bin/python read.py "${reports[@]}" >>seen
cat seen
diff seen - <<'SEEN'
failed: a bounce (gone@example.net failed)
failed, failed: a bounce (gone@example.net failed, mira@example.net failed)
failed, delivered: no bounce (gone@example.net failed)
relayed, failed: no bounce ()
delayed, failed: no bounce ()
BounceParser 1.543
failed: failed ['gone@example.net'], late []
failed, failed: failed ['gone@example.net', 'mira@example.net'], late []
failed, delivered: failed ['gone@example.net'], late []
relayed, failed: failed ['gone@example.net'], late []
delayed, failed: failed ['gone@example.net'], late ['mira@example.net']
flufl.bounce 6.0.0
SEEN
echo "as stated"
