#include "planner/literature/taulop_read.h"

static plan_status_t read_amount(const plani_json_t *object, const char *key, double *x)
{
    plani_json_t at = plani_json_member(object, key);
    plan_status_t rc = plani_json_number_or(object, key, x);
    return rc == PLAN_OK && *x < 0 ? plani_json_fail(&at, "is negative") : rc;
}

static plan_status_t read_gamma(const plani_json_t *object, const char *key, double *gamma, size_t *n)
{
    plani_json_t list;
    plan_status_t rc = plani_json_list(object, key, false, &list);
    if (rc != PLAN_OK) return rc;
    *n = plani_json_size(&list);
    if (*n > LIT_GAMMAS) return plani_json_fail(&list, "has more than %d factors", LIT_GAMMAS);
    for (size_t i = 0; i < *n && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&list, i);
        rc = plani_json_as_number(&at, &gamma[i]);
        if (rc == PLAN_OK && !(gamma[i] > 0)) rc = plani_json_fail(&at, "must be positive");
    }
    return rc;
}

plan_status_t lit_taulop_read_shared(const plani_json_t *object, lit_gamma_t *gamma, lit_taulop_t *p)
{
    plan_status_t rc = read_amount(object, "Q", &p->Q);
    p->gamma_shm = gamma->shm;
    p->gamma_net = gamma->net;
    if (rc == PLAN_OK) rc = read_gamma(object, "gamma_shm", gamma->shm, &p->ngamma_shm);
    return rc == PLAN_OK ? read_gamma(object, "gamma_net", gamma->net, &p->ngamma_net) : rc;
}

plan_status_t lit_taulop_read_costs(const plani_json_t *object, lit_taulop_t *p)
{
    const struct {
        const char *key;
        double *x;
    } cost[] = {{"o_shm", &p->o_shm}, {"o_net", &p->o_net}, {"L_shm", &p->L_shm}, {"L_net", &p->L_net}};
    for (size_t i = 0; i < sizeof cost / sizeof *cost; i++) {
        plan_status_t rc = read_amount(object, cost[i].key, cost[i].x);
        if (rc != PLAN_OK) return rc;
    }
    if (p->o_shm + p->o_net + p->L_shm + p->L_net <= 0)
        return plani_json_fail(object, "costs nothing; give o_shm, o_net, L_shm or L_net");
    return PLAN_OK;
}
