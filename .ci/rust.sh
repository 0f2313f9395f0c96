# The Rust toolchain: which one is needed, and its parts. Sourced by ../x after again.sh, whose $root, $target, say
# and die it uses.
# shellcheck shell=bash disable=SC2154

# Finds cargo, and checks that Rust is new enough for the workspace.
require_rust() {
    local least have
    least=$(least_rust)
    find_cargo || die "Rust is not installed (no cargo that runs in PATH or ~/.cargo/bin): $least or newer is needed, $(rust_remedy)"
    have=$(rust_version)
    [[ $(printf '%s\n' "$least" "$have" | sort -V | sed -n 1p) == "$least" ]] \
        || die "Rust $have is too old: $least or newer is needed, $(rust_remedy)"
}

# Prints where a Rust that is new enough comes from.
rust_remedy() {
    if command -v rustup >/dev/null; then
        echo "run:  rustup update stable"
    else
        echo "from a package or module of this system, or without any rights from https://rustup.rs"
    fi
}

# Runs cargo, because the one in PATH may be rustup's without a toolchain.
find_cargo() {
    cargo --version >/dev/null 2>&1 && return
    local bin=${CARGO_HOME:-${HOME:-/root}/.cargo}/bin
    "$bin/cargo" --version >/dev/null 2>&1 || return
    PATH=$bin:$PATH
}

rust_version() { rustc --version | cut -d' ' -f2; }
least_rust() { sed -n 's/^rust-version = "\(.*\)"/\1/p' "$root/Cargo.toml"; }

# True when rustup may get something: otherwise it would try again and again.
reaches_rustup() {
    [[ -n ${https_proxy-}${HTTPS_PROXY-}${all_proxy-}${ALL_PROXY-}${RUSTUP_DIST_SERVER-} ]] && return
    getent hosts static.rust-lang.org >/dev/null && return
    say "rustup can get nothing: static.rust-lang.org has no address here"
    return 1
}

# Gets the parts of the Rust toolchain that only testing needs.
require_rust_components() {
    local component
    for component in rustfmt:fmt clippy:clippy; do
        cargo "${component#*:}" --version >/dev/null 2>&1 && continue
        command -v rustup >/dev/null \
            || die "cargo ${component#*:} is missing, and there is no rustup to get it with: install the package ${component%:*} of this system"
        say "installing ${component%:*}"
        again rustup component add "${component%:*}"
    done
}

# Puts the directory of the tools that get_tool installs into the search path.
use_tools() { PATH=$target/tools/bin:$PATH; }

# get_tool COMMAND PACKAGE VERSION [OPTION...]: makes COMMAND work after use_tools, with the tool that is installed or else from
# crates.io. COMMAND may be two words.
get_tool() {
    local command
    read -r -a command <<<"$1"
    "${command[@]}" --version >/dev/null 2>&1 && return
    say "installing $2 $3"
    # Compiling takes longer than anything that it does here.
    again env CARGO_TARGET_DIR="$target/tools-build" CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off \
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=false cargo install --locked --root "$target/tools" "${@:4}" "$2@$3" || return
    rm -rf -- "$target/tools-build"
}

# Gets mdBook, which builds the book; no package of Debian 12 has it. Its own test may find it in Cargo's directory.
mdbook_version=0.5.4
get_mdbook() { get_tool mdbook mdbook "$mdbook_version" --no-default-features >&2; }

# Gets the toolchain that Cargo.toml promises, if it is not the one that is used.
get_promised_rust() {
    local least
    least=$(least_rust)
    [[ $(rust_version) != "$least" ]] || return 0
    command -v rustup >/dev/null || return
    rustup run "$least" cargo --version >/dev/null 2>&1 && return
    reaches_rustup && again rustup toolchain install "$least" --profile minimal --no-self-update >&2
}

# Checks all libraries and programs with exactly the toolchain that Cargo.toml promises; skipped where rustup cannot
# get it. In tests, and in what is for x86-64 alone, clippy finds what is newer (clippy.toml).
check_least_rust() {
    local least
    least=$(least_rust)
    if [[ $(rust_version) == "$least" ]]; then
        check_arm64
    elif ! get_promised_rust; then
        skip promised-rust "the check with Rust $least, which Cargo.toml promises: rustup cannot get it"
        check_arm64
    elif lints_arm64_with "$least"; then
        # Together: what one of them finds depends on the other in no place. Of its lints those count that newer ones do not judge otherwise.
        say "AArch64 with Rust $least, which is promised"
        CARGO_TARGET_DIR=$target/rust-$least rustup run "$least" cargo clippy --locked --workspace --target "$arm64_triple" -- \
            -D warnings -A clippy::all -A clippy::match_bool
        check_plugin_with "$least"
    else
        check_arm64
        say "Rust $least, which is promised"
        CARGO_TARGET_DIR=$target/rust-$least rustup run "$least" cargo check --locked --workspace
        check_plugin_with "$least"
    fi
}

# lints_arm64_with RUST: true when that toolchain can lint for AArch64.
lints_arm64_with() {
    have aarch64 || return
    rustup target list --installed --toolchain "$1" | grep -qx "$arm64_triple" && rustup run "$1" cargo clippy --version >/dev/null 2>&1 && return
    reaches_rustup && again rustup toolchain install "$1" --profile minimal --no-self-update --target "$arm64_triple" --component clippy >&2
}

# check_plugin_with RUST: checks the plug-in for one MPI, where its bindings can be generated.
check_plugin_with() {
    local _flavour _soname compiler library
    library=$(usable_libclang 2>/dev/null) || return 0
    while read -r _flavour _soname compiler; do
        MPICC=$compiler LIBCLANG_PATH=$library CARGO_TARGET_DIR=$target/rust-$1 \
            rustup run "$1" cargo check --locked --manifest-path xmp-core/mpi/Cargo.toml </dev/null
        return
    done < <(mpi_compilers)
}
