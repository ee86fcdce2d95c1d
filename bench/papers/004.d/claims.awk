# What the text of section 6.2 says of Figure 5 (b) to (d), held against a map: lines "model ranks bytes algorithm segment".
# Prints: claim, what came out, whether it holds.
BEGIN { FS = OFS = "\t" }
{
    method = $4 "/" $5
    at[$1, $2, $3] = method
    any[$1, method]++
    size[$3]; rank[$2]
}

# Share of cells with low <= bytes < high whose method is in a list.
function share(model, low, high, list,    p, m, n, yes) {
    for (p in rank) for (m in size)
        if (m + 0 >= low && m + 0 < high) { n++; yes += index(" " list " ", " " at[model, p, m] " ") > 0 }
    return 100 * yes / n
}
function percent(x) { return (x == int(x) ? sprintf("%d", x) : sprintf("%.1f", x)) "%" }
# Least size from which on a pattern matches; "never": 0.
function first(model, p, pattern,    m, least) {
    for (m in size) if (at[model, p, m] ~ pattern && (!least || m + 0 < least)) least = m + 0
    return least
}
function range(model, pattern,    p, x, low, high) {
    for (p in rank) { x = first(model, p, pattern); if (x && (!low || x < low)) low = x; if (x > high) high = x }
    return low ? sprintf("%g to %g KiB", low / 1024, high / 1024) : "never"
}
# For how many numbers of ranks PLogP comes to a pattern before LogGP, with it, after it.
function earlier(pattern,    p, a, b, before, with, after) {
    for (p in rank) {
        a = first("plogp", p, pattern); b = first("loggp", p, pattern)
        before += a < b; with += a == b; after += a > b
    }
    return sprintf("earlier for %d numbers of ranks, equal for %d, later for %d", before, with, after) OFS verdict(before > with + after)
}
function ordered(    p, s, t, u, n) {
    for (p in rank) {
        s = first("plogp", p, "^split_binary/1024$"); t = first("plogp", p, "^pipeline/1024$"); u = first("plogp", p, "^pipeline/8192$")
        n += s && t && u && s < t && t < u
    }
    return n + 0
}
function some(model, method) { return ((model, method) in any) ? any[model, method] " cells" : "none" }

function verdict(yes) { return yes ? "holds" : "no" }
function claim(text, value) { print text, percent(value), (value == 100 ? "holds" : value >= 80 ? "mostly" : "no") }

END {
    K = 1024; huge = 2 ^ 40
    claim("Hockney: small messages (< 1 KiB) go by the binomial tree, for all numbers of ranks", share("hockney", 0, K, "binomial/0"))
    claim("Hockney: around 10 KB (8, 12 KiB), split-binary in 1 KiB", share("hockney", 8 * K, 16 * K, "split_binary/1024"))
    claim("Hockney: larger ones (from 32 KiB), split-binary or pipeline in 8 KiB", share("hockney", 32 * K, huge, "split_binary/8192 pipeline/8192"))
    print "Hockney: pipeline in 8 KiB among them", some("hockney", "pipeline/8192"), verdict(("hockney", "pipeline/8192") in any)
    claim("LogGP: small messages (< 1 KiB) go unsegmented by linear, binomial and binary trees", share("loggp", 0, K, "linear/0 binomial/0 binary/0"))
    print "LogGP: binary among them", some("loggp", "binary/0"), verdict(("loggp", "binary/0") in any)
    claim("LogGP: intermediate ones (4 to 24 KiB) by split-binary or pipeline in 1 KiB", share("loggp", 4 * K, 32 * K, "split_binary/1024 pipeline/1024"))
    claim("LogGP: really large ones (from 2 MiB) by pipeline in 8 KiB", share("loggp", 2048 * K, huge, "pipeline/8192"))
    print "LogGP: changes to 8 KiB segments too early", "from " range("loggp", "/8192$"), "needs theirs"
    claim("PLogP: small messages (< 1 KiB) go by the binomial tree", share("plogp", 0, K, "binomial/0"))
    alone = (("plogp", "binary/1024") in any) && !(("loggp", "binary/1024") in any) && !(("hockney", "binary/1024") in any)
    print "PLogP alone takes binary in 1 KiB, for intermediate sizes", "PLogP " some("plogp", "binary/1024") ", LogGP " some("loggp", "binary/1024") ", Hockney " some("hockney", "binary/1024"), verdict(alone)
    claim("PLogP: then split-binary in 1 KiB, pipeline in 1 KiB, pipeline in 8 KiB, in this order (share of numbers of ranks)", 100 * ordered() / 30)
    print "PLogP comes to pipelines earlier than LogGP", earlier("^pipeline/")
    print "PLogP comes to 8 KiB segments earlier than LogGP", earlier("/8192$")
}
