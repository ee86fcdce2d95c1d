# BW_MP(N) by levels of this host, and what it is worth in the planner's scores; bench/papers/002 --scoring sources it.
[ -d "$regret" ] || fail "--scoring $regret: no such folder" 2
pairs=$(readlink -f "$(program bench_pairs)") planner=$(program planbcast) ranks=8
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
[ -z "$again" ] || rm -rf "${raw:?}/scoring"
mkdir -p "$raw/scoring" || fail "$raw/scoring: cannot be made"
if [ ! -s "$raw/scoring/rates.json" ]; then
    mpirun --bind-to none --oversubscribe -n "$ranks" "$pairs" >"$work/rates.json" 2>"$work/rates" || { cat "$work/rates" >&2 && fail "measuring pairs failed"; }
    mv "$work/rates.json" "$raw/scoring/rates.json"
fi
if [ ! -s "$raw/scoring/regret.md" ]; then
    "$top/bench/planning/contention" --tool "$planner" "$regret" >"$work/regret.md" || fail "bench/planning/contention failed"
    mv "$work/regret.md" "$raw/scoring/regret.md"
fi

{
    cat <<MARKDOWN
# 002: contention in the planner's scores

$("$top/bench/provenance" "bench/papers/002 --scoring FOLDER" "$(nproc) cores") FOLDER is of runs of
\`bench/baselines/run --regret\` on emulated clusters, commits $(jq -r .provenance.commit "$regret"/*/root*/*.json | sort -u | paste -sd ' '), $(jq -r '.provenance.date[:10]' "$regret"/*/root*/*.json | sort -u | paste -sd ' '): $(cd "$regret" && compgen -G '*/root*' | sed 's|/.*||' | sort -u | paste -sd ' ').

## Pairs by levels of this host

\`bench_pairs\`: $ranks ranks, messages of 256 KiB to 2 MiB. BW_MP(N) by Huber's regression; beside it formula (3). Errors are (11), of the medians
that are fitted. Levels that the host does not have are left out.

| pairs share | processors | N | BW_MP(N) [MB/s] | by (3) | error | of the max-rate model |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
$(jq -r 'def mb: . / 1e6 | round; .levels[] | . as $l | range(.receivers | length) | . as $i | $l.bytes_per_s
    | "| \($l.level) | \($l.processors) | \($l.receivers[$i]) | \(.[$i] | mb) | \([.[0] * $l.receivers[$i], .[-1]] | min | mb) | "
      + (if $i == 0 then "\($l.error * 1000 | round / 10)% | \($l.max_rate_error * 1000 | round / 10)% |" else " | |" end)' "$raw/scoring/rates.json")

## Regret with and without

The planner's resources have tables BW_MP(N) by message size: of memory, of copying processors and of cards; processors
also take time per message. \`bench/planning/contention FOLDER\` plans from the profiles of a run again, with less in them, or more:

$(cat "$raw/scoring/regret.md")
MARKDOWN
    echo
    cat "$data/scoring.md"
} | tee "$out/002-scoring.md"
echo "bench/papers/002: report in $out" >&2
