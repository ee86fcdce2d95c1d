/* Whatever the bytes, a machine, or Slurm's topology, is read or refused: no crash, no leak, one line. What is read has
 * sound numbers, is written and read again, and gives its hosts a platform or a line. */
#include "fuzz.h"
#include "graphs/machine/import.h"
#include "graphs/machine/machine.h"
#include <stdlib.h>
#include <string.h>

static void check_numbers(const plani_machine_t *m)
{
    claim(m->nhosts > 0 && m->ngroups > 0 && m->nkinds > 0, "a machine of nothing");
    for (int h = 0; h < m->nhosts; h++)
        claim(m->host[h].group >= 0 && m->host[h].group < m->ngroups && m->host[h].kind >= 0 &&
                  m->host[h].kind < m->nkinds,
              "a host of no group or kind");
    for (int g = 0; g < m->ngroups; g++) claim(m->group[g].above < g, "a group above");
    for (int i = 0; i < m->npaths; i++) claim(m->path[i].channel < m->nchannels, "a path to no channel");
}

static void check_platform(const plani_machine_t *m)
{
    enum { MOST = 16 };
    plani_place_t place[MOST];
    plan_platform_t *pf = NULL;
    plan_error_t err;
    int ranks = 0;

    for (int h = 0; h < m->nhosts && ranks < MOST; h++)
        for (int k = 0; k < 2 && ranks < MOST; k++) place[ranks++] = (plani_place_t){h, {-1, k, 0}};
    plan_status_t rc = plani_machine_platform(m, ranks, place, &pf, &err);
    if (rc == PLAN_EMISMATCH)
        claim(pf == NULL && err.text[0] != '\0', "ranks of one host are refused without a word");
    else if (rc != PLAN_OK)
        claim_refusal(rc, pf, &err);
    plan_platform_destroy(&pf);
}

static void check(plan_status_t rc, plani_machine_t *m, const plan_error_t *err)
{
    plani_machine_t *again = NULL;
    plan_error_t line;
    char *text = NULL;

    if (rc != PLAN_OK) {
        claim_refusal(rc, m, err);
        return;
    }
    check_numbers(m);
    check_platform(m);
    if (plani_machine_to_json(m, &text) == PLAN_OK)
        claim(plani_machine_parse(text, strlen(text), "again", &again, &line) == PLAN_OK && again->nhosts == m->nhosts,
              "what is written is not read");
    free(text);
    plani_machine_destroy(&again);
    plani_machine_destroy(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const plani_import_t how = {1e9, 1e9, 1e6, 1e-6, 5e9};
    plani_machine_t *m = NULL;
    plan_error_t err;
    char *text = calloc(size + 1, 1);

    claim(text != NULL, "no memory");
    memcpy(text, data, size);
    plan_status_t rc = plani_machine_parse(text, size, "fuzz", &m, &err);
    check(rc, m, &err);
    m = NULL;
    rc = plani_import_slurm(text, "fuzz", &how, &m, &err);
    check(rc, m, &err);
    free(text);
    return 0;
}
