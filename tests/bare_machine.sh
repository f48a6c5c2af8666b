#!/usr/bin/env bash
# Makes a bare Debian in a folder and runs ./run and ./check in it, as on a machine that has only just been set up:
#
#   tests/bare_machine.sh RELEASE [run|check]        RELEASE: bookworm (12), trixie (13), …
#
# Needs root, debootstrap, a mirror (MIRROR, else http://deb.debian.org/debian) and some 6 GiB; takes most of an hour.
# What runs is the working tree as it is, without what git ignores. The folder (FOLDER, else /var/tmp/gridstride-RELEASE)
# is made anew each time and stays, to look at. The last line says how long each part took; the exit code is 0 when all of
# it went well.
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
    *) die "name a release of Debian: ${0##*/} bookworm|trixie [run|check]" ;;
esac
parts=${2:-run check}
case $parts in run | check | "run check") ;; *) die "\"$parts\" is unknown. Say run, check, or nothing for both" ;; esac
[ "$(id -u)" -eq 0 ] || die "making a system takes root"
command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"

# Mounts and processes of its own, which end with it.
if [ -z "${GRIDSTRIDE_BARE_MACHINE:-}" ]; then
    exec env GRIDSTRIDE_BARE_MACHINE=1 unshare --mount --pid --fork --kill-child "$0" "$@"
fi

folder=${FOLDER:-/var/tmp/gridstride-$release}
case $folder in /*) ;; *) die "FOLDER must be a whole path, and is \"$folder\"" ;; esac
[ ! -e "$folder" ] || [ -e "$folder/etc/debian_version" ] || die "$folder is there and holds no Debian. Name another FOLDER"
rm -rf --one-file-system "$folder"

say "making a bare Debian $release in $folder"
debootstrap --variant=minbase "$release" "$folder" "${MIRROR:-http://deb.debian.org/debian}" >&2
cp /etc/resolv.conf "$folder/etc/"
mount -t proc proc "$folder/proc"
mount --rbind /dev "$folder/dev"
mkdir -p "$folder/gridstride"
(
    cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
    git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --create
) | tar --extract --directory "$folder/gridstride"

inside() {
    chroot "$folder" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@" </dev/null
}

status=0
took=
for part in $parts; do
    say "./$part on a bare $release"
    SECONDS=0
    # `run` without a display does the program's main job without a window.
    if inside "/gridstride/$part" >&2; then ended=done; else
        ended="FAILED with exit code $?"
        status=1
    fi
    took+=" ./$part: $ended after $((SECONDS / 60)) min $((SECONDS % 60)) s."
done
echo "Debian $release:$took"
exit "$status"
