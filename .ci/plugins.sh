# The MPI plug-ins: which MPIs are here, and the plug-in of each. Sourced by ../x after needs.sh, whose $target and
# say it uses.
# shellcheck shell=bash disable=SC2154

# Prints "flavour soname compiler" for each MPI: first for the compilers in MPICC (one or more), then for Debian's names, then for
# mpicc, then for those that RHEL's packages have outside the search path, and then for that of MPICH 5 for the standard ABI. Compilers
# of one soname share a plug-in, for such MPIs have the same ABI.
mpi_compilers() {
    local compiler flavour soname seen=" "
    # One word a compiler.
    # shellcheck disable=SC2086
    for compiler in ${MPICC-} mpicc.openmpi mpicc.mpich mpicc /usr/lib64/{openmpi,mpich}/bin/mpicc mpicc_abi; do
        flavour=$(mpi_flavour "$compiler") || continue
        soname=$(mpi_soname "$compiler") || continue
        [[ $seen == *" $soname "* ]] && continue
        seen+="$soname "
        echo "$flavour $soname $compiler"
    done
}

# Prints the soname of the MPI library that programs of this compiler are linked with; fails when it is linked statically.
mpi_soname() { in_scratch try_mpi_soname "$1"; }
try_mpi_soname() {
    echo 'int MPI_Get_library_version(char *, int *);
          int probe(char *text, int *len) { return MPI_Get_library_version(text, len); }' >"$scratch/probe.c"
    "$1" -shared -fPIC "$scratch/probe.c" -o "$scratch/probe.so" 2>/dev/null && soname_of_mpi_in "$scratch/probe.so"
}

# Prints which of the libraries that FILE is linked with is the MPI library: the one with its functions.
soname_of_mpi_in() {
    local soname arrow path _rest
    while read -r soname arrow path _rest; do
        [[ $arrow == "=>" && -e $path ]] || continue
        [[ $(nm -D --defined-only "$path" 2>/dev/null) == *" MPI_Get_library_version"* ]] || continue
        echo "$soname"
        return
    done < <(ldd "$1")
    return 1
}

# Prints which MPI a compiler is of; fails when it is of none that a plug-in can be for, or cannot link a program with it.
mpi_flavour() {
    local macros
    macros=$("$1" -E -dM -include mpi.h -x c /dev/null 2>/dev/null) || return
    links_mpi "$1" 2>/dev/null || return
    case $macros in
        *'#define OPEN_MPI '*) echo openmpi ;;
        *'#define MPICH_VERSION '* | *'#define I_MPI_VERSION '*) echo mpich ;;
        *'#define MPI_ABI_VERSION '*) echo abi ;;
        *) return 1 ;;
    esac
}

# mpis_with SONAME: prints which MPIs a plug-in for this name of a library serves, of those whose programs run with one another.
mpis_with() {
    case $1 in
        libmpi.so.40) echo "Open MPI 4 and 5" ;;
        libmpi.so.0) echo "Fujitsu MPI" ;;
        libmpi.so.12) echo "MPICH, Intel MPI, MVAPICH, and Cray's MPI with cray-mpich-abi" ;;
        libmpich.so.12) echo "MPICH of Debian and Ubuntu" ;;
        libmpi_abi.so.*) echo "all MPIs with the standard ABI, such as MPICH 5 and Intel MPI 2021.19" ;;
        *) echo "this MPI" ;;
    esac
}

# compiler_for FLAVOUR COMPILER DIRECTORY: prints the compiler that the crate mpi-sys is built with. For the standard ABI it is made in the
# directory: one whose mpi.h has what the crate needs (xmp-core/mpi/abi). It takes directories and libraries from the compiler of the MPI.
compiler_for() {
    local words made=$3/mpicc
    if [[ $1 != abi ]]; then
        echo "$2"
        return
    fi
    words=$("$2" -show | grep -oE -- '(^| )-[ILl][^ ]+' | tr '\n' ' ') || return
    mkdir -p "$3"
    # shellcheck disable=SC2016 # The script expands its arguments.
    printf '#!/bin/sh\nif [ "$1" = -show ]; then echo "cc -I%q %s"; else exec %s -I%q "$@" %s; fi\n' \
        "$root/xmp-core/mpi/abi" "$words" "$(cc_for)" "$root/xmp-core/mpi/abi" "$words" >"$made"
    chmod +x "$made"
    echo "$made"
}

# What build_plugins has done, one entry an MPI: the plug-ins that there are now, those whose build failed, and those that
# were not tried, with the reason.
plugins_built=()
plugins_failed=()
plugins_skipped=()

# Builds the plug-in of each MPI that is here to $target/plugins: libxmprt_mpi_FLAVOUR_SONAME.so, where SONAME is that of the
# MPI library (the runtime chooses by it: xmp-core/net/src/plugin/README.md). Sets the three lists.
build_plugins() {
    local flavour soname compiler library mpi
    mkdir -p "$target/plugins"
    rm -f "$target"/plugins/*.so
    library=$(usable_libclang 2>/dev/null) || library=
    if [[ -z $library && -n $(mpi_compilers) ]] && get_libclang; then library=$(usable_libclang); fi
    # One word a compiler.
    # shellcheck disable=SC2086
    for compiler in ${MPICC-}; do
        mpi_flavour "$compiler" >/dev/null || plugins_failed+=("$compiler (MPICC): it is no compiler of an MPI that plug-ins can be for \
(Open MPI, MPICH and its derivatives, the standard ABI), or cannot link a program with it")
    done
    while read -r flavour soname compiler; do
        mpi="$flavour ($soname, $compiler): $(mpis_with "$soname")"
        if [[ -z $library ]]; then
            plugins_skipped+=("$mpi: no libclang that works; run:  $(install_command "$(package_names libclang)"), or:  pip install libclang")
        elif build_plugin "$flavour" "$soname" "$compiler" "$library"; then
            plugins_built+=("$mpi")
        else
            plugins_failed+=("$mpi: it could not be built; the messages of the build are above")
        fi
    done < <(mpi_compilers)
}

# Gets libclang from PyPI, which takes no rights.
get_libclang() { get_from_pypi usable_libclang libclang==18.1.1 >&2; }

# build_plugin FLAVOUR SONAME COMPILER LIBCLANG
build_plugin() {
    say "building the plug-in for $1 ($2, $3)"
    begin_as_another "$target/mpi-$2" || return
    build_plugin_with "$(compiler_for "$1" "$3" "$target/mpi-$2")" "$4" "$target/mpi-$2" || return
    cp "$target/mpi-$2/release/libxmprt_mpi.so" "$target/plugins/libxmprt_mpi_$1_$2.so"
}

# build_plugin_with COMPILER LIBCLANG DIRECTORY OPTION...: builds it in this target directory, with these options of Cargo.
build_plugin_with() {
    MPICC=$1 LIBCLANG_PATH=$2 CARGO_TARGET_DIR=$3 BINDGEN_EXTRA_CLANG_ARGS="${BINDGEN_EXTRA_CLANG_ARGS-} -idirafter$(headers_of_compiler)" \
        cargo_release build --manifest-path xmp-core/mpi/Cargo.toml "${@:4}" </dev/null
}

# begin_as_another DIRECTORY [OPTION...]: makes this target directory a copy of that of another MPI, if there is one, which Cargo has filled
# with these options. Most of what is built is the same for all. mpi-sys is not, and does not look at MPICC when it has been built.
begin_as_another() {
    local other copy=$target/copy-for-another-mpi
    [[ ! -e $1 ]] || return 0
    for other in "$target"/mpi-*/release; do
        [[ -d $other ]] || continue
        # It gets its name when mpi-sys is gone, or a build that was interrupted here would leave one MPI's for the other.
        rm -rf -- "$copy"
        cp -a -- "${other%/release}" "$copy" || return
        CARGO_TARGET_DIR=$copy cargo clean -q --release --locked "${@:2}" --manifest-path xmp-core/mpi/Cargo.toml -p mpi-sys || return
        mv -- "$copy" "$1"
        return
    done
}

# The lints of the plug-ins, which are no part of the workspace; with what building them has left.
lint_plugins() {
    local flavour soname compiler library manifest=xmp-core/mpi/Cargo.toml
    library=$(usable_libclang 2>/dev/null) || return 0
    while read -r flavour soname compiler; do
        MPICC=$(compiler_for "$flavour" "$compiler" "$target/mpi-$soname") LIBCLANG_PATH=$library CARGO_TARGET_DIR=$target/mpi-$soname \
            cargo_release clippy --manifest-path "$manifest" -- -D warnings </dev/null
    done < <(mpi_compilers)
}
