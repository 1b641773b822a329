#!/usr/bin/env bash
# The rejection of a mail by a Sieve script of mailutils 3.15 (Debian 12; RFC 5429).
#
# Guessed: a multipart/report with a subject, of the type disposition-notification, as Pigeonhole sends it. Seen: a
# multipart/mixed without From, Subject, Date and any mark of automatic mail; its second part is a delivery status with
# both the action "deleted", which RFC 3464 does not have, and the Disposition of RFC 8098.
#
# What follows: such mail looks like a person's but for the fields inside of its second part.
# Needs apt with Debian's packages. Installs into a temporary folder; fails if anything changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download mailutils=1:3.15-4 libmailutils9 libgsasl18 libltdl7 libmariadb3 guile-3.0-libs libgc1 libntlm0 \
	libidn12 libgssglue1 >/dev/null 2>&1
for package in *.deb; do dpkg --extract "$package" parts; done
LD_LIBRARY_PATH=$(echo "$folder"/parts/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH
cat >box <<'MAIL'
From gm@example.org Sun Nov 29 10:00:00 2026
Return-Path: <gm@example.org>
From: gm@example.org
To: root@example.org
Subject: Turn 3
Message-ID: <3@example.org>
Date: Sun, 29 Nov 2026 10:00:00 +0000

Your report.
MAIL
printf 'require "reject";\nreject "No more mail of games.";\n' >script
printf '#!/bin/sh\ncat >%s/sent\n' "$folder" >mailer
chmod +x mailer
parts/usr/bin/sieve --no-config --email=root@example.org --mailer "prog://$folder/mailer" -f box script
echo "mailutils $(dpkg-deb --field mailutils*.deb Version)" >seen
sed -E 's/boundary=.*/boundary=.../; s/^--[0-9].*/--.../; s/(received at|Arrival-Date:|Last-Attempt-Date:) [^.]*( from|$)/\1 ...\2/' sent >>seen
cat seen
diff <(sed -n '1,/^Last-Attempt-Date/p' seen) - <<'SEEN'
mailutils 1:3.15-4
To: gm@example.org
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=...

--...
Content-Type: text/plain;charset=UTF-8
Content-Transfer-Encoding: 8bit

The original message was received at ... from gm@example.org.
Message was refused by recipient's mail filtering program.
Reason given was as follows:

No more mail of games.
--...
Content-Type: message/delivery-status

Reporting-UA: sieve; GNU Mailutils 3.15
Arrival-Date: ...
Final-Recipient: RFC822; root@example.org
Action: deleted
Disposition: automatic-action/MDN-sent-automatically;deleted
Last-Attempt-Date: ...
SEEN
