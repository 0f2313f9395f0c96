# Builds the release. Sourced by ../x, whose $root, $target and say it uses.
# shellcheck shell=bash disable=SC2154

# 1 where libraries for programs of the Omni compiler are built and installed.
with_omni=0

# The machine that is built for; empty: this one.
built_for=
is_cross() { [[ -n $built_for && $built_for != "$(uname -m)" ]]; }

# Print its C compiler, and its tool of this name for binaries.
cc_for() { if is_cross; then tool_for gcc; else echo cc; fi; }
tool_for() { if is_cross; then echo "$built_for-linux-gnu-$1"; else echo "$1"; fi; }

# True for machines that --check=races is for.
has_races() { [[ ${built_for:-$(uname -m)} == x86_64 ]]; }

# The profile of Cargo for them: `release`, or `quick` for a test of what was changed.
install_profile=release

# The options of cargo for the crates of an installation. All at once: one alone has other features of a procedural macro, and what it
# depends on is built again.
release_crates() {
    printf -- '-p\n%s\n' xmp-library xmp-trace-library xmprun xmp-translate xmp-prif
    ! has_races || printf -- '-p\n%s\n' xmp-races-library
    ((!with_omni)) || printf -- '-p\n%s\n' xmp-omni
}

# Builds the parts of an installation: libxmprt, the libraries for traces and for race checks, and the commands.
build_release() {
    say "building ($install_profile)"
    # shellcheck disable=SC2046 # One word an argument.
    profile=$install_profile cargo_release build $(release_crates)
    build_c_parts
    ((!with_omni)) || build_omni
    ! has_races || build_races_plugins
}

# cargo_release COMMAND ARGS...: cargo for what is measured, installed and packaged. No path of this machine gets into
# it: debuggers find the sources of XMP-RT under /usr/src/xmprt, those of other crates under /usr/src/cargo.
# `profile` may name another profile than `release`.
# Debugging information is DWARF 4, as rustc writes it by default: Valgrind 3.19 (Debian 12) reports an error for its DWARF 5 in each run.
cargo_release() {
    local flags=${RUSTFLAGS-} separator=$'\x1f'
    flags=${CARGO_ENCODED_RUSTFLAGS-${flags// /$separator}}
    # Crates with C sources: assertions have names of files, too. These flags are words of a shell.
    CC_SHELL_ESCAPED_FLAGS=1 CFLAGS="${CFLAGS-} $(printf -- '-ffile-prefix-map=%q=%s' "${CARGO_HOME:-$HOME/.cargo}" /usr/src/cargo)" \
        CARGO_ENCODED_RUSTFLAGS=${flags:+$flags$separator}$(remapped_paths) cargo "$1" --profile "${profile-release}" --locked "${@:2}"
}

# Prints the options that rename paths, separated by 0x1f. The last that fits a path counts.
remapped_paths() {
    local separator=$'\x1f' sources
    sources=$(rustc --print sysroot)/lib/rustlib/src/rust
    printf '%s' "--remap-path-prefix=$root=/usr/src/xmprt" \
        "$separator--remap-path-prefix=$target=/usr/src/xmprt/target" \
        "$separator--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/usr/src/cargo" \
        "$separator--remap-path-prefix=$sources=/usr/src/rust"
}

# Prints the version of XMP-RT.
version_of_workspace() {
    local id
    id=$(cargo pkgid --locked -p xmp-ffi)
    echo "${id##*[@#]}"
}

# Prints the system libraries that a program linked with libxmprt.a needs, as rustc names them.
# Without libgcc_s and libc: every compiler adds those itself, and knows which form a static program needs.
system_libs() { in_scratch native_static_libs; }
native_static_libs() {
    rustc --crate-name empty --crate-type staticlib --print native-static-libs -o "$scratch/empty.a" - \
        </dev/null 2>&1 | sed -n 's/^note: native-static-libs: //p' | sed 's/-lgcc_s//; s/-lc$//; s/^ *//; s/ *$//'
}
