# What xmpfc does for gfortran; wrapper.sh sources it (POSIX sh).
# shellcheck shell=sh
#
# Of a saved coarray of a procedure that is used within two levels of ASSOCIATE and BLOCK gfortran 12 to 14 refer to a variable
# for its token that they do not define, `caf_token.0.2`: the program does not link. Each object gets its own definition: in
# another object the same name stands for another coarray.

# shellcheck source=ffi/alike.sh
. "$prefix/share/xmprt/alike.sh"

# execute_gnu COMMAND...: executes a command of the compiler, or prints it after --show.
execute_gnu() {
    if [ "$show" = yes ]; then
        run "$@"
    elif [ "$link" = yes ]; then
        link_with_tokens "$@"
    else
        run "$@" || return
        mend_outputs "$@"
    fi
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
    make_scratch
    separately=no
    for arg; do
        if is_fortran "$arg" && may_lack_token "$arg"; then separately=yes; fi
    done
    part=0
    for arg; do
        part=$((part + 1))
        name=${arg##*/}
        if is_fortran "$arg"; then
            [ "$separately" = yes ] || continue
            compile_part "$arg" "$scratch/$part-${name%.*}.o" "$@" || return
            mend_output "$scratch/$part-${name%.*}.o" || return
        elif [ "$arg" != "$output" ] && is_alike "$arg"; then
            mend "$arg" "$scratch/$part-$name" || return
        fi
    done
    part=0
    count=$#
    while [ "$part" -lt "$count" ]; do
        arg=$1
        shift
        part=$((part + 1))
        name=${arg##*/}
        for object in "$scratch/$part-${name%.*}.o" "$scratch/$part-$name"; do
            [ ! -e "$object" ] || arg=$object
        done
        set -- "$@" "$arg"
    done
    run "$@"
}
