/* The executor sends exactly the messages of the plan. Open MPI's message monitor reports each message of a rank; they
 * are compared with the trees and shares of random plans. Exits with 77, "skipped", where MPI is not Open MPI. */
#include "graphs/trees/trees.h"
#include "graphs/trees/rounds.h"
#include "cast.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 4

enum { MAX_RANKS = 16, MAX_TREES = 5 };

static int world_rank, world_size;
static struct {
    size_t bytes[MAX_RANKS], messages[MAX_RANKS], longest;
} sent;
static long total;

/* Stands before the function of the same name in Open MPI's monitor, which its pml/monitoring calls for each message.
 */
__attribute__((visibility("default"))) void mca_common_monitoring_record_pml(int peer, size_t bytes, int tag);
void mca_common_monitoring_record_pml(int peer, size_t bytes, int tag)
{
    if (tag < 0) return; /* collectives' own */
    sent.bytes[peer] += bytes;
    sent.messages[peer]++;
    if (bytes > sent.longest) sent.longest = bytes;
    total++;
}

/* Which tree a slice goes down, worked out here: the one that is furthest behind its share, by Sainte-Lague. */
static int tree_for(int n, const double *rate, int *assigned)
{
    int best = 0;
    for (int t = 1; t < n; t++)
        if ((2 * assigned[t] + 1) / rate[t] < (2 * assigned[best] + 1) / rate[best]) best = t;
    assigned[best]++;
    return best;
}

static int differences(const char *what, uint64_t seed, const size_t *bytes, const size_t *messages)
{
    int wrong = 0;
    for (int v = 0; v < world_size; v++) {
        if (sent.bytes[v] == bytes[v] && sent.messages[v] == messages[v]) continue;
        fprintf(stderr, "%s %llu: %d to %d: %zu bytes in %zu messages, not %zu in %zu\n", what,
                (unsigned long long)seed, world_rank, v, sent.bytes[v], sent.messages[v], bytes[v], messages[v]);
        wrong++;
    }
    return wrong;
}

static int check(uint64_t seed)
{
    rng_t r = {seed};
    plan_tree_t *tree[MAX_TREES], *copy[MAX_TREES];
    double rate[MAX_TREES];
    int n = 1 + rng_below(&r, MAX_TREES), root = rng_below(&r, world_size), assigned[MAX_TREES] = {0}, wrong = 0;
    size_t slice = (size_t)(1 + rng_below(&r, 20000)), bytes = (size_t)rng_below(&r, 1000000) + 1;
    size_t expected[MAX_RANKS] = {0}, messages[MAX_RANKS] = {0};

    if (bytes / slice > 4096) slice = bytes / 4096 + 1; /* one period of the deal */
    for (int t = 0; t < n; t++) {
        tree[t] = random_tree(&r, world_size, root);
        plani_tree_copy(tree[t], &copy[t]);
        rate[t] = 1 + rng_below(&r, 1000003) / 49999.0; /* no ties, which rounding could break otherwise */
    }
    for (size_t at = 0; at < bytes; at += slice) {
        int children, t = tree_for(n, rate, assigned);
        const int *child = plan_tree_children(copy[t], world_rank, &children);
        for (int c = 0; c < children; c++) {
            expected[child[c]] += bytes - at < slice ? bytes - at : slice;
            messages[child[c]]++;
        }
    }
    plan_t *plan = trees_plan(MPI_COMM_WORLD, root, (size_t)n, tree, rate, slice, 1 + rng_below(&r, 5));
    MPI_Barrier(MPI_COMM_WORLD);
    memset(&sent, 0, sizeof sent);
    wrong += !casts_bytes(plan, MPI_COMM_WORLD, root, bytes, seed);
    wrong += differences("plan", seed, expected, messages);
    wrong += sent.longest > slice;
    plan_destroy(&plan);
    for (int t = 0; t < n; t++) plan_tree_destroy(&copy[t]);
    return wrong;
}

/* What [first, last) of the blocks takes to send: as few messages of at most 128 KiB as go. */
static void run_of_blocks(size_t first, size_t last, size_t block, size_t whole, size_t *bytes, size_t *messages)
{
    enum { LONGEST = 128 << 10 };
    size_t from = first * block < whole ? first * block : whole, to = last * block < whole ? last * block : whole;
    *bytes += to - from;
    *messages += (to - from + LONGEST - 1) / LONGEST;
}

/* Everything that this rank is to send, read off the schedule. Blocks go on at the start of the message. */
static void expect_rounds(const plan_candidate_t *c, size_t whole, size_t *bytes, size_t *messages)
{
    plani_schedule_t s;
    int place = 0;
    while (c->order[place] != world_rank) place++;
    plani_schedule_init(c->schedule, world_size, place, &s);
    size_t blocks = plani_schedule_blocks(c->schedule, world_size, whole, c->slice);
    size_t block = c->schedule == PLAN_CIRCULANT ? c->slice : (whole + blocks - 1) / blocks;
    for (size_t k = 0; k < plani_schedule_rounds(&s, blocks); k++) {
        plani_blocks_t out = plani_schedule_round(&s, blocks, k).out;
        if (out.count == 0) continue;
        int to = c->order[out.place];
        size_t last = out.first + out.count;
        run_of_blocks(out.first, last < blocks ? last : blocks, block, whole, &bytes[to], &messages[to]);
        if (last > blocks) run_of_blocks(0, last - blocks, block, whole, &bytes[to], &messages[to]);
    }
}

enum { RECORD = 24 }; /* [B] */

/* What rounds there will be goes ahead down a binomial tree: counted from the root, who lacks the lowest bit sends. */
static void expect_record(int root, size_t *bytes, size_t *messages)
{
    for (int v = 0; v < world_size; v++) {
        int place = (v - root + world_size) % world_size;
        if (place == 0 || ((place & (place - 1)) + root) % world_size != world_rank) continue;
        bytes[v] += RECORD;
        messages[v]++;
    }
}

/* In rounds every rank but the root receives each byte once, in the messages that the schedule says, after a record. */
static int check_rounds(uint64_t seed)
{
    rng_t r = {seed};
    int kind = rng_below(&r, PLAN_SCHEDULES), root = rng_below(&r, world_size), wrong = 0;
    size_t bytes = (size_t)rng_below(&r, seed % 2 ? 1000000 : 20) + 1,
           slice = 1 + bytes / (size_t)(1 + rng_below(&r, 50));
    size_t received = 0, expected[MAX_RANKS] = {0}, messages[MAX_RANKS] = {0};

    plan_t *plan = rounds_plan(MPI_COMM_WORLD, root, (plan_schedule_kind_t)kind, slice, 1 + (int)(seed % 5), &r);
    MPI_Barrier(MPI_COMM_WORLD);
    memset(&sent, 0, sizeof sent);
    wrong += !casts_bytes(plan, MPI_COMM_WORLD, root, bytes, seed);
    for (int v = 0; v < world_size; v++) {
        size_t got = 0;
        MPI_Reduce(&sent.bytes[v], &got, 1, MPI_UNSIGNED_LONG, MPI_SUM, v, MPI_COMM_WORLD);
        if (v == world_rank) received = got;
    }
    if (received != (world_rank == root ? 0 : bytes + RECORD)) {
        fprintf(stderr, "rounds %llu: %d received %zu of %zu bytes\n", (unsigned long long)seed, world_rank, received,
                bytes);
        wrong++;
    }
    expect_rounds(plan_chosen(plan, bytes), bytes, expected, messages);
    expect_record(root, expected, messages);
    wrong += differences("rounds", seed, expected, messages);
    plan_destroy(&plan);
    return wrong;
}

int main(int argc, char **argv)
{
    int count[2] = {0, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world_size);
    for (uint64_t seed = 1; seed <= 100; seed++) count[0] += check(seed) + check_rounds(seed);
    count[1] = (int)total;
    MPI_Allreduce(MPI_IN_PLACE, count, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (world_rank == 0) printf("%d messages, %d differences\n", count[1], count[0]);
    if (world_rank == 0 && count[1] == 0) printf("the monitor saw nothing (set OMPI_MCA_pml_monitoring_enable=1)\n");
    MPI_Finalize();
    return count[0] == 0 && count[1] > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#else

int main(void)
{
    printf("needs Open MPI and its message monitor\n");
    return 77;
}

#endif
