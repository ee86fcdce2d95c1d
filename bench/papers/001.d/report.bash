# The report of bench/papers/001, which sources it.
cat <<MARKDOWN
# 001: Broadcast Trees for Heterogeneous Platforms

Beaumont, Marchal, Robert, LIP RR-2004-46, 2004: section 5. Ratios of a tree's throughput to the one-port bound (program
(2) of the paper), mean ± standard deviation over platforms, in percent.

$(provenance "1 to $instances for each kind of random platforms, 1 to $tiers for Tiers-like ones")
$((instances * 25)) random and $((tiers * 2 * (1 + $(wc -l <"$work/readings")))) Tiers-like platforms, all solved and planned for in one run of $took s.

Names: prune-simple is their Topo-Prune-Simple (Algorithm 1), prune-degree Topo-Prune-Degree (2), grow Topo-Grow-Tree (3),
binomial-paths Binomial-Tree (4), multiport-grow (5), lp-prune (6, "Prune Max" in Table 3), lp-grow (7), multiport-prune
Multiport-Prune-Degree. Ours: best-tree, one tree by local search; 2-trees and 4-trees, at
most that many trees that share the slices (\`plan_few_trees\`).

| the paper | here | why |
| --- | --- | --- |
| Program (2): the bound | reproduced | by cuts; tests compare it with closed forms, the program as printed, and packings of all trees |
| Algorithms 1 to 7 | reproduced | Algorithm 6 by its text; as printed it deletes the largest n_uv first |
| Table 2: random platforms | differs | the paper does not say how sparse ones came to be connected, and gives times a unit of bandwidth (below) |
| Table 3: Tiers platforms | differs | the parameters of TIERS are not given; by the nearest of several readings all twelve means come within 9 points |
| Figure 4: random platforms, one port | partly | the order, and the fall with ranks and density, are theirs; prune-simple at 50 ranks keeps twice as much as the text says. Its points are in pictures that we do not have |
| Figure 5: several ports | reproduced as far as the text goes | its points are in pictures as well |
| Receiving takes time (Banikazemi), one port for both ways | models of platforms | no figures in the paper |

## Readings

- Density is the probability of each ordered pair of ranks; both directions are drawn apart. A platform is drawn again until all
  ranks reach each other, at most 100 times, then connected by as few links as it takes. The paper does not say how its
  platforms came to be connected; at 10 ranks and density 0.04 an average of 3.6 links is drawn where 10 are needed. What
  the densities came to, by ranks and the density asked for:

$(densities)

- T is 1 MB over a bandwidth drawn from the Gaussian distribution of Table 2 (100 MB/s, deviation 20 MB/s): the unit given
  there is one of bandwidth. Rank 0 is the source.
- Pruning sorts again after each deletion by degree, and "connected" means that the source reaches every rank. lp-prune
  deletes the smallest n_uv first (the text; Algorithm 6 as printed would delete the largest).
- Tiers-like platforms are ours, not made by TIERS, whose parameters the paper does not give: those of \`planbcast generate
  tiers\`, and more by several readings of its parameters, below.

## Table 3: Tiers platforms, one port

$(beside)

Theirs is a table of whole percents; the first deviation (0.12%) is as printed, probably for 12%.

### What TIERS may have been asked for

Means in percent, in the order $(awk -F '\t' '$1 == 30 && $3 != "-" { printf "%s%s", n++ ? ", " : "", $2 }' "$data/paper.tsv"); the distance is the mean of the twelve
absolute differences to theirs, in points. $tiers platforms of each size by each reading (\`bench/papers/001.d/tiers.c\`).

$(readings)

Chosen is the reading "$nearest", by these same twelve numbers: it shows what platforms would give Table 3, not that they
were these.

## Figure 4(a): random platforms, one port, by number of ranks

![Figure 4(a)](001-figure-4a.svg)

$(table random one 2 "$theirs $ours" markdown)

What the text says of theirs, whose points are not given as numbers: close to the optimum at few ranks; at more ranks
prune-degree, grow, lp-prune and lp-grow reach 60%, prune-degree and grow come "within 70%"; prune-simple falls to
20%; the binomial tree does very poorly.

## Figure 4(b): random platforms, one port, by density

![Figure 4(b)](001-figure-4b.svg)

$(table random one 3 "$theirs $ours" markdown)

Theirs: the refined heuristics stay within 70% of the optimum at all densities, and more density leaves more to gain by several
trees.

## Figure 5: random platforms, several ports, by number of ranks

![Figure 5](001-figure-5.svg)

$(table random multi 2 "$theirs_multiport prune-simple prune-degree grow $ours" markdown)

Theirs: ratios above 1 occur, since the bound is that of one port; the binomial tree does better than with one port;
multiport-grow, multiport-prune and the heuristics by linear programming do much better, and close to each other.

## The rest of the catalogue

Random platforms, one port. host-chain and host-binomial build shapes that some of these platforms lack the links for; (n of
m) counts the platforms where they could.

$(table random one 2 "$others" markdown)

Tiers-like platforms, one port, then several ports:

$(table tiers one 2 "$others" markdown)

$(table tiers multi 2 "$theirs multiport-grow multiport-prune $ours" markdown)

MARKDOWN
cat "$data/differences.md"
