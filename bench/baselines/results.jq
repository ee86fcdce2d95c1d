# Shared by the tables and plots of baselines; needs ../tables.jq. A cell is a message size on a cluster from a root,
# read from one result file.

def good: .median_s != null and .wrong_bytes == 0;
def kind($k): map(select(.kind == $k and good));
# Settings that dropped out count only if all did: the median over their few rounds may be less than others' medians
# over all rounds.
def best: (map(select(.dropped | not)) | select(length > 0)) // . | min_by(.median_s);
def named($n): map(select(.name == $n and good)) | first;

def cell:
  .settings as $s
  | ($s | kind("candidate")) as $candidates
  | { cluster: ((.spec // "?") | sub(".*/"; "") | sub("\\.json$"; "")), root, ranks, bytes, limits, costs, provenance, timing,
      est: ($s | named("plan, estimated")), meas: ($s | named("plan, measured")), spec: ($s | named("plan, from the spec")),
      native: ($s | kind("default") | first), baseline: ($s | kind("baseline") | best),
      wrong: [ $s[] | select((.wrong_bytes // 0) > 0) | .name ], broken: [ $s[] | select(.skipped == "broke") | .name ],
      candidates: ($candidates | length) }
  # The possible choices of a plan: all candidates of the planner, and MPI_Bcast.
  | .choice = ($candidates + [.est, .meas, .native | select(. != null)]) | .best = (.choice | best)
  | .baselines = ($s | kind("baseline"));

# The setting of a cell that executes the candidate of this name.
def seen($name): .choice | if $name == "native" then map(select(.kind == "default"))
  else map(select(.name == "candidate " + $name or .chosen.candidate == $name)) end | first;

# No limits within one host, where nothing is shaped, and for small messages, most of which pass as a burst.
def shaped: if (.limits.ingress_s // 0) == 0 or .bytes < 65536 then .limits += {lp_s: null, ingress_s: null} else . end;
def cells: map(select(.format == "planbcast-baselines" and .version == 2) | cell | shaped) | sort_by(.cluster, .root, .bytes)
  | if . == [] then "none of these files is a result of bench/baselines/run\n" | halt_error(1) else . end;

def taken: if . == null then "-" else (.samples_s | length) as $n
  | (.median_s | seconds) + (if $n == 1 then " (1 round)" elif $n == 2 then " (2 rounds)" else "" end) end;

# a / b of two settings; "≈" where their 95% intervals overlap.
def ratio($a; $b): if $a == null or $b == null then "-"
  else (if $a.low_s <= $b.high_s and $b.low_s <= $a.high_s then "≈" else "" end) + ($a.median_s / $b.median_s | fixed(2)) end;
def share($limit; $a): if $limit == null or $limit == 0 or $a == null then "-" else $limit / $a.median_s | percent end;
def chosen: if . == null then "-" elif .chosen == null then .name else .chosen
  | .candidate + (if .slice > 0 then ", \(.slice | size) x \(.window)" else "" end) + (if .trees > 1 then ", \(.trees) trees" else "" end) end;

# Regret of $a against the best of a list, in three ways; null: nothing to choose from, or too few samples:
# by     ratio of the medians - 1;
# split  the best is chosen by one half of the samples and compared by the other; geometric mean of both directions;
# sure   regret beyond the 95% intervals of both.
def half($k): [.samples_s[range($k; .samples_s | length; 2)]] | median;
def split_over($a; $list):
  def halved: select((.samples_s | length) >= 2) | [half(0), half(1)];
  [$a | halved] as $mine | [$list[] | select(.dropped | not) | halved] as $others
  | if $mine == [] or ($others | length) < 2 then null
    else [0, 1] | map(. as $k | ($others | min_by(.[$k])) as $best | $mine[0][1 - $k] / $best[1 - $k]) | (.[0] * .[1] | sqrt) - 1 end;
def over($a; $list): if $a == null or $list == [] then null
  else ($list | best) as $b
    | { by: ($a.median_s / $b.median_s - 1), split: split_over($a; $list),
        sure: (if $a.median_s <= $b.median_s then 0 elif ([$a, $b] | map(.samples_s | length) | min) >= 3 then [0, $a.low_s / $b.high_s - 1] | max else null end) } end;

def clusters: group_by([.cluster, .root])[];
def place: "\(.cluster), root \(.root)";
