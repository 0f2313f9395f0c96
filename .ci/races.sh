# What --check=races of the wrappers needs besides libraries: plug-ins of gcc, and options of its drivers. Sourced by ../x, whose
# $target and say it uses.
# shellcheck shell=bash disable=SC2154

# Builds $target/races/plugin-VERSION.so for each gcc that has the headers for plug-ins.
build_races_plugins() {
    local out=$target/races cc headers version
    rm -rf "$out"
    mkdir -p "$out"
    for cc in "${XMP_FC:-gfortran}" gcc gcc-1{2,3,4,5,6}; do
        version=$("$cc" -dumpfullversion 2>/dev/null) || continue
        headers=$("$cc" -print-file-name=plugin)/include
        [[ -e $headers/gcc-plugin.h && ! -e $out/plugin-$version.so ]] || continue
        say "building the plug-in of gcc $version for --check=races"
        "${XMP_CXX:-c++}" -O1 -fPIC -shared -fno-rtti -isystem "$headers" ffi/races/plugin.cc -o "$out/plugin-$version.so" \
            || say "SKIPPED: the plug-in of gcc $version for --check=races: its C++ source cannot be compiled here"
    done
    compgen -G "$out/plugin-*.so" >/dev/null \
        || say "SKIPPED: the plug-in of gcc for --check=races, without which memset and memcpy in line are not seen" \
            "(headers: Debian: gcc-$(gcc -dumpversion 2>/dev/null || echo N)-plugin-dev)"
}

# stage_races DIR BUILT NUMBER: what --check=races of the wrappers needs.
stage_races() {
    local dir=$1 built=$2 plugin
    mkdir -p -- "$dir"
    install -m 755 "$built/libxmprt_races.so" "$dir/libxmprt_races.so.$3"
    ln -s "libxmprt_races.so.$3" "$dir/libxmprt_races.so"
    # The name that gcc looks for.
    install -m 755 "$built/xmprt-as" "$dir/as"
    for plugin in "$target"/races/plugin-*.so; do
        [[ ! -e $plugin ]] || install -m 755 "$plugin" "$dir"
    done
    print_races_wraps "$built/libxmprt_races.so" | sed 's/^/-Wl,/' >"$dir/wraps"
    # A file `specs` beside the assembler would take the place of the specs that are built into gcc.
    print_races_specs "$built/libxmprt_races.so" >"$dir/races.specs"
}

# print_races_wraps LIBRARY: prints options by which the linker leads the calls of functions that the library has a wrapper for to the
# wrapper. clang reads them in a file.
print_races_wraps() { nm --dynamic --defined-only "$1" | sed -n 's/.* T __wrap_/--wrap=/p'; }

# print_races_specs LIBRARY: prints what gcc's drivers do for --check=races: the compiler proper instruments, and the linker gets these
# options.
print_races_specs() {
    printf '*cc1_options:\n+ -fsanitize=thread --param=tsan-instrument-func-entry-exit=0 -mno-red-zone -fno-optimize-sibling-calls\n\n*link:\n+'
    print_races_wraps "$1" | sed 's/^/ /' | tr -d '\n'
    printf '\n\n'
}
