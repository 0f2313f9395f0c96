# What xmpfc does about PRIF for every compiler; wrapper.sh sources it (POSIX sh): which commands need the module prif, and where
# sources have image selectors, which some compilers ignore.
# shellcheck shell=sh

# note_prif SOURCE [DEPTH]: a Fortran source, what it includes, or a module that it uses may use the module prif, or define one
# of its own.
note_prif() {
    [ -f "$1" ] || return 0
    if grep -qi '^[[:space:]]*module[[:space:]][[:space:]]*prif[[:space:]]*\(!.*\)\{0,1\}$' -- "$1"; then
        prif=own
    elif [ "$prif" = no ] && uses prif "$1"; then
        prif=yes
    elif [ "$prif" = no ] && [ "$dialect" != gnu ] && uses '[a-z][a-z0-9_]*' "$1" && modules_use_prif; then
        prif=yes
    elif [ "${2-0}" -lt 10 ]; then
        note_included "$1" "$((${2-0} + 1))"
    fi
}

# uses MODULE SOURCE: whether a statement of the source uses a module whose name matches.
uses() {
    grep -qi "^\(.*;\)\{0,1\}[[:space:]]*use\([[:space:]]*,[[:space:]]*[a-z_]*[[:space:]]*\)\{0,1\}[[:space:]:][[:space:]:]*$1[[:space:]]*\([,!;].*\)\{0,1\}$" -- "$2"
}

# modules_use_prif: whether a file about a module, of flang or LFortran, asks for that of the module prif. gfortran's do not.
modules_use_prif() {
    (
        IFS=$newline
        for directory in . $modules; do
            grep -qs 'prif' "${directory#-[IJ]}"/*.mod && exit 0
        done
        exit 1
    )
}

# note_included SOURCE DEPTH: as note_prif, for the files that a source includes.
note_included() {
    found=$(
        IFS=$newline
        for name in $(sed -n "s/^[[:space:]]*#\{0,1\}[[:space:]]*[iI][nN][cC][lL][uU][dD][eE][[:space:]]*['\"<]\([^'\">]*\)['\">].*/\1/p" "$1"); do
            for directory in "$(dirname -- "$1")" $modules; do
                file=${directory#-[IJ]}/$name
                [ ! -f "$file" ] || { printf '%s\n' "$file"; break; }
            done
        done
    )
    while read -r file; do
        [ -z "$file" ] || note_prif "$file" "$2"
    done <<FILES
$found
FILES
}

# Compiles the module prif for the user's compiler, whose modules no other version reads, into the directory $prif_modules.
module_prif() {
    require_compiler
    make_scratch
    prif_modules=$(mktemp -d "$scratch/XXXXXX")
    case $dialect in
        flang) "$compiler" "$flag" -fsyntax-only -w -module-dir "$prif_modules" "$prefix/share/xmprt/prif.F90" ;;
        *) "$compiler" "$flag" -fsyntax-only -w -J "$prif_modules" "$prefix/share/xmprt/prif.F90" ;;
    esac
}

# selectors SOURCE [PREPROCESSOR...]: prints where a Fortran source has image selectors, and allocates coarrays with stat=; fields
# are separated by $tab. The options are those by which the compiler preprocesses only, if it says of which lines its output is.
selectors() {
    source=$1 original=$1
    shift
    if [ $# -gt 0 ]; then
        case $preprocess$original in
            yes* | *.F | *.F[09][0358] | *.FOR | *.FTN | *.FPP | *.fpp)
                source=$scratch/source
                # Options are lines of a variable. What is wrong says the compiler when it compiles.
                (
                    IFS=$newline
                    set -f
                    # shellcheck disable=SC2086
                    "$compiler" "$@" $cpp -o "$source" "$original" 2>/dev/null
                ) || return 0 ;;
        esac
    fi
    "$translator" --fortran ${form:+--form=$form} ${columns:+--columns=$columns} --selectors "--original=$original" -- "$source"
}

# may_have_selectors ARG: whether this is a Fortran source with a bracket.
may_have_selectors() {
    is_fortran "$1" && [ -f "$1" ] && [ -n "$translator" ] && grep -q '\[' -- "$1"
}
