# Man pages of section 3, from a header of C: one page for the functions that share a comment, named after the first, and links
# for the others; the comment at the head of the header is a page of its own.
#
#     awk -v directory=man3 -v overview=xmprt -f functions.awk xmprt.h
#
# A comment in the first column belongs to the functions that follow it, up to an empty line, or to a type and functions after it.
# Constants without a type are on the pages of the functions that their comment names. A type with a comment of its own has a page.

BEGIN {
    state = "head"
    while ((getline line < ARGV[1]) > 0)
        if (line ~ /^[a-zA-Z].*[ *]xmprt_[a-z0-9_]+\(/) {
            sub(/\(.*/, "", line)
            sub(/.*[ *]/, "", line)
            functions[line] = 1
        }
    close(ARGV[1])
}

# The comment at the head.
state == "head" && /^\/\*$/ { state = "overview"; next }
state == "overview" && /^ \*\/$/ { state = "code"; next }
state == "overview" { overview_lines[++overview_count] = substr($0, 4); next }

# Headings end a group.
/^\/\* ----/ { end_of_group(); next }
state == "code" && /^\/\*/ { end_of_group(); state = "comment"; comment = "" }
state == "comment" {
    line = $0
    sub(/^(\/\*| \*) ?/, "", line)
    ends = sub(/ *\*\/$/, "", line)
    comment = comment line "\n"
    if (ends || $0 ~ /^ \*\/$/) state = "code"
    next
}

# A comment of a type is that of functions after it that have no other.
/^$/ { if (count > 0) end_of_group(); next }
# Types that functions name.
/^typedef (enum|struct) (XMPRT_NODISCARD )?\{$/ { state = "type"; type = $0; sub(/XMPRT_NODISCARD /, "", type); next }
state == "type" {
    type = type "\n" $0
    if ($0 ~ /^\}/) {
        name = $0
        gsub(/[} ;]/, "", name)
        types[name] = type
        order_of_types[++type_count] = name
        about_types[name] = comment
        state = "code"
    }
    next
}
# Values that stand for something in the type before.
/^#define XMPRT_(WHOLE|OWN|NOT_DISTRIBUTED|FULL) / { types[order_of_types[type_count]] = types[order_of_types[type_count]] "\n" $0; next }
# Constants without a type.
state == "code" && /^enum \{/ { state = "constants"; constants[++constant_count] = ""; about[constant_count] = comment; comment = "" }
state == "constants" {
    constants[constant_count] = constants[constant_count] (constants[constant_count] == "" ? "" : "\n") $0
    if ($0 ~ /\};$/) state = "code"
    next
}
/^typedef void \(\*/ { name = $0; sub(/^typedef void \(\*/, "", name); sub(/\).*/, "", name); types[name] = $0; order_of_types[++type_count] = name; next }
# Functions: prototypes begin in the first column and end by a semicolon.
/^(#|typedef|static|extern|enum|\}|\{| )/ && state == "code" { next }
state == "code" && /\(/ { prototype = $0; state = "prototype" }
state == "prototype" {
    if (prototype != $0) prototype = prototype "\n" $0
    if ($0 ~ /;$/) {
        state = "code"
        name = prototype
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        names[++count] = name
        prototypes[count] = prototype
    }
}

END {
    end_of_group()
    write_types()
    write_overview()
}

# Writes the page of the functions that have been read since the last comment.
function end_of_group(    page, k, first) {
    if (count > 0 && comment != "") {
        first = names[1]
        page = directory "/" first ".3"
        head(page, first, list_of(count, ", "), summary(comment))
        print ".SH SYNOPSIS\n.nf\n.B #include <" header() ">\n" > page
        for (k = 1; k <= count; k++) print escaped(plain(prototypes[k])) > page
        print ".fi" > page
        for (k = 1; k <= type_count; k++) if (is_named(order_of_types[k])) print ".PP\n.nf\n" escaped(types[order_of_types[k]]) "\n.fi" > page
        for (k = 1; k <= constant_count; k++) if (names_any(about[k])) {
            print ".PP\n.nf\n" escaped(constants[k]) "\n.fi" > page
            paragraphs(page, ".PP\n" about[k])
        }
        print ".SH DESCRIPTION" > page
        paragraphs(page, comment)
        if (prototypes[1] ~ /^xmprt_status/)
            print ".SH RETURN VALUE\n.B XMPRT_OK\nor another status, which\n.BR xmprt_message (3)\nexplains;\n.BR xmprt (3)\nhas them all." > page
        print ".SH SEE ALSO\n.BR " overview " (3)" > page
        see_also(page, comment)
        close(page)
        for (k = 2; k <= count; k++) {
            print ".so man3/" first ".3" > (directory "/" names[k] ".3")
            close(directory "/" names[k] ".3")
        }
        for (k = 1; k <= count; k++) all[++all_count] = names[k]
        for (k = 1; k <= type_count; k++) if (order_of_types[k] !~ /^xmprt_(team|status)$/ && is_named(order_of_types[k]))
            users[order_of_types[k]] = users[order_of_types[k]] ".BR " first " (3)\n"
    }
    count = 0
    comment = ""
}

# True if a text names a function of the group.
function names_any(text,    k) {
    for (k = 1; k <= count; k++) if (text ~ (names[k] "([^a-z0-9_]|$)")) return 1
    return 0
}

# The functions that a text names, those of the group apart.
function see_also(page, text,    word, seen, k) {
    for (k = 1; k <= count; k++) seen[names[k]] = 1
    while (match(text, /xmprt_[a-z0-9_]+/)) {
        word = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
        if ((word in functions) && !(word in seen)) print ".BR " word " (3)" > page
        seen[word] = 1
    }
}

# A page of each type that has a comment of its own, with the functions that have it in their prototypes.
function write_types(    k, name, page) {
    for (k = 1; k <= type_count; k++) {
        name = order_of_types[k]
        if (about_types[name] == "" || (name in functions)) continue
        page = directory "/" name ".3"
        head(page, name, name, summary(about_types[name]))
        print ".SH SYNOPSIS\n.nf\n.B #include <" header() ">\n" > page
        print escaped(types[name]) "\n.fi\n.SH DESCRIPTION" > page
        paragraphs(page, about_types[name])
        print ".SH SEE ALSO\n.BR " overview " (3)" > page
        if (users[name] != "") printf "%s", users[name] > page
        close(page)
    }
}

# Whether a prototype of the group names a type, those apart that most functions have.
function is_named(type,    k) {
    if (type ~ /^xmprt_(team|request|status)$/) return 0
    for (k = 1; k <= count; k++) if (prototypes[k] ~ ("(^|[ (])" type "[ )]")) return 1
    return 0
}

function write_overview(    page, text, k) {
    page = directory "/" overview ".3"
    text = ""
    for (k = 1; k <= overview_count; k++) text = text overview_lines[k] "\n"
    head(page, overview, overview, summary(text))
    print ".SH SYNOPSIS\n.B #include <" header() ">\n.SH DESCRIPTION" > page
    paragraphs(page, text)
    if ("xmprt_status" in types) print ".SH STATUS\n.nf\n" escaped(types["xmprt_status"]) "\n.fi" > page
    print ".SH FUNCTIONS" > page
    for (k = 1; k <= all_count; k++) print ".BR " all[k] " (3)" (k < all_count ? "," : "") > page
    print ".SH SEE ALSO\n.BR xmpcc (1),\n.BR xmprun (1)" > page
    close(page)
}

function head(page, title, list, about) {
    print ".\\\" Made from " header() "." > page
    print ".TH " toupper(title) " 3 \"\" \"XMP-RT\" \"XMP-RT for C\"" > page
    print ".nh\n.ad l\n.SH NAME\n" list " \\- " escaped(about) > page
}

function header(    name) {
    name = FILENAME
    sub(/.*\//, "", name)
    return name
}

function list_of(count, separator,    text, k) {
    text = names[1]
    for (k = 2; k <= count; k++) text = text separator names[k]
    return text
}

# The first sentence, without its end.
function summary(text) {
    gsub(/\n/, " ", text)
    sub(/^XMP-RT for C: /, "", text)
    sub(/[.:;]( .*)?$/, "", text)
    sub(/ $/, "", text)
    if (text !~ /^(CO_|SYNC|EVENT|XMPRT|[A-Z][A-Z])/) text = tolower(substr(text, 1, 1)) substr(text, 2)
    gsub(/`/, "", text)
    return text
}

# A prototype without attributes.
function plain(text) {
    sub(/^XMPRT_NORETURN /, "", text)
    return text
}

# Backslashes, and dots and quotes that begin a line, are no commands of roff.
function escaped(text) {
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/\n\./, "\n\\\\\\&.", text)
    gsub(/\n'/, "\n\\\\\\&'", text)
    return text
}

# Empty lines part paragraphs; lines that begin with a hyphen are a list; lines that are further in are code.
function paragraphs(page, text,    lines, k, n, line, is_code, in_list) {
    n = split(text, lines, "\n")
    for (k = 1; k <= n; k++) {
        line = lines[k]
        if (line == "") in_list = 0
        if ((line ~ /^    [^ -]/ && !in_list) || (is_code && line ~ /^      /)) {
            if (!is_code) print ".PP\n.nf" > page
            is_code = 1
            print escaped(line) > page
            continue
        }
        if (is_code && line != "") { print ".fi" > page; is_code = 0 }
        if (line == "") { if (k < n && !is_code) print ".PP" > page; else if (is_code) print "" > page; continue }
        if (line ~ /^ *- /) { in_list = 1; print ".IP \\(bu 3" > page; sub(/^ *- /, "", line) }
        sub(/^ +/, "", line)
        gsub(/`/, "", line)
        print escaped(line) > page
    }
    if (is_code) print ".fi" > page
}
