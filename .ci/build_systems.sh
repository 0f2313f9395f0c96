# The files by which pkg-config, Meson and CMake find an installation. Sourced by ../x.
# shellcheck shell=bash disable=SC2154

# stage_build_systems TREE PREFIX LIBDIR VERSION: makes the files from the templates in ffi/ in the tree that will be at
# PREFIX. LIBDIR is relative. The files name other places relative to their own, so that the installation can be moved.
stage_build_systems() {
    local prefix=$2 libdir=$3 version=$4 template
    local packages=$1/$3/pkgconfig modules=$1/$3/cmake/xmprt
    mkdir -p "$packages" "$modules"
    local values=(
        "VERSION=$version"
        "SOVERSION=${version%%.*}"
        "PREFIX_FROM_LIBDIR=$(realpath -ms --relative-to "/$libdir" /)"
        "LIBDIR_FROM_PREFIX=$libdir"
        "RPATH=$(rpath_option "$prefix/$libdir")"
        "SYSTEM_LIBS=$(system_libs)"
    )
    for template in ffi/*.pc.in; do
        fill_template "$template" "$packages" "${values[@]}"
    done
    # What programs are linked with has its home in the pkg-config files.
    values+=(
        "WRAP=$(sed -n 's/^wrap=//p' "$packages/xmprt.pc")"
        "LIBS_PRIVATE=$(sed -n 's/^Libs.private: *//p' "$packages/xmprt.pc")"
        "CAF_LIBS_PRIVATE=$(sed -n 's/^Libs.private: *//p' "$packages/caf.pc")"
        "GFORTRAN_16=$(sed -n 's/^Libs: *//p' "$packages/xmprt-gfortran16.pc")"
    )
    for template in ffi/*.cmake.in; do
        fill_template "$template" "$modules" "${values[@]}"
    done
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
