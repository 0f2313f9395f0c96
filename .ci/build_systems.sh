# The files by which pkg-config, Meson and CMake find an installation. Sourced by ../x, whose $target it uses.
# shellcheck shell=bash disable=SC2154

# install_build_systems PREFIX LIBDIR VERSION COMMAND...: makes the files from the templates in ffi/ and puts them there.
# PREFIX and LIBDIR are absolute paths. COMMAND runs a command with the rights that this needs.
# The files name other places relative to their own, so that the installation can be moved.
install_build_systems() {
    local prefix=$1 libdir=$2 version=$3 out=$target/build_systems template
    shift 3
    mkdir -p "$out"
    local values=(
        "VERSION=$version"
        "SOVERSION=${version%%.*}"
        "PREFIX_FROM_LIBDIR=$(realpath -m --relative-to "$libdir" "$prefix")"
        "LIBDIR_FROM_PREFIX=$(realpath -m --relative-to "$prefix" "$libdir")"
        "RPATH=$(rpath_option "$libdir")"
        "SYSTEM_LIBS=$(system_libs)"
    )
    for template in ffi/*.pc.in; do
        fill_template "$template" "$out" "${values[@]}"
    done
    # What programs are linked with has its home in the pkg-config files.
    values+=(
        "WRAP=$(sed -n 's/^wrap=//p' "$out/xmprt.pc")"
        "LIBS_PRIVATE=$(sed -n 's/^Libs.private: *//p' "$out/xmprt.pc")"
        "CAF_LIBS_PRIVATE=$(sed -n 's/^Libs.private: *//p' "$out/caf.pc")"
        "GFORTRAN_16=$(sed -n 's/^Libs: *//p' "$out/xmprt-gfortran16.pc")"
    )
    for template in ffi/*.cmake.in; do
        fill_template "$template" "$out" "${values[@]}"
    done
    "$@" mkdir -p "$libdir/pkgconfig" "$libdir/cmake/xmprt"
    "$@" install -C -m 644 "$out"/*.pc "$libdir/pkgconfig"
    "$@" install -C -m 644 "$out"/*.cmake "$libdir/cmake/xmprt"
}

# fill_template TEMPLATE OUT NAME=VALUE...: writes OUT/TEMPLATE without .in, with VALUE in the place of each @NAME@.
fill_template() {
    local template=$1 out=$2 value commands=()
    shift 2
    for value; do
        commands+=(-e "s|@${value%%=*}@|${value#*=}|g")
    done
    sed "${commands[@]}" "$template" >"$out/$(basename -- "$template" .in)"
}

# rpath_option LIBDIR: prints the linker option by which programs find libraries in the variable `libdir` of a pkg-config
# file. Prints nothing for a directory that the dynamic linker searches by default: /usr/lib64, /usr/lib/x86_64-linux-gnu.
rpath_option() {
    # shellcheck disable=SC2016 # pkg-config expands the variable.
    [[ $1 =~ ^(/usr)?/lib(64|/[a-z0-9_]+-linux-gnu[a-z0-9]*)?$ ]] || echo '-Wl,-rpath,${libdir}'
}
