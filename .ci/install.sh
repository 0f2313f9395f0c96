# Builds the release and lays it out under a prefix. Sourced by ../x, whose $target, say and die it uses.
# shellcheck shell=bash disable=SC2154

# What an installation is made of: the library and the launcher.
build_release() {
    say "building (release)"
    cargo build --release --locked -p xmp-ffi -p xmprun
    build_omni
}

# install_to PREFIX: puts libraries, headers, commands and the files of build systems there.
# Files that have not changed are left alone.
install_to() {
    local prefix=$1 built=$target/release
    local version soname
    version=$(cargo pkgid --locked -p xmp-ffi)
    version=${version##*[@#]}
    soname=libxmprt.so.${version%%.*}

    local put=()
    may_write "$prefix" || put=(as_root)
    say "installing XMP-RT $version to $prefix"
    "${put[@]}" mkdir -p "$prefix"/{bin,include/xmprt,lib/xmprt,share/xmprt}
    "${put[@]}" install -C -m 755 "$built/libxmprt.so" "$prefix/lib/libxmprt.so.$version"
    "${put[@]}" ln -sfn "libxmprt.so.$version" "$prefix/lib/$soname"
    "${put[@]}" ln -sfn "$soname" "$prefix/lib/libxmprt.so"
    "${put[@]}" install -C -m 644 "$built/libxmprt.a" "$prefix/lib/libxmprt.a"
    local plugin
    for plugin in "$target"/plugins/*.so; do
        [[ -e $plugin ]] || continue
        "${put[@]}" install -C -m 755 "$plugin" "$prefix/lib/xmprt"
    done
    "${put[@]}" install -C -m 755 "$built/xmprun" ffi/xmpfc ffi/xmpcc "$prefix/bin"
    # The name by which fpm knows a compiler of coarray programs.
    "${put[@]}" ln -sfn xmpfc "$prefix/bin/xmpcaf"
    "${put[@]}" install -C -m 644 ffi/wrapper.sh "$prefix/share/xmprt/wrapper.sh"
    "${put[@]}" install -C -m 644 ffi/include/*.h "$prefix/include/xmprt"
    install_omni "$prefix" "${put[@]}"
    install_build_systems "$prefix" "$prefix/lib" "$version" "${put[@]}"
}

# True when this user may write to DIR, or to the nearest directory above it that exists.
# Ends when nobody here may.
may_write() {
    local dir=$1
    while [[ ! -e $dir ]]; do dir=$(dirname -- "$dir"); done
    [[ -d $dir ]] || die "cannot install to $1: $dir is not a directory"
    [[ -w $dir ]] && return
    can_be_root || die "cannot write to $dir: choose another place with --prefix DIR, or run as root"
    return 1
}

# The system libraries that a program linked with libxmprt.a needs, as rustc names them.
# Without libgcc_s and libc: every compiler adds those itself, and knows which form a static program needs.
system_libs() {
    local scratch
    scratch=$(mktemp -d)
    rustc --crate-name empty --crate-type staticlib --print native-static-libs -o "$scratch/empty.a" - \
        </dev/null 2>&1 | sed -n 's/^note: native-static-libs: //p' | sed 's/-lgcc_s//; s/-lc$//; s/^ *//; s/ *$//'
    rm -r "$scratch"
}
