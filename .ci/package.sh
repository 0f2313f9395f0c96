# ./x package: archives of an installation that run on older systems than this one. Sourced by ../x after stage.sh and
# needs.sh, whose $target, $apt_allowed, say and die it uses.
# shellcheck shell=bash disable=SC2154

# The C library that packages are for: that of RHEL 8, and of manylinux_2_28.
package_glibc=2.28
# The directory of the packages.
package_out=$target/package

# cmd_package [--arm64] [FORMAT...]
cmd_package() {
    local format built_for=$built_for
    if [[ ${1-} == --arm64 ]]; then
        built_for=aarch64
        shift
    fi
    for format; do
        [[ $format =~ ^(tar|deb|rpm|wheel)$ ]] || die "package: unknown format '$format' (./x package --help lists them)"
    done
    require_packages
    require_rust
    if (($# == 0)); then set -- tar deb; fi
    can_package || die "package: $package_lacks"
    if [[ " $* " == *" rpm "* ]] && ! command -v rpmbuild >/dev/null; then
        die "package: there is no rpmbuild here (Debian package rpm)"
    fi
    if [[ " $* " == *" wheel "* ]]; then
        get_wheel_tool || die "package: the Python package wheel is not installed, and PyPI does not give it"
    fi
    make_packages "$@"
}

# Makes the packages that tests/tests/packages tries. Skipped, with a report, where they cannot be built; a package that is wrong
# is an error. In a subshell, because the tools change PATH. With no optimisation and no debugging information, which
# packages do without: what is tried is what they contain and need.
package_for_tests() (
    local formats=(tar) fetching
    rm -rf "$package_out"
    if ! can_package; then
        skip packages "the packages: $package_lacks"
        exit 0
    fi
    # Most of the time it waits for the network.
    make_older_system &
    fetching=$!
    if command -v dpkg-deb >/dev/null; then formats+=(deb); else skip packages "the Debian package: no dpkg-deb here"; fi
    if command -v rpmbuild >/dev/null; then formats+=(rpm); else skip packages "the .rpm: no rpmbuild here (Debian package rpm)"; fi
    if get_wheel_tool; then formats+=(wheel); else skip packages "the Python wheel: PyPI does not give the package wheel"; fi
    portable_settings=(CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
        CARGO_PROFILE_RELEASE_DEBUG=false)
    # Compressing well takes longer than compiling.
    export DPKG_DEB_COMPRESSOR_LEVEL=1
    rpm_options=(--define "_binary_payload w1.gzdio")
    make_packages "${formats[@]}"
    wait "$fetching" || say "no older system of Debian is to be had: the tarball is not tried with an older C library"
)

# make_packages FORMAT...: for the machine that is built for.
make_packages() {
    # The library for Omni's programs is built where it is used.
    local with_omni=0 built_for=${built_for:-$(uname -m)}
    umask 022
    if is_cross; then
        arm64_make_packages "$@"
    else
        build_release
        pack "$target/release" "$@"
    fi
}

# pack COMMANDS FORMAT...: makes packages for $built_for. COMMANDS are those of this machine (stage).
pack() {
    local commands=$1 format machine=$built_for-unknown-linux-gnu tree=$target/package-tree built
    built=$target/portable/$machine/release
    build_portable "$machine"
    build_portable_plugins "$machine"
    check_glibc "$built/xmprun" "$built/xmp-translate" "$built/libxmprt.so" "$built/libxmprt_trace.so"
    ! has_races || check_glibc "$built/libxmprt_races.so" "$built/xmprt-as"
    mkdir -p "$package_out"
    for format in "${@:2}"; do
        rm -rf "$tree"
        mkdir "$tree"
        "package_$format" "$built" "$tree" "$package_out"
    done
    rm -rf "$tree"
}

# True when packages can be built here; otherwise package_lacks says what is missing.
package_lacks=
can_package() {
    local file
    if [[ ! $(uname -m) =~ ^(x86_64|aarch64)$ ]]; then
        package_lacks="they are for x86-64 and AArch64, and this machine is $(uname -m)"
        return 1
    fi
    if [[ $target == *[[:space:]]* ]]; then
        package_lacks="the linker of Zig cannot use $target, because its name contains a space (CARGO_TARGET_DIR can name another)"
        return 1
    fi
    if is_cross; then
        if ! arm64_can_build; then
            package_lacks=$arm64_lacks
            return 1
        fi
    else
        for file in "$(hwloc_archive)" "$(hwloc_licence)"; do
            [[ ! -e $file ]] || continue
            package_lacks="there is no $file (Debian package libhwloc-dev)"
            return 1
        done
    fi
    if ! get_zig; then
        package_lacks="cargo-zigbuild and Zig are not installed, and PyPI does not give them (Debian packages: python3 python3-venv)"
        return 1
    fi
    can_package_plugins
}

# Finds cargo-zigbuild and Zig, or gets them. The linker of Zig links with the symbols of an older C library; that of the
# system takes those of this machine.
get_zig() { get_from_pypi have_zig cargo-zigbuild==0.24.0 ziglang==0.17.1; }

# True when cargo-zigbuild runs and finds a Zig: as a module of Python, or as a command.
have_zig() { { cargo zigbuild --help && { python3 -m ziglang version || zig version; }; } >/dev/null 2>&1; }

# Finds the program that packs wheels, or gets it.
get_wheel_tool() { get_from_pypi have_wheel_tool wheel==0.45.1; }
have_wheel_tool() { python3 -m wheel version >/dev/null 2>&1; }

# get_from_pypi PROBE PACKAGE...: makes PROBE succeed: with what is installed, else with Python packages in a virtual
# environment in the target directory, which PATH then begins with.
get_from_pypi() {
    local probe=$1 tools=$target/package-tools
    shift
    "$probe" && return
    PATH=$tools/bin:$PATH
    "$probe" && return
    say "getting $* from PyPI"
    if ! "$tools/bin/python3" -m pip --version >/dev/null 2>&1; then
        get_venv && python3 -m venv --clear "$tools" || return
    fi
    "$tools/bin/pip" install -q "$@" || return
    # The shell remembers where python3 was before.
    hash -r
    "$probe"
}

# Makes `python3 -m venv` work, with Debian's package if need be.
get_venv() {
    python3 -c 'import venv, ensurepip' 2>/dev/null && return
    can_install || return
    say "installing python3-venv"
    apt_install python3-venv || apt_update_and_install python3-venv
}

# Sets the environment of builds for the older C library: settings of Cargo, and the caches of Zig. For subshells.
portable_settings=()
set_portable_environment() {
    export CARGO_ZIGBUILD_CACHE_DIR=$target/portable/zigbuild ZIG_GLOBAL_CACHE_DIR=$target/portable/zig "${portable_settings[@]}"
}

# build_portable MACHINE: builds the library and the launcher for the older C library. hwloc is linked statically, so that no package of it
# is needed.
build_portable() (
    local hwloc=$target/portable-hwloc
    static_hwloc "$hwloc"
    say "building for glibc $package_glibc ($1)"
    set_portable_environment
    # shellcheck disable=SC2046 # One word an argument.
    PKG_CONFIG_ALLOW_CROSS=1 PKG_CONFIG_PATH=$hwloc CARGO_TARGET_DIR=$target/portable cargo_release zigbuild --target "$1.$package_glibc" $(release_crates)
)

# What Debian's package of hwloc has; that of another machine is unpacked in $system.
system=
hwloc_licence() { echo "$system/usr/share/doc/libhwloc-dev/copyright"; }
hwloc_archive() { if is_cross; then echo "$system/usr/lib/$built_for-linux-gnu/libhwloc.a"; else echo "$(pkg-config --variable=libdir hwloc)/libhwloc.a"; fi; }

# static_hwloc DIR: makes a directory with the archive of hwloc as the only form of it, and its pkg-config file.
static_hwloc() {
    local name rename=()
    rm -rf "$1"
    mkdir -p "$1"
    # Where the archive was compiled with glibc 2.38 or newer, it calls functions that read numbers under names that older
    # versions do not have. Under the old names they do the same, but for binary constants (0b1), which hwloc does not read.
    while read -r name; do rename+=(--redefine-sym "$name=${name#__isoc23_}"); done \
        < <("$(tool_for nm)" -u "$(hwloc_archive)" | sed -n 's/^ *U \(__isoc23_[a-z]*\)$/\1/p' | sort -u)
    "$(tool_for objcopy)" "${rename[@]}" "$(hwloc_archive)" "$1/libhwloc.a"
    "$(cc_for)" -O2 -fPIC -Wall -Wextra -Werror -c packaging/no_udev.c -o "$1/no_udev.o"
    ar rcsD "$1/libhwloc.a" "$1/no_udev.o"
    # Rust asks for the shared library; this text in its place names the archive.
    echo "INPUT($1/libhwloc.a)" >"$1/libhwloc.so"
    # shellcheck disable=SC2016 # pkg-config expands the variable.
    printf 'Name: hwloc\nDescription: hwloc as an archive\nVersion: %s\nLibs: -L${pcfiledir} -lhwloc\n' \
        "$(pkg-config --modversion hwloc)" >"$1/hwloc.pc"
}

# check_glibc FILE...: ends when a file needs a newer C library than the one that packages are for.
check_glibc() {
    local file newest
    for file; do
        newest=$("$(tool_for objdump)" -T "$file" | sed -n 's/.*(\{0,1\}GLIBC_\([0-9.]*\).*/\1/p' | sort -V | tail -n 1)
        [[ $(printf '%s\n' "$newest" "$package_glibc" | sort -V | tail -n 1) == "$package_glibc" ]] \
            || die "package: $file needs glibc $newest, packages are for $package_glibc"
    done
}

# portable_tree TREE PREFIX LIBDIR BUILT: an installation without debugging information. Uses $commands (stage).
portable_tree() {
    local binaries
    stage "$1" "$2" "$3" "$4" "$target/portable-plugins" "$commands"
    binaries=("$1/$3"/libxmprt.so.*.*.* "$1/$3/libxmprt.a" "$1/bin/xmprun" "$1/$3/xmprt/xmp-translate" "$1/$3/xmprt/libxmprt_trace.so")
    # Plug-ins for gcc are for that of this machine.
    rm -f -- "$1/$3"/xmprt/races/plugin-*.so
    ! has_races || binaries+=("$1/$3"/xmprt/races/libxmprt_races.so.* "$1/$3/xmprt/races/as")
    "$(tool_for strip)" --strip-debug "${binaries[@]}"
    install -m 644 "$(hwloc_licence)" "$1/share/doc/xmprt/LICENSE-HWLOC"
}

# package_tar BUILT TREE OUT: runs wherever it is unpacked.
package_tar() {
    local name
    name=xmprt-$(version_of_workspace)-linux-$built_for
    portable_tree "$2/$name" /opt/xmprt lib "$1"
    tar -C "$2" --sort=name --owner=0 --group=0 --numeric-owner -czf "$3/$name.tar.gz" "$name"
    say "$3/$name.tar.gz"
}

# package_deb BUILT TREE OUT
package_deb() {
    local version documents=$2/usr/share/doc/xmprt architecture=arm64
    [[ $built_for == aarch64 ]] || architecture=amd64
    version=$(version_of_workspace)
    portable_tree "$2/usr" /usr "lib/$built_for-linux-gnu" "$1"
    cat "$documents"/{LICENSE,LICENSE-MIT,LICENSE-HWLOC,THIRD-PARTY} >"$documents/copyright"
    mkdir "$2/DEBIAN"
    sed -e "s/@VERSION@/$version/" -e "s/@ARCHITECTURE@/$architecture/" -e "s/@GLIBC@/$package_glibc/" \
        -e "s/@SIZE@/$(du -sk "$2/usr" | cut -f1)/" \
        packaging/deb/control.in >"$2/DEBIAN/control"
    install -m 644 packaging/deb/triggers "$2/DEBIAN"
    dpkg-deb --root-owner-group --build "$2" "$3/xmprt_${version}_$architecture.deb" >&2
}

# More options of rpmbuild.
rpm_options=()

# package_rpm BUILT TREE OUT: the tree and what rpmbuild writes are side by side, because rpmbuild empties its own directories.
package_rpm() {
    local version tree=$2/tree files=$2/files top=$2/rpmbuild
    version=$(version_of_workspace)
    portable_tree "$tree/usr" /usr lib64 "$1"
    # Directories of other packages, /usr/bin and the like, are not listed.
    (cd -- "$tree" && find . -mindepth 1 \( -type d -path '*/xmprt*' -printf '%%dir "/%P"\n' \) -o \( ! -type d -printf '"/%P"\n' \)) \
        | sort >"$files"
    sed -e "s/@VERSION@/$version/" packaging/rpm/xmprt.spec.in >"$2/xmprt.spec"
    rpmbuild -bb --quiet --define "_topdir $top" --define "_dbpath $top/db" --define "package_tree $tree" \
        --define "file_list $files" "${rpm_options[@]}" --define "_build_id_links none" --define "_buildhost localhost" \
        --target "$built_for-linux" "$2/xmprt.spec" >&2
    mv -- "$top/RPMS/$built_for/xmprt-$version-1.$built_for.rpm" "$3"
}

# package_wheel BUILT TREE OUT: pip copies what is under data/ to the prefix of its Python, with the modes it has here.
package_wheel() {
    local version name data
    version=$(version_of_workspace)
    name=xmprt-$version
    data=$2/$name/$name.data/data
    portable_tree "$data.linked" /usr lib "$1"
    # A wheel has no symbolic links. Nothing looks for the library by its full version.
    mkdir -p "$data"
    cp -RL "$data.linked/." "$data"
    rm -r "$data.linked" "$data"/lib/libxmprt.so.*.*.*
    mkdir "$2/$name/$name.dist-info"
    sed -e "s/@VERSION@/$version/" packaging/wheel/METADATA.in >"$2/$name/$name.dist-info/METADATA"
    cat README.md >>"$2/$name/$name.dist-info/METADATA"
    sed -e "s/@GLIBC@/${package_glibc/./_}/" -e "s/@MACHINE@/$built_for/" packaging/wheel/WHEEL.in >"$2/$name/$name.dist-info/WHEEL"
    python3 -m wheel pack "$2/$name" --dest-dir "$3" >&2
}
