# Shared by the tables of all benchmarks: statistics and formatting of numbers. jq -L bench, include "tables".

# Statistics of a list of numbers; null if it is empty. quantile($q): its least element such that a share of $q does
# not exceed it.
def median: if length == 0 then null else sort | length as $n | (.[($n - 1) / 2 | floor] + .[$n / 2 | floor]) / 2 end;
def quantile($q): sort | .[[(length * $q | ceil) - 1, 0] | max];
def geometric_mean: if length == 0 then null else (map(log) | add / length) | exp end;

def round_to($digits):
  if . == 0 then 0 else . as $x | ($x | fabs | log10 | floor) as $e | pow(10; $digits - 1 - $e) as $f | ($x * $f | round) / $f end;
def fixed($n): # text with $n digits behind the point
  (if . < 0 then "-" else "" end) as $sign | (fabs * pow(10; $n) | round | tostring) as $t
  | if $n == 0 then $sign + $t
    else ("0" * ([$n + 1 - ($t | length), 0] | max) // "") + $t | $sign + .[:-$n] + "." + .[-$n:] end;
def digits: if . >= 99.5 then fixed(0) elif . >= 9.95 then fixed(1) else fixed(2) end; # three of them
def size: if . == 0 or . % 1024 > 0 then "\(.) B" elif . % 1048576 > 0 then "\(. / 1024) KiB" else "\(. / 1048576) MiB" end;
def seconds: if . == null then "-" elif . < 1e-3 then "\(. * 1e6 | digits) µs" elif . < 1 then "\(. * 1e3 | digits) ms" else "\(digits) s" end;
def percent: if . == null then "-" else "\(100 * . | fixed(1))%" end;

def row: "| " + join(" | ") + " |";
def heading($left): row, "| " + ([range(length)] | map(if . < $left then "---" else "---:" end) | join(" | ")) + " |";
