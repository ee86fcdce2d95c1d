# From the public headers, a program that prints the binary interface as the compiler sees it: a line for each function
# with its section, each struct and its members with their offsets and sizes, each enumerator and numeric macro.
function trim(s) {
    gsub(/[ \t\n]+/, " ", s)
    gsub(/^ | $/, "", s)
    return s
}
function say(text) {
    gsub(/[\\"]/, "\\\\&", text)
    gsub(/%/, "%%", text)
    printf "    printf(\"%s %s\\n\");\n", header, text
}
function last_name(s) {
    sub(/ *\[.*/, "", s)
    sub(/.*[^A-Za-z0-9_]/, "", s)
    return s
}
function member(type, name) {
    printf "    printf(\"%s member %s.%s %%zu %%zu\\n\", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n", header, type, name, type, name, type, name
}
function structure(type, body,    part, n, i, name, k, m) {
    printf "    printf(\"%s struct %s %%zu\\n\", sizeof(%s));\n", header, type, type
    n = split(body, part, ";")
    for (i = 1; i <= n; i++) {
        if (trim(part[i]) == "") continue
        if (match(part[i], /\(\*[a-z_]+\)/)) {
            member(type, substr(part[i], RSTART + 2, RLENGTH - 3))
            continue
        }
        m = split(part[i], name, ",")
        for (k = 1; k <= m; k++) member(type, last_name(trim(name[k])))
    }
}
function enumeration(body,    name, n, i, one) {
    n = split(body, name, ",")
    for (i = 1; i <= n; i++) {
        one = trim(name[i])
        sub(/ *=.*/, "", one)
        if (one != "") printf "    printf(\"%s enum %s %%d\\n\", (int)%s);\n", header, one, one
    }
}
function statement(s,    type, body) {
    s = trim(s)
    body = s
    if (sub(/^[^{]*\{/, "", body)) sub(/\}[^}]*$/, "", body)
    type = s
    sub(/.*[^A-Za-z0-9_]/, "", type)
    if (s ~ /^@define /) {
        sub(/^@define /, "", s)
        printf "    printf(\"%s macro %s %%lld\\n\", (long long)%s);\n", header, s, s
    } else if (s ~ /^@/) {
        section = substr(s, 2)
    } else if (s ~ /^PLAN_API /) {
        sub(/^PLAN_API /, "", s)
        say("function " (section == "" ? "of no section" : section) ": " s)
    } else if (s ~ /^typedef enum /) {
        enumeration(body)
    } else if (s ~ /^typedef struct \{/) {
        structure(type, body)
    } else if (s ~ /^typedef struct /) {
        say("opaque " type)
    } else if (s ~ /^typedef /) {
        say("type: " substr(s, 9))
    }
}
function flush_header(    i, c, depth, s) {
    if (header == "") return
    gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", text)
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "{") - (c == "}")
        if (depth == 0 && c == "}" && trim(s) ~ /^static inline /) s = "" # its body is in whoever calls it
        else if (depth == 0 && c == ";") { statement(s); s = "" }
        else s = s c
    }
    text = section = ""
}
BEGIN { print "#include <planbcast.h>\n#include <stdio.h>\n#include <stddef.h>\n#ifdef WITH_MPI\n#include <planbcast/mpi.h>\n#endif\nint main(void)\n{" }
FNR == 1 { flush_header(); header = FILENAME; sub(/.*\//, "", header) }
/^#ifdef __cplusplus/ { skipped = 1 }
skipped { skipped = !/^#endif/; next }
/---- (stable|experimental) ----/ { text = text "\n@" ($0 ~ /stable/ ? "stable" : "experimental") ";"; next }
/^#define PLAN(BCAST)?_[A-Z_]+ [0-9]+/ { if ($2 !~ /VERSION/) text = text "\n@define " $2 ";" }
/^#/ { next }
{ text = text "\n" $0 }
END { flush_header(); print "    return 0;\n}" }
