# The public headers as manual pages: one for each function and type, from its docstring; one for each header; and
# planbcast(3), from the comment of planbcast.h. Variables: version, folder (of the pages).

FNR == 1 {
    header = FILENAME
    sub(/.*\/include\//, "", header)
    headers[++nheaders] = header
    section = ""
    part = "top"
    doc = ""
}
/SPDX-License-Identifier/ { next }

# The first comment of a header, then docstrings, without their stars.
part == "top" || part == "doc" {
    text = $0
    sub(/^\/\*+ ?/, "", text)
    ended = sub(/ *\*\/$/, "", text)
    if (FNR > 1) sub(/^ \* ?/, "", text)
    if (part == "top") top[header] = top[header] text "\n"
    else doc = doc text "\n"
    if (ended) part = "code"
    next
}
/^\/\* ---- [a-z]+ ---- \*\/$/ { section = $3; next }
part == "code" && /^\/\*\*/ {
    text = $0
    sub(/^\/\*\* ?/, "", text)
    part = sub(/ *\*\/$/, "", text) ? "code" : "doc"
    doc = text "\n"
    next
}
part == "code" && /^#define PLAN_MOST/ { constants[header] = constants[header] $2 " " $3 "\n"; next }
part == "code" && /^(PLAN_API|static inline|typedef) / { part = "declaration"; code = "" }
part == "declaration" {
    if ($0 == "{") part = "inline"
    else code = code $0 "\n"
    if ($0 ~ /;$/ && (code !~ /[{]/ || code ~ /[}][^}]*;\n$/)) part = "code"
    if (part != "declaration") add()
    next
}
part == "inline" && $0 == "}" { part = "code" }
$0 == "" && part == "code" { doc = "" }

# A declaration is complete: file it under its name.
function add(   name) {
    if (code !~ /[{]/ && match(code, /plan_[a-z0-9_]+\(/)) name = substr(code, RSTART, RLENGTH - 1)
    else {
        name = code
        sub(/;\n$/, "", name)
        sub(/.*[^a-z0-9_]/, "", name)
    }
    names[++nnames] = name
    in_header[name] = header
    in_section[name] = section
    declared[name] = code
    documented[name] = doc
    is_type[name] = code ~ /^typedef/
    doc = ""
}

# Names of functions and types in bold, outside `words`; those of other pages are noted in `mentioned`.
function marked(s,   out, word, quoted) {
    while (match(s, /`|plan_[a-z0-9_]+/)) {
        word = substr(s, RSTART, RLENGTH)
        if (word == "`") quoted = !quoted
        else if (word in declared) {
            if (word != page) mentioned[word] = 1
            if (!quoted) word = "`" word "`"
        }
        out = out substr(s, 1, RSTART - 1) word
        s = substr(s, RSTART + RLENGTH)
    }
    return line(out s)
}

# A docstring as roff: paragraphs, lists and examples to `body`; what \param, \return and \retval say to `params`,
# `returns` and `errors`.
function describe(text,   lines, n, i, s, where, gap, kind, out, word) {
    body = params = returns = errors = kind = ""
    where = "body"
    n = split(text, lines, "\n")
    gap = 1
    for (i = 1; i <= n; i++) {
        s = lines[i]
        while (i < n && s !~ /^    / && gsub(/`/, "`", s) % 2) s = s " " lines[++i] # words that go on in the next line
        if (s ~ /^ *$/) {
            gap = 1
            continue
        }
        out = ""
        if (s ~ /^\\/) {
            where = s ~ /^\\param/ ? "params" : s ~ /^\\retval/ ? "errors" : "returns"
            if (kind == "lines") body = body ".EE\n"
            kind = ""
            sub(/^\\(param(\[[a-z]*\])?|retval|return) +/, "", s)
            if (where != "returns") {
                word = s
                sub(/ .*/, "", word)
                sub(/^[^ ]+ +/, "", s)
                out = ".TP\n" (where == "params" ? ".I " : ".B ") escaped(word) "\n"
            }
            out = out marked(s) "\n"
        } else {
            if (gap && where != "body") {
                where = "body"
                kind = ""
            }
            if (where != "body") sub(/^ +/, "", s)
            else if (s ~ /^    /) {
                if (kind != "lines") out = ".PP\n.EX\n"
                kind = "lines"
            } else if (s ~ /^- /) {
                if (kind == "lines") out = ".EE\n"
                out = out ".IP \\(bu 3\n"
                s = substr(s, 3)
                kind = "list"
            } else if (kind == "lines") {
                out = ".EE\n" (gap ? ".PP\n" : "")
                kind = ""
            } else if (gap) {
                out = body != "" ? ".PP\n" : ""
                kind = ""
            }
            if (kind == "list") sub(/^ +/, "", s)
            out = out (kind == "lines" && where == "body" ? example(s) : marked(s)) "\n"
        }
        if (where == "params") params = params out
        else if (where == "errors") errors = errors out
        else if (where == "returns") returns = returns out
        else body = body out
        gap = 0
    }
    if (kind == "lines") body = body ".EE\n"
}

# A declaration of a function in lines of 76 characters, arguments in italics.
function prototype(code,   arg, n, i, s, plain, width, out) {
    gsub(/[ \n]+/, " ", code)
    sub(/^(PLAN_API|static inline|typedef) /, "", code)
    sub(/[ ;]+$/, "", code)
    n = index(code, "(")
    out = "\\fB" escaped(substr(code, 1, n)) "\\fR"
    width = n
    n = split(substr(code, n + 1), arg, ", ")
    for (i = 1; i <= n; i++) {
        s = arg[i] (i < n ? "," : ";")
        plain = length(s) + 1
        if (width + plain > 76) {
            out = out "\n    "
            width = 4
        } else if (i > 1) out = out " "
        width += plain
        if (match(s, /[a-z_0-9]+\)*[,;]$/) && RSTART > 1) {
            match(s, /[a-z_0-9]+\)*[,;]$/)
            plain = substr(s, RSTART)
            s = "\\fB" escaped(substr(s, 1, RSTART - 1)) "\\fI" plain
            sub(/[),;]+$/, "\\fB&\\fR", s)
        } else s = "\\fB" escaped(s) "\\fR"
        out = out s
    }
    return out "\n"
}

# Members of a struct or values of an enumeration, each with the comment beside it, or the docstring above it.
function members(code,   s, out, note, ahead, is_enum, own_line, last, end) {
    is_enum = code ~ /^typedef enum/
    s = substr(code, index(code, "{") + 1)
    sub(/[}][^}]*$/, "", s)
    own_line = 1
    while (s ~ /[^ \n]/) {
        match(s, /^[ \n]*/)
        own_line = substr(s, 1, RLENGTH) ~ /\n/
        s = substr(s, RLENGTH + 1)
        if (s ~ /^\/\*/) {
            end = index(s, "*/")
            note = substr(s, 3, end - 3)
            s = substr(s, end + 2)
            ahead = own_line
            gsub(/\n *(\* )?/, " ", note)
            gsub(/^\*? +| +$/, "", note)
            gsub(/  +/, " ", note)
            if (!ahead) out = out marked(note) "\n"
            else if (note ~ /:$/) {
                out = out ".PP\n" marked(note) "\n"
                last = ""
            } else last = note
            continue
        }
        if (is_enum) match(s, /^[^,\n\/]*,?/)
        else match(s, /^[^;]*;/)
        note = substr(s, 1, RLENGTH)
        s = substr(s, RLENGTH + 1)
        gsub(/[ \n]+/, " ", note)
        sub(/[, ]+$/, "", note)
        out = out ".TP\n.B " escaped(note) "\n"
        if (last != "") out = out marked(last) "\n"
        last = ""
    }
    return out
}

# The pages named in `list`, in the order of the headers, and in lines of their own.
function see_also(list, to,   i, out) {
    out = ".BR planbcast (3)"
    for (i = 1; i <= nheaders; i++)
        if (headers[i] in list) out = out ",\n.BR " file_name(headers[i]) " (3)"
    for (i = 1; i <= nnames; i++)
        if (names[i] in list) out = out ",\n.BR " names[i] " (3)"
    print ".SH SEE ALSO\n" out > to
}

function file_name(header) {
    gsub(/\//, "_", header)
    return header
}

function clear(list,   i) { for (i in list) delete list[i] }

function write_declaration(name,   to) {
    page = name
    to = folder "/" name ".3"
    clear(mentioned)
    mentioned[in_header[name]] = 1
    describe(documented[name])
    print heading(name, 3) > to
    print name " \\- " brief(documented[name]) > to
    print ".SH SYNOPSIS\n.nf\n.B #include <" in_header[name] ">\n.PP" > to
    if (declared[name] ~ /[{]/ || declared[name] !~ /\(/) {
        s = declared[name]
        if (s ~ /[{]/) {
            sub(/[{].*[}]/, "{...}", s)
            gsub(/\n/, " ", s)
        }
        sub(/[ \n]+$/, "", s)
        print ".B " escaped(s) > to
    } else printf "%s", prototype(declared[name]) > to
    print ".fi\n.SH DESCRIPTION" > to
    printf "%s", body > to
    if (declared[name] ~ /[{]/) printf ".SH %s\n%s", declared[name] ~ /^typedef enum/ ? "VALUES" : "MEMBERS", members(declared[name]) > to
    if (params) printf ".SH PARAMETERS\n%s", params > to
    if (returns == "" && declared[name] ~ /plan_status_t plan_[a-z0-9_]*\(/)
        returns = "`PLAN_OK`, which is 0, or a negative\n.BR plan_status_t (3)" (errors ? ":" : ".") "\n"
    gsub(/`PLAN_OK`/, "\\fBPLAN_OK\\fR", returns)
    if (returns errors) printf ".SH RETURN VALUE\n%s%s", returns, errors > to
    print ".SH STABILITY\n" (in_section[name] == "stable" ? "Stable." : "Experimental: may change with any version.") > to
    see_also(mentioned, to)
    close(to)
}

function list(header, section, types,   i, out) {
    for (i = 1; i <= nnames; i++)
        if (in_header[names[i]] == header && in_section[names[i]] == section && is_type[names[i]] == types)
            out = out ".TP\n.BR " names[i] " (3)\n" brief(documented[names[i]]) "\n"
    return out
}

# The library of pkg-config that has what the header declares.
function package(header) { return header ~ /^planbcast\/(mpi|preload|status|version)\.h$/ ? "planbcast" : "planbcast\\-planner" }

function write_header(header,   to, name, kind, s) {
    name = header == "planbcast.h" ? "planbcast" : file_name(header)
    page = name
    to = folder "/" name ".3"
    clear(mentioned)
    s = top[header]
    sub(/^\n/, "", s)
    if (sub(/^planbcast: /, "", s)) s = toupper(substr(s, 1, 1)) substr(s, 2)
    describe(s)
    print heading(name, 3) > to
    print escaped(name " - ") brief(s) > to
    print ".SH SYNOPSIS\n.nf\n.B #include <" header ">\n.PP\n.B " (header == "planbcast/mpi.h" ? "mpicc" : "cc") " program.c $(pkg\\-config \\-\\-cflags \\-\\-libs " package(header) ")\n.fi" > to
    printf ".SH DESCRIPTION\n%s", body > to
    for (kind = 0; kind < 4; kind++) {
        s = list(header, kind < 2 ? "stable" : "experimental", kind % 2)
        if (s) printf ".SH %s\n%s", (kind < 2 ? "STABLE " : "EXPERIMENTAL ") (kind % 2 ? "TYPES" : "FUNCTIONS"), s > to
    }
    if (constants[header]) printf ".SH CONSTANTS\n.nf\n%s.fi\n", constants[header] > to
    if (header == "planbcast.h") {
        print ".SH HEADERS" > to
        for (kind = 1; kind <= nheaders; kind++)
            if (headers[kind] != header)
                print ".TP\n.BR " file_name(headers[kind]) " (3)\n" brief(top[headers[kind]]) > to
        print ".SH SEE ALSO\n.BR planbcast (1)" > to
    } else see_also(mentioned, to)
    close(to)
}

END {
    for (i = 1; i <= nnames; i++) write_declaration(names[i])
    for (i = 1; i <= nheaders; i++) write_header(headers[i])
}
