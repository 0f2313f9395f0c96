# Tests of what is on the machine. Each uses the thing (compiles, links, loads) instead of asking for its name: a compiler
# without its library, or a package without its headers, counts as missing. Sourced by ../x, whose $root it uses.
# shellcheck shell=bash disable=SC2154

# shellcheck source=ffi/default_fortran.sh
. "$root/ffi/default_fortran.sh"
fortran_compiler() { echo "${XMP_FC:-$(default_fortran)}"; }

# True unless the compiler is a gfortran that is too old.
is_new_fortran() {
    local version
    [[ ${1##*/} == *gfortran* ]] || return 0
    version=$("$1" -dumpversion) && ((${version%%.*} >= 12))
}

# True when the need is there. The names are those of needs_table and optional_needs_table.
have() {
    case $1 in
        cc) compiles_c cc ;;
        libc) links_c cc ;;
        pkg-config) pkg-config --version ;;
        hwloc) links_hwloc ;;
        fortran) is_new_fortran "$(fortran_compiler)" && links_fortran "$(fortran_compiler)" ;;
        libclang) usable_libclang ;;
        ip) ip -V ;;
        chromium | clang | cmake | fpm | gdb | groff | lfortran | make | mdbook | meson | ninja | valgrind) "$1" --version ;;
        hdf5) command -v h5pfc.openmpi && pkg-config --exists hdf5-openmpi ;;
        herd7) herd7 -version ;;
        # Crates with C code need its compiler even where they are only checked.
        aarch64) rustup target list --installed | grep -qx aarch64-unknown-linux-gnu && command -v aarch64-linux-gnu-gcc ;;
        lua) lua -v ;;
        modules) modulecmd sh --version ;;
        rpm) rpmbuild --version ;;
        sshd) [[ -x /usr/sbin/sshd ]] && ssh -V ;;
        python) python3 --version ;;
        gcc-plugin) [[ -e $("$(fortran_compiler)" -print-file-name=plugin)/include/gcc-plugin.h ]] ;;
        numpy) python3 -c 'import numpy' || /usr/bin/python3 -c 'import numpy' ;;
        venv) python3 -c 'import venv, ensurepip' ;;
        gfortran) links_fortran gfortran ;;
        openmpi | mpich) [[ -n $(mpi_compilers | sed -n "s/^$1 //p") ]] ;;
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

# in_scratch COMMAND...: runs it with a new directory as $scratch, which is removed afterwards.
in_scratch() {
    local scratch state=0
    scratch=$(mktemp -d)
    "$@" || state=$?
    rm -r "$scratch"
    return "$state"
}

# compiles_c CC: without any header, and without linking.
compiles_c() { in_scratch try_compile_c "$1"; }
try_compile_c() { echo 'int probe(void) { return 0; }' | "$1" -x c -c - -o "$scratch/probe.o"; }

# links_c CC [FLAG...]: a program that uses the C library, and whatever else the flags name.
links_c() { in_scratch try_link_c "$@"; }
try_link_c() {
    printf '#include <stdio.h>\nint main(void) { return puts("probe") < 0; }\n' >"$scratch/probe.c"
    "$1" "$scratch/probe.c" "${@:2}" -o "$scratch/probe"
}

# links_fortran FC: a program that uses the Fortran library.
links_fortran() { in_scratch try_link_fortran "$1"; }
try_link_fortran() {
    printf 'print *, "probe"\nend\n' >"$scratch/probe.f90"
    "$1" "$scratch/probe.f90" -o "$scratch/probe"
}

links_hwloc() { in_scratch try_link_hwloc; }
try_link_hwloc() {
    pkg-config --exists 'hwloc >= 2' || return
    printf '#include <hwloc.h>\nint main(void) { return hwloc_get_api_version() == 0; }\n' >"$scratch/probe.c"
    # One word a flag.
    # shellcheck disable=SC2046
    cc "$scratch/probe.c" $(pkg-config --cflags --libs hwloc) -o "$scratch/probe"
}

# links_mpi MPICC: a program that calls MPI.
links_mpi() { in_scratch try_link_mpi "$1"; }
try_link_mpi() {
    printf '#include <mpi.h>\nint main(void) { return MPI_Init(0, 0) || MPI_Finalize(); }\n' >"$scratch/probe.c"
    "$1" "$scratch/probe.c" -o "$scratch/probe"
}

# Prints the libclang that bindgen can use; fails when there is none. The plug-ins are built with LIBCLANG_PATH set to it,
# so that bindgen takes the one that was tried.
usable_libclang() { in_scratch try_libclang; }
try_libclang() {
    local library
    cc "$root/.ci/libclang.c" -ldl -o "$scratch/probe" || return
    while read -r library; do
        "$scratch/probe" "$library" "-idirafter$(headers_of_compiler)" 2>/dev/null || continue
        echo "$library"
        return
    done < <(libclang_candidates)
    return 1
}

# Prints the directory of the C compiler's own headers. libclang has its own ones, but not where it comes without clang, as from PyPI.
headers_of_compiler() { cc -print-file-name=include; }

# Prints the directories of the libraries that Python's package libclang has.
libclang_of_python() {
    python3 -c 'import clang, os; [print(os.path.join(place, "native")) for place in clang.__path__]' 2>/dev/null || true
}

# Prints the files that bindgen (its crate clang-sys) would consider, in its order: in LIBCLANG_PATH alone (a file
# or a directory) when that is set, else where llvm-config says, and in the directories of libraries; and that of Python.
libclang_candidates() {
    local directory places=() llvm
    if [[ -n ${LIBCLANG_PATH-} ]]; then
        if [[ -f $LIBCLANG_PATH ]]; then
            echo "$LIBCLANG_PATH"
            return
        fi
        places=("$LIBCLANG_PATH")
    else
        llvm=$("${LLVM_CONFIG_PATH:-llvm-config}" --prefix 2>/dev/null) && places=("$llvm"/{lib,lib64})
        IFS=: read -r -a directory <<<"${LD_LIBRARY_PATH-}:${LIBRARY_PATH-}"
        places+=("${directory[@]}" /usr/local/llvm*/lib* /usr/local/lib* /usr/local/lib*/* /usr/local/lib*/*/*
            /usr/lib* /usr/lib*/* /usr/lib*/*/* "$(libclang_of_python)")
    fi
    for directory in "${places[@]}"; do
        [[ -n $directory ]] || continue
        compgen -G "$directory/libclang.so" || true
        compgen -G "$directory/libclang-*.so" || true
        compgen -G "$directory/libclang.so.*" || true
        compgen -G "$directory/libclang-*.so.*" || true
    done | grep -v -e '-cpp\.' | awk '!seen[$0]++'
}
