# The part of xmpfc and xmpcc for --check=races; wrapper.sh sources it (POSIX sh).
# shellcheck shell=sh disable=SC2154

# Succeeds if the compiler is clang.
is_clang() {
    case $("$compiler" --version 2>/dev/null | head -n 1) in *clang*) ;; *) return 1 ;; esac
}

# Ends with a message where the check cannot be had.
refuse_race_check() {
    case $dialect in
        gnu) ;;
        *) refuse "--check=races: $compiler does not instrument accesses to memory: use gfortran (XMP_FC)" ;;
    esac
    case $("$compiler" -dumpmachine) in
        x86_64-*) ;;
        *) refuse "--check=races: loads and stores are checked on x86-64 only, and $compiler compiles for $("$compiler" -dumpmachine):" \
            "without the option, a run with XMP_CHECK=races checks coindexed accesses" ;;
    esac
    [ "$archive" = no ] \
        || refuse "--check=races: the program cannot be static, nor be linked with -static-xmp: it is linked with a shared library"
    [ -e "$libdir/xmprt/races/libxmprt_races.so" ] \
        || refuse "--check=races: this installation has no $libdir/xmprt/races/libxmprt_races.so"
}
