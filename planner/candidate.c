#include "planner/plan_private.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void plan_candidate_clear(plan_candidate_t *c)
{
    if (c == NULL) return;
    if (c->tree != NULL)
        for (size_t i = 0; i < c->ntrees; i++) plan_tree_destroy(&c->tree[i]);
    free(c->tree);
    free(c->rate);
    *c = (plan_candidate_t){0};
}

plan_status_t plan_candidate_copy(const plan_candidate_t *c, plan_candidate_t *out)
{
    plan_status_t rc = PLAN_OK;
    plan_candidate_t copy = *c;

    copy.tree = NULL;
    copy.rate = NULL;
    if (c->ntrees > 0) {
        copy.tree = calloc(c->ntrees, sizeof(plan_tree_t *));
        copy.rate = malloc(c->ntrees * sizeof *copy.rate);
        if (copy.tree == NULL || copy.rate == NULL) {
            rc = PLAN_ENOMEM;
            goto done;
        }
        memcpy(copy.rate, c->rate, c->ntrees * sizeof *copy.rate);
        for (size_t i = 0; i < c->ntrees; i++)
            if ((rc = plan_tree_copy(c->tree[i], &copy.tree[i])) != PLAN_OK) goto done;
    }
    *out = copy, copy = (plan_candidate_t){0};
done:
    plan_candidate_clear(&copy);
    return rc;
}

int plani_is_name(const char *name, size_t room)
{
    size_t n = 0;
    for (; n < room && name[n] != '\0'; n++)
        if (name[n] <= ' ' || name[n] > '~' || name[n] == ',' || name[n] == '"' || name[n] == '\\') return 0;
    return n > 0 && n < room;
}

static plan_status_t check_trees(const plan_candidate_t *c, int ranks, int root, plan_error_t *err)
{
    if (c->ntrees < 1 || c->ntrees > PLANI_MAX_TREES || c->tree == NULL || c->rate == NULL)
        return plani_fail(err, PLAN_EINVAL, "%s: %zu trees; give 1 to %d, with their rates", c->name, c->ntrees,
                          PLANI_MAX_TREES);
    for (size_t i = 0; i < c->ntrees; i++) {
        if (c->tree[i] == NULL || plan_tree_ranks(c->tree[i]) != ranks)
            return plani_fail(err, PLAN_EINVAL, "%s: tree %zu does not span the %d ranks", c->name, i, ranks);
        if (plan_tree_root(c->tree[i]) != root)
            return plani_fail(err, PLAN_EINVAL, "%s: tree %zu has root %d, not %d", c->name, i,
                              plan_tree_root(c->tree[i]), root);
        if (!isfinite(c->rate[i]) || c->rate[i] <= 0)
            return plani_fail(err, PLAN_EINVAL, "%s: tree %zu has rate %g; give slices/s > 0", c->name, i, c->rate[i]);
    }
    return PLAN_OK;
}

plan_status_t plani_candidate_check(const plan_candidate_t *c, int ranks, int root, plan_error_t *err)
{
    if (!plani_is_name(c->name, sizeof c->name))
        return plani_fail(err, PLAN_EINVAL, "a candidate's name is 1 to %zu printable characters without blanks",
                          sizeof c->name - 1);
    if (c->window < 1 || c->window > PLANI_MAX_WINDOW)
        return plani_fail(err, PLAN_EINVAL, "%s: window %d; give 1 to %d", c->name, c->window, PLANI_MAX_WINDOW);
    if (c->slice > PLANI_MAX_SLICE)
        return plani_fail(err, PLAN_EINVAL, "%s: slice of %zu B; give at most %zu", c->name, c->slice, PLANI_MAX_SLICE);
    if (c->run == PLAN_RUN_TREES) return check_trees(c, ranks, root, err);
    if (c->run != PLAN_RUN_NATIVE) return plani_fail(err, PLAN_EINVAL, "%s: cannot be run", c->name);
    if (c->ntrees != 0) return plani_fail(err, PLAN_EINVAL, "%s: native takes no trees", c->name);
    return PLAN_OK;
}
