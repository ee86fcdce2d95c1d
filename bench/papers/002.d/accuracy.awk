# Of table4.tsv: 1 - the mean error in percent, and 1 - that of the most processes.
BEGIN { FS = OFS = "\t" }
/^#/ { next }
{ sum += $3; n++; if ($1 > most) { most = $1; last = $3 } }
END { printf "%.1f%%\t%.1f%%\n", 100 * (1 - sum / n), 100 * (1 - last) }
