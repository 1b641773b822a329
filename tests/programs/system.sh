#!/usr/bin/env bash
# Runs a command in a Debian system of its own, as a player with an account there.
#
#   system.sh install PACKAGE...      installs packages, and makes the system where it is missing
#   system.sh run COMMAND...          runs a command as the user `ann`, in their home, with the input and output given
#   system.sh serve COMMAND...        the same as root, for a server
#   system.sh remove                  removes the system
#
# SUITE is the release (trixie by default), PROGRAMS the folder that has the systems; a system is made once by debootstrap
# (300 MB, two minutes) from the mirror that this machine uses. A command has a mount and process namespace of its own:
# nothing remains mounted, and all its processes end with it. The network is that of the machine, so that a program
# reaches servers on loopback. Needs root and Debian.
set -euo pipefail
suite=${SUITE:-trixie} root=${PROGRAMS:-/var/tmp/pbem-programs}/${SUITE:-trixie}

make_system() {
  [[ ! -e $root/made ]] || return 0
  command -v debootstrap >/dev/null || { apt-get -qq update; apt-get -qq -y install debootstrap >/dev/null; }
  mirror=$(grep -hsE '^(URIs:|deb )' /etc/apt/sources.list /etc/apt/sources.list.d/* | grep -m1 -oE 'https?://[^ ]+/debian[^ ]*' || true)
  [[ -n $mirror ]] || { echo "system.sh: no mirror of Debian in /etc/apt" >&2; exit 1; }
  rm -rf "${root:?}"; mkdir -p "$root"
  debootstrap --variant=minbase --include=ca-certificates,python3,tmux "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -5 "$root.log" >&2; exit 1; }
  # What this machine needs to reach its mirror, and no service is started.
  cp -L /etc/resolv.conf "$root/etc/resolv.conf"
  cp /usr/local/share/ca-certificates/*.crt "$root/usr/local/share/ca-certificates/" 2>/dev/null || true
  cp /etc/apt/apt.conf.d/99* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"; chmod 755 "$root/usr/sbin/policy-rc.d"
  echo player.example.org >"$root/etc/hostname"
  chroot "$root" update-ca-certificates >/dev/null 2>&1 || true
  chroot "$root" useradd --create-home --shell /bin/bash --comment "Ann" ann
  touch "$root/made"
}

inside() { # COMMAND...: runs it in the system, as root
  export CH_ROOT=$root
  unshare --mount --uts --pid --fork --kill-child bash -c '
    mount --make-rprivate /; hostname player.example.org
    mount -t proc proc "$CH_ROOT/proc"; mount --rbind /dev "$CH_ROOT/dev"; mount --rbind /sys "$CH_ROOT/sys"
    mount -t tmpfs tmpfs "$CH_ROOT/tmp"; mount -t tmpfs -o mode=755 tmpfs "$CH_ROOT/run"
    exec chroot "$CH_ROOT" "$@"' - env -i PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin LANG=C.UTF-8 "$@"
}

[[ $(id -u) == 0 && -e /etc/debian_version ]] || { echo "system.sh: needs Debian and root" >&2; exit 1; }
action=$1; shift
case $action in
  install)
    make_system
    [[ -e $root/updated && -z $(find "$root/updated" -mmin +1440) ]] || { inside apt-get -qq update; touch "$root/updated"; }
    inside env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 --no-install-recommends install "$@" >"$root.log" 2>&1 </dev/null ||
      { tail -5 "$root.log" >&2; exit 1; } ;;
  run)
    inside runuser -u ann -- env HOME=/home/ann USER=ann LOGNAME=ann TERM=screen TZ=UTC "${RUN_SHELL:-bash}" -c 'cd && exec "$@"' - "$@" ;;
  serve) inside env HOME=/root "$@" ;;
  remove) rm -rf "${root:?}" "$root.log" ;;
  *) sed -n 's/^# \?//p' "$0" >&2; exit 2 ;;
esac
