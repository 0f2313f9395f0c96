# The project's needs of the system, and how to get them. Sourced by ../x after probes.sh, systems.sh and hwloc.sh, whose say and
# die it uses.
# shellcheck shell=bash disable=SC2154

apt_allowed=1

# From now on apt-get is not called.
forbid_apt() { apt_allowed=0; }

# The needs of building and testing, and what each is for.
needs_table() {
    cat <<'TABLE'
cc|links Rust programs
libc|C library headers
pkg-config|finds hwloc
hwloc|xmprun: cores, caches, NUMA
fortran|compiles coarray programs
TABLE
}

# The needs of plug-ins for MPI and of some tests, and what each is for. Everything else works without them.
optional_needs_table() {
    cat <<'TABLE'
openmpi|plug-in for Open MPI
mpich|plug-in for MPICH
libclang|reads the headers of MPI for plug-ins
ip|network of the separate hosts that tests make
chromium|tests open reports in it
gdb|tests of xmprun --debug and --stacks
valgrind|tests of memory, and of the cost of a call
cmake|tests of the CMake package
make|tests of the templates for build systems
meson|tests of the templates for build systems
ninja|tests of the templates for build systems
python|tests of the recipes
numpy|tests of Python programs
hdf5|a program of the book that writes by HDF5
groff|tests of the manual pages
lua|tests of the module file for Lmod
modules|tests of the module file for Environment Modules
gcc-plugin|races of memset and memcpy in line (--check=races)
venv|tests of the Python wheel
rpm|tests of the RPM
TABLE
}

# packages_of NEED: prints the packages that satisfy it. A Fortran compiler from elsewhere has none.
packages_of() {
    if [[ $1 == fortran && $(fortran_compiler) != gfortran ]]; then
        [[ ! $(fortran_compiler) =~ ^gfortran-[0-9]+$ ]] || fortran_compiler
    elif [[ $1 == fortran ]] && links_fortran gfortran 2>/dev/null; then
        # That of the system is too old.
        package_names newer-fortran
    else
        package_names "$1"
    fi
}

# Prints the packages of all needs that are not there, one a line, but for hwloc where it is built.
# Fails for a need that no package can satisfy.
missing_packages() {
    local name packages purpose
    while IFS='|' read -r name purpose; do
        have "$name" && continue
        [[ $name == hwloc ]] && has_to_build_hwloc && continue
        packages=$(packages_of "$name")
        [[ -n $packages ]] || die "$(fortran_compiler) is not installed ($purpose), and no package is known for it"
        echo "$packages"
    done < <(needs_table)
}

# Installs what is missing, or says how to. With --no-apt nothing is installed: what is missing is an error. Where no package can
# be installed, hwloc is built from its sources.
require_packages() {
    local list
    find_built_hwloc
    list=$(missing_packages)
    # Last, because it takes a minute.
    if [[ -z $list ]] && has_to_build_hwloc; then
        get_hwloc
        have hwloc || list=$(package_names hwloc)
    fi
    [[ -n $list ]] || return 0
    local packages
    mapfile -t packages <<<"$list"
    ((apt_allowed)) || die "missing, and --no-apt forbids to install: ${packages[*]}; run:  $(install_command "${packages[@]}")"
    can_install || die "missing: ${packages[*]}; run:  $(install_command "${packages[@]}")"
    say "installing ${packages[*]}"
    # A fresh machine has no package lists, an old one has stale lists: then fetch them and try again.
    apt_install "${packages[@]}" || apt_update_and_install "${packages[@]}" \
        || die "could not install ${packages[*]}; try:  $(install_command "${packages[@]}")"
    list=$(missing_packages)
    [[ -z $list ]] || die "these packages are installed, but what they are for does not work: ${list//$'\n'/ }" \
        "(./x doctor lists what is tested)"
}

# Installs the optional needs, for tests; without them their tests are skipped, or fail where XMP_REQUIRE names them.
install_optional_needs() {
    local name _purpose missing=()
    while IFS='|' read -r name _purpose; do
        # One word a package.
        # shellcheck disable=SC2207
        have "$name" || missing+=($(packages_of "$name"))
    done < <(optional_needs_table)
    ((${#missing[@]} > 0)) || return 0
    if ! can_install; then
        say "not installed: ${missing[*]}; their tests are skipped; run:  $(install_command "${missing[@]}")"
        return 0
    fi
    say "installing ${missing[*]}"
    apt_install "${missing[@]}" || apt_update_and_install "${missing[@]}" \
        || say "these could not be installed, and their tests are skipped: ${missing[*]}"
}

# True when Debian's packages can be installed without a question.
can_install() { ((apt_allowed)) && command -v apt-get >/dev/null && can_be_root; }

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
