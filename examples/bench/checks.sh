#!/usr/bin/env bash
# What XMP_CHECK, traces and reports cost: NPB CG, Himeno and a stencil without and with each of them, in turn, round by round.
# `hooks` is a program compiled with --check=races, `local` the same with the check on; `races` sees coindexed accesses only.
#
#   examples/bench/checks.sh [ROUNDS] [IMAGES] [CLASS] [SIDE...]     7 rounds, 2 images, class A of CG (S: a look), all sides
#
# Ours is taken from target/prefix; XMP_PREFIX says otherwise. The figure of a side is the time that the program prints.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
prefix=${XMP_PREFIX:-$root/target/prefix}
rounds=${1:-7} images=${2:-2} class=${3:-A}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

sides=(plain check races hooks local trace report)
[[ $# -le 3 ]] || sides=(plain "${@:4}")
programs=(cg himeno stencil)

# run SIDE PROGRAM: prints what the program prints.
run() {
    local -a command=("$prefix/bin/xmprun" -n "$images")
    local built=$scratch
    case $1 in hooks | local) built=$scratch/hooks ;; esac
    case $1 in
        check) export XMP_CHECK=1 ;;
        races | local) export XMP_CHECK=races ;;
        trace) command+=(--trace "$scratch/trace.json") ;;
        report) command+=(--report="$scratch/report.html") ;;
    esac
    case $2 in
        cg) "${command[@]}" "$built/cg" "$class" ;;
        himeno) "${command[@]}" "$built/himeno" S auto 40 ;;
        stencil) "${command[@]}" "$built/stencil" 480 400 ;;
    esac
}

# seconds PROGRAM: the time in what the program has printed.
seconds() {
    case $1 in
        cg) sed -n 's/^ *Time in seconds *= *//p' ;;
        himeno) sed -n 's/^ *sweeps .* in \([0-9.]*\) s$/\1/p' ;;
        stencil) sed -n 's/^steps in \([0-9.]*\) s$/\1/p' ;;
    esac
}

mkdir "$scratch/hooks"
sources=("$root"/examples/{fortran/npb_cg,fortran/himeno,bench/programs/stencil_checked}.f90)
for number in "${!programs[@]}"; do
    program=${programs[number]} source=${sources[number]}
    "$prefix/bin/xmpfc" -O3 -J "$scratch" -o "$scratch/$program" "$source"
    "$prefix/bin/xmpfc" --check=races -O3 -J "$scratch/hooks" -o "$scratch/hooks/$program" "$source"
done
for ((round = 0; round < rounds; round++)); do
    for program in "${programs[@]}"; do
        for ((turn = 0; turn < ${#sides[@]}; turn++)); do
            # Another side begins each round.
            side=${sides[$(((turn + round) % ${#sides[@]}))]}
            time=$(run "$side" "$program" | seconds "$program")
            [[ -n $time ]] || { echo "$program with $side prints no time" >&2; exit 1; }
            echo "$time" >>"$scratch/$program-$side"
            echo "round $((round + 1)) of $rounds: $program, $side: $time s" >&2
        done
    done
done

# median FILE, least FILE: of the numbers in it.
median() { sort -g "$1" | awk '{ time[NR] = $1 } END { print (time[int((NR + 1) / 2)] + time[int(NR / 2) + 1]) / 2 }'; }
least() { sort -g "$1" | head -n 1; }

printf '%-8s %-8s %10s %10s %10s %10s\n' program side 'median s' 'least s' 'to plain' '(least)'
for program in "${programs[@]}"; do
    for side in "${sides[@]}"; do
        file=$scratch/$program-$side plain=$scratch/$program-plain
        awk -v program="$program" -v side="$side" -v median="$(median "$file")" -v least="$(least "$file")" \
            -v median_plain="$(median "$plain")" -v least_plain="$(least "$plain")" \
            'BEGIN { printf "%-8s %-8s %10.3f %10.3f %10.3f %10.3f\n", program, side, median, least,
                     median / median_plain, least / least_plain }'
    done
done
