# ./x test --deep: checks that need more of the toolchain, or more time, than ./x test has; and ./x coverage. Sourced by ../x
# after rust.sh, whose $root, $target, say and die it uses. What cannot run here is skipped, with a report.
# shellcheck shell=bash disable=SC2154

# Tools that cargo installs (get_tool in rust.sh), in versions that are known to work.
cargo_fuzz_version=0.13.2
cargo_llvm_cov_version=0.9.1

# How long each fuzz target runs, in seconds.
fuzz_seconds=${XMP_FUZZ_SECONDS-60}

# The modules that are plain computation, for Miri: package, then names of tests.
miri_table() {
    cat <<'TABLE'
xmp-map global:: number:: triplet members
xmp-net server::wire server::bundle
xmp-teams split::
xmp-coarray plan::
xmp-collectives plan:: reduction:: schedules::
TABLE
}

# The packages with property tests, for cases that no run has tried before; and how many cases of each property.
random_packages=(xmp-map xmp-shm xmp-net xmp-boot xmp-collectives xmp-teams xmp-coarray)
random_cases=2000

# The packages whose tests use shared memory and messages, for the sanitizer of addresses.
sanitized_packages=(xmp-shm xmp-net)

# The tests of the crate for programs in Rust whose images are threads, for the sanitizer of races.
raced_tests=(typed_access typed_exchanges typed_statements typed_life typed_teams global_view)

deep_tests() {
    deep_random
    deep_miri
    deep_addresses
    deep_races
    deep_race_checks
    deep_fuzz
}

# nightly COMPONENT...: true when there is a nightly toolchain with these components; gets them where rustup can.
nightly() {
    command -v rustup >/dev/null || return
    if ! rustup run nightly cargo --version >/dev/null 2>&1; then
        reaches_rustup || return
        again rustup toolchain install nightly --profile minimal --no-self-update >&2 || return
    fi
    [[ -z $* ]] || again rustup component add --toolchain nightly "$@" >&2
}

# Property tests with another seed each time, and random programs with images that fail. The commands that are printed try the
# same cases again.
deep_random() {
    local seed=${PROPTEST_RNG_SEED-} first
    [[ -n $seed ]] || seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    first=$((seed % 1000000))
    export PROPTEST_RNG_SEED=$seed
    say "all random cases of this run again:  PROPTEST_RNG_SEED=$seed ./x test --deep"
    printed_run "PROPTEST_CASES=$random_cases" "PROPTEST_RNG_SEED=$seed" cargo test --locked --lib "${random_packages[@]/#/-p}"
    printed_run "XMP_TEST_CASES=$first..$((first + 500))" cargo test --locked -p xmp-coarray --test survivors
}

# printed_run VARIABLE=VALUE... COMMAND...
printed_run() {
    say "$*"
    env "$@" </dev/null
}

# Undefined behaviour: the tests of pure modules in Miri, with few cases of each property.
deep_miri() {
    local package names
    if ! nightly miri rust-src; then
        skip nightly "Miri: rustup cannot get it"
        return 0
    fi
    while read -r package names; do
        say "Miri: $package $names"
        # One word a name.
        # shellcheck disable=SC2086
        PROPTEST_CASES=4 MIRIFLAGS=-Zmiri-disable-isolation CARGO_TARGET_DIR=$target/miri \
            cargo +nightly miri test --locked -p "$package" --lib -- $names </dev/null
    done < <(miri_table)
}

# Accesses outside of objects: the unit tests, whose images are threads, with AddressSanitizer. Leaks do not count: buffers of
# messages that are not over when a server ends are given up, because the network may still use them.
deep_addresses() {
    local host
    if ! nightly; then
        skip nightly "AddressSanitizer: there is no nightly toolchain, and rustup cannot get one"
        return 0
    fi
    host=$(rustc -vV | sed -n 's/^host: //p')
    say "AddressSanitizer: ${sanitized_packages[*]}"
    RUSTFLAGS="${RUSTFLAGS-} -Zsanitizer=address" ASAN_OPTIONS=detect_leaks=0 CARGO_TARGET_DIR=$target/address-sanitizer \
        cargo +nightly test --locked --lib --target "$host" "${sanitized_packages[@]/#/-p}" -- --test-threads=1
}

# Data races: programs in Rust whose images are threads, and those in the documentation of the crate, with ThreadSanitizer. The
# standard library is compiled with it, too. Safe programs may race, and only atomic copies make that harmless;
# `xmp_thread_sanitizer` makes these visible to it.
deep_races() {
    local host flags="-Zsanitizer=thread --cfg xmp_thread_sanitizer"
    if ! nightly rust-src; then
        skip nightly "ThreadSanitizer: rustup cannot get the sources of the standard library for it"
        return 0
    fi
    host=$(rustc -vV | sed -n 's/^host: //p')
    local -x RUSTFLAGS="${RUSTFLAGS-} $flags" RUSTDOCFLAGS="${RUSTDOCFLAGS-} $flags" CARGO_TARGET_DIR=$target/thread-sanitizer
    local crate=(cargo +nightly test --locked -Zbuild-std --target "$host" -p xmp-coarray)
    say "ThreadSanitizer: ${raced_tests[*]}"
    "${crate[@]}" "${raced_tests[@]/#/--test=}" -- --test-threads=1
    say "ThreadSanitizer: the documentation of xmp-coarray"
    "${crate[@]}" --doc -- --test-threads=1
}

# --check=races: all pairs of accesses, and all programs without one of their image control statements, ten times each.
deep_race_checks() {
    if ! has_races; then
        say "SKIPPED: --check=races: it is for x86-64"
        return 0
    fi
    prepare
    export XMP_PREFIX=$prefix
    say "--check=races: pairs of accesses; programs without one of their image control statements"
    XMP_TEST_MUTANTS=all XMP_TEST_PAIRS=all cargo test --locked -p xmp-tests --test race_mutants --test race_pairs
}

# Each fuzz target for a while, from seeds and from what earlier runs have found. A fault ends the run; cargo-fuzz prints the
# command that repeats it.
deep_fuzz() {
    local name project=tests/fuzz
    if ! nightly || ! get_tool "cargo fuzz" cargo-fuzz "$cargo_fuzz_version"; then
        skip nightly "fuzzing: it needs a nightly toolchain and cargo-fuzz"
        return 0
    fi
    if ! compiles_c c++; then
        skip nightly "fuzzing: libFuzzer needs a C++ compiler (Debian package g++)"
        return 0
    fi
    fuzz_seeds "$project/corpus"
    for name in $(sed -n 's/^name = "\(.*\)"/\1/p' "$project/Cargo.toml" | tail -n +2); do
        say "fuzzing $name for $fuzz_seconds seconds"
        cargo +nightly fuzz run --fuzz-dir "$project" --target-dir "$target/fuzz" "$name" -- \
            -max_total_time="$fuzz_seconds" -timeout=20 -max_len=20000 -print_final_stats=1
    done
}

# fuzz_seeds CORPUS: programs with debugging information in the forms of gfortran, to begin with.
fuzz_seeds() {
    local version level
    mkdir -p "$1/dwarf"
    for version in 4 5; do
        for level in 0 2; do
            in_scratch fuzz_seed "$1/dwarf/v$version-O$level.so" "-gdwarf-$version" "-O$level"
        done
    done
}
fuzz_seed() { "$(fortran_compiler)" "${@:2}" -shared -fPIC -nostdlib -J "$scratch" tests/fuzz/types.f90 -o "$1"; }

# The lines of the library that its tests execute, as a page of HTML and a table. Integration tests are not counted: they use
# an installation.
cmd_coverage() {
    (($# == 0)) || die "coverage takes no arguments"
    require_packages
    require_rust
    use_tools
    get_tool "cargo llvm-cov" cargo-llvm-cov "$cargo_llvm_cov_version" || die "coverage: cargo-llvm-cov cannot be installed"
    again rustup component add llvm-tools || die "coverage: the component llvm-tools of the Rust toolchain is missing"
    local packages=(xmp-map xmp-shm xmp-net xmp-boot xmp-core xmp-collectives xmp-teams xmp-coarray xmp-ffi)
    PROPTEST_RNG_SEED=${PROPTEST_RNG_SEED-1} CARGO_TARGET_DIR=$target/coverage \
        cargo llvm-cov test --locked --no-fail-fast "${packages[@]/#/-p}" --html --output-dir "$target/coverage-report"
    CARGO_TARGET_DIR=$target/coverage cargo llvm-cov report "${packages[@]/#/-p}" --summary-only
    say "$target/coverage-report/html/index.html"
}
