# What the text of section 6.2 says of Figures 2 to 4, held against the models' curves: lines "collective algorithm
# segment model ranks bytes seconds". Prints: claim, what came out, whether it holds.
BEGIN { FS = OFS = "\t"; models = split("hockney loggp plogp", model, " "); name["hockney"] = "Hockney"; name["loggp"] = "LogGP"; name["plogp"] = "PLogP" }
{ t[$1, $2, $3, $4, $5, $6] = $7 }

function barrier(a, m, p) { return t["barrier", a, 0, m, p, 0] }
function reduce(a, s, m, p, b) { return t["reduce", a, s, m, p, b] }
function verdict(yes) { return yes ? "holds" : "no" }
function each(what,    i, m, all) {
    for (i = 1; i <= models; i++) { m = model[i]; all = all (i > 1 ? ", " : "") name[m] " " value(what, m) }
    return all
}
function value(what, m,    p) {
    if (what == "linear from") { # from how many ranks on the flat tree is the slowest
        for (p = 32; p >= 2 && barrier("linear", m, p) > barrier("bruck", m, p) && barrier("linear", m, p) > barrier("recursive_doubling", m, p); p--);
        return "from " p + 1 " ranks on"
    }
    if (what == "growth") return sprintf("%.3f", reduce("pipeline", 1024, m, 24, 2 ^ 20) / reduce("pipeline", 1024, m, 8, 2 ^ 20))
    if (what == "1 MiB") return sprintf("%.1f and %.1f ms", 1e3 * reduce("pipeline", 1024, m, 8, 2 ^ 20), 1e3 * reduce("pipeline", 1024, m, 24, 2 ^ 20))
    if (what == "alltoall") return sprintf("%.3g ms", 1e3 * t["alltoall", "pairwise", 0, m, 24, 48 * 2 ^ 14])
}

END {
    # Figure 2
    g = (barrier("linear", "loggp", 32) - barrier("linear", "loggp", 2)) / 30; h = (barrier("linear", "plogp", 32) - barrier("linear", "plogp", 2)) / 30
    bent = 0
    for (p = 3; p <= 32; p++) for (i = 2; i <= 3; i++) {
        d = barrier("linear", model[i], p) - barrier("linear", model[i], p - 1)
        bent += (d - g) ^ 2 > 1e-18
    }
    print "Flat-tree barrier, LogGP and PLogP: linear in the number of ranks, with the gap of empty messages as slope", sprintf("LogGP %.3f, PLogP %.3f us a rank", 1e6 * g, 1e6 * h), verdict(!bent)
    print "The flat tree takes slightly longer than both others", each("linear from"), "partly"
    r = barrier("linear", "hockney", 32) / barrier("linear", "loggp", 32)
    print "Hockney largely overestimates the flat tree, for each message waits for the latency", sprintf("at 32 ranks %.1f times LogGP", r), verdict(r > 2)
    print "Bruck and recursive doubling: steps of the logarithm", sprintf("LogGP on 32 ranks: both %.0f us; on 24: %.0f and %.0f us", 1e6 * barrier("bruck", "loggp", 32), 1e6 * barrier("bruck", "loggp", 24), 1e6 * barrier("recursive_doubling", "loggp", 24)), "consistent"
    # Figure 3
    same = n = 0
    for (p = 8; p <= 24; p += 16) for (b = 1; b < 1024; b *= 2) {
        order = ""
        for (i = 1; i <= models; i++) order = order (reduce("binomial", 0, model[i], p, b) < reduce("pipeline", 0, model[i], p, b) ? "<" : ">")
        n++; same += order == "<<<" || order == ">>>"
    }
    print "Reduce below 1 KB: all models put the algorithms in the same order", sprintf("in %d of %d cases, the binomial tree first", same, n), verdict(same == n)
    more = n = 0
    for (p = 8; p <= 24; p += 16) for (b = 2048; b <= 4 * 2 ^ 20; b *= 2) for (i = 1; i <= models; i++) {
        n++; more += reduce("binomial", 1024, model[i], p, b) > reduce("binomial", 0, model[i], p, b)
    }
    print "Segments make a binomial reduce slower, by the models (from 100 KB on the measurements disagree)", sprintf("in %d of %d cases", more, n), verdict(more == n)
    worst = 0
    for (i = 1; i <= models; i++) { r = reduce("pipeline", 1024, model[i], 24, 2 ^ 20) / reduce("pipeline", 1024, model[i], 8, 2 ^ 20); if (r > worst) worst = r }
    print "A pipelined reduce of 1 MB in segments of 1 KB takes as long on 24 ranks as on 8", "24 ranks over 8: " each("growth"), verdict(worst < 1.05)
    over = under = nearest = 1
    for (p = 8; p <= 24; p += 16) {
        over = over && reduce("pipeline", 1024, "hockney", p, 2 ^ 20) > 0.04
        under = under && reduce("pipeline", 1024, "loggp", p, 2 ^ 20) < 0.04
        d = reduce("pipeline", 1024, "plogp", p, 2 ^ 20) - 0.04; e = reduce("pipeline", 1024, "loggp", p, 2 ^ 20) - 0.04; f = reduce("pipeline", 1024, "hockney", p, 2 ^ 20) - 0.04
        nearest = nearest && d * d < e * e && d * d < f * f
    }
    print "It takes around 40 ms: Hockney overestimates it, LogGP underestimates it", each("1 MiB"), verdict(over && under)
    print "PLogP is the closest to it", "the same", verdict(nearest)
    # Figure 4
    r = t["alltoall", "pairwise", 0, "hockney", 24, 48 * 2 ^ 14] / t["alltoall", "pairwise", 0, "loggp", 24, 48 * 2 ^ 14]
    print "Pairwise exchange on 24 ranks: Hockney is far below LogGP and PLogP", "768 KiB sent by each: " each("alltoall"), verdict(r < 0.8)
}
