# The benchmarks that `./x run` compiles and runs. Sourced by ../x; the commands of an installation are in PATH.
# shellcheck shell=bash

# run_npb_cg DIRECTORY: compiles the conjugate gradient benchmark into a directory, and runs it.
run_npb_cg() {
    say "NPB CG, class A, 4 images"
    xmpfc -O3 -J "$1" -o "$1/npb_cg" examples/fortran/npb_cg.f90
    xmprun -n 4 "$1/npb_cg" A
}

# run_xmp_himeno DIRECTORY: compiles the Himeno benchmark in XcalableMP into a directory, and runs an image on each core.
run_xmp_himeno() {
    local i j
    read -r i j <<<"$(grid_of "$(nproc)")"
    say "Himeno in XcalableMP, $i x $j nodes"
    xmpcc -O3 "-DNODES_I=$i" "-DNODES_J=$j" examples/xmp/himeno.c -o "$1/himeno"
    xmprun -n "$((i * j))" "$1/himeno"
}

# grid_of CORES: the larger and the smaller side of a grid of at most this many nodes, at most 8 x 8. Sides are powers of 2.
grid_of() {
    local cores=$1 i=1 j=1
    while ((i * j * 2 <= cores && i * j < 64)); do
        if ((i == j)); then i=$((i * 2)); else j=$((j * 2)); fi
    done
    echo "$i $j"
}
