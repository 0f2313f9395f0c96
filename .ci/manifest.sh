# The list of what an installation consists of, one path relative to the prefix a line: files as they are, directories that
# the installation has made with a slash at the end. Sourced by ../x, whose say and die it
# uses.
# shellcheck shell=bash disable=SC2154

manifest=share/xmprt/manifest

# new_manifest TREE DIR: prints the list for the files of the tree in DIR. Directories that an earlier installation has
# made count as made by this one.
new_manifest() {
    local tree=$1 dir=$2 path
    echo "$manifest"
    (cd -- "$tree" && find . \( -type f -o -type l \) -printf '%P\n')
    {
        old_manifest "$dir" | sed -n '/\/$/p'
        while IFS= read -r path; do
            [[ -d $dir/$path ]] || echo "$path/"
        done < <(cd -- "$tree" && find . -mindepth 1 -type d -printf '%P\n')
    } | sort -u
}

# old_manifest DIR: prints the list of what is installed there; nothing when there is none. Refuses a list with paths that
# lead out of DIR.
old_manifest() {
    [[ -e $1/$manifest ]] || return 0
    if grep -nE '^/|(^|/)\.\.(/|$)|^$' "$1/$manifest" >&2; then
        die "$1/$manifest is damaged: these lines are no paths within the prefix"
    fi
    cat -- "$1/$manifest"
}

# remove_stale DIR LIST: removes what the old list has and the new one, a file, has not. Uses put, the command that
# gives the rights for it.
remove_stale() {
    local path
    while IFS= read -r path; do
        "${put[@]}" rm -f -- "$1/$path"
    done < <(comm -23 <(old_manifest "$1" | grep -v '/$' | sort) <(sort "$2"))
}

# uninstall_from DIR: removes everything on the list, then the directories that were made for it and are empty.
uninstall_from() {
    local dir=$1 put=() list path
    [[ -e $dir/$manifest ]] || die "there is nothing to uninstall in $dir: it has no $manifest"
    may_write "$dir/share" || put=(as_root)
    list=$(old_manifest "$dir")
    while IFS= read -r path; do
        [[ $path == */ ]] || "${put[@]}" rm -f -- "$dir/$path"
    done <<<"$list"
    while IFS= read -r path; do
        [[ ! -d $dir/$path ]] || "${put[@]}" rmdir --ignore-fail-on-non-empty -- "$dir/$path"
    done < <(grep '/$' <<<"$list" | sort -r)
    say "XMP-RT is uninstalled from $dir"
}
