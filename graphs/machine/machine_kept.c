/* Where two machines disagree: what a merge has kept of the older one. */
#include "graphs/machine/machine.h"
#include "lib/base/base.h"
#include "lib/base/text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const plani_machine_t *all, *newer;
    int *host;         /* [newer->nhosts] of `all`; -1: it says nothing of the newer one's */
    int *group;        /* [newer->ngroups] of `all`, that of the first such host; -1: none */
    int *from;         /* [all->ngroups] the newer one's group that is this one; -1: none */
    const char **name; /* [hosts or groups of newer] scratch */
} comparison_t;

/* Both are known, and they differ by more than noise. */
static bool differ(double x, double y)
{
    return x > 0 && y > 0 && fabs(x - y) > PLANI_ALIKE * plani_max(x, y);
}

static plan_status_t compare(const plani_machine_t *all, const plani_machine_t *newer, comparison_t *c)
{
    size_t hosts = (size_t)newer->nhosts, groups = (size_t)newer->ngroups, known = (size_t)all->ngroups;

    *c = (comparison_t){.all = all, .newer = newer};
    c->host = malloc((hosts + groups + known + 1) * sizeof *c->host);
    c->name = malloc((hosts + groups + 1) * sizeof *c->name);
    if (c->host == NULL || c->name == NULL) return PLAN_ENOMEM;
    c->group = c->host + hosts, c->from = c->group + groups;
    for (size_t i = 0; i < groups + known; i++) c->group[i] = -1;
    for (int h = 0; h < newer->nhosts; h++) {
        c->host[h] = newer->host[h].admitted ? -1 : plani_machine_find(all, newer->host[h].name);
        if (c->host[h] < 0) continue;
        int *to = &c->group[newer->host[h].group], *from = &c->from[all->host[c->host[h]].group];
        if (*to < 0) *to = all->host[c->host[h]].group;
        if (*from < 0) *from = newer->host[h].group;
    }
    return PLAN_OK;
}

typedef bool differs_t(const comparison_t *c, int h);

static bool card_differs(const comparison_t *c, int h)
{
    const plani_machine_kind_t *x = &c->all->kind[c->all->host[c->host[h]].kind],
                               *y = &c->newer->kind[c->newer->host[h].kind];
    return differ(x->out.bytes_per_s, y->out.bytes_per_s) || differ(x->in.bytes_per_s, y->in.bytes_per_s);
}

static bool memory_differs(const comparison_t *c, int h)
{
    return differ(plani_machine_inside(c->all, c->host[h])->memory.bytes_per_s,
                  plani_machine_inside(c->newer, h)->memory.bytes_per_s);
}

/* It is with other hosts than the newer machine says, or not with all of them. */
static bool group_differs(const comparison_t *c, int h)
{
    int to = c->all->host[c->host[h]].group, from = c->newer->host[h].group;
    return c->group[from] != to || c->from[to] != from;
}

/* A guess contradicts nothing. */
static bool trunks_differ(const plani_capacity_t *x, const plani_capacity_t *y)
{
    return !x->guess && !y->guess && differ(x->bytes_per_s, y->bytes_per_s);
}

/* The trunk of a group that both have. */
static bool trunk_differs(const comparison_t *c, int g)
{
    int to = c->group[g];
    if (to < 0 || c->from[to] != g) return false;
    const plani_machine_group_t *x = &c->all->group[to], *y = &c->newer->group[g];
    return trunks_differ(&x->out, &y->out) || trunks_differ(&x->in, &y->in);
}

/* "the cards of n[1-3]" of the n names found. */
static plan_status_t say(plani_text_t *t, const char *what, const comparison_t *c, size_t n)
{
    if (n == 0) return PLAN_OK;
    char *list = plani_host_list_of(n, c->name);
    if (list == NULL) return PLAN_ENOMEM;
    plani_text_add(t, "%s%s %.80s%s", t->len > 0 ? ", " : "", what, list, strlen(list) > 80 ? "..." : "");
    free(list);
    return PLAN_OK;
}

static plan_status_t say_hosts(plani_text_t *t, const char *what, const comparison_t *c, differs_t *differs)
{
    size_t n = 0;
    for (int h = 0; h < c->newer->nhosts; h++)
        if (c->host[h] >= 0 && differs(c, h)) c->name[n++] = c->newer->host[h].name;
    return say(t, what, c, n);
}

static plan_status_t say_trunks(plani_text_t *t, const comparison_t *c)
{
    size_t n = 0;
    for (int g = 0; g < c->newer->ngroups; g++)
        if (trunk_differs(c, g)) c->name[n++] = c->all->group[c->group[g]].name;
    return say(t, "the trunks of", c, n);
}

plan_status_t plani_machine_kept(const plani_machine_t *all, const plani_machine_t *newer, char **text)
{
    comparison_t c = {0};
    plani_text_t t = {0};
    plan_status_t rc = compare(all, newer, &c);

    *text = NULL;
    if (rc == PLAN_OK) rc = say_hosts(&t, "the cards of", &c, card_differs);
    if (rc == PLAN_OK) rc = say_trunks(&t, &c);
    if (rc == PLAN_OK) rc = say_hosts(&t, "the groups of", &c, group_differs);
    if (rc == PLAN_OK) rc = say_hosts(&t, "the memory of", &c, memory_differs);
    bool any = t.len > 0 || t.failed;
    if (rc == PLAN_OK && any)
        rc = plani_text_take(&t, text);
    else
        free(t.at);
    free(c.host);
    free(c.name);
    return rc;
}
