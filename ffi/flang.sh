# What xmpfc does for LLVM flang; wrapper.sh sources it (POSIX sh).
# shellcheck shell=sh
#
# flang 23 and 24 define the same functions in each object that has coarrays which are not allocatable, and in the one with
# the main program, so that two of them cannot be linked. With local constructors, of which each makes the coarrays of its
# object, and weak callbacks, which are alike, they can.

# shellcheck source=ffi/alike.sh
. "$prefix/share/xmprt/alike.sh"
alike_functions='_QMprifPprif_[a-z_]*_termination_wrapper'

# weakened FROM TO: for alike.sh.
weakened() {
    run "$objcopy" --localize-symbol=__mif_save_coarrays_allocate \
        --weaken-symbol=_QMprifPprif_stop_termination_wrapper \
        --weaken-symbol=_QMprifPprif_error_stop_termination_wrapper \
        --weaken-symbol=_QMprifPprif_fail_image_termination_wrapper -- "$1" "$2"
}

# execute_flang COMMAND...: executes a command of the compiler, or prints it after --show.
execute_flang() {
    warn_of_flang "$@"
    compile_or_link "$@"
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
