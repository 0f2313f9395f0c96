# ./x test --faults: the tests that tests/silent-faults.md names, each of which has to be there. Sourced by ../x, whose say it uses.
# shellcheck shell=bash

# Prints package, target and name of each test in the list, sorted.
listed_tests() {
    sed -n 's/^|.*| `\([^` ]*\) \([^`: ]*\)::\([^`]*\)` |$/\1 \2 \3/p' tests/silent-faults.md | sort -u
}

# Runs them; fails when one fails, or is not there.
test_faults() {
    local package target name names status=0 targets
    mapfile -t targets < <(listed_tests | cut -d' ' -f1,2 | uniq)
    ((${#targets[@]} > 0)) || die "tests/silent-faults.md names no test"
    for target in "${targets[@]}"; do
        read -r package target <<<"$target"
        names=()
        while read -r _ _ name; do names+=("$name"); done < <(listed_tests | grep "^$package $target ")
        run_listed_tests "$package" "$target" "${names[@]}" || status=1
    done
    return "$status"
}

# run_listed_tests PACKAGE TARGET NAME...: `lib` is the library of the package, another target one of its test programs. A name
# may lack the modules that the test is in.
run_listed_tests() {
    local kind=(--test "$2") name all found tests=() status=0
    [[ $2 != lib ]] || kind=(--lib)
    all=$(cargo test --locked -p "$1" "${kind[@]}" -- --list </dev/null | sed -n 's/: test$//p') || return
    for name in "${@:3}"; do
        if found=$(grep -E "(^|::)$name\$" <<<"$all"); then
            mapfile -t -O "${#tests[@]}" tests <<<"$found"
        else
            say "$1 $2 has no test $name, which tests/silent-faults.md names"
            status=1
        fi
    done
    ((${#tests[@]} == 0)) || cargo test --locked -p "$1" "${kind[@]}" -- --exact "${tests[@]}" </dev/null || status=1
    return "$status"
}
