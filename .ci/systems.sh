# The package managers of systems, and the names that packages have with each. Sourced by ../x before needs.sh.
# shellcheck shell=bash

# The file that describes the system: os-release(5).
os_release=/etc/os-release

# Prints apt, dnf, zypper, pacman or apk: the package manager that is here, or else that of systems of this kind. Prints
# nothing where neither is known.
package_manager() {
    local command
    for command in apt-get dnf yum zypper pacman apk; do
        command -v "$command" >/dev/null || continue
        case $command in
            apt-get) echo apt ;;
            yum) echo dnf ;;
            *) echo "$command" ;;
        esac
        return
    done
    case " $(words_of_os_release) " in
        *" debian "* | *" ubuntu "*) echo apt ;;
        *" rhel "* | *" fedora "* | *" centos "*) echo dnf ;;
        *" suse "* | *" opensuse "* | *" sles "*) echo zypper ;;
        *" arch "*) echo pacman ;;
        *" alpine "*) echo apk ;;
    esac
}

# Prints the names of the system and of those that it is like.
words_of_os_release() { sed -n 's/^ID\(_LIKE\)\{0,1\}=//p' "$os_release" 2>/dev/null | tr -d '"' | tr '\n' ' '; }

# package_names NEED: prints the packages that satisfy a need, with this system's package manager; with Debian's names where the
# manager is not known, and nothing where it has none for it.
package_names() {
    local column
    case $(package_manager) in
        dnf) column=3 ;;
        zypper) column=4 ;;
        pacman) column=5 ;;
        apk) column=6 ;;
        *) column=2 ;;
    esac
    package_table | awk -F '|' -v need="$1" -v column="$column" '$1 == need { print $column }'
}

# Need, and the packages with apt, dnf, zypper, pacman and apk.
package_table() {
    local version
    version=$(gcc_version)
    cat <<TABLE
cc|gcc|gcc|gcc|gcc|gcc
libc|libc6-dev|glibc-devel|glibc-devel|glibc|musl-dev
pkg-config|pkg-config|pkgconf-pkg-config|pkg-config|pkgconf|pkgconf
hwloc|libhwloc-dev|hwloc-devel|hwloc-devel|hwloc|hwloc-dev
fortran|gfortran|gcc-gfortran|gcc-fortran|gcc-fortran|gfortran
newer-fortran|gfortran-12|gcc-toolset-14-gcc-gfortran|gcc13-fortran|gcc-fortran|gfortran
hdf5|libhdf5-openmpi-dev|hdf5-openmpi-devel|hdf5-openmpi4-devel|hdf5-openmpi|
openmpi|libopenmpi-dev openmpi-bin|openmpi-devel|openmpi4-devel|openmpi|openmpi-dev
mpich|libmpich-dev mpich|mpich-devel|mpich-devel||
libclang|libclang-dev|clang-devel|clang-devel|clang|clang-dev
ip|iproute2|iproute|iproute2|iproute2|iproute2
chromium|chromium|chromium|chromium|chromium|chromium
gdb|gdb|gdb|gdb|gdb|gdb
valgrind|valgrind|valgrind|valgrind|valgrind|valgrind
cmake|cmake|cmake|cmake|cmake|cmake
make|make|make|make|make|make
meson|meson|meson|meson|meson|meson
ninja|ninja-build|ninja-build|ninja|ninja|ninja
python|python3|python3|python3|python|python3
numpy|python3-numpy|python3-numpy|python3-numpy|python-numpy|py3-numpy
groff|groff|groff|groff|groff|groff
lua|lua5.4|lua|lua54|lua|lua5.4
modules|environment-modules|environment-modules|Modules||
gcc-plugin|${version:+gcc-$version-plugin-dev}|gcc-plugin-devel|||
venv|python3-venv|python3|python3|python|python3
rpm|rpm|rpm-build|rpm-build||rpm-dev
TABLE
}

# Prints the first number of the version of the Fortran compiler, where that is the system's.
gcc_version() {
    local version
    [[ $(fortran_compiler) =~ ^gfortran(-[0-9]+)?$ ]] || return 0
    version=$("$(fortran_compiler)" -dumpversion 2>/dev/null) || return 0
    echo "${version%%.*}"
}

# install_command PACKAGE...: prints the command that a person would type.
install_command() {
    case $(package_manager) in
        apt) echo "sudo apt-get update && sudo apt-get install --no-install-recommends $*" ;;
        dnf) echo "sudo dnf install $*$(dnf_repositories "$@")" ;;
        zypper) echo "sudo zypper install $*" ;;
        pacman) echo "sudo pacman -S --needed $*" ;;
        apk) echo "sudo apk add $*" ;;
        *) echo "the package manager of this system, for what Debian calls $*" ;;
    esac
}

# dnf_repositories PACKAGE...: prints what has to be enabled for packages that RHEL and its kin, but not Fedora, keep apart.
dnf_repositories() {
    [[ " $* " == *" hwloc-devel "* && $(words_of_os_release) != "fedora "* ]] || return 0
    echo "  (hwloc-devel is in the repository crb, for version 8 in powertools: sudo dnf config-manager --set-enabled crb)"
}
