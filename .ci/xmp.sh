# The parts of programs that are in C: a small library for programs with directives of XcalableMP, the constructor that comes
# last in all programs, and the memory of programs that follow pointers. Sourced by ../x, whose $target and say it uses.
# shellcheck shell=bash disable=SC2154

# Builds them to $target/xmp.
build_c_parts() {
    local out=$target/xmp cc=${XMP_CC:-cc}
    rm -rf "$out"
    if ! links_c "$cc" 2>/dev/null; then
        say "SKIPPED: the parts of programs in C: no C compiler $cc that works"
        return 0
    fi
    say "building the parts of programs in C"
    mkdir -p "$out/reach"
    build_c_archive "$cc" "$out" xmpt ffi/xmp/{start,initial,arguments,procedures,malloc}.c
    build_c_object "$cc" "$out" ffi/xmp/shared.c
    build_c_object "$cc" "$out" ffi/constructed.c
    build_c_archive "$cc" "$out/reach" xmprt_reach ffi/reach/{allocation,by_reference,replacements}.c
}

# build_c_object CC DIRECTORY SOURCE: compiles a source, to DIRECTORY.
build_c_object() {
    "$1" -std=gnu99 -O2 -fPIC -Wall -Wextra -Werror -Iffi/xmp -Iffi/xmp/include -Iffi/include -c "$3" -o "$2/$(basename "$3" .c).o"
}

# build_c_archive CC DIRECTORY NAME SOURCE...: makes DIRECTORY/libNAME.a.
build_c_archive() {
    local cc=$1 out=$2 name=$3 source objects=()
    shift 3
    for source; do
        build_c_object "$cc" "$out" "$source"
        objects+=("$out/$(basename "$source" .c).o")
    done
    ar rcsD "$out/lib$name.a" "${objects[@]}"
}

# stage_c_parts TREE LIBDIR: puts them and the headers of XcalableMP's procedures there.
stage_c_parts() {
    local tree=$1 libdir=$2 file
    mkdir -p "$tree/include/xmprt/xmp"
    for file in libxmpt.a shared.o constructed.o reach/libxmprt_reach.a; do
        [[ ! -e $target/xmp/$file ]] || install -m 644 "$target/xmp/$file" "$tree/$libdir/xmprt"
    done
    install -m 644 ffi/xmp/include/*.h "$tree/include/xmprt/xmp"
}
