# What programs link that the Omni XcalableMP compiler has translated: a small library in C. Sourced by ../x, whose $target
# and say it uses.
# shellcheck shell=bash disable=SC2154

# Builds the libraries to $target/omni.
build_omni() {
    local out=$target/omni cc=${XMP_CC:-cc}
    if ! command -v "$cc" >/dev/null; then
        say "SKIPPED: the libraries for Omni's programs: no C compiler $cc"
        return 0
    fi
    say "building the libraries for Omni's programs"
    rm -rf "$out"
    mkdir -p "$out"
    build_omni_archive "$cc" xmp start arguments variadic coarray fortran tlog
    build_omni_archive "$cc" xmpf_traverse traverse
    build_omni_module "${XMP_FC:-gfortran}"
}

# build_omni_module FC: makes libxmpf.a and the .mod file, which only this compiler can read.
build_omni_module() {
    local fc=$1 out=$target/omni
    if ! command -v "$fc" >/dev/null; then
        say "SKIPPED: the module for Omni's Fortran programs: no Fortran compiler $fc"
        return 0
    fi
    ffi/omni/xmpf_coarray_decl.sh >"$out/xmpf_coarray_decl.f90"
    "$fc" -O2 -fPIC -Wall -Wno-unused-dummy-argument -Werror -ffree-line-length-none -J "$out" \
        -c "$out/xmpf_coarray_decl.f90" -o "$out/xmpf_coarray_decl.o"
    ar rcsD "$out/libxmpf.a" "$out/xmpf_coarray_decl.o"
}

# build_omni_archive CC NAME SOURCE...: makes libNAME.a of ffi/omni/SOURCE.c.
build_omni_archive() {
    local cc=$1 name=$2 source objects=()
    shift 2
    for source; do
        "$cc" -std=c99 -O2 -fPIC -Wall -Wextra -Werror -c "ffi/omni/$source.c" -o "$target/omni/$source.o"
        objects+=("$target/omni/$source.o")
    done
    ar rcsD "$target/omni/lib$name.a" "${objects[@]}"
}

# install_omni PREFIX COMMAND...: puts them and the headers there; COMMAND runs a command with the rights that this needs.
install_omni() {
    local prefix=$1 library
    shift
    "$@" mkdir -p "$prefix/lib/xmprt/omni" "$prefix/include/xmprt/omni"
    for library in "$target"/omni/*.a; do
        [[ -e $library ]] || continue
        "$@" install -C -m 644 "$library" "$prefix/lib/xmprt/omni"
    done
    "$@" install -C -m 644 ffi/omni/include/*.h "$prefix/include/xmprt/omni"
    [[ ! -e $target/omni/xmpf_coarray_decl.mod ]] \
        || "$@" install -C -m 644 "$target/omni/xmpf_coarray_decl.mod" "$prefix/include/xmprt/omni"
}
