# Prints the name and the type of each coarray of a public type of the same module with array components that are allocatable, or pointers,
# also within other components. layouts.sh gives the symbols of the file that gfortran describes a module in, one a line:
# `NUMBER 'NAME' 'MODULE' '' ((DERIVED ...` or `((VARIABLE ...`. components.awk comes before it.

{ number = $1 + 0; from[number] = $4 }
/ \(\(DERIVED / && $2 !~ /^__/ {
    name[number] = tolower($2)
    if ($0 ~ /\)\) PRIVATE \( ?UNKNOWN/) hidden[number] = 1
    if ($0 ~ /ALLOCATABLE( [A-Z_]+)* DIMENSION|DIMENSION( [A-Z_]+)* POINTER/) having[number] = 1
    text = $0
    while (match(text, /\(DERIVED [0-9]+ /)) {
        within[number] = within[number] " " substr(text, RSTART + 9, RLENGTH - 10)
        text = substr(text, RSTART + RLENGTH)
    }
}
/ \(\(VARIABLE [^()]* CODIMENSION/ && match($0, /\(DERIVED [0-9]+ /) { coarray[$2] = substr($0, RSTART + 9, RLENGTH - 10); home[$2] = $4 }
END {
    for (variable in coarray) {
        type = coarray[variable] + 0
        if (from[type] == home[variable] && !(type in hidden) && has_components(type)) print variable, name[type]
    }
}
