#!/usr/bin/env bash
# The address in a mailto: link whose "+" is encoded, as aerc 0.20.0 (Debian 13) opens it (RFC 6068).
#
# Guessed: the draft is to mira+k7@example.org whether the link has "+" or "%2B" there, since percent-encoded characters
# are decoded before the address is used (section 2; 6.1 has "gorby%25kremvax@example.com"). Seen: the subject is decoded,
# the address is not: the draft is to mira+k7@example.org, or to mira%2Bk7@example.org, a mailbox of another name.
#
# What follows: a reply code behind "+" is lost from an encoded link; "+" as it stands is allowed there, and is kept.
# Needs apt with Debian 12 or newer for amd64, curl and tmux. Installs into a temporary folder; fails if anything changes.
set -euo pipefail
folder=$(mktemp -d) socket=
trap 'tmux -S "$socket" kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT
chmod 755 "$folder"
cd "$folder"
archive=$(apt-get download --print-uris libnotmuch5 | sed -E "s/^'(.*)\/pool\/.*/\1/")
curl --fail --silent --show-error --remote-name "$archive/pool/main/a/aerc/aerc_0.20.0-2+b1_amd64.deb"
apt-get download libnotmuch5 libxapian30 libgmime-3.0-0 libtalloc2 libsexp1 libgpgme11 libassuan0 >/dev/null 2>&1
for package in *.deb; do dpkg --extract "$package" parts; done
mkdir -p home/.config/aerc mail/INBOX/{cur,new,tmp}
printf '#!/bin/sh\ntr -d "\\r" <"$1" | sed -n "/^To:/p; /^Subject:/p" >"$HOME/fields" && mv "$HOME/fields" "$HOME/opened"\n' >editor
chmod +x editor
printf '%s\n' "[ann]" "source = maildir://$folder/mail" "outgoing = /bin/false" "from = Ann <ann@example.org>" \
	>home/.config/aerc/accounts.conf
chmod 600 home/.config/aerc/accounts.conf
printf '%s\n' "[compose]" "editor = $folder/editor" "edit-headers = true" \
	"[ui]" "stylesets-dirs = $folder/parts/usr/share/aerc/stylesets" \
	"[templates]" "template-dirs = $folder/parts/usr/share/aerc/templates" >home/.config/aerc/aerc.conf
cp parts/usr/share/aerc/binds.conf home/.config/aerc/
libraries=$(echo parts/usr/lib/*-linux-gnu)
for link in "mailto:mira+k7@example.org?subject=a%2Bb" "mailto:mira%2Bk7@example.org?subject=a%2Bb"; do
	rm -f home/opened
	socket=$(mktemp --dry-run --tmpdir="$folder")
	tmux -S "$socket" -f /dev/null new-session -d -x 100 -y 40 env -i "HOME=$folder/home" PATH=/usr/bin:/bin TERM=screen \
		LANG=C.UTF-8 "XDG_RUNTIME_DIR=$folder/home" "LD_LIBRARY_PATH=$folder/$libraries" \
		"$folder/parts/usr/bin/aerc" "$link"
	for _ in {1..100}; do [[ ! -e home/opened ]] || break; sleep 0.2; done
	echo "$link"
	cat home/opened
	tmux -S "$socket" kill-server
done >seen
echo "aerc $(dpkg-deb --field aerc_*.deb Version)" >>seen
cat seen
diff seen - <<'SEEN'
mailto:mira+k7@example.org?subject=a%2Bb
To: <mira+k7@example.org>
Subject: a+b
mailto:mira%2Bk7@example.org?subject=a%2Bb
To: <mira%2Bk7@example.org>
Subject: a+b
aerc 0.20.0-2+b1
SEEN
