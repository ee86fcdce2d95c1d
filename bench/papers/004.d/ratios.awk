# Rows of a table: of each method the predictions over the measured times, median (least to most).
$4 == "measured" { s[$1, $2, $3, $5, $6] = $7; next }
{ p[$4, $1, $2, $3, $5, $6] = $7 }
function figures(model, method,    k, at, n, i, j, x, ratio) {
    for (k in s) {
        split(k, at, SUBSEP)
        if (at[1] SUBSEP at[2] SUBSEP at[3] != method || !((model, k) in p)) continue
        x = p[model, k] / s[k]
        for (j = n++; j > 0 && ratio[j] > x; j--) ratio[j + 1] = ratio[j]
        ratio[j + 1] = x
    }
    return n ? sprintf("%.2f (%.2f to %.2f)", n % 2 ? ratio[(n + 1) / 2] : (ratio[n / 2] + ratio[n / 2 + 1]) / 2, ratio[1], ratio[n]) : "-"
}
END {
    n = split("barrier/bruck/0 barrier/recursive_doubling/0 barrier/linear/0 reduce/binomial/0 reduce/binomial/1024 reduce/pipeline/0 reduce/pipeline/1024 alltoall/pairwise/0", all, " ")
    for (i = 1; i <= n; i++) {
        split(all[i], m, "/")
        method = m[1] SUBSEP m[2] SUBSEP m[3]
        sub("_", " ", m[2])
        printf "| %s | %s | %s | %s | %s | %s |\n", m[1], m[2], (m[3] > 0 ? "1 KiB" : "-"), figures("hockney", method), figures("loggp", method), figures("plogp", method)
    }
}
