/*
 * Pruning: delete links until a spanning tree is left.
 *
 * "Still connected" in Beaumont, Marchal, Robert 2004 is read as: every rank can be reached from the root. A link that
 * could not be deleted once can never be deleted, because links only disappear. So every link is tried once: the outer
 * loop of Algorithms 1 and 6 runs once. Then one link into every rank but the root is left.
 */
#include <math.h>
#include <stdlib.h>
#include "planner/algorithms/heuristics/heuristic.h"
#include "planner/algorithms/heuristics/witness.h"

/* What is left is the witness. */
static void take_parents(const plani_witness_t *w, plani_shape_t *shape)
{
    for (int v = 0; v < w->d->ranks; v++) shape->parent[v] = v == w->root ? -1 : w->d->link[w->via[v]].from;
}

/* Try the links by ascending sign * key, ties: the lowest link. O(m log m) and the witness's searches. */
static plan_status_t prune_in_order(const plani_problem_t *problem, const double *key, double sign,
                                    plani_shape_t *shape)
{
    plan_status_t rc = PLAN_OK;
    const plan_platform_data_t *d = problem->d;
    plani_witness_t w;
    plani_keyed_t *sorted = NULL;

    if ((rc = plani_witness_create(d, problem->root, &w)) != PLAN_OK) return rc;
    if ((sorted = malloc(2 * (d->nlinks + 1) * sizeof *sorted)) == NULL) { /* and room to sort */
        rc = PLAN_ENOMEM;
        goto done;
    }
    for (size_t l = 0; l < d->nlinks; l++) sorted[l] = (plani_keyed_t){sign * key[l], l};
    plani_sort_by_key(sorted, d->nlinks, sorted + d->nlinks + 1);
    for (size_t i = 0; i < d->nlinks && w.left > (size_t)d->ranks - 1; i++) plani_witness_delete(&w, sorted[i].link);
    take_parents(&w, shape);
done:
    free(sorted);
    plani_witness_clear(&w);
    return rc;
}

/* Beaumont, Marchal, Robert 2004, Algorithm 1: costliest links first. */
plan_status_t plani_prune_simple(const plani_problem_t *problem, plani_shape_t *shape)
{
    return prune_in_order(problem, problem->through, -1, shape);
}

/*
 * Algorithm 6. Printed "sorted by non-increasing n_uv"; the text says that the links which carry the fewest messages
 * are removed, and so it is read: smallest n_uv first.
 */
plan_status_t plani_lp_prune(const plani_problem_t *problem, plani_shape_t *shape)
{
    return prune_in_order(problem, problem->rates, 1, shape);
}

/* The links out of one rank while they are pruned, costliest first. */
typedef struct {
    int rank;
    size_t at, end;  /* sorted[at..end): not tried yet */
    size_t kept;     /* links that had to stay */
    double heaviest; /* [s] among those: the first */
    double load;     /* what ranks are compared by: weighted out-degree or multi-port period [s] */
} sender_t;

static double period(const sender_t *s, const plani_keyed_t *sorted, const plani_problem_t *problem)
{
    double heaviest = s->at < s->end ? fmax(s->heaviest, -sorted[s->at].key) : s->heaviest;
    return fmax((double)(s->kept + s->end - s->at) * problem->send[s->rank] + problem->receive[s->rank], heaviest);
}

static bool heavier(const sender_t *a, const sender_t *b)
{
    return a->load > b->load || (a->load == b->load && a->rank < b->rank);
}

/* A heap with the heaviest sender on top, ties: the lowest rank. */
static void sift_down(sender_t *heap, int n, int i)
{
    for (;;) {
        int child = 2 * i + 1;
        if (child >= n) return;
        if (child + 1 < n && heavier(&heap[child + 1], &heap[child])) child++;
        if (!heavier(&heap[child], &heap[i])) return;
        sender_t s = heap[i];
        heap[i] = heap[child];
        heap[child] = s;
        i = child;
    }
}

static void start_senders(const plani_problem_t *problem, bool multiport, const plani_keyed_t *sorted, sender_t *heap)
{
    const plan_platform_data_t *d = problem->d;
    for (int u = 0; u < d->ranks; u++) {
        heap[u] = (sender_t){.rank = u, .at = d->out_first[u], .end = d->out_first[u + 1]};
        for (size_t l = heap[u].at; l < heap[u].end; l++) heap[u].load += problem->through[l];
        if (multiport) heap[u].load = period(&heap[u], sorted, problem);
    }
    for (int i = d->ranks / 2; i-- > 0;) sift_down(heap, d->ranks, i);
}

/* Delete the costliest link that can go out of the heaviest sender; false: it has none left. */
static bool lighten(plani_witness_t *w, const plani_problem_t *problem, bool multiport, const plani_keyed_t *sorted,
                    sender_t *s)
{
    while (s->at < s->end) {
        const plani_keyed_t *k = &sorted[s->at++];
        if (plani_witness_delete(w, k->link)) {
            s->load = multiport ? period(s, sorted, problem) : s->load - problem->through[k->link];
            return true;
        }
        if (s->kept++ == 0) s->heaviest = problem->through[k->link];
    }
    return false;
}

/* Algorithm 2; the ranks are sorted again after every deletion, as printed ("goto 4"). Ties: lowest rank, lowest link.
 */
static plan_status_t prune_senders(const plani_problem_t *problem, bool multiport, plani_shape_t *shape)
{
    plan_status_t rc = PLAN_OK;
    int senders = problem->d->ranks;
    plani_witness_t w;
    plani_keyed_t *sorted = NULL;
    sender_t *heap = NULL;

    if ((rc = plani_witness_create(problem->d, problem->root, &w)) != PLAN_OK) return rc;
    sorted = plani_sorted_out_links(problem->d, problem->through, -1);
    heap = malloc((size_t)senders * sizeof *heap);
    if (sorted == NULL || heap == NULL) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    start_senders(problem, multiport, sorted, heap);
    while (senders > 0 && w.left > (size_t)problem->d->ranks - 1) {
        if (!lighten(&w, problem, multiport, sorted, &heap[0])) heap[0] = heap[--senders];
        sift_down(heap, senders, 0);
    }
    take_parents(&w, shape);
done:
    free(sorted);
    free(heap);
    plani_witness_clear(&w);
    return rc;
}

plan_status_t plani_prune_degree(const plani_problem_t *problem, plani_shape_t *shape)
{
    return prune_senders(problem, false, shape);
}

/* "Multiport-Prune-Degree" of section 5.2.2: Algorithm 2 by the period max(children * send_u, max T_uv). */
plan_status_t plani_multiport_prune(const plani_problem_t *problem, plani_shape_t *shape)
{
    return prune_senders(problem, true, shape);
}
