# Lines of paper_001 to a table of means and deviations, one row for each candidate, one column for each x:
#   -v family=random|tiers -v ports=one|multi -v by=2|3 (ranks or density asked for) -v names="prune-simple ..."
#   -v form=markdown|gnuplot (for gnuplot: rows are x; columns x, then mean and deviation of each candidate)
BEGIN { FS = "\t"; candidates = split(names, name, " ") }
$1 == family && $6 == ports {
    x = $by
    if (!(x in seen)) { seen[x] = 1; column[++columns] = x }
    r = 100 * $9 / $8
    n[x, $7]++; if (n[x, $7] > most[x]) most[x] = n[x, $7]
    sum[x, $7] += r; square[x, $7] += r * r
}
function mean(x, c) { return sum[x, c] / n[x, c] }
function deviation(x, c,  v) { v = square[x, c] / n[x, c] - mean(x, c) ^ 2; return v > 0 ? sqrt(v) : 0 }
# How many platforms, if not all had the links that the candidate's shape needs.
function where(x, c) { return n[x, c] < most[x] ? sprintf(" (%d of %d)", n[x, c], most[x]) : "" }
END {
    for (i = 2; i <= columns; i++)
        for (j = i; j > 1 && column[j] + 0 < column[j - 1] + 0; j--) { t = column[j]; column[j] = column[j - 1]; column[j - 1] = t }
    if (form == "gnuplot") {
        for (i = 1; i <= columns; i++) {
            printf "%s", column[i]
            for (k = 1; k <= candidates; k++) printf "\t%.2f\t%.2f", mean(column[i], name[k]) / 100, deviation(column[i], name[k]) / 100
            printf "\n"
        }
        exit
    }
    printf "| candidate |"; for (i = 1; i <= columns; i++) printf " %s |", column[i]; printf "\n| --- |"
    for (i = 1; i <= columns; i++) printf " ---: |"; printf "\n"
    for (k = 1; k <= candidates; k++) {
        printf "| %s |", name[k]
        for (i = 1; i <= columns; i++)
            if ((column[i], name[k]) in n)
                printf " %.1f ± %.1f%s |", mean(column[i], name[k]), deviation(column[i], name[k]), where(column[i], name[k])
            else printf " - |"
        printf "\n"
    }
}
