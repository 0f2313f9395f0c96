# Systems of Debian in directories, for another processor or with an older C library: nothing of them is installed here, and nothing of
# them is configured. Sourced by ../x before arm64.sh, after again.sh, whose again and say it uses, and $target.
# shellcheck shell=bash disable=SC2154

# prepare_other_apt OUT ARCHITECTURE SOURCES: writes the settings with which apt-get knows that system only: APT_CONFIG=OUT/apt/apt.conf.
prepare_other_apt() {
    rm -rf "$1/apt"
    mkdir -p "$1"/apt/{lists/partial,cache/archives/partial}
    : >"$1/apt/status"
    echo "$3" >"$1/apt/sources.list"
    cat >"$1/apt/apt.conf" <<CONF
APT::Architecture "$2";
APT::Architectures { "$2"; };
APT::Sandbox::User "root";
Dir::Etc::SourceList "$1/apt/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$1/apt/lists";
Dir::State::status "$1/apt/status";
Dir::Cache "$1/apt/cache";
CONF
}

# fill_other_system OUT ROOT ARGS...: makes a system in ROOT of what `apt-get install ARGS` fetches. Its dpkg takes all for installed.
fill_other_system() {
    local archive out=$1 root=$2
    local -x APT_CONFIG=$1/apt/apt.conf
    rm -rf "$root"
    mkdir -p "$root"/{usr/{bin,sbin,lib,lib64},var/lib/dpkg/{info,updates,triggers}} || return
    ln -s usr/bin usr/sbin usr/lib usr/lib64 "$root" || return
    again apt-get install -qq --download-only --no-install-recommends -o Debug::NoLocking=1 "${@:3}" >&2 || return
    for archive in "$out"/apt/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$archive" | tar -x --keep-directory-symlink -C "$root" || return
        { dpkg-deb -f "$archive" | sed '1a Status: install ok installed' && echo; } >>"$root/var/lib/dpkg/status" || return
        rm "$archive"
    done
    ln -sf gcc "$root/usr/bin/cc"
    ln -sf dash "$root/usr/bin/sh"
    ln -sf gawk "$root/usr/bin/awk"
    : >"$root/complete"
}

# Packages for programs in C, and for programs in Fortran that were compiled elsewhere: gfortran 12 is newer than these systems.
older_packages=(bash binutils coreutils dash diffutils findutils gawk gcc grep libc-bin libc6-dev libgfortran5 sed)
# Debian 10 has glibc 2.28, for which packages are made, but is in the archive of old releases. Debian 11 has 2.31.
older_releases=('buster http://archive.debian.org/debian' 'bullseye http://deb.debian.org/debian')

# Makes the older system in which tests use the tarball, in $target/older-system/root. Fails where none is to be had.
make_older_system() {
    local release address out=$target/older-system
    [[ ! -e $out/root/complete ]] || return 0
    command -v dpkg >/dev/null && command -v apt-get >/dev/null || return
    for release in "${older_releases[@]}"; do
        read -r release address <<<"$release"
        say "fetching a system of Debian $release"
        prepare_other_apt "$out" "$(dpkg --print-architecture)" \
            "deb [check-valid-until=no signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $address $release main"
        APT_CONFIG=$out/apt/apt.conf apt-get update -qq --error-on=any -o Acquire::http::Timeout=20 -o Acquire::Retries=1 >&2 || continue
        fill_other_system "$out" "$out/root" "${older_packages[@]}" && return
    done
    return 1
}
