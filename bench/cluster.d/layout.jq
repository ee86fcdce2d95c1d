# Lay out a cluster spec (bench/clusters/README.md) as lines that a shell reads, tab-separated; rates in bytes/s, 0: no
# limit; latencies in seconds.
#   memory RATE LATENCY                    inside each host
#   burst  SECONDS BYTES                  what cards and trunks let pass at once, the larger
#   bridge INDEX PARENT IN OUT LATENCY     one switch per site or group; parent -1: the core
#   host   INDEX NAME BRIDGE IN OUT LATENCY
#   rank   HOST                    in the order of ranks; none if the placement is shuffled (the planbcast tool knows it)

def need(ok; text): if ok then . else error(text) end;
def name_ok: type == "string" and test("^[A-Za-z][A-Za-z0-9-]{0,30}$");

def rate($at; $key):
  .[$key] | need(type == "number" and . >= 1000 and . <= 1e11; "\($at).\($key): give bytes per second, 1e3 to 1e11");

def latency($at; $default):
  .latency_s // $default | need(type == "number" and . >= 0; "\($at).latency_s: give seconds >= 0");

def count($at; $key; $default):
  .[$key] // $default
  | need(type == "number" and . == floor and . >= 1 and . <= 4096; "\($at).\($key): give a whole number from 1 to 4096");

# This group, then the groups in it, each with its path of indices and where it stands in the file.
def groups($path; $at):
  need(type == "object"; "\($at): is not an object")
  | need((.hosts // []) | type == "array"; "\($at).hosts: is not a list")
  | need((.groups // []) | type == "array"; "\($at).groups: is not a list")
  | need($path | length <= 16; "\($at): nested too deeply")
  | { path: $path, at: $at, trunk, hosts: (.hosts // []) },
    ((.groups // []) | to_entries[] | .key as $k | .value | groups($path + [$k]; "\($at).groups[\($k)]"));

# Hosts of a group; an entry with a count stands for that many equal ones.
def hosts($group; $bridge):
  $group.hosts | to_entries[] | "\($group.at).hosts[\(.key)]" as $at | .value
  | need(type == "object"; "\($at): is not an object")
  | { site: $group.path[0], bridge: $bridge, ranks: count($at; "ranks"; 1),
      in: rate($at; "in_bytes_per_s"), out: rate($at; "out_bytes_per_s"), latency: latency($at; 0) } as $host
  | range(count($at; "count"; 1)) | $host;

need(type == "object" and .format == "planbcast-cluster"; "format: should be \"planbcast-cluster\"")
| need(.version == 1; "version: should be 1")
| need((.sites | type) == "array" and (.sites | length) >= 1; "sites: should list at least one site")
| (.placement // "block") as $placement
| need(any("block", "cyclic", "shuffled"; . == $placement); "placement: should be block, cyclic or shuffled")
| .sites as $sites
| [ $sites | to_entries[] | .key as $k | .value | groups([$k]; "sites[\($k)]") ] as $groups
| ($groups | to_entries | map({ key: (.value.path | tostring), value: .key }) | from_entries) as $index
| [ $groups | to_entries[] | hosts(.value; .key) ] as $hosts
| need(($hosts | length) >= 1 and ($hosts | length) <= 1000; "sites: give 1 to 1000 hosts in all")
| need(($hosts | map(.ranks) | add) <= 4096; "sites: give at most 4096 ranks in all")

# Names: the site's where it serves as a host name, and the host's number in its site.
| [ $sites[] | .name? // null ] as $names
| [ $names | to_entries[] | .value as $n
    | if ($n | name_ok) and ([ $names[] | select(. == $n) ] | length == 1) then $n else "site\(.key)" end ] as $labels
| [ range($hosts | length) as $h | $hosts[$h].site as $s
    | $hosts[$h] + { index: $h, nth: ([ $hosts[:$h][] | select(.site == $s) ] | length) } ] as $hosts

# Cyclic: hosts dealt from site after site; then one rank per host per round, while it has room.
| (if $placement == "cyclic" then $hosts | sort_by(.nth, .site)
     | [ range(map(.ranks) | max) as $round | .[] | select(.ranks > $round) | .index ]
   elif $placement == "block" then [ $hosts[] | range(.ranks) as $r | .index ]
   else [] end) as $ranks

| ( .memory // {} | need(type == "object"; "memory: is not an object")
    | ["memory", (.bytes_per_s // 5e9 | need(type == "number" and . >= 1000; "memory.bytes_per_s: give bytes per second")),
       latency("memory"; 5e-7)] ),
  ( .burst // {} | need(type == "object"; "burst: is not an object")
    | ["burst", (.seconds // 0 | need(type == "number" and . >= 0 and . <= 1e3; "burst.seconds: give 0 to 1000")),
       (.bytes // 0 | need(type == "number" and . >= 0 and . <= 1e12; "burst.bytes: give 0 to 1e12"))] ),
  ( $groups | to_entries[] | .value as $g
    | ["bridge", .key, (if $g.path | length == 1 then -1 else $index[$g.path[:-1] | tostring] end)]
      + (if $g.trunk == null then [0, 0, 0]
         else "\($g.at).trunk" as $at
         | $g.trunk | [rate($at; "in_bytes_per_s"), rate($at; "out_bytes_per_s"), latency($at; 0)] end) ),
  ( $hosts[] | ["host", .index, "\($labels[.site])-\(.nth)", .bridge, .in, .out, .latency] ),
  ( $ranks[] | ["rank", .] )
| map(if type == "number" then . + 0 else . end) # as a number, not as it was written (jq 1.7: 2.5E+7)
| @tsv
