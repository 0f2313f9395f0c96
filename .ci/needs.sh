# What the project needs from the machine, and how to get it. Sourced by ../x, whose $root, say and die it uses.
# shellcheck shell=bash disable=SC2154

# The needs of building and testing: name, Debian package, what it is for.
needs_table() {
    cat <<TABLE
cc|gcc|links Rust programs
libc|libc6-dev|C library headers
pkg-config|pkg-config|finds hwloc
hwloc|libhwloc-dev|xmprun: cores, caches, NUMA
fortran|$(fortran_package)|compiles coarray programs
TABLE
}

fortran_compiler() { echo "${XMP_FC:-gfortran}"; }

# The Debian package of the Fortran compiler; a compiler from elsewhere has none.
fortran_package() {
    local compiler
    compiler=$(fortran_compiler)
    if [[ $compiler =~ ^gfortran(-[0-9]+)?$ ]]; then echo "$compiler"; fi
}

# True when the need is there.
have() {
    case $1 in
        cc) command -v cc ;;
        libc) cc -E -include stdio.h -x c /dev/null ;;
        pkg-config) command -v pkg-config ;;
        hwloc) pkg-config --exists 'hwloc >= 2' ;;
        fortran) command -v "$(fortran_compiler)" ;;
    esac >/dev/null 2>&1
}

# Prints the version of a need that is there.
version_of() {
    case $1 in
        cc) cc --version | sed -n 1p ;;
        libc) ldd --version | sed -n 1p ;;
        pkg-config) echo "pkg-config $(pkg-config --version)" ;;
        hwloc) echo "hwloc $(pkg-config --modversion hwloc)" ;;
        fortran) "$(fortran_compiler)" --version | sed -n 1p ;;
    esac
}

# Prints the packages of all needs that are not there, one a line.
# Fails for a need that no package can satisfy.
missing_packages() {
    local name package purpose
    while IFS='|' read -r name package purpose; do
        have "$name" && continue
        [[ -n $package ]] || die "$(fortran_compiler) is not installed ($purpose), and no Debian package is known for it"
        echo "$package"
    done < <(needs_table)
}

# Installs what is missing, or says how to.
require_packages() {
    local list
    list=$(missing_packages)
    [[ -n $list ]] || return 0
    local packages
    mapfile -t packages <<<"$list"
    command -v apt-get >/dev/null || die "missing: ${packages[*]} (Debian package names), and there is no apt-get here to install them"
    can_be_root || die "missing: ${packages[*]}; run:  $(apt_command "${packages[@]}")"
    say "installing ${packages[*]}"
    # A fresh machine has no package lists, an old one has stale lists: then fetch them and try again.
    apt_install "${packages[@]}" || apt_update_and_install "${packages[@]}" \
        || die "could not install ${packages[*]}; try:  $(apt_command "${packages[@]}")"
    list=$(missing_packages)
    [[ -z $list ]] || die "still missing after the installation: ${list//$'\n'/ }"
}

# The command that a person would type.
apt_command() { echo "sudo apt-get update && sudo apt-get install --no-install-recommends $*"; }

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
}

apt_update_and_install() {
    say "fetching the package lists, then trying again"
    again apt_update_and_install_once "$@"
}

# New lists each time: what they name may have gone from the mirror meanwhile.
apt_update_and_install_once() { as_root apt-get update -q && apt_install "$@"; }

# True when commands can run as root without asking where nobody can answer.
can_be_root() {
    ((EUID == 0)) && return
    command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }
}

as_root() {
    if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# Finds cargo, and checks that Rust is new enough for the workspace.
require_rust() {
    find_cargo || die "Rust is not installed (no cargo in PATH or ~/.cargo/bin); get it from https://rustup.rs"
    local have least
    have=$(rust_version)
    least=$(least_rust)
    [[ $(printf '%s\n' "$least" "$have" | sort -V | sed -n 1p) == "$least" ]] \
        || die "Rust $have is too old: $least or newer is needed; run:  rustup update stable"
}

find_cargo() {
    command -v cargo >/dev/null && return
    local bin=${CARGO_HOME:-${HOME:-/root}/.cargo}/bin
    [[ -x $bin/cargo ]] || return
    PATH=$bin:$PATH
}

rust_version() { rustc --version | cut -d' ' -f2; }
least_rust() { sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml"; }

# Gets the parts of the Rust toolchain that only testing needs.
require_rust_components() {
    local component
    for component in rustfmt:fmt clippy:clippy; do
        cargo "${component#*:}" --version >/dev/null 2>&1 && continue
        command -v rustup >/dev/null || die "cargo ${component#*:} is missing, and there is no rustup to get it with"
        say "installing ${component%:*}"
        again rustup component add "${component%:*}"
    done
}
