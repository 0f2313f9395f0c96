#!/usr/bin/env bash
# arm64_compile.sh OUT KIND NAME [FILE...]: compiles a self-checking program to OUT/programs/KIND. What cannot be compiled becomes a program
# that fails with the compiler's message; what its head excludes for this compiler becomes none.
set -euo pipefail
cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.."

# left_out SOURCE: true if the head says that this version of gfortran does not compile it, or gets it wrong.
left_out() {
    local version line
    version=$("$XMP_FC" -dumpversion)
    version=${version%%.*}
    while read -r line; do
        line=${line% on AArch64}
        case $line in
            'before '*) ((version >= ${line#before })) || return 0 ;;
            *' and later') ((version < ${line% and later})) || return 0 ;;
            *) ((version != line)) || return 0 ;;
        esac
    done < <(sed -n 's/^! Not with gfortran \([^:,]*\):.*/\1/p' "$1")
    return 1
}

out=$1 kind=$2 name=$3
shift 3
# Not the name of a source, which wrappers take it for.
file=${name//\//-} file=${file%.[fF]*}
program=$out/programs/$kind/$file
mkdir -p "$out/programs/$kind" "$out/compiled/$kind-$file"
scratch=$out/compiled/$kind-$file
case $kind in
    fortran | threads)
        source=$PWD/tests/fortran/$name.f90
        ! left_out "$source" || { echo "left out with $("$XMP_FC" -dumpversion): $name"; rm -r "$scratch"; exit 0; }
        command=(xmpfc -cpp -O2 "$PWD/tests/fortran/support/checks.f90" "$source")
        [[ $kind != threads ]] || command+=(-fopenmp) ;;
    xmp-fortran) command=(xmpf90 -O2 -fopenmp -fcheck=all "${@/#/$PWD/tests/fortran-xmp/}") ;;
    c) command=(xmpcc -O2 -Wall -Wextra -Werror "$PWD/tests/c/$name.c") ;;
    xmp-c) command=(xmpcc -O2 -fopenmp -Wall -Wextra -Werror "$PWD/tests/c/xmp/$name.c") ;;
esac
cd -- "$scratch"
if ! "$out/prefix/bin/${command[0]}" "${command[@]:1}" -o "$program" >messages 2>&1; then
    { echo '#!/bin/sh'; echo 'cat <<"MESSAGES"'; cat messages; echo 'MESSAGES'; echo 'exit 1'; } >"$program"
    chmod +x "$program"
fi
rm -r "$scratch"
