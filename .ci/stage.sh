# The layout of an installation, as a tree that install copies and package packs. Sourced by
# ../x after build.sh, whose $target it uses.
# shellcheck shell=bash disable=SC2154

# stage TREE PREFIX LIBDIR BUILT PLUGINS [COMMANDS]: makes the tree that will be at PREFIX. LIBDIR is relative; BUILT has the library and the
# launcher, PLUGINS the plug-ins (empty: none), COMMANDS the commands that write files of the tree, as this machine executes them (BUILT).
stage() {
    local tree=$1 prefix=$2 libdir=$3 built=$4 plugins=$5 commands=${6-$4} version
    version=$(version_of_workspace)
    mkdir -p "$tree"/{bin,include/xmprt,"$libdir/xmprt",share/{doc/xmprt,xmprt/modulefiles}}
    stage_library "$tree/$libdir" "$built" "$version"
    install -m 755 "$built/xmprun" ffi/xmpfc ffi/xmpcc "$tree/bin"
    # The name by which fpm knows a compiler of coarray programs.
    ln -s xmpfc "$tree/bin/xmpcaf"
    # The name that compilers of XcalableMP have for Fortran.
    ln -s xmpfc "$tree/bin/xmpf90"
    # The C++ compiler.
    ln -s xmpcc "$tree/bin/xmpcxx"
    install -m 644 ffi/include/*.h ffi/include/*.hpp "$tree/include/xmprt"
    "$commands/xmp-translate" --module | install -m 644 /dev/stdin "$tree/include/xmprt/xmprt_global.f90"
    sed -e "s|@LIBDIR@|$libdir|" ffi/wrapper.sh >"$tree/share/xmprt/wrapper.sh"
    install -m 644 ffi/{compiler,translation,linking,prif,races,alike,gfortran,layouts,default_fortran,flang,lfortran}.sh \
        ffi/{meanings,components,arguments,layouts}.awk ffi/measure/measure.c "$tree/share/xmprt"
    "$commands/xmp-prif" | install -m 644 /dev/stdin "$tree/share/xmprt/prif.F90"
    "$commands/xmp-prif" --lfortran | install -m 644 /dev/stdin "$tree/share/xmprt/prif_lfortran.F90"
    sed -e "s|@VERSION@|$version|" -e "s|@LIBDIR@|$libdir|" ffi/modulefile.in >"$tree/share/xmprt/modulefiles/xmprt"
    sed -e "s|@VERSION@|$version|" -e "s|@LIBDIR@|$libdir|" ffi/modulefile.lua.in >"$tree/share/xmprt/modulefiles/xmprt.lua"
    stage_build_systems "$tree" "$prefix" "$libdir" "$version"
    stage_plugins "$tree/$libdir/xmprt" "$plugins"
    install -m 755 "$built/xmp-translate" "$built/libxmprt_trace.so" "$tree/$libdir/xmprt"
    ! has_races || stage_races "$tree/$libdir/xmprt/races" "$built" "${version%%.*}"
    stage_c_parts "$tree" "$libdir"
    ((!with_omni)) || stage_omni "$tree" "$libdir" "$built" "$version"
    stage_documents "$tree/share/doc/xmprt" "$plugins"
    "$commands/xmprun" --generate "$tree/share"
    stage_functions "$tree/share/man/man3"
    install -m 644 ffi/man/*.1 "$tree/share/man/man1"
    ln -s xmpfc.1 "$tree/share/man/man1/xmpcaf.1"
    ln -s xmpfc.1 "$tree/share/man/man1/xmpf90.1"
    ln -s xmpcc.1 "$tree/share/man/man1/xmpcxx.1"
    stage_completions "$tree/share"
    rmdir --ignore-fail-on-non-empty "$tree/$libdir/xmprt"
}

# stage_functions DIR: man pages of the functions of C, from the comments of the headers.
stage_functions() {
    local name
    mkdir -p "$1"
    for name in xmprt xmprt_global; do
        awk -v directory="$1" -v overview="$name" -f ffi/man/functions.awk "ffi/include/$name.h"
    done
    chmod 644 "$1"/*.3
}

# stage_completions SHARE: those of the wrappers, beside those of xmprun. Bash and fish look for a file by the name of the command.
stage_completions() {
    local name
    install -m 644 ffi/completions/xmpfc.bash "$1/bash-completion/completions/xmpfc"
    install -m 644 ffi/completions/_xmpfc "$1/zsh/site-functions/_xmpfc"
    install -m 644 ffi/completions/xmpfc.fish "$1/fish/vendor_completions.d/xmpfc.fish"
    for name in xmpcaf xmpf90 xmpcc xmpcxx; do
        ln -s xmpfc "$1/bash-completion/completions/$name"
        ln -s xmpfc.fish "$1/fish/vendor_completions.d/$name.fish"
    done
}

# stage_library DIR BUILT VERSION: programs ask for the soname, the linker for the name without a number.
stage_library() {
    local dir=$1 built=$2 version=$3
    install -m 755 "$built/libxmprt.so" "$dir/libxmprt.so.$version"
    ln -s "libxmprt.so.$version" "$dir/libxmprt.so.${version%%.*}"
    ln -s "libxmprt.so.${version%%.*}" "$dir/libxmprt.so"
    install -m 644 "$built/libxmprt.a" "$dir/libxmprt.a"
}

# part_debug TREE LIBDIR: takes the debugging information out of the binaries, which programs read when they report an
# error. That of the libraries is in .debug beside each, where debuggers look for it; nothing asks for that of the commands
# and of the archive.
part_debug() {
    local tree=$1 dir=$1/$2 file
    for file in "$dir"/libxmprt*.so.*.*.* "$dir/xmprt/libxmprt_trace.so"; do part_debug_of "$file"; done
    ! has_races || for file in "$dir"/xmprt/races/libxmprt_races.so.*; do part_debug_of "$file"; done
    # Nothing looks for the names of the functions that the plug-ins and the libraries for traces and races have for themselves.
    { plugin_files "$dir/xmprt"; ! has_races || printf '%s\n' "$dir"/xmprt/races/libxmprt_races.so.*; } | xargs -d '\n' strip --strip-unneeded
    # By the names of functions of Rust, messages tell the program's frames from those of the library. The standard library has
    # its bitcode beside its code, which only Rust's own link-time optimisation reads.
    strip --enable-deterministic-archives --strip-unneeded --wildcard --keep-symbol='_ZN*' --keep-symbol='_R*' \
        --remove-section=.comment --remove-section=.llvm_addrsig \
        --remove-section=.llvmbc --remove-section=.llvmcmd "$dir/libxmprt.a"
    shorten_sections "$dir/libxmprt.a"
    strip --strip-all "$tree/bin/xmprun" "$dir/xmprt/xmp-translate"
    ! has_races || strip --strip-all "$dir/xmprt/races/as"
}

# shorten_sections ARCHIVE: each function and variable has a section of its own, so that the linker leaves out those that a program does
# not use. The sections are named after them, which the linker does not need: it looks at the beginning of a name only.
shorten_sections() {
    local renaming
    renaming=$(mktemp)
    readelf --wide --section-headers "$1" | awk '
        { sub(/^ *\[ *[0-9]+\] /, "") }
        # Equal constants are merged by these names.
        $1 ~ /^\.rodata\.(cst|str)[0-9.]+$/ || $1 in known { next }
        match($1, /^\.text\.(unlikely|hot|startup|exit)\./) || match($1, /^\.data\.rel\.ro\./) \
            || match($1, /^\.(text|rodata|data|bss|tdata|tbss|gcc_except_table)\./) {
            known[$1] = 1
            print "--rename-section=" $1 "=" substr($1, 1, RLENGTH) "x"
        }' >"$renaming"
    # Without optimisation of all crates together there are several times as many names. objcopy compares each section with each name, which
    # then takes more than a minute.
    (($(wc -l <"$renaming") > 25000)) || objcopy "@$renaming" "$1"
    rm -f "$renaming"
}

# part_debug_of FILE: the names of functions stay in FILE: messages and the table of images have them.
part_debug_of() {
    local file=$1 parted
    parted=$(dirname -- "$1")/.debug/$(basename -- "$1").debug
    mkdir -p -- "$(dirname -- "$parted")"
    objcopy --only-keep-debug --compress-debug-sections=zlib --wildcard --strip-symbol='*' --remove-section=.debug_aranges \
        "$file" "$parted"
    chmod 644 "$parted"
    # Local labels of exception tables are no functions.
    strip --strip-debug --wildcard --strip-symbol='GCC_except_table*' "$file"
    objcopy --add-gnu-debuglink="$parted" "$file"
}

# plugin_files PLUGINS: prints the files of the plug-ins in a directory.
plugin_files() { [[ -z $1 ]] || compgen -G "$1/*.so" || true; }

# stage_plugins DIR PLUGINS
stage_plugins() {
    local plugin
    while IFS= read -r plugin; do
        install -m 755 "$plugin" "$1"
    done < <(plugin_files "$2")
}

# stage_documents DIR PLUGINS: what a user reads, and the licences of everything that the binaries contain.
stage_documents() {
    local projects=(Cargo.toml)
    install -m 644 README.md LICENSE LICENSE-APACHE LICENSE-MIT "$1"
    [[ -z $(plugin_files "$2") ]] || projects+=(xmp-core/mpi/Cargo.toml)
    notices_of "${projects[@]}"
    install -m 644 "$target/THIRD-PARTY" "$1"
}
