# The order of the library's code. Sourced by ../x, whose $root, $target, $prefix and say it uses.
# shellcheck shell=bash disable=SC2154

# Writes ffi/layout.ld: the functions of the library that empty programs execute. The library must be installed in $prefix
# without a layout, because valgrind knows functions of the section .text alone.
write_layout() {
    local layout=ffi/layout.ld measured=$target/layout images
    rm -rf -- "$measured"
    mkdir -p "$measured"
    xmpcaf -o "$measured/coarray" examples/bench/programs/caf_empty.f90
    xmpcc -o "$measured/xmp" examples/bench/programs/xmp_empty.c
    for images in 1 2 4; do
        profile_empty_program "$images" "$measured/coarray"
        profile_empty_program "$images" "$measured/xmp"
    done
    layout_of_functions <<<"$(executed_functions "$measured"/*.callgrind | LC_ALL=C sort -u)" >"$layout.new"
    mv -- "$layout.new" "$layout"
}

# profile_empty_program IMAGES PROGRAM: one profile an image, beside the program.
profile_empty_program() {
    say "$(basename "$2"), $1 images"
    xmprun -n "$1" valgrind --quiet --tool=callgrind --demangle=no \
        --callgrind-out-file="$2.$1.%p.callgrind" "$2" >"$2.out"
}

# executed_functions PROFILE...: the functions of the library. A profile gives each object and each function a number
# where it names it first, as `ob=(9) /lib/libxmprt.so`; `cob` and `cfn` are those of calls.
executed_functions() {
    awk '
        FNR == 1 { split("", named); inside = 0 }
        match($0, /^c?(ob|fn)=\([0-9]+\)/) {
            kind = substr($0, 1, index($0, "=") - 1); sub(/^c/, "", kind)
            key = kind substr($0, index($0, "("), RLENGTH - index($0, "(") + 1)
            if (length($0) > RLENGTH) named[key] = substr($0, RLENGTH + 2)
            if ($0 ~ /^ob/) inside = named[key] ~ /\/libxmprt\.so/
            if ($0 ~ /^fn/ && inside) print named[key]
        }' "$@"
}

# Prints the layout for the functions on the standard input. What every build changes in a name becomes a star: hashes,
# as in `17h0123456789abcdefE` (legacy mangling) and `CsaBcD12_3std` (v0), and numbers of modules and copies (`.llvm.123`, `.123`).
layout_of_functions() {
    cat <<'TEXT'
/* Puts what every program executes at its start and end into one place of libxmprt.so. `./x layout` writes this file.

   The system makes code resident in pieces of 64 KiB around each place that is executed. Strewn over the library, these
   functions would make 0.4 MB more resident in every image. A pattern that meets nothing any more costs a few pages and
   nothing else. Functions marked cold are in .text.unlikely, hence the first star. */
SECTIONS {
  .text.start : {
    /* pthread_atfork */
    *libc_nonshared.a:*(.text)
TEXT
    sed -E "s/'[0-9]+\$//; s/\.(llvm\.)?[0-9]+\$/*/; s/17h[0-9a-f]{16}E\*?/17h*/; s/Cs[0-9A-Za-z]+_/Cs*_/g" |
        grep -E '^_|^xmp' | LC_ALL=C sort -u | sed 's/.*/    *(.text*.&)/'
    cat <<'TEXT'
  }
  .plt : { *(.plt) }
} INSERT BEFORE .text;
TEXT
}
