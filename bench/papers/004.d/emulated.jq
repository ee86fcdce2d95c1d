# What each model's choice costs. Input: lines of "paper_004 score" (ranks, bytes, algorithm, segment, measured, hockney, loggp,
# plogp, taulop, simulation) and the "time" lines of the method "default". jq -Rnr -L bench --arg want WANT
#     measured    the best of each cell: "measured", ranks, bytes, algorithm, segment
#     penalty     of each choice [%]: model, ranks, bytes, penalty
#     table       Markdown rows, over sizes from --argjson low BYTES to below --argjson high BYTES
#     best        a sentence: which model's choices are the best of the table
#     cells       how many cells
include "tables";

def models: ["hockney", "loggp", "plogp", "taulop", "simulation"];
def called: {hockney: "Hockney", loggp: "LogGP", plogp: "PLogP", taulop: "tau-Lop", simulation: "the simulation", default: "MPI_Bcast, as it decides"}[.];
def method: (.algorithm | sub("_"; "-")) + if .segment > 0 then " in \(.segment | size)" else ", whole" end;

# One for each cell: the best method, and of each model and the default what is chosen and what it costs more.
def cells:
  [inputs / "\t"] as $lines
  | ($lines | map(select(.[0] == "time" and .[3] == "default") | {key: "\(.[1]) \(.[2])", value: (.[5] | tonumber)}) | from_entries) as $default
  | $lines | map(select(.[0] != "time") | {ranks: (.[0] | tonumber), bytes: (.[1] | tonumber), algorithm: .[2], segment: (.[3] | tonumber),
                                           s: (.[4] | tonumber), predicted: (.[5:] | map(tonumber))})
  | group_by(.ranks, .bytes) | map(min_by(.s) as $best | . as $methods
    | {ranks: $best.ranks, bytes: $best.bytes, $best,
       choice: ([range(models | length) as $i | {key: models[$i], value: ($methods | min_by(.predicted[$i]) | .penalty = .s / $best.s - 1)}] | from_entries)}
    | .choice.default = {penalty: ($default["\(.ranks) \(.bytes)"] / $best.s - 1)});

# Of the cells at hand what each model, and the default, comes to.
def rows: . as $cells | models + ["default"] | map(. as $model | $cells | map(.choice[$model].penalty) as $penalties
  | {$model, hits: (if $model == "default" then null else $penalties | map(select(. <= 0)) | length end),
     near: ($penalties | map(select(. <= 0.1)) | length), cells: length, median: ($penalties | median), most: ($penalties | quantile(0.9)),
     worst: max_by(.choice[$model].penalty)}
  | .worst_penalty = .worst.choice[$model].penalty);
def whole_percent: "\(100 * . | fixed(0))%";
def place($model): "\(.ranks) ranks, \(.bytes | size)" + if $model == "default" then "" else ": \(.choice[$model] | method) for \(.best | method)" end;

cells
| if $want == "measured" then .[] | ["measured", .ranks, .bytes, .best.algorithm, .best.segment] | @tsv
  elif $want == "penalty" then .[] | . as $cell | models + ["default"] | .[] | [., $cell.ranks, $cell.bytes, 100 * $cell.choice[.].penalty] | @tsv
  elif $want == "cells" then length
  else map(select(.bytes >= $low and .bytes < $high)) | rows
    | if $want == "table" then .[] | .model as $model
        | [($model | called), (.hits // "-" | tostring), "\(.near) of \(.cells)", (.median, .most, .worst_penalty | whole_percent), (.worst | place($model))] | row
      else map(select(.hits)) | "So the model that picks best: \(max_by(.hits).model | called) most often takes the best itself. Least costs in the median: "
        + "\(min_by(.median).median as $least | map(select(.median == $least).model | called) | join(" and ")); at the 90th percentile: "
        + "\(min_by(.most).model | called); at worst: \(min_by(.worst_penalty).model | called)."
      end
  end
