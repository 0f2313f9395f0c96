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

# Succeeds if one of the arguments links a library whose name is one of BLAS.
links_blas() {
    for argument; do
        argument=${argument##*/}
        case $argument in
            -l* | lib*.a | lib*.so*) ;;
            *) continue ;;
        esac
        case $argument in *blas* | *blis* | *mkl* | *atlas* | *armpl*) return 0 ;; esac
    done
    return 1
}

# instrument COMMAND...: goes on with a command that has the compiler instrument accesses to memory.
instrument() {
    refuse_race_check
    shift
    if [ "$members" = yes ]; then
        # The linker would lead the calls within libgfortran to the hooks as well, and the check could not tell them from calls of the program.
        [ "$link" = no ] || warn "-static-libgfortran has no effect with --check=races, which needs the shared libgfortran"
        members=no
        number=$#
        while [ "$number" -gt 0 ]; do
            argument=$1
            shift
            [ "$argument" = -static-libgfortran ] || set -- "$@" "$argument"
            number=$((number - 1))
        done
    fi
    # What the compiler proper and the linker need; the compiler's library for races between threads is not linked. Messages name
    # lines.
    if is_clang; then
        # The debugging information has the options. clang instruments no vectors of more than 16 bytes, and the last option for
        # vectors counts.
        set -- "$compiler" -g -Qunused-arguments -grecord-command-line -Xclang -fsanitize=thread \
            -mllvm -tsan-instrument-func-entry-exit=0 "$@" -fno-vectorize -fno-slp-vectorize
        [ "$link" = no ] || set -- "$@" "@$libdir/xmprt/races/wraps"
    else
        # The specs, then the directory with the assembler.
        set -- "$compiler" -g "-specs=$libdir/xmprt/races/races.specs" "-B$libdir/xmprt/races/" "$@"
        [ ! -e "$libdir/xmprt/races/plugin-$(full_version).so" ] \
            || set -- "$@" "-fplugin=$libdir/xmprt/races/plugin-$(full_version).so"
    fi
    # The hooks ask for it: what a program has of a static library is not known from its name any more.
    if [ "$link" = yes ] && links_blas "$@"; then
        set -- "$@" -Wl,--defsym,xmprt_race_links_blas=1
    fi
    execute_or_link "$@"
}
