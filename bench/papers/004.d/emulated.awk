# What each model's choice costs. Input: lines of "paper_004 score" (ranks, bytes, algorithm, segment, measured, hockney, loggp,
# plogp, taulop) and the "time" lines of the method "default".
#     -v want=measured    the best of each cell: "measured", ranks, bytes, algorithm, segment
#     -v want=penalty     of each choice [%]: model, ranks, bytes, penalty
#     -v want=table       Markdown rows, over sizes from -v low=BYTES to below -v high=BYTES
#     -v want=cells       how many cells
BEGIN {
    FS = OFS = "\t"
    models = split("hockney loggp plogp taulop", model, " ")
}
$1 == "time" { if ($4 == "default") default_s[$2 OFS $3] = $6; next }
{
    k = $1 OFS $2
    if (!(k in best)) cell[++cells] = k
    if (!(k in best) || $5 < best[k]) { best[k] = $5; method[k] = $3 "/" $4 }
    for (i = 1; i <= models; i++)
        if (!((i, k) in least) || $(5 + i) < least[i, k]) { least[i, k] = $(5 + i); choice[i, k] = $3 "/" $4; takes[i, k] = $5 }
}
function penalty(i, k) { return 100 * (takes[i, k] / best[k] - 1) }
# Ascending by insertion.
function quantile(x, n, q,    i, j, t) {
    for (i = 2; i <= n; i++) { t = x[i]; for (j = i - 1; j >= 1 && x[j] > t; j--) x[j + 1] = x[j]; x[j + 1] = t }
    i = int(1 + q * (n - 1)); t = 1 + q * (n - 1) - i
    return i < n ? x[i] * (1 - t) + x[i + 1] * t : x[n]
}
function size(b) { return b == 0 || b % 1024 ? b " B" : b % 1048576 ? b / 1024 " KiB" : b / 1048576 " MiB" }
function named(m,    f) {
    split(m, f, "/"); sub(/_/, "-", f[1])
    return f[1] (f[2] > 0 ? " in " size(f[2]) : ", whole")
}
function row(name, i,    n, j, k, x, hit, near, worst, at, f) {
    for (j = 1; j <= cells; j++) {
        k = cell[j]; split(k, f, FS)
        if (f[2] + 0 < low + 0 || f[2] + 0 >= high + 0) continue
        x[++n] = i ? penalty(i, k) : 100 * (default_s[k] / best[k] - 1)
        hit += i && x[n] <= 0; near += x[n] <= 10
        if (x[n] >= worst) { worst = x[n]; at = f[1] " ranks, " size(f[2]) (i ? ": " named(choice[i, k]) " for " named(method[k]) : "") }
    }
    printf "| %s | %s | %d of %d | %.0f%% | %.0f%% | %.0f%% | %s |\n", name, i ? hit : "-", near, n, quantile(x, n, 0.5), quantile(x, n, 0.9), worst, at
}
END {
    if (want == "measured") for (j = 1; j <= cells; j++) { m = method[cell[j]]; sub("/", OFS, m); print "measured", cell[j], m }
    if (want == "penalty") for (j = 1; j <= cells; j++) {
        for (i = 1; i <= models; i++) print model[i], cell[j], penalty(i, cell[j])
        print "default", cell[j], 100 * (default_s[cell[j]] / best[cell[j]] - 1)
    }
    if (want == "table") {
        row("Hockney", 1); row("LogGP", 2); row("PLogP", 3); row("tau-Lop", 4); row("MPI_Bcast, as it decides", 0)
    }
    if (want == "cells") print cells
}
