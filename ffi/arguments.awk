# Prints SOURCE:LINE:KIND for each argument of a CALL that gfortran passes otherwise than the source says, without a message: `copied`, a
# coindexed object where the procedure defines the argument, and `first element`, a part of a coarray with allocatable or pointer
# components where the argument is a coarray. The procedure and the type have to be in the same source. gfortran.sh gives the lines as
# to meanings.awk; `file` is the source. components.awk comes before it, for allocatable and pointer components.

# Splits a list at its commas outside of parentheses into items; returns how many there are.
function split_list(list, items,    at, depth, c, count) {
    split("", items)
    count = 1
    for (at = 1; at <= length(list); at++) {
        c = substr(list, at, 1)
        if (c ~ /[(\[]/) depth++
        else if (c ~ /[])]/) depth--
        if (c == "," && depth == 0) count++
        else items[count] = items[count] c
    }
    return count
}

# The end of the parenthesis that a text begins with; 0 if there is none.
function closing(text,    at, depth) {
    for (at = 1; at <= length(text); at++) {
        if (substr(text, at, 1) == "(") depth++
        else if (substr(text, at, 1) == ")" && --depth == 0) return at
    }
    return 0
}

# The action of an IF statement, or the statement itself.
function action(text,    rest, end) {
    if (text !~ /^if\(/) return text
    rest = substr(text, 3)
    end = closing(rest)
    return end > 0 && end < length(rest) ? substr(rest, end + 1) : text
}

# Enters a scope: a program unit or a procedure.
function enter(name) {
    parent[++scopes] = current
    current = scopes
    procedure[current] = name
}

# Notes a procedure with this name and these arguments.
function enter_procedure(name, arguments,    count, items, at) {
    enter(name)
    if (name in scope_of) several[name] = 1
    scope_of[name] = current
    count = split_list(arguments, items)
    for (at = 1; at <= count; at++) dummy[current, at] = items[at]
}

# Notes what a declaration says of its variables.
function declare(text,    attributes, count, items, at, name, type) {
    attributes = text
    sub(/::.*/, "", attributes)
    if (match(attributes, /^(type|class)\([a-z0-9_]*\)/)) type = substr(attributes, index(attributes, "(") + 1, RLENGTH - index(attributes, "(") - 1)
    count = split_list(substr(text, index(text, "::") + 2), items)
    for (at = 1; at <= count; at++) {
        name = items[at]
        sub(/[^a-z0-9_].*/, "", name)
        if (type != "") type_of[current, name] = type
        declared[current, name] = 1
        if (attributes ~ /,(intent\(|value(,|$))/ || attributes ~ /^(intent\(|value$)/) has_intent[current, name] = 1
        if (items[at] ~ /\[/ || attributes ~ /,codimension\[/ || attributes ~ /^codimension\[/) is_coarray[current, name] = 1
    }
}

# The scope that declares a name, seen from another one; 0 if none does.
function declaring(scope, name) {
    while (scope > 0 && !((scope, name) in declared)) scope = parent[scope]
    return scope
}

# Looks at the arguments of a call.
function look(line, scope, name, arguments,    count, items, at, of, callee, place, keyword, variable, home, type) {
    if (!(name in scope_of) || name in several) return
    callee = scope_of[name]
    count = split_list(arguments, items)
    for (at = 1; at <= count; at++) {
        of = dummy[callee, at]
        if (match(items[at], /^[a-z][a-z0-9_]*=/) && items[at] !~ /^[a-z0-9_]*==/) {
            of = substr(items[at], 1, RLENGTH - 1)
            items[at] = substr(items[at], RLENGTH + 1)
        }
        if (of == "") continue
        if (items[at] ~ /^[a-z][a-z0-9_%]*(\([^()]*(\([^()]*\)[^()]*)*\))?\[[^][]*\](%[a-z0-9_]+)?$/ && (callee, of) in defined \
            && !((callee, of) in has_intent)) print file ":" line ":copied"
        # The first element is the right one.
        if (items[at] !~ /^[a-z][a-z0-9_]*\(.*\)$/ || items[at] ~ /^[a-z0-9_]*\((1(:[^,]*)?|:[^,]*)(,(1(:[^,]*)?|:[^,]*))*\)$/) continue
        variable = items[at]
        sub(/\(.*/, "", variable)
        if (closing(substr(items[at], length(variable) + 1)) != length(items[at]) - length(variable)) continue
        home = declaring(scope, variable)
        type = type_of[home, variable]
        if ((home, variable) in is_coarray && (callee, of) in is_coarray && type != "" && has_components(type)) print file ":" line ":first element"
    }
}

{ text = $0; sub(/^[0-9]+/, "", text) }
text ~ /^(abstract)?interface($|[a-z])/ { in_interface = 1 }
text ~ /^endinterface/ { in_interface = 0 }
in_interface { next }
# Types.
text ~ /^type(,[^:]*)?(::)?[a-z][a-z0-9_]*$/ {
    in_type = text
    sub(/.*:|^type/, "", in_type)
    if (match(text, /extends\([a-z0-9_]*\)/)) within[in_type] = within[in_type] " " substr(text, RSTART + 8, RLENGTH - 9)
    next
}
text ~ /^endtype/ { in_type = ""; next }
in_type != "" {
    if (text ~ /^[^:]*,(allocatable|pointer)/ && text !~ /^procedure/) having[in_type] = 1
    if (match(text, /^(type|class)\([a-z0-9_]*\)/)) {
        inner = substr(text, 1, RLENGTH - 1)
        sub(/.*\(/, "", inner)
        within[in_type] = within[in_type] " " inner
    }
    next
}
# Scopes.
text ~ /^end((subroutine|function|procedure|module|submodule|program)([a-z0-9_]*)?)?$/ { if (current > 0) current = parent[current]; next }
match(text, /^((pure|impure|elemental|recursive|module)*)subroutine[a-z][a-z0-9_]*/) {
    name = substr(text, 1, RLENGTH)
    sub(/^((pure|impure|elemental|recursive|module)*)subroutine/, "", name)
    arguments = substr(text, RLENGTH + 1)
    sub(/^\(/, "", arguments)
    sub(/\).*/, "", arguments)
    enter_procedure(name, arguments)
    next
}
text ~ /^[a-z0-9_*=(),]*function[a-z][a-z0-9_]*\([a-z0-9_,]*\)(result\([a-z0-9_]*\)|bind\(.*\))*$/ && text !~ /^end/ { enter(""); next }
text ~ /^(moduleprocedure[a-z]|module[a-z]|submodule\(|program[a-z])/ && text !~ /[(=]/ || text ~ /^submodule\(/ { enter(""); next }
text ~ /^contains$/ { next }
text != "" && current == 0 { enter("") }
text ~ /::/ { declare(text); next }
match(text, /^intent\([a-z]*\)/) { declare(substr(text, 1, RLENGTH) "::" substr(text, RLENGTH + 1)); next }
text ~ /^value[a-z][a-z0-9_,]*$/ { declare("value::" substr(text, 6)); next }
match(text, /^codimension/) { declare("codimension[::" substr(text, RLENGTH + 1)); next }
# Variables of a BLOCK construct may have the names of arguments.
text ~ /^([a-z][a-z0-9_]*:)?block$/ { blocks++ }
text ~ /^endblock([a-z]|$)/ && text !~ /^endblockdata/ { blocks-- }
{
    text = action(text)
    if (!blocks && match(text, /^[a-z][a-z0-9_]*(\(([^()]|\([^()]*\))*\))?(%[^=]*)?=[^=]/) && text !~ /^[a-z0-9_%]*\(.*\)\[/) {
        name = text
        sub(/[^a-z0-9_].*/, "", name)
        defined[current, name] = 1
    }
    if (match(text, /^call[a-z][a-z0-9_]*\(/) && closing(substr(text, RLENGTH)) == length(text) - RLENGTH + 1) {
        name = substr(text, 5, RLENGTH - 5)
        calls++
        call_line[calls] = FNR
        call_scope[calls] = current
        call_name[calls] = name
        call_arguments[calls] = substr(text, RLENGTH + 1, length(text) - RLENGTH - 1)
    }
}
END { for (at = 1; at <= calls; at++) look(call_line[at], call_scope[at], call_name[at], call_arguments[at]) }
