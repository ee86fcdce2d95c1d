#!/usr/bin/env bash
# test_constants.sh TOP README...: each constant in the tables of these READMEs (| constant | file | value | ...) occurs in a file
# named beside it, each of these files is there and has one of them, and where a definition there is a plain number, the
# value is that. Names and files stand in code marks; else a row describes numbers that have no names.
set -euo pipefail
cd "$1" && shift
find graphs lib lp planner -name '*.[ch]' | LC_ALL=C sort | awk '
    function wrong(text) { print "FAILED: " readme ": " text; failed = 1 }

    # The words in code marks; those before (...) of a macro or function.
    function marked(cell, words,    n) {
        while (match(cell, /`[^`]*`/)) {
            words[++n] = substr(cell, RSTART + 1, RLENGTH - 2)
            cell = substr(cell, RSTART + RLENGTH)
        }
        return n + 0
    }

    # The text of a file, in one line, without comments.
    function text_of(path,    line, all) {
        if (path in text) return text[path]
        while ((getline line <path) > 0) {
            sub(/\/\/.*/, "", line)
            all = all line (line ~ /^#define/ ? " ; " : " ")
        }
        close(path)
        gsub(/\/\*([^*]|\*[^\/])*\*\//, " ", all)
        return text[path] = all
    }

    # Files that NAME may mean: those that end so, in the folder of the README if there are any. \return their number
    function meant(name, paths,    i, n, own, end, all) {
        end = name
        sub(/^(\.\.\/)+/, "", end)
        gsub(/\./, "\\.", end)
        sub(/\\\.\[ch\]$/, "\\.[ch]", end)
        sub(/\/$/, "/[^/]*", end)
        for (own = 1; own >= 0 && n == 0; own--)
            for (i = 1; i <= sources; i++)
                if (source[i] ~ ("(^|/)" end "$") && (!own || index(source[i], folder) == 1)) paths[++n] = source[i]
        return n + 0
    }

    function number(x,    part) {
        gsub(/\(size_t\)|PLANI_REPEATS|[ ()]/, "", x)
        gsub(/[uUlL]+/, "", x)
        if (x ~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/) return x + 0
        if (x ~ /^[0-9.]+(<<|\*)[0-9.e]+$/) {
            split(x, part, /<<|\*/)
            return x ~ /\*/ ? part[1] * part[2] : part[1] * 2 ^ part[2]
        }
        return ""
    }

    # What defines NAME as a plain number in this text; "": nothing.
    function value_of(name, all,    x) {
        if (match(all, "(^|[^A-Za-z0-9_.])" name " *= *[^,;{}=]+ *[,;}]") || match(all, "#define +" name " +[^;]+;")) {
            x = substr(all, RSTART, RLENGTH)
            sub("^.*" name " *=? *", "", x)
            sub(/[,;} ]+$/, "", x)
            return number(x)
        }
        return ""
    }

    function look_at(row, cell,    names, files, values, name, file, paths, value, i, j, k, n, m, hit, found, has) {
        n = marked(cell[2], name)
        m = marked(cell[3], file)
        if (m == 0) { if (n > 0 || cell[3] !~ /phases/) wrong("no file: " row); return }
        values = split(cell[4], value, /[,;] */)
        for (j = 1; j <= m; j++) {
            if (meant(file[j], paths) == 0) wrong(file[j] " is not there: " row)
            delete paths
        }
        for (i = 1; i <= n; i++) {
            rows++
            hit = 0
            found = ""
            for (j = 1; j <= m; j++) {
                k = meant(file[j], paths)
                for (; k > 0; k--) {
                    if (text_of(paths[k]) !~ ("(^|[^A-Za-z0-9_])" name[i] "([^A-Za-z0-9_]|$)")) continue
                    hit = 1
                    has[j] = 1
                    if (found == "") found = value_of(name[i], text_of(paths[k]))
                }
                delete paths
            }
            if (!hit) wrong(name[i] " is not in " cell[3])
            if (found != "" && values == n && number(value[i]) != "") {
                compared++
                if (number(value[i]) != found) wrong(name[i] " is " found " in " cell[3] ", not " value[i])
            }
        }
        for (j = 1; j <= m; j++) if (n > 0 && !has[j]) wrong(file[j] " has none of " cell[2])
    }

    FILENAME == "-" { source[++sources] = $0; next }
    FNR == 1 { readme = FILENAME; folder = readme; sub(/[^\/]*$/, "", folder); inside = 0 }
    /^\| constant \| file \|/ { inside = 1; tables++; next }
    !/^\|/ { inside = 0 }
    inside && !/^\| -/ { split($0, cell, / *\| */); look_at($0, cell) }
    END {
        if (tables < 5 || rows < 100 || compared < 50) { print "FAILED: only " tables " tables, " rows " constants, " compared " values"; failed = 1 }
        exit failed
    }' - "$@"
