# What the text of section 6.3 counts in Table 3, counted again in table3.tsv (whose columns its first lines name).
# Prints: statement, theirs, by Table 3, verdict.
BEGIN { FS = OFS = "\t" }
/^#/ { next }
{ cells++; of[$1]++; kchain[$1] += $4 == "chain"; if ($8 > worst[$1]) worst[$1] = $8; best += $8 == 0; near += $8 <= 9 }
$3 == 16 { if (!($1 in low) || $6 < low[$1]) low[$1] = $6; if ($6 > high[$1]) high[$1] = $6; next }
{ others++; optimal += $6 == 0 }
$6 > 0 { off[++n] = $6 }

function range(c) { return low[c] == high[c] ? low[c] "%" : low[c] "% to " high[c] "%" }
function say(what, theirs, ours, more) { print what, theirs, ours more, ours == theirs ? "the same" : "differs" }
function percent(k, all) { return sprintf("%.0f%%", 100 * k / all) }
END {
    for (i = 2; i <= n; i++) for (k = i; k > 1 && off[k - 1] > off[k]; k--) { t = off[k]; off[k] = off[k - 1]; off[k - 1] = t }
    for (i = 1; i <= n; i++) list = list (i == 1 ? "" : i < n ? "%, " : "% and ") off[i]
    say("Model-based, beyond 16 KB: optimal cells", "45", optimal, " of " others)
    say("Model-based, beyond 16 KB: near-optimal cells, and by how much", "3: 1%, 2% and 6%", n ": " list "%")
    say("Model-based, 16 KB: degradation on Grisou", "20% to 24%", range("grisou"))
    say("Model-based, 16 KB: degradation on Gros", "1%", range("gros"))
    say("Model-based, 16 KB: degradation on MareNostrum4", "3% to 84%", range("marenostrum4"))
    say("Open MPI: near-optimal cells", "46%", percent(near, cells), ": " near " of " cells " by up to 9%, of which " best " are optimal")
    say("Open MPI: degradation on Grisou, at most", "1106%", worst["grisou"] "%")
    say("Open MPI: degradation on Gros, at most", "570%", worst["gros"] "%")
    say("Open MPI: degradation on MareNostrum4, at most", "719%", worst["marenostrum4"] "%")
    say("K-chain is the best on Gros", "38%", percent(kchain["gros"], of["gros"]), ": " kchain["gros"] " of " of["gros"])
    say("K-chain is the best on MareNostrum4", "72%", percent(kchain["marenostrum4"], of["marenostrum4"]), ": " kchain["marenostrum4"] " of " of["marenostrum4"])
}
