#!/bin/sh
# Installs the servers the tests run against, from Debian's packages, where they are missing:
# Dovecot and Postfix for real mail, PostgreSQL for the store, Chromium and Firefox for pages. Their services are not
# started: the tests run copies of their own, from temporary folders.
set -eu

packages=""

need() { # PACKAGE PATTERN...: PACKAGE is missing unless a file matches one of the patterns
    package=$1
    shift
    for file in "$@"; do
        [ -e "$file" ] && return
    done
    packages="$packages $package"
}

missing() {
    packages=""
    need dovecot-imapd /usr/lib/dovecot/imap
    need dovecot-lmtpd /usr/lib/dovecot/lmtp
    need postfix /usr/lib/postfix/sbin/master
    need chromium-headless-shell /usr/bin/chromium-headless-shell
    need firefox-esr /usr/bin/firefox-esr
    need postgresql /usr/lib/postgresql/*/bin/initdb
    packages=${packages# }
}

give_up() {
    echo "install_parts: $1" >&2
    echo "install_parts: the tests need these Debian packages: $packages" >&2
    echo "install_parts: install them with:  sudo apt-get install --no-install-recommends $packages" >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

install_packages() {
    hold=/usr/sbin/policy-rc.d # Debian asks this file whether a new service may start
    if [ ! -e $hold ]; then
        trap 'as_root rm -f $hold' EXIT
        printf '#!/bin/sh\nexit 101\n' | as_root tee $hold >/dev/null
        as_root chmod 755 $hold
    fi
    echo "postfix postfix/main_mailer_type select No configuration" | as_root debconf-set-selections &&
        as_root apt-get -qq update &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install $packages
}

missing
[ -n "$packages" ] || exit 0
command -v apt-get >/dev/null || give_up "this is not Debian, so the servers for the tests cannot be installed from here"
[ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || give_up "installing the servers for the tests takes root, or sudo without a password"
echo "install_parts: installing $packages (services are not started)"
log=$(install_packages </dev/null 2>&1) || {
    echo "$log" >&2
    give_up "apt-get could not install them (see above)"
}
missing
[ -z "$packages" ] || give_up "something is still missing after the installation"
