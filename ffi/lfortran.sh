# What xmpfc does for LFortran; wrapper.sh sources it (POSIX sh).
# shellcheck shell=sh
#
# LFortran calls procedures of a module prif, with arguments in a way of its own that changes with its versions. So xmpfc has
# the user's LFortran compile a module with these procedures, which call libxmprt, and links it with the program.
#
# LFortran 0.67 defines functions such as lcompilers_prif_this_image in each object that calls them. They are alike, so weak
# ones can be linked.

# shellcheck source=ffi/alike.sh
. "$prefix/share/xmprt/alike.sh"
alike_functions='lcompilers_prif_'

# weakened FROM TO: for alike.sh.
weakened() {
    run "$objcopy" --wildcard '--weaken-symbol=lcompilers_prif_*' -- "$1" "$2"
}

# execute_lfortran COMMAND...: executes a command of the compiler, or prints it after --show.
execute_lfortran() {
    warn_of_lfortran "$@"
    intrinsic_modules
    if [ "$prif" = own ] || { [ "$prif" = no ] && [ "$link$inputs" != yesyes ]; }; then
        compile_or_link "$@" ${intrinsics:+"$intrinsics"}
        return
    fi
    make_scratch
    [ "$show" = no ] || print_command mkdir -p "$scratch"
    # Without --separate-compilation the object of a module is empty, and its code is in the objects that use it.
    run "$compiler" --cpp --separate-compilation ${intrinsics:+"$intrinsics"} -J "$scratch" \
        -c "$prefix/share/xmprt/prif_lfortran.F90" -o "$scratch/prif.o" || return
    shift
    if [ "$link$inputs" = yesyes ]; then
        # First, because libxmprt is wanted by it.
        set -- "$scratch/prif.o" "$@"
    fi
    if [ "$prif" = yes ]; then
        # Last, so that a module of the user of this name comes first.
        set -- --separate-compilation "$@" "-I$scratch"
    fi
    compile_or_link "$compiler" "$@" ${intrinsics:+"$intrinsics"}
}

# Sets $intrinsics: the option for the directory of ISO_C_BINDING and the like, which Debian's LFortran does not find by itself.
intrinsic_modules() {
    intrinsics=
    case $(command -v "$compiler") in
        /usr/bin/*)
            for directory in /usr/lib/*/fortran/lfortran-mod-*; do
                [ ! -d "$directory" ] || intrinsics=-I$directory
            done ;;
    esac
}

# warn_of_lfortran COMMAND...: LFortran accepts what image selectors have besides cosubscripts, and ignores it.
warn_of_lfortran() {
    number=$("$compiler" --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p')
    ignores_selectors "$number" || return 0
    for arg; do
        may_have_selectors "$arg" || continue
        # LFortran's preprocessor does not say of which lines its output is.
        selectors "$arg" | while IFS="$tab" read -r file line found _; do
            case $found in
                stat) what="an error ends the program" ;;
                team | team_number) what="the image of the current team is accessed" ;;
                *) continue ;;
            esac
            warn "$file:$line: LFortran $number ignores $found= in image selectors: $what"
        done
    done
}

# ignores_selectors VERSION: whether this LFortran is known to: up to 0.67, of which that was seen.
ignores_selectors() {
    case $1 in
        0.*) [ "${1#0.}" -le 67 ] ;;
        *) return 1 ;;
    esac
}
