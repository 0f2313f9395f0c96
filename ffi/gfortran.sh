# The part of xmpfc for gfortran; wrapper.sh sources it (POSIX sh).
# shellcheck shell=sh
#
# Of a saved coarray of a procedure that is used within two levels of ASSOCIATE and BLOCK gfortran 12 to 14 refer to a variable
# for its token that they do not define, `caf_token.0.2`: the program does not link. Each object gets its own definition: in
# another object the same name stands for another coarray.
#
# For CO_BROADCAST of an array of objects with allocatable components, unless the array itself is allocatable, gfortran reads a
# descriptor `parm.4` that it has not set. The broadcast does nothing, or the program crashes. The library is not called.
#
# Other statements gfortran compiles to something else, without a message: see meanings.awk, arguments.awk and layouts.sh.

# shellcheck source=ffi/alike.sh
. "$prefix/share/xmprt/alike.sh"

# compile_c_apart ARGS...: has sources in C beside those in Fortran compiled without -fcoarray=lib, of which the C compiler warns, and goes on
# with their objects.
compile_c_apart() {
    left=$#
    while [ "$left" -gt 0 ]; do
        arg=$1
        shift
        left=$((left - 1))
        if is_c "$arg" && [ -f "$arg" ]; then
            object=$(basename -- "${arg%.*}").o
            if [ "$link" = yes ]; then
                make_scratch
                [ "$show" = no ] || print_command mkdir -p "$scratch"
                object=$scratch/c-$left-$object
            fi
            # The arguments of the compiler are the same in any order of the files.
            compile_part "$arg" "$object" "$compiler" "$@" || exit
            [ "$link" = yes ] || continue
            arg=$object
        fi
        set -- "$@" "$arg"
    done
    complete_command "$@"
}

# execute_gnu COMMAND...: executes a command of the compiler, or prints it after --show.
execute_gnu() {
    if [ "$show$tokens" = nono ]; then
        run "$@" || return
    elif [ "$show" = yes ]; then
        run "$@"
        return
    elif [ "$link" = yes ]; then
        link_with_tokens "$@" || return
    else
        run "$@" || return
        mend_outputs "$@" || return
    fi
    [ "$broadcasts" = no ] || warn_of_lost_broadcasts "$@"
    if [ "$components$translations$checks" = yesnono ]; then
        # shellcheck source=ffi/layouts.sh
        . "$prefix/share/xmprt/layouts.sh"
        warn_of_other_layouts "$@"
    fi
}

# warn_of_other_meanings SOURCE ARG...: names what this version of gfortran compiles to something else, unless -w is among the arguments.
warn_of_other_meanings() {
    meanings=$(other_meanings "$1")
    [ -n "$meanings" ] || return 0
    ! is_silent "$@" || return 0
    release=$(major_version)
    printf '%s\n' "$meanings" | while IFS=: read -r file line found; do
        # The first and the last version that does so.
        case $found in
            errmsg) set -- 12 15 ;;
            itself) set -- 15 15 ;;
            cosubscript | dummy) set -- 15 16 ;;
            pointers) set -- 12 12 ;;
            *) set -- 12 14 ;;
        esac
        [ "$release" -ge "$1" ] && [ "$release" -le "$2" ] || continue
        case $found in
            itself) set -- "takes the variable of this image on the right: get the value of the other image first, and put the result" ;;
            cosubscript) set -- "takes the variable of this image as cosubscript: get that of the other image first, k = who[2]" ;;
            dummy) set -- "copies too much in gets from this dummy argument, or the program crashes: give it an explicit shape" ;;
            substring) set -- "transfers the whole variable in place of this substring: transfer it, and take the substring of the copy (subscripts of an array come before the brackets: x(:)[2])" ;;
            component) set -- "transfers the first component of the type here, whichever is named: unless this is the first, transfer whole elements, or one element at a time" ;;
            concatenation) set -- "puts blanks in place of this concatenation: assign it to a local variable, and put that" ;;
            'local component') set -- "transfers the first component of the local section, whichever is named: assign to an array first" ;;
            deferred) set -- "puts this to all elements of the array: give the coarray a fixed length" ;;
            pointers) set -- "loses this coarray when it is allocated, and the program crashes: make the pointer component allocatable, or give the" \
                "coarray constant bounds (note 29 of docs/COMPILERS.md)" ;;
            vector) set -- "takes other elements for a vector subscript in an expression, unless the library can tell: get to an array first" ;;
            team) set -- "gets this from an image of the current team: get it before CHANGE TEAM" ;;
            errmsg) set -- "does not define this variable of errmsg=: use stat=" ;;
            'left team') set -- "leaves the image in the team when the CHANGE TEAM construct is left here: leave it by END TEAM" ;;
            allocate) set -- "sets this stat= to 0 although an image has ended: sync all (stat=k) after it tells" ;;
            copied) set -- "passes a copy of the coindexed argument, and does not put back what the procedure assigns: pass a variable, and put it" \
                "after the call" ;;
            'first element') set -- "passes the first element of the coarray for this argument, because the type has allocatable or pointer components:" \
                "pass the whole coarray and the subscripts" ;;
            complex) set -- "loses assignments of an image to its own scalar complex coarray: declare an array of one element" ;;
        esac
        warn "$file:$line: gfortran $*"
    done
}

# is_silent COMMAND...: whether the user wants no warnings.
is_silent() {
    for argument; do [ "$argument" != -w ] || return 0; done
    return 1
}

# other_meanings SOURCE: prints SOURCE:LINE:KIND for each of them, in the order of the lines.
other_meanings() {
    statements=$(statements_of "$1")
    for list in meanings arguments; do
        printf '%s\n' "$statements" | awk -v file="$1" -f "$prefix/share/xmprt/components.awk" -f "$prefix/share/xmprt/$list.awk"
    done | sort -t : -k 2,2n -s | uniq
}

# statements_of SOURCE: prints its statements in small letters, without blanks and comments, and with empty texts. Each is on its first line;
# the lines on which it goes on are empty.
statements_of() {
    fixed=no
    case $1 in *.f | *.F | *.for | *.FOR | *.ftn | *.FTN) fixed=yes ;; esac
    awk -v fixed="$fixed" '
        # Prints the statement that is complete, and its further lines.
        function finish() {
            if (!held) return
            print statement
            while (further > 0) { print ""; further-- }
            held = 0
        }
        {
            text = tolower($0)
            goes_on = fixed == "yes" ? text ~ /^     [^ 0\t]/ : ampersand
            if (fixed == "yes" && goes_on) text = substr(text, 7)
            if (fixed == "yes" && text ~ /^[c*]/ && !goes_on) text = ""
            gsub(/"[^"]*"|\047[^\047]*\047/, "\047\047", text)
            sub(/!.*/, "", text)
            gsub(/[ \t\r]/, "", text)
            if (text == "" && held) { further++; next }
            if (goes_on && held) {
                sub(/^&/, "", text)
                further++
            } else {
                finish()
                statement = ""
                held = 1
            }
            ampersand = fixed == "no" && text ~ /&$/
            if (ampersand) sub(/&$/, "", text)
            statement = statement text
        }
        END { finish() }' "$1"
}

# warn_of_lost_broadcasts COMMAND...: has the compiler print how it understands each source of a command that has a broadcast.
warn_of_lost_broadcasts() {
    make_scratch
    dump=$scratch/original
    for source; do
        if ! is_fortran "$source" || ! has_broadcast "$source"; then continue; fi
        understand "$source" "$@" >/dev/null 2>&1 || continue
        lost_broadcasts "$dump" | while read -r place; do
            warn "$place: gfortran does not execute this co_broadcast of an array of objects with allocatable components, or the" \
                "program crashes: broadcast each element"
        done
    done
}

# understand SOURCE COMMAND...: compiles a source with the options of a command, to $dump and to no file of the user.
understand() (
    understood=$1
    shift
    left=$#
    while [ "$left" -gt 0 ]; do
        arg=$1
        shift
        left=$((left - 1))
        case $arg in
            -MF | -MT | -MQ)
                shift
                left=$((left - 1))
                ;;
            -M*) ;;
            *) set -- "$@" "$arg" ;;
        esac
    done
    compile_part "$understood" "$scratch/unused.o" "$@" -w -O0 "-fdump-tree-original-lineno=$dump"
)

# lost_broadcasts DUMP: prints file and line of each broadcast that reads a descriptor without a value.
lost_broadcasts() {
    awk 'match($0, /parm\.[0-9]+\.data = /) { has_value[substr($0, RSTART, RLENGTH - 3)] = 1 }
         match($0, /parm\.[0-9]+\.data != 0B/) { read = substr($0, RSTART, RLENGTH - 6); where = $0 }
         /_gfortran_caf_co_broadcast/ && read != "" {
             if (match(where, /\[[^][]*:[0-9]+:[0-9]+\]/)) {
                 place = substr(where, RSTART + 1, RLENGTH - 2)
                 sub(/:[0-9]+$/, "", place)
                 if (!(read in has_value)) print place
             }
             read = ""
         }' "$1" | sort -u
}

# is_alike FILE: for alike.sh: whether this is an object that lacks tokens.
is_alike() {
    case $1 in -*) return 1 ;; esac
    [ -f "$1" ] && [ -n "$(tokens_of "$1")" ]
}

# tokens_of OBJECT: prints the names of the tokens that it lacks.
tokens_of() {
    case $1 in *.a) return ;; esac
    nm -u -- "$1" 2>/dev/null | sed -n 's/^ *U \(caf_token\.[0-9]*\.[0-9]*\)$/\1/p'
}

# weakened FROM TO: for alike.sh: copies an object, with the tokens that it lacks.
weakened() {
    make_scratch
    definitions=$scratch/tokens.s
    {
        echo '.section .note.GNU-stack,"",@progbits'
        echo '.bss'
        tokens_of "$1" | sed 's/.*/.balign 8\n.globl &\n.type &, @object\n.size &, 8\n&: .zero 8/'
    } >"$definitions"
    localised=$(tokens_of "$1" | sed 's/^/--localize-symbol=/')
    run "$compiler" -c "$definitions" -o "$scratch/tokens.o" \
        && run "$compiler" -r -nostdlib "$1" "$scratch/tokens.o" -o "$scratch/complete.o" || return
    # The names have no blanks.
    # shellcheck disable=SC2086
    run "$objcopy" $localised -- "$scratch/complete.o" "$2"
}

# link_with_tokens COMMAND...: executes a command that links. If a source may lead to an object that lacks tokens, the sources
# are compiled one by one.
link_with_tokens() {
    separately=no
    for arg; do
        if is_fortran "$arg" && may_lack_token "$arg"; then separately=yes; fi
    done
    link_parts "$@"
}
