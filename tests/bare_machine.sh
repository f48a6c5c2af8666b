#!/usr/bin/env bash
# Installs a minimal Debian in a folder and runs ./run, ./package and ./check in it, as on a newly installed machine:
#
#   tests/bare_machine.sh RELEASE [run|package|check]        RELEASE: bookworm (12), trixie (13), forky, sid, …
#
# The package is then installed in a second minimal Debian, in FOLDER-installed, run and purged.
# Needs root, debootstrap, a mirror (MIRROR, else http://deb.debian.org/debian) and about 6 GiB; takes almost an hour.
# OLD_MIRROR=1 takes packages from a mirror that is no longer updated: the index of forky or sid expires after a week.
# Tests the working tree without the files that git ignores. The folder (FOLDER, else /var/tmp/gridstride-RELEASE) is created
# anew each time and stays for inspection. The last line gives the time of each part; the exit code is 0 if all succeeded.
set -euo pipefail

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
    say "$*"
    exit 2
}

case ${1:-} in
    12) release=bookworm ;;
    13) release=trixie ;;
    [a-z]*) release=$1 ;;
    *) die "give a release of Debian: ${0##*/} bookworm|trixie|forky|sid [run|package|check]" ;;
esac
parts=${2:-run package check}
case $parts in run | package | check | "run package check") ;; *) die "\"$parts\" is unknown. Give run, package, check, or nothing for all" ;; esac
[ "$(id -u)" -eq 0 ] || die "installing a system needs root"
command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"

# Separate namespaces: mounts and processes end with this script.
if [ -z "${GRIDSTRIDE_BARE_MACHINE:-}" ]; then
    exec env GRIDSTRIDE_BARE_MACHINE=1 unshare --mount --pid --fork --kill-child "$0" "$@"
fi

folder=${FOLDER:-/var/tmp/gridstride-$release}
case $folder in /*) ;; *) die "FOLDER must be an absolute path, and is \"$folder\"" ;; esac
[ ! -e "$folder" ] || [ -e "$folder/etc/debian_version" ] || die "$folder exists and is not a Debian system. Give another FOLDER"

install_system() {
    rm -rf --one-file-system "$1"
    say "installing a minimal Debian $release in $1"
    # A debootstrap that is older than the release has no script of that name; all of Debian's use that of sid.
    debootstrap --variant=minbase "$release" "$1" "${MIRROR:-http://deb.debian.org/debian}" sid >&2
    [ -z "${OLD_MIRROR:-}" ] || echo 'Acquire::Check-Valid-Until "false";' >"$1/etc/apt/apt.conf.d/old-mirror"
    cp /etc/resolv.conf "$1/etc/"
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
}
install_system "$folder"
mkdir -p "$folder/gridstride"
(
    cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
    git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --create
) | tar --extract --directory "$folder/gridstride"

# inside FOLDER COMMAND...
inside() {
    chroot "$1" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "${@:2}" </dev/null
}

# Installs the package that ./package made in a system of its own, and removes it, which must leave no file.
try_package() {
    local installed=$folder-installed
    install_system "$installed"
    cp "$folder"/gridstride/build/release/gridstride_*.deb "$installed/gridstride.deb"
    local began=$SECONDS
    inside "$installed" apt-get update --quiet && inside "$installed" apt-get install --yes --quiet /gridstride.deb &&
        inside "$installed" gridstride run reduction || return
    took+=" apt and the first run: $((SECONDS - began)) s, $(stat --format=%s "$installed/gridstride.deb") bytes."
    inside "$installed" sh -ec 'rm /gridstride.deb; apt-get purge --yes --quiet gridstride
        ! find / -xdev -path /root -prune -o -name "*gridstride*" -print | grep .'
}

status=0
took=
for part in $parts; do
    say "./$part on a bare $release"
    SECONDS=0
    # Without a display, ./run checks and measures all lessons instead of opening the window.
    if inside "$folder" "/gridstride/$part" >&2 && { [ "$part" != package ] || try_package >&2; }; then ended=done; else
        ended="FAILED with exit code $?"
        status=1
    fi
    took+=" ./$part: $ended after $((SECONDS / 60)) min $((SECONDS % 60)) s."
done
echo "Debian $release:$took"
exit "$status"
