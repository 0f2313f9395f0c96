# The part of xmpfc for compilers that define the same functions in each object, so that two of them cannot be linked; flang.sh and
# lfortran.sh source it (POSIX sh), and gfortran.sh for tokens. xmpfc changes its own outputs and copies of the user's objects. These
# scripts define the functions:
#   $alike_functions  a regular expression that the names match, and no other text of an object does
#   weakened FROM TO  copies an object or an archive, in which these functions are local or weak, by $objcopy
# shellcheck shell=sh

# compile_or_link COMMAND...: executes a command of the compiler, or prints it after --show.
compile_or_link() {
    if [ "$link" = yes ]; then
        link_separately "$@"
    else
        run "$@" || return
        [ "$show" = yes ] || mend_outputs "$@"
    fi
}

# is_alike FILE: whether this is an object or an archive that defines the same as other objects.
is_alike() {
    case $1 in -*) return 1 ;; esac
    [ -f "$1" ] || return 1
    case $(head -c 4 -- "$1" | tr -d '\0\177') in
        ELF | '!<ar') grep -q "$alike_functions" -- "$1" ;;
        *) return 1 ;;
    esac
}

# link_separately COMMAND...: executes a command that links. Of several files with the same functions it compiles the
# sources one by one, and copies the objects.
link_separately() {
    alike=0
    separately=yes
    for arg; do
        is_separate "$arg" || continue
        alike=$((alike + 1))
        # An archive may have several.
        case $arg in *.a) alike=$((alike + 1)) ;; esac
    done
    if [ "$alike" -le 1 ]; then
        run "$@"
        return
    fi
    link_parts "$@"
}

# link_parts COMMAND...: executes a command that links with other files instead of those that are separate.
link_parts() {
    make_scratch
    [ "$show" = no ] || print_command mkdir -p "$scratch"
    part=0
    parts=' '
    for arg; do
        part=$((part + 1))
        is_separate "$arg" || continue
        name_part "$arg"
        parts="$parts$part "
        if is_fortran "$arg"; then
            compile_part "$arg" "$separated" "$@" || return
            if [ "$show" = yes ] || is_alike "$separated"; then mend "$separated" "$separated" || return; fi
        else
            mend "$arg" "$separated" || return
        fi
    done
    part=0
    count=$#
    while [ "$part" -lt "$count" ]; do
        arg=$1
        shift
        part=$((part + 1))
        case $parts in
            *" $part "*)
                name_part "$arg"
                arg=$separated
                ;;
        esac
        set -- "$@" "$arg"
    done
    run "$@"
}

# is_separate FILE: whether this argument is linked as another file. Sources are, if $separately is yes.
is_separate() {
    if is_fortran "$1"; then
        [ "$separately" = yes ]
    else
        [ "$1" != "$output" ] && is_alike "$1"
    fi
}

# name_part FILE: names the other file of the argument of number $part: $separated.
name_part() {
    separated=${1##*/}
    ! is_fortran "$1" || separated=${separated%.*}.o
    separated=$scratch/$part-$separated
}

# compile_part SOURCE OBJECT COMMAND...: compiles one source of a command that links: with its options, but neither its
# other files nor what is for the linker only.
compile_part() {
    source=$1 object=$2
    shift 2
    before=
    count=$#
    while [ "$count" -gt 0 ]; do
        arg=$1
        shift
        count=$((count - 1))
        kept=yes
        case $before in
            -o | -Xlinker | -L | -l | -u | -z | -T) kept=no ;;
            -I | -J | -D | -U | -module-dir | -x | -Xflang | -mllvm | -include | -MF | -MT | -MQ) ;;
            *)
                case $arg in
                    -o* | -L* | -l* | -u* | -z | -T* | -s | -Wl,* | -Xlinker) kept=no ;;
                    -static* | --static | -shared | -rdynamic | -pie | -no-pie) kept=no ;;
                    -*) ;;
                    # The compiler comes first.
                    *) [ -z "$before" ] || kept=no ;;
                esac ;;
        esac
        before=$arg
        [ "$kept" = no ] || set -- "$@" "$arg"
    done
    run "$@" -c "$source" -o "$object"
}

# mend_outputs COMMAND...: the objects that a command has compiled just now.
mend_outputs() {
    if [ -n "$output" ]; then
        mend_output "$output"
        return
    fi
    for arg; do
        is_fortran "$arg" || continue
        name=${arg##*/}
        mend_output "${name%.*}.o" || return
    done
}

mend_output() {
    if is_alike "$1"; then mend "$1" "$1"; fi
}

# mend FROM TO: copies an object or an archive, in which what others define, too, becomes local or weak.
mend() {
    objcopy=objcopy
    command -v objcopy >/dev/null || objcopy=llvm-objcopy
    weakened "$1" "$2" && return
    echo "$tool: $1 has functions that other objects of $dialect have, too, and $objcopy cannot make them local; it needs" \
        "binutils or LLVM, and objects that were compiled without -flto" >&2
    return 1
}
