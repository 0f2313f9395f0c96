# ./x install and ./x uninstall. Sourced by ../x after stage.sh, whose $root, $called_from, $target, say and die it uses.
# shellcheck shell=bash disable=SC2154

# The options of install and uninstall.
install_prefix=/usr/local
install_libdir=lib
with_mpi=1

cmd_install() {
    parse_install_options install "$@"
    local plugins=$target/plugins
    may_write "${DESTDIR-}$install_prefix" || true
    require_packages
    require_rust
    if ((with_mpi)); then
        build_plugins
    else
        plugins=
    fi
    build_release
    install_to "$install_prefix" "$install_libdir" "$plugins"
    report_installation
}

cmd_uninstall() {
    parse_install_options uninstall "$@"
    uninstall_from "${DESTDIR-}$install_prefix"
}

# parse_install_options COMMAND ARGS...: sets the options. Uninstall knows --prefix only.
parse_install_options() {
    local command=$1
    shift
    while (($# > 0)); do
        case $command:$1 in
            *:--prefix | install:--libdir)
                (($# >= 2)) || die "$1 needs a directory"
                set_directory "${1#--}" "$2"
                shift ;;
            *:--prefix=*) set_directory prefix "${1#*=}" ;;
            install:--libdir=*) set_directory libdir "${1#*=}" ;;
            install:--no-apt) forbid_apt ;;
            install:--no-mpi) with_mpi=0 ;;
            install:--with-omni) with_omni=1 ;;
            *) die "$command: unknown argument '$1' (./x $command --help lists what there is)" ;;
        esac
        shift
    done
    [[ -z ${DESTDIR-} || $DESTDIR == /* ]] || DESTDIR=$called_from/$DESTDIR
    install_libdir=$(libdir_in_prefix "$install_libdir") || exit
}

# set_directory NAME DIR
set_directory() {
    [[ -n $2 ]] || die "--$1 needs a directory"
    if [[ $1 == libdir ]]; then
        install_libdir=$2
    else
        install_prefix=$2
        [[ $install_prefix == /* ]] || install_prefix=$called_from/$install_prefix
        install_prefix=$(realpath -m -- "$install_prefix")
    fi
}

# Prints DIR relative to the prefix. Wrappers and pkg-config files find it from where they are themselves, so that an
# installation can be moved: it has to be within the prefix.
libdir_in_prefix() {
    local dir=$1
    [[ $dir == /* ]] || dir=$install_prefix/$dir
    dir=$(realpath -ms -- "$dir")
    [[ $dir == "$install_prefix"/* ]] || die "--libdir $1 is not a directory within the prefix $install_prefix"
    dir=${dir#"$install_prefix"/}
    [[ $dir =~ ^[A-Za-z0-9._+/-]+$ ]] || die "--libdir $1: only letters, digits and . _ + - / can be used there"
    echo "$dir"
}

# True when this user may write to DIR, or to the nearest directory above it that exists.
# Ends when even root's rights cannot be had.
may_write() {
    local dir=$1
    while [[ ! -e $dir ]]; do dir=$(dirname -- "$dir"); done
    [[ -d $dir ]] || die "cannot install to $1: $dir is not a directory"
    [[ -w $dir ]] && return
    can_be_root || die "cannot write to $dir: choose another place with --prefix DIR, or run as root"
    return 1
}

# install_to PREFIX LIBDIR [PLUGINS]: copies the built files to the prefix, with DESTDIR in front, removes those of an
# earlier installation that are no more, and writes the list of all. Files that have not changed are left alone.
# In a subshell, which the first failure ends.
install_to() (
    scratch=$(mktemp -d)
    trap 'rm -r -- "$scratch"' EXIT
    dir=${DESTDIR-}$1 tree=$scratch/tree list=$scratch/manifest put=()
    may_write "$dir" || put=(as_root)
    say "installing XMP-RT $(version_of_workspace) to $dir"
    stage "$tree" "$1" "$2" "$target/$install_profile" "${3-$target/plugins}"
    part_debug "$tree" "$2"
    new_manifest "$tree" "$dir" >"$list"
    remove_stale "$dir" "$list"
    while IFS= read -r -d '' path; do
        "${put[@]}" mkdir -p -- "$dir/$path"
    done < <(cd -- "$tree" && find . -mindepth 1 -type d -printf '%P\0')
    copy_files "$tree" "$dir"
    "${put[@]}" install -C -m 644 "$list" "$dir/$manifest"
)

# copy_files TREE DIR: the files and links of the tree, with the modes they have there. Uses put, the command that gives
# the rights for it.
copy_files() {
    local tree=$1 dir=$2 file mode
    while IFS= read -r -d '' file; do
        if [[ -L $tree/$file ]]; then
            "${put[@]}" ln -sfn "$(readlink -- "$tree/$file")" "$dir/$file"
        else
            mode=$(stat -c %a -- "$tree/$file")
            "${put[@]}" install -C -m "$mode" "$tree/$file" "$dir/$file"
        fi
    done < <(cd -- "$tree" && find . \( -type f -o -type l \) -printf '%P\0')
}

# The last lines of install: what is there, what is not, and what to type next. Fails when a plug-in is missing that
# should be there.
report_installation() {
    local plugin missing=("${plugins_failed[@]}" "${plugins_skipped[@]}")
    echo
    echo "XMP-RT $(version_of_workspace) is installed in $install_prefix${DESTDIR:+ (staged under $DESTDIR)}:"
    echo "  commands   xmprun, xmpfc, xmpf90, xmpcc in $install_prefix/bin"
    echo "  libraries  libxmprt.so, libxmprt.a in $install_prefix/$install_libdir"
    ((!with_omni)) || echo "             libxmprt_omni.so, for programs of the Omni compiler"
    for plugin in "${plugins_built[@]}"; do echo "  plug-in    for $plugin"; done
    if ((! with_mpi)); then
        echo "Not installed: plug-ins for MPI (--no-mpi). xmprun starts programs on one machine, or on several by ssh or srun."
    elif ((${#plugins_built[@]} + ${#missing[@]} == 0)); then
        echo "Not installed: plug-ins for MPI, for no MPI was found. xmprun starts programs on one machine, or on several by ssh or srun."
    fi
    echo "Next:"
    if [[ :$PATH: != *:$install_prefix/bin:* ]]; then
        echo "  export PATH=$(printf %q "$install_prefix/bin"):\$PATH"
        printf '  xmpfc -O2 %q -o hello\n' "$root/examples/fortran/hello.f90"
        echo "  xmprun -n 4 ./hello"
    else
        printf '  xmpfc -O2 %q -o hello\n' "$root/examples/fortran/hello.f90"
        echo "  xmprun -n 4 ./hello"
        echo "  xmprun --info"
    fi
    ((${#missing[@]} == 0)) && return
    echo
    for plugin in "${missing[@]}"; do echo "NOT INSTALLED: the plug-in for $plugin"; done
    echo "Everything else is installed. With --no-mpi plug-ins are neither built nor missed."
    return 1
} >&2
