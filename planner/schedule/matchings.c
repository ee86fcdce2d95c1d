#include "planner/schedule/matchings.h"
#include "graphs/platform/guard.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static const int64_t UNITS = (int64_t)1 << 46, ROUNDING = 1 << 10, PARTS = 1 << 20;

/*
 * The matrix with all sums equal, as the edges of a bipartite graph:
 *
 *               receive ports      idle senders
 *   send ports  times              rest of the sender
 *   idle recv.  rest of the recv.  times, transposed
 *
 * Rows are the vertices 0 .. 2 ranks - 1, columns the next 2 ranks. Edge i < n is transfer i.
 */
typedef struct {
    int ranks;
    size_t n, edges; /* transfers; 2 (n + ranks) */
    int *row, *column;
    int64_t *left; /* [edges] units */
    int64_t *all;  /* [n] units of each transfer at first */
    int64_t sum;   /* of each row and column */
    double unit_s; /* [s] */
    size_t room, active_room;
} matrix_t;

static plan_status_t matrix_create(int ranks, size_t n, matrix_t *x)
{
    size_t edges = 2 * (n + (size_t)ranks);
    *x = (matrix_t){.ranks = ranks,
                    .n = n,
                    .edges = edges,
                    .row = malloc(edges * sizeof *x->row),
                    .column = malloc(edges * sizeof *x->column),
                    .left = malloc(edges * sizeof *x->left),
                    .all = malloc((n + 1) * sizeof *x->all)};
    return x->row != NULL && x->column != NULL && x->left != NULL && x->all != NULL ? PLAN_OK : PLAN_ENOMEM;
}

static void matrix_clear(matrix_t *x)
{
    free(x->row);
    free(x->column);
    free(x->left);
    free(x->all);
}

static void set_edge(matrix_t *x, size_t e, int row, int column, int64_t units)
{
    x->row[e] = row, x->column[e] = 2 * x->ranks + column, x->left[e] = units;
}

/* PLAN_EINVAL: as plani_matchings_create */
static plan_status_t fill(matrix_t *x, const int *from, const int *to, const double *seconds)
{
    int ranks = x->ranks;
    double *load = calloc(2 * (size_t)ranks, sizeof *load), most = 0;
    int64_t *used = calloc(2 * (size_t)ranks, sizeof *used);
    plan_status_t rc = load != NULL && used != NULL ? PLAN_OK : PLAN_ENOMEM;

    for (size_t i = 0; i < x->n && rc == PLAN_OK; i++) {
        most = fmax(most, load[from[i]] += seconds[i]);
        most = fmax(most, load[ranks + to[i]] += seconds[i]);
        if (!(seconds[i] > 0) || !isfinite(most)) rc = PLAN_EINVAL;
    }
    if (rc == PLAN_OK) x->unit_s = most / (double)UNITS;
    for (size_t i = 0; i < x->n && rc == PLAN_OK; i++) {
        int64_t units = llround(seconds[i] / most * (double)UNITS);
        x->all[i] = units = units > 0 ? units : 1;
        set_edge(x, i, from[i], to[i], units);
        set_edge(x, x->n + i, ranks + to[i], ranks + from[i], units);
        used[from[i]] += units, used[ranks + to[i]] += units;
    }
    for (int p = 0; p < 2 * ranks && rc == PLAN_OK; p++) x->sum = used[p] > x->sum ? used[p] : x->sum;
    for (int r = 0; r < ranks && rc == PLAN_OK; r++) {
        set_edge(x, 2 * x->n + (size_t)r, r, ranks + r, x->sum - used[r]);
        set_edge(x, 2 * x->n + (size_t)(ranks + r), ranks + r, r, x->sum - used[ranks + r]);
    }
    free(load);
    free(used);
    return rc;
}

/* ---- steps ---- */

/* The column, as a vertex, that each row is matched with. The edges that are left have a perfect matching. */
static igraph_error_t match(const matrix_t *x, const igraph_vector_bool_t *types, igraph_vector_int_t *matching)
{
    igraph_vector_int_t ends;
    igraph_t graph;
    igraph_integer_t n = 0;
    igraph_error_t code = igraph_vector_int_init(&ends, 2 * (igraph_integer_t)x->edges);

    if (code != IGRAPH_SUCCESS) return code;
    for (size_t e = 0; e < x->edges; e++) {
        if (x->left[e] <= 0) continue;
        VECTOR(ends)[n++] = x->row[e];
        VECTOR(ends)[n++] = x->column[e];
    }
    code = igraph_vector_int_resize(&ends, n); /* shrinks */
    if (code == IGRAPH_SUCCESS) code = igraph_create(&graph, &ends, 4 * (igraph_integer_t)x->ranks, IGRAPH_UNDIRECTED);
    igraph_vector_int_destroy(&ends);
    if (code != IGRAPH_SUCCESS) return code;
    code = igraph_maximum_bipartite_matching(&graph, types, NULL, NULL, matching, NULL, 0);
    igraph_destroy(&graph);
    return code;
}

static bool is_matched(const matrix_t *x, const igraph_vector_int_t *matching, size_t e)
{
    return x->left[e] > 0 && VECTOR(*matching)[x->row[e]] == x->column[e];
}

static plan_status_t reserve(matrix_t *x, plani_matchings_t *m)
{
    size_t used = m->n > 0 ? m->first[m->n] : 0;
    if (m->n == x->room) {
        size_t room = 2 * x->room + 64;
        double *start = realloc(m->start, room * sizeof *start), *length = NULL;
        if (start != NULL) m->start = start;
        if (start == NULL || (length = realloc(m->length, room * sizeof *length)) == NULL) return PLAN_ENOMEM;
        m->length = length;
        size_t *first = realloc(m->first, (room + 1) * sizeof *first);
        if (first == NULL) return PLAN_ENOMEM;
        m->first = first, x->room = room, m->first[m->n] = used;
    }
    if (used + (size_t)x->ranks > x->active_room) {
        size_t room = 2 * (used + (size_t)x->ranks), *active = realloc(m->active, room * sizeof *active);
        if (active == NULL) return PLAN_ENOMEM;
        m->active = active, x->active_room = room;
    }
    return PLAN_OK;
}

/* Whether a step comes from rounding alone: it hardly matters to the period, nor to any of its transfers. */
static bool is_rounding(const matrix_t *x, const size_t *active, size_t n, int64_t length)
{
    bool tiny = length < ROUNDING;
    for (size_t i = 0; i < n && tiny; i++) tiny = length < x->all[active[i]] / PARTS;
    return tiny || n == 0;
}

/* One step: until the first matched edge has nothing left. */
static plan_status_t take(matrix_t *x, const igraph_vector_int_t *matching, int64_t *done, plani_matchings_t *m)
{
    int64_t length = x->sum - *done;
    size_t matched = 0;
    plan_status_t rc = reserve(x, m);

    if (rc != PLAN_OK) return rc;
    size_t k = m->first[m->n];
    for (size_t e = 0; e < x->edges; e++) {
        if (!is_matched(x, matching, e)) continue;
        matched++;
        length = x->left[e] < length ? x->left[e] : length;
        if (e < x->n) m->active[k++] = e;
    }
    if (matched != 2 * (size_t)x->ranks) return PLAN_EINVAL; /* two transfers have the same ends */
    for (size_t e = 0; e < x->edges; e++)
        if (is_matched(x, matching, e)) x->left[e] -= length;
    if (!is_rounding(x, m->active + m->first[m->n], k - m->first[m->n], length)) {
        m->start[m->n] = (double)*done * x->unit_s;
        m->length[m->n++] = (double)length * x->unit_s;
        m->first[m->n] = k;
    }
    *done += length;
    return PLAN_OK;
}

static plan_status_t divide(matrix_t *x, plani_matchings_t *m)
{
    igraph_integer_t side = 2 * (igraph_integer_t)x->ranks;
    igraph_vector_bool_t types;
    igraph_vector_int_t matching;
    plan_status_t rc = PLAN_ENOMEM;
    plani_igraph_t before = plani_igraph_enter();

    if (igraph_vector_bool_init(&types, 2 * side) == IGRAPH_SUCCESS) {
        for (igraph_integer_t v = side; v < 2 * side; v++) VECTOR(types)[v] = true;
        if (igraph_vector_int_init(&matching, 2 * side) == IGRAPH_SUCCESS) {
            rc = PLAN_OK;
            for (int64_t done = 0; done < x->sum && rc == PLAN_OK;)
                rc = match(x, &types, &matching) == IGRAPH_SUCCESS ? take(x, &matching, &done, m) : PLAN_ENOMEM;
            igraph_vector_int_destroy(&matching);
        }
        igraph_vector_bool_destroy(&types);
    }
    plani_igraph_leave(before);
    return rc;
}

plan_status_t plani_matchings_create(int ranks, size_t n, const int *from, const int *to, const double *seconds,
                                     plani_matchings_t *out)
{
    matrix_t x;
    plani_matchings_t m = {.n = 0};

    if (ranks < 1 || n == 0) return PLAN_EINVAL;
    plan_status_t rc = matrix_create(ranks, n, &x);
    if (rc == PLAN_OK) rc = fill(&x, from, to, seconds);
    if (rc == PLAN_OK) rc = divide(&x, &m);
    matrix_clear(&x);
    if (rc == PLAN_OK)
        *out = m;
    else
        plani_matchings_clear(&m);
    return rc;
}

void plani_matchings_clear(plani_matchings_t *m)
{
    free(m->start);
    free(m->length);
    free(m->first);
    free(m->active);
    *m = (plani_matchings_t){.n = 0};
}
