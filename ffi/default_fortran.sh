# The Fortran compiler where XMP_FC names none (POSIX sh). Sourced by xmpfc and ../x.
# shellcheck shell=sh

# default_fortran: prints gfortran; but where that is missing or older than 12, another one that is there: the newest of RHEL's
# gcc-toolset, or one with its version in its name, as SLES, Ubuntu and Debian have them. 15 comes last for its defects.
default_fortran() {
    default_version=$(gfortran -dumpversion 2>/dev/null) || default_version=0
    # The directory of programs in a toolset.
    default_place=root/usr/bin
    if [ "${default_version%%.*}" -lt 12 ]; then
        for default_version in 16 14 13 12 15; do
            for default_command in "${gcc_toolsets-/opt/rh}/gcc-toolset-$default_version/$default_place/gfortran" "gfortran-$default_version"; do
                command -v "$default_command" >/dev/null || continue
                echo "$default_command"
                return
            done
        done
    fi
    echo gfortran
}
