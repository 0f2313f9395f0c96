# The doctor: what is installed, what is missing, how to get it. Sourced by ../x after needs.sh and trial.sh.
# shellcheck shell=bash disable=SC2154

cmd_doctor() {
    local prefix=
    case ${1-} in
        --prefix) (($# == 2)) || die "--prefix needs a directory"; prefix=$2 ;;
        --prefix=*) (($# == 1)) || die "doctor: unknown argument '$2'"; prefix=${1#*=} ;;
        '') prefix=$(installed_prefix) || prefix= ;;
        *) die "doctor: unknown argument '$1' (./x doctor --help lists what there is)" ;;
    esac
    [[ -z $prefix || $prefix == /* ]] || prefix=$called_from/$prefix
    doctor "$prefix"
}

# doctor PREFIX: prints the whole report. Fails when something that is needed is missing, or an installation does not work.
doctor() {
    local missing=0
    doctor_rust || missing=1
    doctor_needs || missing=1
    doctor_kernel
    doctor_optional
    doctor_peers
    doctor_installation "$1" || missing=1
    return "$missing"
}

# row STATE NAME DETAIL
row() { printf '  %-8s %-14s %s\n' "$1" "$2" "$3"; }

doctor_rust() {
    local component state=0
    echo "Rust toolchain"
    if ! find_cargo; then
        row MISSING cargo "Rust $(least_rust) or newer is needed, $(rust_remedy)"
        return 1
    fi
    if (require_rust) 2>/dev/null; then
        row ok rustc "$(rustc --version)"
    else
        row "TOO OLD" rustc "$(rustc --version); needed: $(least_rust), $(rust_remedy)"
        state=1
    fi
    for component in fmt clippy; do
        if cargo "$component" --version >/dev/null 2>&1; then
            row ok "$component" "$(cargo "$component" --version)"
        else
            row MISSING "$component" "for ./x test; run: rustup component add rustfmt clippy"
            state=1
        fi
    done
    return "$state"
}

doctor_needs() {
    local name purpose package packages=()
    echo "Build and run"
    find_built_hwloc
    while IFS='|' read -r name purpose; do
        if have "$name"; then
            row ok "$name" "$(version_of "$name")"
        elif [[ $name == hwloc ]] && has_to_build_hwloc; then
            row "to build" hwloc "$purpose; ./x run and ./x install build it from its sources in $target"
        else
            row MISSING "$name" "$purpose"
            package=$(packages_of "$name")
            packages+=("${package:-<no package known: install $(fortran_compiler) yourself>}")
        fi
    done < <(needs_table)
    ((${#packages[@]} == 0)) && return
    if can_install; then
        echo "  ./x run and ./x test install what is missing; by hand:"
    else
        echo "  to be installed by an administrator, or by you with sudo:"
    fi
    echo "      $(install_command "${packages[@]}")"
    return 1
}

# MPI is for jobs on several machines only.
doctor_optional() {
    local name packages purpose missing=()
    echo "MPI plug-ins and tests (optional)"
    while IFS='|' read -r name purpose; do
        if have "$name"; then
            row ok "$name" "$purpose"
        else
            packages=$(packages_of "$name")
            row absent "$name" "$purpose (${packages:+package }${packages:-no package is known})"
            # One word a package.
            # shellcheck disable=SC2206
            missing+=($packages)
        fi
    done < <(optional_needs_table)
    ((${#missing[@]} == 0)) || echo "      $(install_command "${missing[@]}")"
}

# Asks the kernel itself: a container may forbid what the version promises. The runtime does without all of it.
doctor_kernel() { in_scratch try_kernel; }
try_kernel() {
    local name answer
    echo "Kernel $(uname -r)"
    if ! kernel_probe | cc -x c -o "$scratch/probe" - 2>/dev/null; then
        row unknown features "the check needs a C compiler"
        return 0
    fi
    while read -r name answer; do
        if [[ $answer == yes ]]; then
            row ok "$name" "$(kernel_purpose "$name")"
        else
            row absent "$name" "$(kernel_purpose "$name"); without it $(kernel_substitute "$name")"
        fi
    done < <("$scratch/probe")
}

kernel_purpose() {
    case $1 in
        memfd) echo "memory shared by the images (Linux 3.17)" ;;
        pidfd) echo "images under MPI see one another end (Linux 5.3)" ;;
        futex_waitv) echo "waits for two things at once (Linux 5.16)" ;;
    esac
}

# Prints the substitute that the runtime has for a call that the kernel lacks.
kernel_substitute() {
    case $1 in
        memfd) echo "that memory is a file without a name in /dev/shm" ;;
        pidfd) echo "mutexes tell them" ;;
        futex_waitv) echo "the end of an image is noticed later" ;;
    esac
}

# A C program that prints a line "feature yes|no" for each. A null call that is known fails with EINVAL.
kernel_probe() {
    cat <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static void say(const char *name, int there) { printf("%s %s\n", name, there ? "yes" : "no"); }
int main(void) {
    say("memfd", syscall(SYS_memfd_create, "xmp-doctor", 0) >= 0);
    say("pidfd", syscall(SYS_pidfd_open, getpid(), 0) >= 0);
    long waitv = syscall(449 /* futex_waitv: one number on all machines, newer than some headers */, 0, 0, 0, 0, 0);
    say("futex_waitv", waitv >= 0 || errno == EINVAL);
    return 0;
}
C
}

# The runtimes that ./x bench compares with. None is needed for anything else.
doctor_peers() {
    local name command package packages=()  # package: one or more
    echo "Peers for ./x bench (optional)"
    while read -r name command package; do
        if peer_works "$command" 2>/dev/null; then
            row ok "$name" "$(command -v "$command")"
        elif command -v "$command" >/dev/null; then
            row BROKEN "$name" "$command cannot compile a program${package:+ (Debian package $package)}"
        else
            row absent "$name" "no $command${package:+ (Debian package $package)}"
            [[ -z $package ]] || packages+=("$package")
        fi
    done <<'PEERS'
Open_MPI mpicc.openmpi libopenmpi-dev openmpi-bin
MPICH mpicc.mpich libmpich-dev mpich
OC/Open_MPI caf.openmpi libcoarrays-openmpi-dev
OC/MPICH caf.mpich libcoarrays-mpich-dev
caf_shmem gfortran-16
PEERS
    # Their names with other package managers are not known.
    [[ ${#packages[@]} == 0 || $(package_manager) != apt ]] || echo "      $(install_command "${packages[@]}")"
}

# peer_works COMMAND: it compiles and links a program.
peer_works() {
    case $1 in
        mpicc*) links_mpi "$1" ;;
        *) links_fortran "$1" ;;
    esac >/dev/null
}
