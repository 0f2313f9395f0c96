# Prints SOURCE:LINE:KIND for each statement of a Fortran source that some version of gfortran compiles to something else, without a
# message. gfortran.sh names the kinds, and gives each statement on its first line, without blanks, comments and texts; `file` is the
# source.

function found(kind) { print file ":" FNR ":" kind }

# A text without what is in parentheses.
function outside(text) {
    while (sub(/\([^()]*\)/, "", text)) { }
    return text
}

# Notes a branch to a label in a CHANGE TEAM construct.
function note_branch(text) {
    sub(/.*goto/, "", text)
    branch[++branches] = text
    branch_line[branches] = FNR
}

# Names the branches to labels that the CHANGE TEAM construct does not have.
function end_team(    at) {
    for (at = 1; at <= branches; at++) if (!(branch[at] in label)) print file ":" branch_line[at] ":left team"
    in_team = branches = 0
}

# Follows a statement of a CHANGE TEAM construct, which has lost its parentheses.
function follow_team(statement) {
    if (match(statement, /^[0-9]+/)) {
        label[substr(statement, 1, RLENGTH)] = 1
        statement = substr(statement, RLENGTH + 1)
    }
    if (match(statement, /^[a-z][a-z0-9_]*:/) && statement !~ /::/) {
        construct[substr(statement, 1, RLENGTH - 1)] = 1
        statement = substr(statement, RLENGTH + 1)
    }
    if (statement ~ /^do([0-9]+,?)?($|while|concurrent|[a-z][a-z0-9_]*=[^=].*,)/) loops++
    if (statement ~ /^enddo/) loops--
    sub(/^if/, "", statement)
    if (statement == "return") found("left team")
    else if (statement == "cycle" || statement == "exit") { if (loops <= 0) found("left team") }
    else if (statement ~ /^(cycle|exit)[a-z][a-z0-9_]*$/) {
        sub(/^(cycle|exit)/, "", statement)
        if (!(statement in construct)) found("left team")
    }
    else if (statement ~ /^goto[0-9]+$/) note_branch(statement)
    if (statement ~ /^endteam/) end_team()
}

# True where // is outside of parentheses.
function concatenates(text,    at, depth) {
    for (at = 1; at <= length(text); at++) {
        if (substr(text, at, 1) ~ /[(\[]/) depth++
        else if (substr(text, at, 1) ~ /[])]/) depth--
        else if (depth == 0 && substr(text, at, 2) == "//") return 1
    }
    return 0
}

# True for an expression with the variable that a statement begins with, of an image.
function takes(statement, expression,    name) {
    match(statement, /^[a-z][a-z0-9_%]*/)
    name = substr(statement, 1, RLENGTH)
    gsub(/%/, "[%]", name)
    return expression ~ ("(^|[^a-z0-9_%])" name "(\\([^()]*\\))?\\[")
}

# Adds the names that a statement declares with a parenthesis and what follows it to a set. The first character of a pattern is before
# the name.
function note(text, pattern, names,    name) {
    while (match(text, pattern)) {
        name = substr(text, RSTART + 1)
        sub(/\(.*/, "", name)
        names[name] = 1
        text = substr(text, RSTART + RLENGTH - 1)
    }
}

# True for a statement with the array, of an image, other than as the variable that it begins with.
function gets(text, name) {
    sub("^" name "\\([^()]*\\)\\[[^][]*\\]=", "", text)
    return text ~ ("(^|[^a-z0-9_%])" name "\\([^()]*\\)\\[")
}

# True for a statement with a coindexed object with a vector subscript, other than as one side of an assignment as a whole.
function loses(text, vector,    side) {
    sub(/^case(default|\([^()]*\));/, "", text)
    sub(/;.*/, "", text)
    side = "[a-z][a-z0-9_%]*(\\(([^()]|\\([^()]*\\))*\\))?(\\[[^][]*\\])?(%[a-z][a-z0-9_%]*)?"
    sub("^" side "=", "", text)
    return text !~ ("^" side "$") && text ~ ("[a-z0-9_]\\(([^()]*[^a-z0-9_%()])?" vector "([^a-z0-9_%()][^()]*)?\\)\\[")
}

{ text = $0; plain = outside(text) }
# The first component of a type is transferred rightly.
text ~ /^type(,[^:]*)?(::)?[a-z][a-z0-9_]*$/ {
    in_type = 1
    type = text
    sub(/.*:|^type/, "", type)
}
text ~ /^endtype/ { type = "" }
type != "" && text ~ /^[^:]*,pointer/ && text !~ /^procedure/ { has_pointers[type] = 1 }
type == "" && match(text, /^type\([a-z][a-z0-9_]*\)/) && text ~ /allocatable.*::.*\)\[:/ && substr(text, 6, RLENGTH - 6) in has_pointers { found("pointers") }
in_type && match(text, /::[a-z][a-z0-9_]*/) && text !~ /^type/ { first[substr(text, RSTART + 2, RLENGTH - 2)] = 1; in_type = 0 }
match(text, /\([^()]*:[^()]*\)\[[^][]*\]%[a-z][a-z0-9_]*/) {
    component = substr(text, RSTART, RLENGTH)
    sub(/.*%/, "", component)
    if (!(component in first)) found("component")
}
# The other side is coindexed.
match(text, /^[a-z][a-z0-9_]*\([^()]*:[^()]*\)%[a-z][a-z0-9_]*=[a-z][a-z0-9_%]*(\([^()]*\))?\[[^][]*\]$/) \
    || (match(text, /^[a-z][a-z0-9_]*(\([^()]*\))?\[[^][]*\]=[a-z][a-z0-9_]*\([^()]*:[^()]*\)%[a-z][a-z0-9_]*$/)) {
    component = text
    if (text ~ /\]$/) sub(/=.*/, "", component)
    sub(/.*%/, "", component)
    if (!(component in first)) found("local component")
}
text ~ /[a-z0-9_)]\[[^][]*\]\([^():]*:/ { found("substring") }
match(text, /^[a-z][a-z0-9_%]*(\([^()]*\))?\[[^][]*\]=[^=]/) {
    assigned = substr(text, RLENGTH)
    if (concatenates(assigned)) found("concatenation")
    if (takes(text, assigned)) found("itself")
}
match(text, /[a-z0-9_)]\[[^][]*,team=[^][]*\]/) && substr(text, RSTART + RLENGTH) !~ /^[^=]*=[^=]/ { found("team") }
text ~ /[a-z0-9_)]\[[^][]*[a-z0-9_)]\[/ { found("cosubscript") }
text ~ /::/ { note(text, "[:,][a-z][a-z0-9_]*\\(:[,:]*\\)\\[[^]:]*\\*\\]", dummies) }
text ~ /^character\((len=)?:\).*::/ { note(text, "[:,][a-z][a-z0-9_]*\\(:[,:]*\\)\\[:", deferred) }
match(text, /^[a-z][a-z0-9_]*\([^():]*\)\[[^][]*\]=/) { name = text; sub(/\(.*/, "", name); if (name in deferred) found("deferred") }
text ~ /^integer.*::/ { note(text, "[:,][a-z][a-z0-9_]*\\([^(),]*\\)([,=]|$)", vectors) }
text ~ /(^|\))sync(all|images|memory)\(.*errmsg=/ { found("errmsg") }
text ~ /^complex/ && text !~ /dimension\(/ && text ~ /(::|,)[a-z][a-z0-9_]*\[[^]:]*\*\]/ { found("complex") }
text !~ /::/ {
    for (name in dummies) if (gets(text, name)) { found("dummy"); break }
    if (text ~ /\)\[/) for (name in vectors) if (loses(text, name)) { found("vector"); break }
}
text ~ /^end(subroutine|function|procedure|$)/ { split("", dummies); split("", vectors); split("", deferred) }
# Ways out of CHANGE TEAM other than its end.
plain ~ /^([a-z][a-z0-9_]*:)?changeteam$/ { in_team = 1; loops = 0; split("", label); split("", construct) }
in_team {
    parts = split(plain, part, ";")
    for (at = 1; at <= parts; at++) follow_team(part[at])
}
# STAT= of ALLOCATE in a program that looks for images that have ended, unless a statement that synchronises tells them afterwards.
plain ~ /(^|if)allocate$/ && text ~ /\*\].*,stat=/ { allocations[++candidates] = FNR }
text ~ /(^|\))sync(all|images|team)\(.*stat=/ { candidates = earlier }
text ~ /^end(subroutine|function|procedure|program|$)/ { earlier = candidates }
text ~ /stat_failed_image|stat_stopped_image|failed_images\(|stopped_images\(/ { looks = 1 }
END { if (looks) for (at = 1; at <= candidates; at++) print file ":" allocations[at] ":allocate" }
