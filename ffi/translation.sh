# Sources that are translated before they are compiled: those with directives of XcalableMP, and with --check=bounds those with
# cosubscripts. wrapper.sh sources it (POSIX sh).
# shellcheck shell=sh disable=SC2154

# scan_c ARGS...: the options of a command that the preprocessor and the search for headers need, for the translator: a line
# each in $options.
scan_c() {
    newline='
'
    options="--option=-I$prefix/include/xmprt/xmp$newline--option=-I$prefix/include/xmprt"
    before=
    for arg; do
        case $before in
            -I | -iquote) options="$options$newline--option=$before$newline--option=$arg$newline-I$arg" ;;
            -D | -U | -include | -imacros | -isystem | -idirafter)
                options="$options$newline--option=$before$newline--option=$arg" ;;
        esac
        case $arg in
            -I?*) options="$options$newline--option=$arg$newline$arg" ;;
            -iquote?*) options="$options$newline--option=$arg$newline-I${arg#-iquote}" ;;
            -omp | --openmp) options="$options$newline--option=-fopenmp" ;;
            -fcheck=bounds | --check=*bounds*) options="$options$newline--check-bounds" ;;
            -D?* | -U?* | -isystem?* | -std=* | -ansi | -f?* | -m?* | -O* | -pthread | --sysroot=*)
                options="$options$newline--option=$arg" ;;
        esac
        before=$arg
    done
}

# scan_fortran ARGS...: what the translator of Fortran has to know of a command: a line each in $cpp (options for the
# preprocessor) and $modules (options about directories), $form, and whether all files are preprocessed.
scan_fortran() {
    cpp='' modules='' form='' columns='' preprocess=no previews=no
    newline='
'
    tab=$(printf '\t')
    before=
    for arg; do
        case $before in
            -J | -module-dir) modules="$modules$newline-J$arg" ;;
            -I | -D | -U) cpp="$cpp$newline$before$arg" ;;
        esac
        [ "$before" != -I ] || modules="$modules$newline-I$arg"
        case $arg in
            --show) previews=yes ;;
            -cpp) preprocess=yes ;;
            --check=*bounds*) bounds=yes ;;
            -ffree-form) form=free ;;
            -ffixed-form) form=fixed ;;
            -ffixed-line-length-none) columns=0 ;;
            -ffixed-line-length-*) columns=${arg##*-} ;;
            -J?*) modules="$modules$newline$arg" ;;
            -I?*) cpp="$cpp$newline$arg" modules="$modules$newline$arg" ;;
            -D?* | -U?* | -fopenmp) cpp="$cpp$newline$arg" ;;
        esac
        before=$arg
    done
}

# translate SOURCE: fails when there is nothing to translate; else $translated is the C source without directives, with the
# same lines and the same name. Ends with a message when something in SOURCE is wrong.
translate() {
    [ -n "$translator" ] && [ -f "$1" ] \
        && grep -q 'xmp\|:[[:space:]]*\[\|\[.*:\|#[[:space:]]*include[[:space:]]*["<]' -- "$1" || return 1
    make_scratch
    translated=$(mktemp -d "$scratch/XXXXXX")/$(basename -- "$1")
    (
        # Options are lines of a variable.
        IFS=$newline
        set -f
        # shellcheck disable=SC2086
        "$translator" --preprocessor "$compiler" $options --output "$translated" --names "$translated.names" -- "$1"
    ) || exit 1
    [ -e "$translated" ] || return 1
    started=yes translations=yes
}

# translate_fortran SOURCE: as translate, of a Fortran source; one for the preprocessor goes through it first.
translate_fortran() {
    [ -n "$translator" ] && [ -f "$1" ] || return 1
    grep -qi '^[[:space:]]*[!c*][$]xmp\|^[[:space:]]*include[[:space:]]*["'"'"']' -- "$1" \
        || { has_modules && grep -qi '^[[:space:]]*use[[:space:],]' -- "$1"; } || return 1
    write_fortran "$1" || return
    # Other lines than directives may have led here.
    if [ "$only_checks" = yes ]; then checks=yes; else started=yes translations=yes; fi
}

# check_selectors SOURCE: with --check=bounds, as translate_fortran, of a source without directives: the translation checks cosubscripts
# and result_image=.
check_selectors() {
    [ "$bounds$dialect" = yesgnu ] && [ -n "$translator" ] && [ -f "$1" ] \
        && grep -qi '\[\|co_sum\|co_min\|co_max\|co_reduce' -- "$1" || return 1
    write_fortran "$1" || return
    checks=yes
}

# write_fortran SOURCE: has the translator write $translated; fails when there is nothing to translate.
write_fortran() {
    make_scratch
    place=$(mktemp -d "$scratch/XXXXXX")
    name=$(basename -- "$1")
    source=$1 check=
    [ "$bounds$dialect" != yesgnu ] || check=--check-bounds
    translation=0
    (
        # Options are lines of a variable.
        IFS=$newline
        set -f
        if [ "$previews" = yes ]; then
            # Files about modules are for this command only.
            modules=$(printf %s "$modules" | sed 's/^-J/-I/')$newline-J$scratch$newline-I.
        fi
        case $preprocess$name in
            yes* | *.F | *.F[09][0358] | *.FOR | *.FTN | *.FPP | *.fpp)
                source=$place.source
                # shellcheck disable=SC2086
                "$compiler" -E -cpp $cpp -o "$source" "$1" || exit 1 ;;
        esac
        # shellcheck disable=SC2086
        "$translator" --fortran ${form:+--form=$form} ${columns:+--columns=$columns} $modules $check "--original=$1" \
            --output "$place/${name%.*}.$(extension "$name")" -- "$source"
    ) || translation=$?
    case $translation in
        0) only_checks=no ;;
        3) only_checks=yes ;; # There are no directives.
        *) exit 1 ;;
    esac
    translated=$place/${name%.*}.$(extension "$name")
    rm -f "$place.source"
    [ -e "$translated" ]
}

# Whether a module with distributed objects was compiled before.
has_modules() {
    (
        IFS=$newline
        for directory in . $modules; do
            for file in "${directory#-[IJ]}"/*.xmpmod; do [ ! -e "$file" ] || exit 0; done
        done
        exit 1
    )
}

# extension NAME: that of the file without a preprocessor.
extension() {
    case $1 in
        *.[fF] | *.[fF]or | *.FOR | *.[fF]tn | *.FTN | *.[fF]pp | *.FPP) echo f ;;
        *) echo f90 ;;
    esac
}

# Has the dependencies that the compiler has written name the sources of the user.
name_sources() {
    case $depends in
        '') return ;;
        '?') [ -n "$output" ] || return 0; depends=${output%.*}.d ;;
    esac
    [ -f "$depends" ] || return 0
    for names in "$scratch"/*/*.names; do
        [ -f "$names" ] || continue
        # What sed and Make would take for something else.
        sed -i "s|${names%.names}|$(sed 's/[\\&|]/\\&/g' "$names")|g" -- "$depends"
    done
    sed -i "s|$scratch/[A-Za-z0-9]*/||g" -- "$depends"
}

# Whether a source has directives in the form of Fortran.
is_fortran_with_directives() {
    grep -qi '^[[:space:]]*[!c*][$]xmp[[:space:]]' -- "$1"
}

# refuse_c SOURCE HELP: ends with a message if a source, or a header beside it, has directives in the form of C, which are not
# translated here.
refuse_c() {
    [ -f "$1" ] && [ -n "$translator" ] || return 0
    grep -q '^[[:space:]]*#[[:space:]]*pragma[[:space:]]\{1,\}xmp[[:space:]]' -- "$1" || {
        case $1 in *.c) ;; *) return 0 ;; esac
        grep -q '#[[:space:]]*include[[:space:]]*"' -- "$1" && [ -n "$("$translator" -- "$1" 2>&1)" ] || return 0
    }
    echo "$tool: $1 has directives of XcalableMP, which are not translated: $2" >&2
    exit 1
}

# refuse_fortran SOURCE HELP: as refuse_c, of directives in the form of Fortran.
refuse_fortran() {
    [ -f "$1" ] && [ -n "$translator" ] && is_fortran_with_directives "$1" || return 0
    echo "$tool: $1 has directives of XcalableMP, which are not translated: $2" >&2
    exit 1
}

# xmpcc has no coarrays of Fortran, and translates none of its directives.
refuse_fortran_source() {
    refuse_fortran "$1" "compile it with xmpfc"
    [ ! -f "$1" ] || refuse "$1 is a Fortran source: compile it with xmpfc"
}

# Has the compiler read a copy of the standard input, which may have no directives.
keep_input() {
    make_scratch
    cat >"$scratch/input"
    exec <"$scratch/input"
    if grep -q '^[[:space:]]*#[[:space:]]*pragma[[:space:]]\{1,\}xmp[[:space:]]' -- "$scratch/input" \
        || is_fortran_with_directives "$scratch/input"; then
        echo "$tool: the standard input has directives of XcalableMP, which are not translated: compile a file" >&2
        exit 1
    fi
}

# includes_xmp SOURCE: whether it includes the declarations of XcalableMP's library, which it may without any directive.
includes_xmp() {
    [ -f "$1" ] && grep -qi '^[[:space:]]*#\{0,1\}[[:space:]]*include[[:space:]]*[<"'"'"']xmp[._]' -- "$1" || return 1
    started=yes
}

# Makes the directory for translated sources, once.
make_scratch() {
    [ -z "$scratch" ] || return 0
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
}
