# Of the lines of "paper_000 FOLDER readings": readings chosen on two clusters, by their cells of the third; the mean where
# several are best.
BEGIN { FS = "\t" }
/^#/ { next }
{ for (c = 3; c <= 5; c++) { rest = $2 - $c; if (!(c in best) || rest > best[c]) { best[c] = rest; n[c] = sum[c] = 0 } if (rest == best[c]) { n[c]++; sum[c] += $c } } }
END { for (c = 3; c <= 5; c++) { printf "%s%.1f", (c == 3 ? "" : c == 5 ? " and " : ", "), sum[c] / n[c]; all += sum[c] / n[c] } printf " of 18: %.0f of 54", all }
