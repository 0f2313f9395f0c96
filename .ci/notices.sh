# The licences of the crates that the binaries contain. Sourced by ../x, whose $target and die it uses.
# shellcheck shell=bash disable=SC2154

# notices_of PROJECT...: makes $target/THIRD-PARTY for the crates that these Cargo.toml lock; leaves it when it is newer.
notices_of() {
    local project
    for project; do
        if [[ ! $target/THIRD-PARTY -nt $(dirname -- "$project")/Cargo.lock || ! $target/THIRD-PARTY -nt .ci/notices.sh ]]; then
            third_party_notices "$@" >"$target/THIRD-PARTY.new"
            mv -- "$target/THIRD-PARTY.new" "$target/THIRD-PARTY"
            return
        fi
    done
}

# third_party_notices PROJECT...: prints, for each crate that is linked, its licence and the texts in its sources. A text
# that was printed already is referred to.
third_party_notices() {
    local name version licence directory directories
    directories=$(crate_directories "$@")
    cat <<'TEXT'
XMP-RT contains the Rust packages below, each under its own licence. The Rust standard library, which is part of the
binaries as well, is licensed under Apache-2.0 OR MIT, (c) the Rust project developers: https://www.rust-lang.org/policies/licenses
TEXT
    while read -r name version licence; do
        directory=$(grep -E "/$name-${version//+/\\+}\$|/$name\$" <<<"$directories" | sort | tail -n 1)
        [[ -n $directory ]] || die "the sources of the crate $name $version are not found"
        printf '\n%s\n%s %s: %s\n' "----------------------------------------" "$name" "$version" "$licence"
        licence_texts "$name" "$directory"
    done < <(linked_crates "$@") | print_texts_once
}

# linked_crates PROJECT...: prints "name version licence" of each foreign crate that is linked into something.
linked_crates() {
    local project packages
    for project; do
        packages=()
        [[ $project != Cargo.toml ]] || packages=(-p xmp-ffi -p xmp-trace-library -p xmp-races-library -p xmprun -p xmp-translate)
        cargo tree --locked --edges normal,no-proc-macro --prefix none --format '{p}|{l}|' --manifest-path "$project" \
            "${packages[@]}"
    done | sed -n 's/^\([^ ]*\) v\([^ |]*\)|\(.*\)|.*$/\1 \2 \3/p' | sort -u
}

# crate_directories PROJECT...: prints the directories of all crates' sources.
crate_directories() {
    local project host
    host=$(rustc -vV | sed -n 's/^host: //p')
    for project; do
        cargo metadata --locked --format-version 1 --filter-platform "$host" --manifest-path "$project"
    done | grep -o '"manifest_path":"[^"]*/Cargo.toml"' | sed 's/^[^:]*:"//; s|/Cargo.toml"$||' | sort -u
}

# licence_texts NAME DIRECTORY: prints "@ FILE" before each text, for print_texts_once.
licence_texts() {
    local file found=0
    for file in "$2"/{LICENSE,LICENCE,COPYING,COPYRIGHT,NOTICE,UNLICENSE,license}*; do
        [[ -f $file ]] || continue
        found=1
        printf '@ %s %s %s\n' "$(sha256sum <"$file" | cut -c 1-16)" "$1" "$(basename -- "$file")"
        cat -- "$file"
        printf '\n@ end\n'
    done
    ((found)) || echo "(This package comes without the text of its licence.)"
}

# Copies its input; of a text that has been there, it prints where.
print_texts_once() {
    awk '
        /^@ end$/ { skip = 0; next }
        /^@ [0-9a-f]+ / {
            if ($2 in seen) { print "\n" $4 ": the text is that of " seen[$2] "."; skip = 1 }
            else { seen[$2] = $3 " (" $4 ")"; print "\n" $4 ":\n" }
            next
        }
        !skip'
}
