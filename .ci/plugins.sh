# The MPI plug-ins: which MPIs are here, and the plug-in of each. Sourced by ../x after needs.sh, whose $target and say it
# uses.
# shellcheck shell=bash disable=SC2154

# What plug-ins and their tests need: name, Debian packages, what it is for. The rest of the project needs none of it.
plugin_needs_table() {
    cat <<'TABLE'
openmpi|libopenmpi-dev openmpi-bin|plug-in for Open MPI
mpich|libmpich-dev mpich|plug-in for MPICH
libclang|libclang-dev|reads the headers of MPI
TABLE
}

have_for_plugins() {
    case $1 in
        libclang) have_libclang ;;
        *) [[ -n $(mpi_compilers | sed -n "s/^$1 //p") ]] ;;
    esac
}

# As the crate that reads headers finds it, in the usual places.
have_libclang() {
    [[ -n ${LIBCLANG_PATH-} ]] && return
    compgen -G '/usr/lib/llvm*/lib/libclang*.so*' >/dev/null && return
    PATH=$PATH:/sbin:/usr/sbin ldconfig -p | grep -qE 'libclang(-[0-9]+)?\.so'
}

# Prints "flavour soname compiler" for each MPI: first for the compilers in MPICC (one or more), then for Debian's names,
# then for mpicc. Compilers of one soname share a plug-in, for such MPIs have the same ABI.
mpi_compilers() {
    local compiler flavour soname seen=" "
    # One word a compiler.
    # shellcheck disable=SC2086
    for compiler in ${MPICC-} mpicc.openmpi mpicc.mpich mpicc; do
        flavour=$(mpi_flavour "$compiler") || continue
        soname=$(mpi_soname "$compiler") || continue
        [[ $seen == *" $soname "* ]] && continue
        seen+="$soname "
        echo "$flavour $soname $compiler"
    done
}

# Prints the soname of the MPI library that programs of this compiler are linked with; fails when it is linked statically.
mpi_soname() {
    local scratch
    scratch=$(mktemp -d)
    echo 'int MPI_Get_library_version(char *, int *);
          int probe(char *text, int *len) { return MPI_Get_library_version(text, len); }' >"$scratch/probe.c"
    "$1" -shared -fPIC "$scratch/probe.c" -o "$scratch/probe.so" 2>/dev/null \
        && soname_of_mpi_in "$scratch/probe.so"
    local state=$?
    rm -r "$scratch"
    return "$state"
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

# Prints which MPI a compiler is of; fails when it is of none that a plug-in can be for.
mpi_flavour() {
    local macros
    command -v "$1" >/dev/null || return
    macros=$("$1" -E -dM -include mpi.h -x c /dev/null 2>/dev/null) || return
    case $macros in
        *'#define OPEN_MPI '*) echo openmpi ;;
        *'#define MPICH_VERSION '* | *'#define I_MPI_VERSION '*) echo mpich ;;
        *) return 1 ;;
    esac
}

# Installs what the plug-ins of all MPIs need, for tests; without it their tests are skipped.
install_plugin_needs() {
    local name packages purpose missing=()
    while IFS='|' read -r name packages purpose; do
        # One word a package.
        # shellcheck disable=SC2206
        have_for_plugins "$name" || missing+=($packages)
    done < <(plugin_needs_table)
    ((${#missing[@]} > 0)) || return 0
    if ! command -v apt-get >/dev/null || ! can_be_root; then
        say "SKIPPED: tests with MPI that need ${missing[*]}; run:  $(apt_command "${missing[@]}")"
        return 0
    fi
    say "installing ${missing[*]}"
    apt_install "${missing[@]}" || apt_update_and_install "${missing[@]}" \
        || say "SKIPPED: tests with MPI: could not install ${missing[*]}"
}

# Builds the plug-in of each MPI that is here to $target/plugins: libxmprt_mpi_FLAVOUR_SONAME.so, where SONAME is that of the
# MPI library (the runtime chooses by it: xmp-core/src/plugin/README.md). Fails when one that should be built cannot.
build_plugins() {
    local flavour soname compiler failed=0 built=0
    mkdir -p "$target/plugins"
    rm -f "$target"/plugins/*.so
    while read -r flavour soname compiler; do
        if ! have_libclang; then
            say "SKIPPED: the plug-in for $flavour: no libclang; run:  $(apt_command libclang-dev)"
            continue
        fi
        say "building the plug-in for $flavour ($compiler, $soname)"
        if MPICC=$compiler CARGO_TARGET_DIR=$target/mpi-$soname \
            cargo build --release --locked --manifest-path xmp-core/mpi/Cargo.toml </dev/null; then
            cp "$target/mpi-$soname/release/libxmprt_mpi.so" \
                "$target/plugins/libxmprt_mpi_${flavour}_$soname.so"
            built=1
        else
            say "SKIPPED: the plug-in for $flavour: it could not be built with $compiler"
            failed=1
        fi
    done < <(mpi_compilers)
    ((built || failed)) \
        || say "no plug-in for MPI: programs run on one machine (./x doctor says what plug-ins need)"
    return "$failed"
}

# The lints of the plug-ins, which are no part of the workspace; with what building them has left.
lint_plugins() {
    local _flavour soname compiler manifest=xmp-core/mpi/Cargo.toml
    cargo fmt --check --manifest-path "$manifest"
    have_libclang || return 0
    while read -r _flavour soname compiler; do
        MPICC=$compiler CARGO_TARGET_DIR=$target/mpi-$soname \
            cargo clippy --release --locked --manifest-path "$manifest" -- -D warnings </dev/null
    done < <(mpi_compilers)
}
