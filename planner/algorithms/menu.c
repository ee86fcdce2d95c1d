#include "planner/algorithms/menu.h"
#include "lib/base/base.h"
#include <stdio.h>
#include <string.h>

static plani_item_t *add(plani_menu_t *menu, const char *prefix, const char *name, plani_kind_t kind)
{
    plani_item_t *item = &menu->item[menu->n++];
    *item = (plani_item_t){.kind = kind};
    snprintf(item->name, sizeof item->name, "%s%s", prefix, name);
    return item;
}

/* "split_binary" becomes "ompi-split-binary". */
static void add_topology(plani_menu_t *menu, plan_topology_t kind)
{
    plani_item_t *item =
        add(menu, "ompi-", plan_topology_name(kind), kind == PLAN_SPLIT_BINARY ? PLANI_SPLIT : PLANI_TOPOLOGY);
    item->topology = kind;
    for (char *c = item->name; *c != '\0'; c++)
        if (*c == '_') *c = '-';
}

static plani_kind_t kind_of(const plan_heuristic_t *h)
{
    if (h->routed) return PLANI_ROUTED;
    return strcmp(h->name, "best-tree") == 0 ? PLANI_SEARCH : PLANI_HEURISTIC;
}

static void fill(plani_menu_t *menu)
{
    size_t n = 0;
    const plan_heuristic_t *h = plan_heuristics(&n);
    menu->n = 0;
    for (size_t i = 0; i < n && menu->n < PLANI_MENU_ROOM - PLAN_TOPOLOGIES - PLAN_SCHEDULES - 5; i++)
        add(menu, "", h[i].name, kind_of(&h[i]))->heuristic = &h[i];
    add(menu, "", "lp-trees", PLANI_LP_TREES);
    add(menu, "", "few-trees", PLANI_FEW_TREES);
    for (int kind = 0; kind < PLAN_TOPOLOGIES; kind++) add_topology(menu, (plan_topology_t)kind);
    add(menu, "", "two-tree", PLANI_TWO_TREE);
    for (int kind = 0; kind < PLAN_SCHEDULES; kind++)
        add(menu, "", plan_schedule_name((plan_schedule_kind_t)kind), PLANI_SCHEDULE)->schedule =
            (plan_schedule_kind_t)kind;
    add(menu, "", "shared-memory", PLANI_MEMORY);
    add(menu, "", "native", PLANI_NATIVE);
}

static plan_status_t unknown(const plani_menu_t *menu, const char *name, int len, plan_error_t *err)
{
    char known[448] = "";
    size_t used = 0;
    for (size_t i = 0; i < menu->n && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", menu->item[i].name);
    return plani_fail(err, PLAN_EINVAL, "no candidate is called \"%.*s\"; known: %s", len < 32 ? len : 32, name, known);
}

plan_status_t plani_menu_init(plani_menu_t *menu, const plan_choice_t *choice, plan_error_t *err)
{
    const char *at = choice->only;
    fill(menu);
    for (size_t i = 0; i < menu->n && at == NULL; i++)
        menu->item[i].wanted = menu->item[i].kind != PLANI_NATIVE || choice->include_native;
    while (at != NULL) {
        size_t len = strcspn(at, ","), i = 0;
        while (i < menu->n && (strncmp(menu->item[i].name, at, len) != 0 || menu->item[i].name[len] != '\0')) i++;
        if (i == menu->n) return unknown(menu, at, (int)(len < 64 ? len : 64), err);
        menu->item[i].wanted = true;
        at = at[len] == ',' ? at + len + 1 : NULL;
    }
    return PLAN_OK;
}
