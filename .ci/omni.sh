# The libraries that programs of the Omni XcalableMP compiler are linked with: libxmprt_omni.so and a few archives. Sourced by ../x after build.sh
# and xmp.sh, whose functions it uses.
# shellcheck shell=bash disable=SC2154

# Builds them to $target/omni. The C compiler is needed.
build_omni() {
    local out=$target/omni cc=${XMP_CC:-cc}
    say "building the parts of Omni's programs"
    rm -rf "$out"
    mkdir -p "$out"
    build_c_archive "$cc" "$out" xmp ffi/omni/shim/{start,variadic,coarray,tlog}.c ffi/xmp/{arguments,procedures}.c
    build_c_archive "$cc" "$out" xmpf_traverse ffi/omni/shim/traverse.c
    build_omni_module "${XMP_FC:-gfortran}"
}

# build_omni_module FC: makes libxmpf.a and the .mod file, which only this compiler can read.
build_omni_module() {
    local fc=$1 out=$target/omni
    if ! links_fortran "$fc" 2>/dev/null; then
        say "SKIPPED: the module for Omni's Fortran programs: no Fortran compiler $fc that works"
        return 0
    fi
    ffi/omni/shim/xmpf_coarray_decl.sh >"$out/xmpf_coarray_decl.f90"
    # In its directory: compilers write the name of the source file into the .mod file.
    [[ $fc != */* ]] || fc=$(realpath -s -- "$fc")
    (cd -- "$out" && "$fc" -O2 -fPIC -Wall -Wno-unused-dummy-argument -Werror -ffree-line-length-none \
        -c xmpf_coarray_decl.f90)
    ar rcsD "$out/libxmpf.a" "$out/xmpf_coarray_decl.o"
}

# stage_omni TREE LIBDIR BUILT VERSION: puts them and the headers there.
stage_omni() {
    local tree=$1 libdir=$2 built=$3 version=$4 name
    mkdir -p "$tree/$libdir/xmprt/omni" "$tree/include/xmprt/omni"
    install -m 755 "$built/libxmprt_omni.so" "$tree/$libdir/libxmprt_omni.so.$version"
    ln -s "libxmprt_omni.so.$version" "$tree/$libdir/libxmprt_omni.so.${version%%.*}"
    ln -s "libxmprt_omni.so.${version%%.*}" "$tree/$libdir/libxmprt_omni.so"
    for name in "$target"/omni/*.a; do
        install -m 644 "$name" "$tree/$libdir/xmprt/omni"
    done
    install -m 644 ffi/omni/include/*.h "$tree/include/xmprt/omni"
    [[ ! -e $target/omni/xmpf_coarray_decl.mod ]] \
        || install -m 644 "$target/omni/xmpf_coarray_decl.mod" "$tree/include/xmprt/omni"
}
