# The parts of programs that are in C: small libraries for programs that the Omni XcalableMP compiler or xmpcc has translated, and
# the constructor that comes last in all programs. Sourced by ../x, whose $target and say it uses.
# shellcheck shell=bash disable=SC2154

# Builds the libraries to $target/omni: libxmpt.a for programs of xmpcc, the others for those of Omni.
build_omni() {
    local out=$target/omni cc=${XMP_CC:-cc}
    if ! links_c "$cc" 2>/dev/null; then
        say "SKIPPED: the libraries for Omni's programs: no C compiler $cc that works"
        return 0
    fi
    say "building the libraries for Omni's programs"
    rm -rf "$out"
    mkdir -p "$out"
    build_omni_archive "$cc" xmp start arguments variadic coarray fortran tlog
    build_omni_archive "$cc" xmpt translated_start
    build_omni_object "$cc" translated_shared
    build_omni_archive "$cc" xmpf_traverse traverse
    "$cc" -O2 -fPIC -Wall -Wextra -Werror -c ffi/constructed.c -o "$out/constructed.o"
    build_reach "$cc"
    build_omni_module "${XMP_FC:-gfortran}"
}

# build_reach CC: makes libxmprt_reach.a, the memory of programs that follow pointers of other images.
build_reach() {
    local out=$target/omni/reach object
    mkdir -p "$out"
    for object in allocation by_reference replacements; do
        "$1" -O2 -fPIC -Wall -Wextra -Werror -c "ffi/reach/$object.c" -o "$out/$object.o"
    done
    ar rcsD "$out/libxmprt_reach.a" "$out"/*.o
}

# build_omni_module FC: makes libxmpf.a and the .mod file, which only this compiler can read.
build_omni_module() {
    local fc=$1 out=$target/omni
    if ! links_fortran "$fc" 2>/dev/null; then
        say "SKIPPED: the module for Omni's Fortran programs: no Fortran compiler $fc that works"
        return 0
    fi
    ffi/omni/xmpf_coarray_decl.sh >"$out/xmpf_coarray_decl.f90"
    # In its directory: compilers write the name of the source file into the .mod file.
    [[ $fc != */* ]] || fc=$(realpath -s -- "$fc")
    (cd -- "$out" && "$fc" -O2 -fPIC -Wall -Wno-unused-dummy-argument -Werror -ffree-line-length-none \
        -c xmpf_coarray_decl.f90)
    ar rcsD "$out/libxmpf.a" "$out/xmpf_coarray_decl.o"
}

# build_omni_object CC SOURCE: makes SOURCE.o of ffi/omni/SOURCE.c.
build_omni_object() {
    "$1" -std=c99 -O2 -fPIC -Wall -Wextra -Werror -Iffi/omni/include -Iffi/include -c "ffi/omni/$2.c" -o "$target/omni/$2.o"
}

# build_omni_archive CC NAME SOURCE...: makes libNAME.a of ffi/omni/SOURCE.c.
build_omni_archive() {
    local cc=$1 name=$2 source objects=()
    shift 2
    for source; do
        build_omni_object "$cc" "$source"
        objects+=("$target/omni/$source.o")
    done
    ar rcsD "$target/omni/lib$name.a" "${objects[@]}"
}

# stage_omni TREE LIBDIR: puts them and the headers there.
stage_omni() {
    local tree=$1 libdir=$2 library
    mkdir -p "$tree/$libdir/xmprt/omni" "$tree/include/xmprt/omni"
    for library in "$target"/omni/*.a; do
        [[ ! -e $library ]] || install -m 644 "$library" "$tree/$libdir/xmprt/omni"
    done
    [[ ! -e $target/omni/translated_shared.o ]] \
        || install -m 644 "$target/omni/translated_shared.o" "$tree/$libdir/xmprt/omni"
    [[ ! -e $target/omni/constructed.o ]] || install -m 644 "$target/omni/constructed.o" "$tree/$libdir/xmprt"
    [[ ! -e $target/omni/reach/libxmprt_reach.a ]] \
        || install -m 644 "$target/omni/reach/libxmprt_reach.a" "$tree/$libdir/xmprt"
    install -m 644 ffi/omni/include/*.h "$tree/include/xmprt/omni"
    [[ ! -e $target/omni/xmpf_coarray_decl.mod ]] \
        || install -m 644 "$target/omni/xmpf_coarray_decl.mod" "$tree/include/xmprt/omni"
}
