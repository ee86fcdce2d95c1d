# Compares a profile with the platform of its spec ($spec[0]). Resources are identified by their sets of links, not by
# name. Returns the lines to print, and whether all is right.
include "tables";

def key: [.links[] | .[0] * 100000 + .[1]] | sort | @json;
def is_memory: .name | test(" memory$");
def is_network: .s_per_byte > 0 and (is_memory | not);

# Of resources with the same links (the only rack of a site, and the site), only the slowest is measurable.
def narrowest: map(. + {key: key})
  | (reduce .[] as $r ({}; .[$r.key] |= ([. // 0, $r.s_per_byte] | max))) as $most
  | map(select(.s_per_byte == $most[.key]));

# Normal form of a grouping: two groupings are equal if they put the same ranks together.
def partition: . as $p | [range(length) as $i | first(range(length) | select($p[.] == $p[$i]))];

# The rate [B/s] that the other resources can supply to a resource. At either end, its links are grouped by host. A
# group is limited by the slowest other resource that contains all of its links, sets of groups by resources that
# contain them. The result is the lesser of both ends.
def supply($all; $hosts): . as $r
  | [range(2) as $side
     | [.links | group_by($hosts[.[$side]])[] | . as $group
        | {links: $group, rate: ([$all[] | select(.key != $r.key and ($group - .links) == []) | 1 / .s_per_byte] | min // infinite)}] as $ends
     | [$all[] | select(.key != $r.key) | {rate: (1 / .s_per_byte), links: (.links - (.links - $r.links))}] | sort_by(.links | length)
     | reduce .[] as $other ($ends;
         (map(select((.links - $other.links) == []))) as $held
         | if ($held | length) < 2 then .
           else . - $held + [{links: ($held | map(.links) | add), rate: ([$other.rate, ($held | map(.rate) | add)] | min)}] end)
     | map(.rate) | add] | min;

def mega: . / 1e4 | round / 100;
def padded($n): tostring | . + " " * (($n - length) as $k | if $k > 0 then $k else 0 end);
def right($n): tostring | (($n - length) as $k | if $k > 0 then " " * $k else "" end) + .;
def judged: if . then "right" else "WRONG" end;

(.provenance.seconds * 10 | round / 10) as $seconds
| .platform as $found | $spec[0] as $wanted
| ([$found.resources // [] | .[] | select(is_network) | {key: key, value: (1 / .s_per_byte)}] | from_entries) as $rate
| ([$wanted.resources // [] | .[] | select(is_network)] | narrowest) as $all
| ($all | map(. as $r | {name, configured: (1 / .s_per_byte), measured: $rate[.key]}
         | .error = (if .measured then .measured / .configured - 1 else null end)
         | .hidden = (.measured == null and ($r | supply($all; $wanted.hosts)) < 1.1 * .configured)
         | .right = (.error != null and (.error | fabs) <= $tolerance))) as $every
| [$every[] | select(.hidden | not)] as $rows
| (($found.hosts | partition) == ($wanted.hosts | partition)) as $hosts
| (($found.sites | partition) == ($wanted.sites | partition)) as $sites
| ([$rows[] | select(.right)] | length) as $good
| ([$rows[] | if .error == null then 1 else .error | fabs end] | max // 0) as $worst
| {lines: [if $summary then
     "| \($name) | \($found.ranks) | \($hosts | judged) | \($sites | judged) | \($good) of \($rows | length)\(([$every[] | select(.hidden)] | length) as $n | if $n > 0 then ", \($n) hidden" else "" end) | \($worst | percent) | \($seconds) |"
   else
     "\($name): \($found.ranks) ranks, measured in \($seconds) s; hosts \($hosts | judged), sites \($sites | judged)",
     "  \("MB/s" | padded(28))\("configured" | right(12))\("measured" | right(12))\("error" | right(9))",
     ($every[] | "  \(.name | padded(28))\(.configured | mega | right(12))\((if .measured then .measured | mega else "-" end) | right(12))\((if .error != null then (.error | percent) elif .hidden then "hidden" else "unseen" end) | right(9))\(if .right or .hidden then "" else "  <-" end)")
   end],
   ok: ($hosts and $sites and $good == ($rows | length))}
