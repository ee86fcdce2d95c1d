#include "planner/algorithms/search/prove.h"
#include <math.h>
#include <stdlib.h>
#include <planbcast/heuristics.h>
#include "graphs/platform/transpose.h"
#include "lib/base/base.h"
#include "lp/single_tree.h"
#include "planner/algorithms/search/evaluator.h"
#include "planner/algorithms/search/period_bound.h"
#include "planner/cost/arrays.h"
#include "planner/cost/cost.h"

/* Without ports a link between hosts does not occupy them for its own time: it limits itself, or its resources do. */
static void suit(const plani_problem_t *problem, const plani_arrays_t *a, double *receive,
                 plani_tree_program_t *program)
{
    const plan_platform_data_t *d = problem->d;
    for (size_t l = 0; l < d->nlinks; l++) {
        a->port[l] = plani_port(problem, l);
        a->cost[l] = fmax(problem->port[l], problem->own[l]);
        if (receive != NULL) receive[l] = plani_receives(problem, l);
        for (size_t k = d->use_first[l]; k < d->use_first[l + 1]; k++)
            a->cost[l] = fmax(a->cost[l], a->resource_cost[d->use[k]]);
    }
    *program = (plani_tree_program_t){.ranks = d->ranks,
                                      .root = problem->root,
                                      .nlinks = d->nlinks,
                                      .from = a->from,
                                      .to = a->to,
                                      .cost = a->cost,
                                      .busy = a->port,
                                      .receive = receive,
                                      .nresources = d->nresources,
                                      .resource_first = a->resource_first,
                                      .resource_link = a->resource_link,
                                      .resource_cost = a->resource_cost};
}

static plan_status_t prove(const plani_problem_t *problem, plan_tree_t *tree, double deadline, plani_proved_t *out,
                           plan_error_t *err)
{
    const plan_platform_t *pf = problem->pf;
    size_t n = (size_t)problem->d->ranks;
    plani_tree_proof_t proof = {.via = malloc(n * sizeof *proof.via)};
    plani_tree_program_t program;
    plani_arrays_t a;
    double *receive = NULL;
    plan_status_t rc = proof.via != NULL ? plani_arrays_create(problem->d, problem->slice, &a) : PLAN_ENOMEM;
    if (rc != PLAN_OK) {
        free(proof.via);
        return plani_fail(err, rc, "no memory for the program of %zu links", problem->d->nlinks);
    }
    if (plani_takes_turns(problem->d) && (receive = malloc((problem->d->nlinks + 1) * sizeof *receive)) == NULL)
        rc = PLAN_ENOMEM;
    suit(problem, &a, receive, &program);
    if (rc == PLAN_OK) rc = plan_throughput(pf, 1, &tree, NULL, problem->slice, &out->best_tree, NULL);
    for (size_t v = 0; rc == PLAN_OK && v < n; v++) {
        int parent = plan_tree_data(tree)->parent[v];
        proof.via[v] = parent < 0 ? PLANI_NO_LINK : plan_platform_find_link(pf, parent, (int)v);
    }
    if (rc == PLAN_OK) rc = plani_period_bound(problem, &proof.proven);
    proof.period = 1 / out->best_tree;
    if (rc == PLAN_OK) rc = plani_tree_prove(&program, deadline - plani_now(), &proof, err);
    if (rc == PLAN_OK) rc = plani_tree_of_links(problem, proof.via, &out->tree);
    if (rc == PLAN_OK) rc = plan_throughput(pf, 1, &out->tree, NULL, problem->slice, &out->throughput, NULL);
    out->upper = proof.proven < proof.period ? 1 / proof.proven : out->throughput;
    out->programs = proof.programs;
    plani_arrays_clear(&a);
    free(proof.via);
    free(receive);
    if (rc != PLAN_OK) plan_tree_destroy(&out->tree);
    return rc == PLAN_OK ? rc : plani_fail(err, rc, "no proof: %s", plan_status_string(rc));
}

plan_status_t plani_prove_from(const plan_platform_t *pf, plan_tree_t *tree, double slice, double limit_s,
                               plani_proved_t *out, plan_error_t *err)
{
    plani_problem_t problem;
    double start = plani_now();
    *out = (plani_proved_t){.slice = slice};
    if (plan_platform_data(pf)->ranks < 2)
        return plani_fail(err, PLAN_EINVAL, "one rank alone sends nothing: no tree to prove anything of");
    plan_status_t rc = plani_problem_create(pf, plan_tree_data(tree)->root, slice, 0, NULL, &problem, err);
    if (rc != PLAN_OK) return rc;
    rc = prove(&problem, tree, start + limit_s, out, err);
    plani_problem_clear(&problem);
    out->seconds = plani_now() - start;
    return rc;
}

plan_status_t plani_prove_tree(const plan_platform_t *pf, int root, double slice, double limit_s, plani_proved_t *out,
                               plan_error_t *err)
{
    plan_tree_t *tree = NULL;
    double start = plani_now();
    *out = (plani_proved_t){.slice = slice};
    plan_status_t rc = plan_heuristic_tree("best-tree", pf, root, slice, 0, NULL, &tree, err);
    if (rc == PLAN_OK) rc = plani_prove_from(pf, tree, slice, start + limit_s - plani_now(), out, err);
    plan_tree_destroy(&tree);
    out->seconds = plani_now() - start;
    return rc;
}

plan_status_t plani_prove_reduction(const plan_platform_t *pf, int root, double combine_s_per_byte, double slice,
                                    double limit_s, plani_proved_t *out, plan_error_t *err)
{
    plan_platform_t *reversed = NULL;
    double start = plani_now();
    *out = (plani_proved_t){.slice = slice};
    plan_status_t rc = plani_platform_transpose(pf, combine_s_per_byte, &reversed, err);
    if (rc == PLAN_OK) rc = plani_prove_tree(reversed, root, slice, start + limit_s - plani_now(), out, err);
    plan_platform_destroy(&reversed);
    out->seconds = plani_now() - start;
    return rc;
}
