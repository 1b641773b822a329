#!/usr/bin/env bash
# The answer of vacation 3.3.3 (Debian), as a message file without fields of its own makes it (RFC 3834).
#
# Guessed: the answer is marked as one of a machine, by Auto-Submitted or Precedence, and names the mail it answers in
# In-Reply-To; mail of a list, or with X-Auto-Response-Suppress, is left unanswered as mail with Precedence is. Seen: the
# answer has To and Subject alone. It is silent for Auto-Submitted and Precedence, and answers the two others.
#
# What follows: such an answer is known by its words and its subject alone, and mail that it shall not answer needs
# Auto-Submitted or Precedence, of which one is enough.
# Needs apt with Debian's packages, and user namespaces: a program in the place of sendmail writes down what is sent.
# Installs into a temporary folder; fails if anything changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download vacation=3.3.3 libdb5.3 >/dev/null 2>&1
for package in *.deb; do dpkg --extract "$package" parts; done
mkdir home
printf 'Subject: away from my mail\n\nI am away.\n' >home/.vacation.msg
printf '#!/bin/sh\ncat >"$HOME/sent"\n' >sendmail
chmod +x sendmail
cat >mail <<'MAIL'
From gm@example.org Sun Nov 29 10:00:00 2026
From: gm@example.org
To: root@example.org
Subject: Turn 3
Message-ID: <3@example.org>
Date: Sun, 29 Nov 2026 10:00:00 +0000

Your report.
MAIL
cat >session <<'SESSION'
[ -e /usr/sbin/sendmail ] || { mount -t tmpfs none /usr/sbin; touch /usr/sbin/sendmail; }
mount --bind sendmail /usr/sbin/sendmail
mount --bind home "$(getent passwd "$(id -u)" | cut -d: -f6)"
export HOME=$PWD/home LD_LIBRARY_PATH=$(echo "$PWD"/parts/usr/lib/*-linux-gnu)
answer() {
	rm -f home/sent home/.vacation.db
	parts/usr/bin/vacation -a root "$(id -un)"
	sleep 2 # it does not wait for sendmail
}
answer <mail
cat home/sent
for field in "Auto-Submitted: auto-generated" "Precedence: bulk" "List-Id: <club.example.org>" "X-Auto-Response-Suppress: All"; do
	sed "1a $field" mail | answer
	echo "$field: $([ -e home/sent ] && echo answered || echo silent)"
done
SESSION
unshare --mount --map-root-user bash session >seen
echo "vacation $(dpkg-deb --field vacation*.deb Version)" >>seen
cat seen
diff seen - <<'SEEN'
To: gm@example.org
Subject: away from my mail

I am away.
Auto-Submitted: auto-generated: silent
Precedence: bulk: silent
List-Id: <club.example.org>: answered
X-Auto-Response-Suppress: All: answered
vacation 3.3.3
SEEN
echo "as stated"
