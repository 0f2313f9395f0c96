# hwloc built from its sources, for machines whose user may not install its package. Sourced by ../x after probes.sh, whose $target
# and say it uses.
# shellcheck shell=bash disable=SC2154

hwloc_version=2.9.0
hwloc_sum=b3fb1a43a14d8fbcd8e976de5ede2ea7ce1d768ed173adb33c7ceaaf098dc970
hwloc_sources=(
    "https://download.open-mpi.org/release/hwloc/v${hwloc_version%.*}/hwloc-$hwloc_version.tar.bz2"
    "http://deb.debian.org/debian/pool/main/h/hwloc/hwloc_$hwloc_version.orig.tar.bz2"
)

# True when the tools are here that building hwloc needs.
can_build_hwloc() {
    local tool
    for tool in curl tar bzip2 make pkg-config sha256sum; do
        command -v "$tool" >/dev/null || return
    done
    have libc
}

# True where hwloc is not here, no package of it can be installed, and it can be built.
has_to_build_hwloc() { ! can_install && ! have hwloc && can_build_hwloc; }

# Has pkg-config find the hwloc that was built in $target/hwloc, if the system has none. It is an archive, so that programs do not need
# that directory when they run.
find_built_hwloc() { have hwloc || export PKG_CONFIG_PATH=$target/hwloc/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}; }

get_hwloc() {
    say "building hwloc $hwloc_version from its sources"
    in_scratch build_hwloc || say "hwloc could not be built; the messages are above"
}

build_hwloc() {
    local source archive=$scratch/hwloc.tar.bz2 options
    for source in "${hwloc_sources[@]}"; do
        curl -sSfL --retry 2 --max-time 300 -o "$archive" "$source" 2>>"$scratch/messages" && break
    done
    if ! sha256sum -c --quiet - <<<"$hwloc_sum  $archive"; then
        cat "$scratch/messages" >&2
        say "the sources of hwloc cannot be fetched, or have another checksum: ${hwloc_sources[*]}"
        return 1
    fi
    tar -C "$scratch" -xf "$archive"
    options=(--prefix="$target/hwloc" --enable-static --disable-shared --with-pic --disable-io --disable-libudev --disable-libxml2 --disable-cairo)
    (cd -- "$scratch/hwloc-$hwloc_version" && ./configure "${options[@]}" && make -j "$(nproc)" && make install) >"$scratch/log" 2>&1 \
        || { tail -n 20 "$scratch/log" >&2; return 1; }
}
