# The MPI plug-ins: which MPIs are here, and the plug-in of each. Sourced by ../x after needs.sh, whose $target and
# say it uses.
# shellcheck shell=bash disable=SC2154

# Prints "flavour soname compiler" for each MPI: first for the compilers in MPICC (one or more), then for Debian's names, then for
# mpicc, and then for those that RHEL's packages have outside the search path. Compilers of one soname share a plug-in, for such MPIs have the same ABI.
mpi_compilers() {
    local compiler flavour soname seen=" "
    # One word a compiler.
    # shellcheck disable=SC2086
    for compiler in ${MPICC-} mpicc.openmpi mpicc.mpich mpicc /usr/lib64/{openmpi,mpich}/bin/mpicc; do
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
        *) return 1 ;;
    esac
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
    while read -r flavour soname compiler; do
        mpi="$flavour ($soname, $compiler)"
        if [[ -z $library ]]; then
            plugins_skipped+=("$mpi: no libclang that works; run:  $(install_command "$(package_names libclang)")")
        elif build_plugin "$flavour" "$soname" "$compiler" "$library"; then
            plugins_built+=("$mpi")
        else
            plugins_failed+=("$mpi: it could not be built; the messages of the build are above")
        fi
    done < <(mpi_compilers)
}

# build_plugin FLAVOUR SONAME COMPILER LIBCLANG
build_plugin() {
    say "building the plug-in for $1 ($2, $3)"
    begin_as_another "$target/mpi-$2" || return
    build_plugin_with "$3" "$4" "$target/mpi-$2" || return
    cp "$target/mpi-$2/release/libxmprt_mpi.so" "$target/plugins/libxmprt_mpi_$1_$2.so"
}

# build_plugin_with COMPILER LIBCLANG DIRECTORY OPTION...: builds it in this target directory, with these options of Cargo.
build_plugin_with() {
    MPICC=$1 LIBCLANG_PATH=$2 CARGO_TARGET_DIR=$3 \
        cargo_release build --manifest-path xmp-core/mpi/Cargo.toml "${@:4}" </dev/null
}

# begin_as_another DIRECTORY: makes this target directory a copy of that of another MPI, if there is one. Most of what is built is
# the same for all. mpi-sys is not, and does not look at MPICC when it has been built.
begin_as_another() {
    local other copy=$target/copy-for-another-mpi
    [[ ! -e $1 ]] || return 0
    for other in "$target"/mpi-*/release; do
        [[ -d $other ]] || continue
        # It gets its name when mpi-sys is gone, or a build that was interrupted here would leave one MPI's for the other.
        rm -rf -- "$copy"
        cp -a -- "${other%/release}" "$copy" || return
        CARGO_TARGET_DIR=$copy cargo clean -q --release --locked --manifest-path xmp-core/mpi/Cargo.toml -p mpi-sys || return
        mv -- "$copy" "$1"
        return
    done
}

# The lints of the plug-ins, which are no part of the workspace; with what building them has left.
lint_plugins() {
    local _flavour soname compiler library manifest=xmp-core/mpi/Cargo.toml
    cargo fmt --check --manifest-path "$manifest"
    library=$(usable_libclang 2>/dev/null) || return 0
    while read -r _flavour soname compiler; do
        MPICC=$compiler LIBCLANG_PATH=$library CARGO_TARGET_DIR=$target/mpi-$soname \
            cargo_release clippy --manifest-path "$manifest" -- -D warnings </dev/null
    done < <(mpi_compilers)
}
