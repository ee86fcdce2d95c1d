/* The order of ranks in a chain. */
#include "lib/mpi/measure/phases/findings.h"
#include <math.h>

enum { RANKS_MOST = 64 };

double plani_card_rate(const plani_findings_t *s, int host)
{
    double least = fmin(s->card_out[host], s->card_in[host]);

    return least > 0 ? least : INFINITY;
}

plan_status_t plani_findings_walk(const plani_findings_t *s, plani_chain_ranks_t way, void *context,
                                  plani_on_link_t *each)
{
    plan_status_t rc = PLAN_OK;
    int ranks = 0, before = -1;

    for (int site = 0; site < s->sites; site++) {
        if (way.by_site) before = -1;
        for (int h = 0; h < s->hosts; h++) {
            if (s->site[h] != site || plani_card_rate(s, h) < way.rate) continue;
            int n = way.leaders ? 1 : plani_ranks_on(s, h);
            for (int i = 0; i < n && ranks < RANKS_MOST && rc == PLAN_OK; i++, ranks++) {
                int rank = s->rank_at[s->host_first[h] + i];
                if (before >= 0) rc = each(s, before, rank, context);
                before = rank;
            }
        }
    }
    return rc;
}

plan_status_t plani_add_link(const plani_findings_t *s, int from, int to, void *context)
{
    plani_link_tasks_t *adding = context;

    (void)s;
    adding->task.from = from, adding->task.to = to;
    return plani_tasks_add(adding->tasks, adding->task);
}
