# What xmpfc does for LLVM flang; wrapper.sh sources it (POSIX sh).
# shellcheck shell=sh
#
# flang 23 and 24 define the same functions in each object that has coarrays which are not allocatable, and in the one with
# the main program, so that two of them cannot be linked. With local constructors, of which each makes the coarrays of its
# object, and weak callbacks, which are alike, they can. xmpfc changes its own outputs and copies of the user's objects.

# execute_flang COMMAND...: executes a command of the compiler, or prints it after --show.
execute_flang() {
    warn_of_flang "$@"
    if [ "$link" = yes ]; then
        link_separately "$@"
    else
        run "$@" || return
        [ "$show" = yes ] || mend_outputs "$@"
    fi
}

# warn_of_flang COMMAND...: what flang is known to compile to something else, without a message.
warn_of_flang() {
    for arg; do
        may_have_selectors "$arg" || continue
        make_scratch
        version=$(release)
        selectors "$arg" -E -cpp | while IFS="$tab" read -r file line found text; do
            case $found in
                coindexed)
                    ! reads_itself || warn "$file:$line: flang $version accesses this image's own variable for $text" ;;
                allocate-stat)
                    case $version in
                        23 | 24) warn "$file:$line: flang $version defines the variable of stat= in the allocation of $text" \
                            "with a part of an address, and not with the status" ;;
                    esac ;;
            esac
        done
    done
}

# Whether this flang accepts an image selector and generates no get for it, as 24 did in October 2026: it is asked by a source.
reads_itself() {
    if [ ! -e "$scratch/get.f90" ]; then
        printf '%s\n' 'integer :: x[*], k' 'x = 1' 'k = x[1] + 1' 'print *, k' 'end' >"$scratch/get.f90"
        "$compiler" -fcoarray -w -c "$scratch/get.f90" -o "$scratch/get.o" 2>/dev/null
    fi
    [ -e "$scratch/get.o" ] && ! grep -q 'prif_get' -- "$scratch/get.o"
}

# Whether this is an object or an archive that defines what other objects define, too.
is_alike() {
    case $1 in -*) return 1 ;; esac
    [ -f "$1" ] || return 1
    case $(head -c 4 -- "$1" | tr -d '\0\177') in
        ELF | '!<ar') grep -q '_QMprifPprif_[a-z_]*_termination_wrapper' -- "$1" ;;
        *) return 1 ;;
    esac
}

# link_separately COMMAND...: executes a command that links. Of several files with the same functions it compiles the
# sources one by one, and copies the objects.
link_separately() {
    alike=0
    part=0
    for arg; do
        separate_part "$arg" || continue
        alike=$((alike + 1))
        # An archive may have several.
        case $arg in *.a) alike=$((alike + 1)) ;; esac
    done
    if [ "$alike" -le 1 ]; then
        run "$@"
        return
    fi
    make_scratch
    [ "$show" = no ] || print_command mkdir -p "$scratch"
    part=0
    for arg; do
        part=$((part + 1))
        separate_part "$arg" || continue
        if is_fortran "$arg"; then
            compile_part "$arg" "$separated" "$@" || return
            mend "$separated" "$separated" || return
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
        if separate_part "$arg"; then arg=$separated; fi
        set -- "$@" "$arg"
    done
    run "$@"
}

# separate_part FILE: whether this argument, the one of number $part, is linked as another file: $separated.
separate_part() {
    name=${1##*/}
    if is_fortran "$1"; then
        separated=$scratch/$part-${name%.*}.o
    elif [ "$1" != "$output" ] && is_alike "$1"; then
        separated=$scratch/$part-$name
    else
        return 1
    fi
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
    run "$objcopy" --localize-symbol=__mif_save_coarrays_allocate \
        --weaken-symbol=_QMprifPprif_stop_termination_wrapper \
        --weaken-symbol=_QMprifPprif_error_stop_termination_wrapper \
        --weaken-symbol=_QMprifPprif_fail_image_termination_wrapper -- "$1" "$2" && return
    echo "$tool: $1 has functions that other objects of flang have, too, and $objcopy cannot make them local; it needs" \
        "binutils or LLVM, and objects that were compiled without -flto" >&2
    return 1
}
