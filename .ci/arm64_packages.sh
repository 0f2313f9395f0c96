# Packages for arm64, which a machine with x86-64 builds; and how they are tried: in an emulated machine whose system has compilers and MPIs.
# Sourced by ../x after package.sh, package_plugins.sh and arm64.sh, whose $target, $arm64_triple, pack, say and die it uses.
# shellcheck shell=bash disable=SC2034,SC2154

# The packages of the system; it gets those that they depend on, too.
arm64_native_packages=(bash coreutils dash diffutils dpkg findutils gawk grep gzip iproute2 libc-bin mount sed tar util-linux gcc gfortran libc6-dev python3-venv
    openmpi-bin libopenmpi-dev mpich libmpich-dev)

# arm64_make_packages FORMAT...: the part of make_packages for another machine. Commands of this machine write files of the tree.
arm64_make_packages() {
    local place=$target/arm64
    local commands=$place/cargo/release
    arm64_native "$place"
    arm64_commands "$place"
    # The builds that follow use another directory.
    local target=$place system=$place/native
    local -x XMP_CC BINDGEN_EXTRA_CLANG_ARGS="${BINDGEN_EXTRA_CLANG_ARGS-} -isystem /usr/aarch64-linux-gnu/include"
    XMP_CC=$(cc_for)
    build_c_parts
    pack "$commands" "$@"
}

# arm64_native OUT: the system, in OUT/native. Nothing of it has been configured; dpkg takes all for installed.
arm64_native() {
    local out=$1 root=$1/native
    [[ ! -e $root/complete ]] || return 0
    arm64_system "$out"
    say "fetching compilers and MPIs of Debian for arm64"
    APT_CONFIG=$out/apt/apt.conf again apt-get update -q >&2
    fill_other_system "$out" "$root" -o "APT::Default-Release=$(arm64_release)" "${arm64_native_packages[@]}"
}

# arm64_compiler_of_abi FLAVOUR: as compiler_of_abi. The compiler is made, for the MPI of $system.
arm64_compiler_of_abi() {
    local compiler=$target/mpicc-$1 libraries=$system/usr/lib/aarch64-linux-gnu words name library
    case $1 in
        openmpi) libraries+=/openmpi/lib name=mpi words=-I${libraries%lib}include ;;
        mpich) name=mpich words=-I$system/usr/include/aarch64-linux-gnu/mpich ;;
        abi)
            arm64_standard_abi || return
            libraries=$target/standard-abi/lib name=mpi_abi words=-I$target/standard-abi/include ;;
    esac
    words="$(cc_for) $words -L$libraries -l$name"
    # shellcheck disable=SC2016 # The script expands its arguments.
    printf '#!/bin/sh\nif [ "$1" = -show ]; then echo "%s"; else exec %s "$@"; fi\n' "$words" "$words" >"$compiler"
    chmod +x "$compiler"
    # That of MPICH 5 is a text, which names the library beside it.
    library=$(readlink -f "$libraries/lib$name.so")
    [[ $1 != abi ]] || library=$libraries/$(sonames_of_abi abi)
    echo "$("$(tool_for objdump)" -p "$library" | sed -n 's/^ *SONAME *//p') $compiler"
}

# Gets MPICH 5 for arm64, whose header and library are those of the standard ABI.
arm64_standard_abi() {
    local place=$target/standard-abi unpacked=$target/mpich
    [[ ! -e $place ]] || return 0
    rm -rf "$unpacked"
    get_venv && python3 -m venv --clear "$unpacked" || return
    "$unpacked/bin/pip" download -q -d "$unpacked" --platform manylinux_2_28_aarch64 --only-binary=:all: --no-deps mpich==5.0.2 >&2 || return
    python3 -m zipfile -e "$unpacked"/mpich-*.whl "$unpacked"
    mv "$unpacked"/mpich-*.data/data "$place"
    rm -r "$unpacked"
}

# arm64_try_packages OUT NAME...: makes packages, installs them on the emulated machine, and compiles and runs a program with each.
arm64_try_packages() {
    local out=$1 names=("${@:2}") tree=$1/native-tree package_out=$1/package log=$1/packages.log built_for=aarch64 file
    grep -qF "$(printf '%s\n' "${names[@]}")" <<<packages || return 0
    package_for_tests
    [[ -d $package_out ]] || return 0
    say "installing packages on arm64"
    rm -rf "$tree"
    mkdir -p "$tree"/{packages/rpm,dev,proc,sys,tmp,root}
    find "$package_out" -type f ! -name "*.rpm" -exec cp -t "$tree/packages" {} +
    for file in "$package_out"/*.rpm; do
        [[ ! -e $file ]] || rpm2archive - <"$file" | tar -xz -C "$tree/packages/rpm"
    done
    cp examples/fortran/hello.f90 examples/c/power_iteration.c examples/xmp/heat.{c,f90} "$tree/packages"
    install -m 755 .ci/arm64_packages_init.sh "$tree/init"
    install -m 644 .ci/arm64_mounts.sh "$tree/mounts"
    # Not compressed: unpacking takes an emulated processor longer than reading.
    { (cd -- "$out/native" && find . | cpio --quiet -o -H newc -R 0:0); (cd -- "$tree" && find . | cpio --quiet -o -H newc -R 0:0); } >"$out/image-with-packages"
    arm64_boot "$log" "$out/system" cloud-arm64 cortex-a76 "$out/image-with-packages"
}
