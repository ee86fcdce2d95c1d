# The help of a command as a manual page. Variables: name of the page, version, exits (the line on exit status), see
# (other pages, separated by blanks).

# Close the paragraph, item or block of lines that is open, and open another kind.
function open(kind) {
    if (block == "lines") body = body ".EE\n"
    if (kind == "text") body = body ".PP\n"
    if (kind == "lines") body = body ".PP\n.EX\n"
    block = kind
}

function describe(s) {
    if (s == "") open("")
    else if (s ~ /^  [^ ]+   *[^ ]/ && s !~ /^   /) {
        open("item")
        n = split_off(s)
        body = body ".TP\n.B " escaped(left) "\n" line(substr(s, n)) "\n"
    } else if (s ~ /^    / && block == "item") {
        sub(/^ +/, "", s)
        body = body line(s) "\n"
    } else if (s ~ /^ /) {
        if (block != "lines") open("lines")
        body = body example(s) "\n"
    } else {
        if (block != "text") open("text")
        body = body line(s) "\n"
    }
}

# Put the first column of a line to `left`. \return where the second begins
function split_off(s) {
    if (match(s, /^  [^ ]+   */) == 0 && match(s, /^  [^ ]+ [^ ]+ +/) == 0) return 1
    left = substr(s, 3, RLENGTH - 2)
    sub(/ +$/, "", left)
    return RLENGTH + 1
}

function option(s,   from, value) {
    if (s ~ /^  -/) {
        from = split_off(s)
        value = ""
        if ((n = index(left, " ")) > 0) {
            value = " \\fI" escaped(substr(left, n + 1)) "\\fR"
            left = substr(left, 1, n - 1)
        }
        options = options ".TP\n\\fB" escaped(left) "\\fR" value "\n"
        s = substr(s, from)
    }
    sub(/^ +/, "", s)
    options = options line(s) "\n"
}

/^usage: / && usage == "" { usage = substr($0, 8); next }
summary == "" { summary = $0; part = "text"; if ($0 != "") describe($0); next }
/^(options|commands|examples):$/ { part = $1; next }
/^Exit status: / { exits = substr($0, 14); next }
part == "options:" && $0 != "" { option($0); next }
part == "commands:" && /^  / { n = $1; what = $0; sub(/^  [^ ]+ +/, "", what)
    commands = commands ".TP\n.BR " escaped(name "-" n) " (1)\n" line(what) "\n"; next }
part == "examples:" && /^  / { examples = examples example(substr($0, 3)) "\n"; next }
part != "text" && $0 == "" { part = "text" }
{ describe($0) }

END {
    open("")
    sub(/^[.]PP\n/, "", body)
    print heading(name, 1)
    print escaped(name " - ") brief(summary)
    print ".SH SYNOPSIS\n.B " escaped(usage)
    printf ".SH DESCRIPTION\n%s", body
    if (commands) printf ".SH COMMANDS\n%s", commands
    if (options) printf ".SH OPTIONS\n%s", options
    print ".SH EXIT STATUS\n" line(exits)
    if (examples) printf ".SH EXAMPLES\n.EX\n%s.EE\n", examples
    n = split(see, page, " ")
    print ".SH SEE ALSO"
    for (i = 1; i <= n; i++) {
        p = index(page[i], "(")
        print ".BR " escaped(substr(page[i], 1, p - 1)) " " substr(page[i], p) (i < n ? "," : "")
    }
}
