# One line for each cell (a message size on a cluster), tab-separated, times in seconds:
#   1 bytes, 2-4 estimated plan: median low high, 5-7 measured plan, 8-10 best rival, 11-13 default decision,
#   14 limit of the linear programme, 15 of the narrowest inlet, 16 best rival's name, 17 and 18 the plans' candidates,
#   19-21 plan from the spec, 22 its candidate
def times: if . == null then [null, null, null] else [.median_s, .low_s, .high_s] end | map(. // "nan");
def candidate: if . == null then "-" elif .chosen == null then "?" else .chosen
  | "\(.candidate)" + (if .slice > 0 then ", \(.slice) B x \(.window)" else "" end) end;

map(select(.format == "planbcast-rivals" and .version == 1)) | sort_by(.bytes)[]
| (.settings | map(select(.kind == "plan"))) as $plan
| (.settings | map(select(.kind == "rival" and .median_s != null)) | min_by(.median_s)) as $rival
| (.settings | map(select(.kind == "default")) | first) as $default
| [.bytes] + ($plan[0] | times) + ($plan[1] | times) + ($rival | times) + ($default | times)
  + [.limits.lp_s // "nan", .limits.inlet_s // "nan", ($rival.name // "-"), ($plan[0] | candidate), ($plan[1] | candidate)]
  + ($plan[2] | times) + [$plan[2] | candidate]
| @tsv
