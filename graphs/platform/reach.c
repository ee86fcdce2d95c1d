/* Reachability: breadth-first search over the platform's index, O(ranks + links). */
#include "graphs/platform/reach.h"
#include <planbcast/platform.h>
#include "lib/base/base.h"
#include <stdlib.h>

/* On return queue[] lists the reached ranks, and seen[r] is 1 for them. */
static void visit(const plan_platform_data_t *d, int root, int *queue, char *seen)
{
    int reached = 1;

    queue[0] = root;
    seen[root] = 1;
    for (int i = 0; i < reached; i++)
        for (size_t l = d->out_first[queue[i]]; l < d->out_first[queue[i] + 1]; l++) {
            int v = d->link[l].to;
            if (seen[v]) continue;
            seen[v] = 1;
            queue[reached++] = v;
        }
}

plan_status_t plani_platform_reaches_all(const plan_platform_t *pf, int root, plan_error_t *err)
{
    plan_status_t rc = PLAN_OK;
    int *queue = NULL;
    char *seen = NULL;

    if (pf == NULL) return plani_fail(err, PLAN_EINVAL, "no platform given");
    const plan_platform_data_t *d = plan_platform_data(pf);
    if (root < 0 || root >= d->ranks)
        return plani_fail(err, PLAN_EINVAL, "root is %d; ranks are 0 to %d", root, d->ranks - 1);
    queue = malloc((size_t)d->ranks * sizeof *queue);
    seen = calloc((size_t)d->ranks, 1);
    if (queue == NULL || seen == NULL) {
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for %d ranks", d->ranks);
        goto done;
    }
    plani_clear(err);
    visit(d, root, queue, seen);
    for (int r = 0; r < d->ranks && rc == PLAN_OK; r++)
        if (!seen[r])
            rc = plani_fail(err, PLAN_EUNREACHABLE, "rank %d cannot be reached from root %d; add links towards it", r,
                            root);
done:
    free(queue);
    free(seen);
    return rc;
}
