/* For any bytes, a table of times and a file of parameters are read or refused with one line; no crash, no leak. What
 * was read leads to a choice at each of its points of few ranks. */
#include "fuzz.h"
#include "planner/selection/selection.h"

static void choose(const sel_table_t *t)
{
    enum { RANKS = 64 };
    sel_fit_t fit;
    plan_error_t err;
    for (size_t i = 0; i < t->n; i++)
        if (t->timing[i].layout.ranks > RANKS) return;
    if (sel_fit(t, &(sel_settings_t){.ngamma = 0}, &fit, &err) != PLAN_OK) return;
    for (size_t i = 0; i < t->n; i++) {
        int way;
        double seconds;
        plan_status_t rc = sel_choose(&fit, t->timing[i].layout, t->timing[i].bytes, &way, &seconds);
        claim(rc == PLAN_OK, "nothing is chosen");
        claim(way < 0 || seconds >= 0, "a choice takes negative time, or none that is known");
    }
    sel_fit_clear(&fit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sel_table_t table;
    sel_given_t *given = NULL;
    plan_error_t err;
    plan_status_t rc = sel_table_parse((const char *)data, size, "fuzz", &plani_open_mpi, &table, &err);
    if (rc != PLAN_OK) {
        claim_refusal(rc, table.timing, &err);
    } else {
        choose(&table);
        sel_table_clear(&table);
    }
    rc = sel_given_parse((const char *)data, size, "fuzz", &given, &err);
    if (rc != PLAN_OK) claim_refusal(rc, given, &err);
    sel_given_destroy(&given);
    return 0;
}
