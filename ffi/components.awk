# Types with components of one kind. The program that follows notes in `having` the types that have some themselves, and in `within` the
# types of the other components of each, separated by blanks.

# True for types whose objects have such components, also within others.
function has_components(type,    inner, count, at) {
    if (type in visited) return type in having
    visited[type] = 1
    count = split(within[type], inner, " ")
    for (at = 1; at <= count; at++) if (has_components(inner[at])) having[type] = 1
    return type in having
}
