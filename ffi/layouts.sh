# The part of xmpfc that names variables whose components gfortran finds at other places than other files do; gfortran.sh sources it
# (POSIX sh).
# shellcheck shell=sh
#
# Array components that are allocatable, or pointers, are larger for gfortran 12 to 14 in a file where a coarray of the type comes
# before all other variables of it. In the file of the module that declares the type and makes it public, the coarray does not come
# first. A file that uses the coarray of such a module has the other places, unless a variable that is no coarray comes first.

# warn_of_other_layouts COMMAND...: names the first access of each source of a command to such a variable.
warn_of_other_layouts() {
    [ "$(major_version)" -lt 15 ] || return 0
    ! is_silent "$@" || return 0
    for source; do
        if ! is_fortran "$source" || ! uses_components "$source"; then continue; fi
        for module in $(used_modules "$source"); do
            described=$(description_of "$module") || continue
            changed_variables "$described" | while read -r variable type; do
                place=$(first_access "$source" "$variable" "$type")
                [ -z "$place" ] || warn "$place: gfortran finds array components of $variable at other places here than in the module" \
                    "$module: access them in the file of the module only (note 28 of docs/COMPILERS.md)"
            done
        done
    done
}

# used_modules SOURCE: prints the modules that it uses and does not contain.
used_modules() {
    statements_of "$1" | awk '
        { sub(/[,;].*/, "") }
        /^use[a-z]/ || /^use::/ { sub(/^use(::)?/, ""); used[$0] = 1 }
        /^module[a-z]/ { sub(/^module/, ""); own[$0] = 1 }
        END { for (name in used) if (!(name in own)) print name }'
}

# description_of MODULE: the file of the compiler with the description of a module, in the directories of the command.
description_of() {
    (
        IFS=$newline
        for directory in . $modules; do
            description=${directory#-[IJ]}/$1.mod
            [ ! -f "$description" ] || { echo "$description"; exit 0; }
        done
        exit 1
    )
}

# changed_variables DESCRIPTION: prints the name and the type of each coarray of a public type of the same module with such components,
# also within other components.
changed_variables() {
    gunzip -c <"$1" 2>/dev/null | tr -s '\n ' ' ' | sed "s/[( ]\([0-9]* '[^']*' '[^']*' '[^']*' [0-9]* ((\)/\\
\\1/g" | awk -F "'" -f "$prefix/share/xmprt/components.awk" -f "$prefix/share/xmprt/layouts.awk"
}

# first_access SOURCE VARIABLE TYPE: prints SOURCE:LINE of the first access to a component of the variable, unless a variable of the type that
# is no coarray is declared before.
first_access() {
    statements_of "$1" | awk -v file="$1" -v variable="$2" -v type="$3" '
        index($0, "type(" type ")") && !/\[/ { exit }
        $0 ~ "(^|[^a-z0-9_%])" variable "(\\([^()]*\\))?(\\[[^][]*\\])?%" { print file ":" NR; exit }'
}
