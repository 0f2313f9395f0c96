# Completion of the compiler wrappers in bash: their own options, and those that the compiler completes.
# shellcheck shell=bash
_xmp_compiler() {
    local word=${COMP_WORDS[COMP_CWORD]} compiler options
    [[ $word == -* ]] || return 0
    case ${COMP_WORDS[0]##*/} in
        xmpcc) compiler=${XMP_CC:-cc} ;;
        xmpcxx) compiler=${XMP_CXX:-c++} ;;
        *) compiler=${XMP_FC:-gfortran} ;;
    esac
    # The variable may have several words.
    # shellcheck disable=SC2086
    options=$($compiler --completion="$word" 2>/dev/null)
    mapfile -t COMPREPLY < <(compgen -W "--show --check=races --check=bounds --check=races,bounds -static-xmp --help --version $options" -- "$word")
}
complete -o bashdefault -o default -F _xmp_compiler xmpfc xmpcaf xmpf90 xmpcc xmpcxx
