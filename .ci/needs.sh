# The Debian packages that the project needs, and how to get them. Sourced by ../x after probes.sh, whose say and die it
# uses.
# shellcheck shell=bash disable=SC2154

apt_allowed=1

# From now on apt-get is not called.
forbid_apt() { apt_allowed=0; }

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

# What plug-ins for MPI and some tests need: name, Debian packages, what it is for. Everything else works without it.
optional_needs_table() {
    cat <<TABLE
openmpi|libopenmpi-dev openmpi-bin|plug-in for Open MPI
mpich|libmpich-dev mpich|plug-in for MPICH
libclang|libclang-dev|reads the headers of MPI for plug-ins
ip|iproute2|network of the separate hosts that tests make
chromium|chromium|tests open reports in it
gdb|gdb|tests of xmprun --debug and --stacks
valgrind|valgrind|tests of memory, and of the cost of a call
cmake|cmake|tests of the CMake package
make|make|tests of the templates for build systems
meson|meson|tests of the templates for build systems
ninja|ninja-build|tests of the templates for build systems
python|python3|tests of the recipes
numpy|python3-numpy|tests of Python programs
groff|groff|tests of the manual pages
gcc-plugin|$(plugin_headers_package)|races of memset and memcpy in line (--check=races)
venv|python3-venv|tests of the Python wheel
rpm|rpm|tests of the RPM
TABLE
}

# The Debian package of the Fortran compiler; a compiler from elsewhere has none.
fortran_package() {
    local compiler
    compiler=$(fortran_compiler)
    if [[ $compiler =~ ^gfortran(-[0-9]+)?$ ]]; then echo "$compiler"; fi
}

# The Debian package with the headers for plug-ins of the Fortran compiler; a compiler from elsewhere has none.
plugin_headers_package() {
    local version
    [[ -n $(fortran_package) ]] || return 0
    version=$("$(fortran_compiler)" -dumpversion 2>/dev/null) || return 0
    echo "gcc-${version%%.*}-plugin-dev"
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

# Installs what is missing, or says how to. With --no-apt nothing is installed: what is missing is an error.
require_packages() {
    local list
    list=$(missing_packages)
    [[ -n $list ]] || return 0
    local packages
    mapfile -t packages <<<"$list"
    ((apt_allowed)) || die "missing, and --no-apt forbids to install: ${packages[*]} (Debian package names)"
    command -v apt-get >/dev/null || die "missing: ${packages[*]} (Debian package names), and there is no apt-get here to install them"
    can_be_root || die "missing: ${packages[*]}; run:  $(apt_command "${packages[@]}")"
    say "installing ${packages[*]}"
    # A fresh machine has no package lists, an old one has stale lists: then fetch them and try again.
    apt_install "${packages[@]}" || apt_update_and_install "${packages[@]}" \
        || die "could not install ${packages[*]}; try:  $(apt_command "${packages[@]}")"
    list=$(missing_packages)
    [[ -z $list ]] || die "these packages are installed, but what they are for does not work: ${list//$'\n'/ }" \
        "(./x doctor lists what is tested)"
}

# Installs the optional needs, for tests; without them their tests are skipped, or fail where XMP_REQUIRE names them.
install_optional_needs() {
    local name packages _purpose missing=()
    while IFS='|' read -r name packages _purpose; do
        # One word a package.
        # shellcheck disable=SC2206
        have "$name" || missing+=($packages)
    done < <(optional_needs_table)
    ((${#missing[@]} > 0)) || return 0
    if ! can_install; then
        say "not installed: ${missing[*]}; their tests are skipped; run:  $(apt_command "${missing[@]}")"
        return 0
    fi
    say "installing ${missing[*]}"
    apt_install "${missing[@]}" || apt_update_and_install "${missing[@]}" \
        || say "these could not be installed, and their tests are skipped: ${missing[*]}"
}

# True when Debian's packages can be installed without a question.
can_install() { ((apt_allowed)) && command -v apt-get >/dev/null && can_be_root; }

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

# True when commands can run as root without a question that only a person could answer.
can_be_root() {
    ((EUID == 0)) && return
    command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }
}

as_root() {
    if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}
