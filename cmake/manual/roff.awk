# What both kinds of pages share: text as roff.

# Text inside a line; `words` in bold.
function escaped(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    gsub(/'/, "\\(aq", s)
    gsub(/\^/, "\\(ha", s)
    gsub(/~/, "\\(ti", s)
    while (match(s, /`[^`]+`/))
        s = substr(s, 1, RSTART - 1) "\\fB" substr(s, RSTART + 1, RLENGTH - 2) "\\fR" substr(s, RSTART + RLENGTH)
    return s
}

# The same as a line of its own, where a dot at the beginning would be a request.
function line(s) {
    s = escaped(s)
    return s ~ /^[.]/ ? "\\&" s : s
}

function example(s) {
    gsub(/`/, "\\(ga", s)
    return line(s)
}

# The first sentence of a text, as NAME has it: without a capital at the beginning, or a dot at the end; of a long one
# what stands before its colon.
function brief(s,   first) {
    gsub(/\n/, " ", s)
    gsub(/^ +| +$|`/, "", s)
    gsub(/ et al[.]/, " et al\001", s)
    if (match(s, /[^ .][.;]( |$)/)) s = substr(s, 1, RSTART)
    if (length(s) > 90 && match(s, /[^]]: /)) s = substr(s, 1, RSTART)
    gsub(/\001/, ".", s)
    first = substr(s, 1, 2)
    if (first ~ /^[A-Z]([a-z]| )/) s = tolower(substr(s, 1, 1)) substr(s, 2)
    return escaped(s)
}

function heading(name, section) {
    return ".\\\" Made from the help of the tools and the headers of the library.\n.TH " toupper(name) " " section \
           " \"\" \"planbcast " version "\" \"planbcast\"\n.nr HY 0\n.ad l\n.SH NAME"
}
