# The compiler that a wrapper runs; wrapper.sh sources it (POSIX sh).
# shellcheck shell=sh disable=SC2154

# Divides the words of $compiler, unless a command has this name, into what runs the compiler ($runner), the compiler, and its
# first arguments ($added).
split_compiler() {
    runner='' added=''
    ! command -v "$compiler" >/dev/null || return 0
    words=$compiler chosen=''
    set -f
    for word in $words; do
        case $word in
            -*) added="$added $word" ;;
            *) runner="$runner $chosen$added" added='' chosen=$word ;;
        esac
    done
    set +f
    compiler=${chosen:-$compiler}
}

# Sets $dialect: which Fortran compiler this is, by what it says of itself.
name_dialect() {
    case ${compiler##*/} in gfortran* | *-gfortran*) return 0 ;; esac
    case $("$compiler" --version 2>/dev/null | head -n 1) in
        *flang*) dialect=flang ;;
        LFortran*) dialect=lfortran ;;
    esac
}

# The number of the compiler's release in what it says of itself.
release() {
    "$compiler" --version 2>/dev/null | sed -n '1s/[^0-9]*\([0-9]*\).*/\1/p'
}

# Prints the compiler's version, all numbers of it.
full_version() { "$compiler" -dumpfullversion 2>/dev/null; }

# Prints the first number of the compiler's version; 0 where there is none.
major_version() {
    major=$("$compiler" -dumpversion 2>/dev/null) || major=0
    major=${major%%.*}
    case $major in
        '' | *[!0-9]*) echo 0 ;;
        *) echo "$major" ;;
    esac
}

# Ends with a message when the compiler, or what runs it, does not exist.
require_compiler() {
    for word in $runner "$compiler"; do
        case $word in
            -* | *=*) continue ;;
        esac
        command -v "$word" >/dev/null && continue
        echo "$tool: compiler '$word' not found (set $variable to the one to use)" >&2
        exit 127
    done
}

# run COMMAND...: executes a command, or prints it after --show. What runs the compiler comes before it.
run() {
    # Words of a variable.
    # shellcheck disable=SC2086
    [ "$1" != "$compiler" ] || set -- $runner "$@"
    if [ "$show" = yes ]; then print_command "$@"; else "$@"; fi
}

# Prints the command so that a shell would read it back as it is.
print_command() {
    line=
    for word in "$@"; do
        case $word in
            '' | *[!A-Za-z0-9_./=,:+@%-]*)
                word=\'$(printf '%s\n' "$word" | sed "s/'/'\\\\''/g")\' ;;
        esac
        line="$line${line:+ }$word"
    done
    printf '%s\n' "$line"
}
