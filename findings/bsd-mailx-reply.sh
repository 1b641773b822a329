#!/usr/bin/env bash
# The answer to a mail with Reply-To by the two commands for it, as bsd-mailx 8.1.2 and mailutils 3.15 (Debian 12) write it
# (RFC 5322).
#
# Guessed: both go to Reply-To, to which "the author of the message suggests that replies be sent" (3.6.2), and `reply` to the
# other recipients as well, as mail(1) says. Seen: so it is in mailutils. In bsd-mailx `reply` leaves out the others where there
# is a Reply-To, and `Reply`, "to the originator", goes to the address of From: one reads Reply-To, the other does not.
#
# What follows: a code that stands in Reply-To alone is lost, so it has to be in the subject as well, which all keep. Both name the
# mail in In-Reply-To, mailutils behind words of its own, as RFC 822 had it.
# Needs apt with Debian's packages. Installs into a temporary folder; fails if anything changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
apt-get download bsd-mailx=8.1.2-0.20220412cvs-1 mailutils=1:3.15-4 libmailutils9 libgsasl18 libltdl7 libmariadb3 guile-3.0-libs libgc1 \
	libntlm0 libidn12 libgssglue1 liblockfile1 libbsd0 >/dev/null 2>&1
for package in *.deb; do dpkg --extract "$package" parts; done
LD_LIBRARY_PATH=$(echo "$folder"/parts/usr/lib/*-linux-gnu)
export LD_LIBRARY_PATH HOME="$folder" MAILRC=/dev/null
cat >mail <<'MAIL'
From gm@example.org Sun Nov 29 10:00:00 2026
From: Play by Email <orders@example.org>
To: ann@example.net, bob@example.net
Reply-To: orders+k7@example.org
Subject: Turn 3 [k7]
Message-ID: <3@example.org>
Date: Sun, 29 Nov 2026 10:00:00 +0000

Your report.

MAIL
printf '#!/bin/sh\ncat >%s/sent\n' "$folder" >sendmail
chmod +x sendmail
for command in reply Reply; do
	for program in bsd-mailx mail.mailutils; do
		rm -f sent
		cp mail box
		case $program in
			bsd-mailx) settings=(-n) ;;
			*) settings=(--no-config) ;;
		esac
		printf '%s\n' "set sendmail=$(case $program in bsd-mailx) ;; *) echo prog:// ;; esac)$folder/sendmail" \
			"$command 1" "MOVE R853 N" | "parts/usr/bin/$program" "${settings[@]}" -f box >log 2>&1 || true
		for _ in {1..50}; do [[ ! -s sent ]] || break; sleep 0.1; done
		echo "$program, $command:"
		sed '/^$/q' sent | awk '/^[^\t]/ { shown = /^(To|In-Reply-To):/ } shown && NF'
	done
done >seen
for package in bsd-mailx mailutils; do echo "$package $(dpkg-deb --field ${package}_*.deb Version)"; done >>seen
cat seen
diff seen - <<'SEEN'
bsd-mailx, reply:
To: orders+k7@example.org
In-Reply-To: <3@example.org>
mail.mailutils, reply:
To: <orders+k7@example.org>,<ann@example.net>,<bob@example.net>
In-Reply-To: Your message of Sun, 29 Nov 2026 10:00:00 +0000
	<3@example.org>
bsd-mailx, Reply:
To: orders@example.org
In-Reply-To: <3@example.org>
mail.mailutils, Reply:
To: <orders+k7@example.org>
In-Reply-To: Your message of Sun, 29 Nov 2026 10:00:00 +0000
	<3@example.org>
bsd-mailx 8.1.2-0.20220412cvs-1
mailutils 1:3.15-4
SEEN
echo "as stated"
