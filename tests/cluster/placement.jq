# The host of every rank, "NUMBER NAME", of a cluster spec that deals them in blocks or in turn: bench/clusters/README.md read independently,
# for comparison with those who share graphs/machine/cluster.c. A spec is taken to be right.
def entries: .hosts // [] | .[] | range(.count // 1) as $i | {ranks: (.ranks // 1)};
def group: entries, (.groups // [] | .[] | group);

[.sites[].name] as $names
| [.sites | to_entries[] | .key as $site
   | [.value | group] | to_entries[]
   | {site: $site, nth: .key, ranks: .value.ranks,
      name: "\(if $names[$site] != null and ($names | map(select(. == $names[$site])) | length) == 1 then $names[$site] else "site\($site)" end)-\(.key)"}]
| (if $placement == "cyclic" then sort_by(.nth, .site) | . as $turn | [range(map(.ranks) | max) as $round | $turn[] | select(.ranks > $round)]
   else [.[] | range(.ranks) as $k | .] end)
| to_entries[] | "\(.key) \(.value.name)"
