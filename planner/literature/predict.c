/* Choose the closed form, and evaluate it. */
#include "planner/literature/closed_forms.h"
#include <math.h>
#include <string.h>

static const lit_forms_t *const forms[LIT_COLLECTIVES] = {lit_barrier_forms, lit_broadcast_forms, lit_reduce_forms,
                                                          lit_alltoall_forms};
static const char *const models[LIT_MODELS] = {"hockney", "loggp", "plogp"};
static const char *const collectives[LIT_COLLECTIVES] = {"barrier", "broadcast", "reduce", "alltoall"};

const char *lit_model_name(lit_model_t model)
{
    return (int)model >= 0 && model < LIT_MODELS ? models[model] : NULL;
}

const char *lit_collective_name(lit_collective_t collective)
{
    return (int)collective >= 0 && collective < LIT_COLLECTIVES ? collectives[collective] : NULL;
}

static plan_status_t find(const char *const *list, int n, const char *name, int *which)
{
    for (int i = 0; name != NULL && i < n; i++)
        if (strcmp(list[i], name) == 0) {
            *which = i;
            return PLAN_OK;
        }
    return PLAN_EINVAL;
}

plan_status_t lit_model_from_name(const char *name, lit_model_t *model)
{
    int which = 0;
    plan_status_t rc = model != NULL ? find(models, LIT_MODELS, name, &which) : PLAN_EINVAL;
    if (rc == PLAN_OK) *model = (lit_model_t)which;
    return rc;
}

plan_status_t lit_collective_from_name(const char *name, lit_collective_t *collective)
{
    int which = 0;
    plan_status_t rc = collective != NULL ? find(collectives, LIT_COLLECTIVES, name, &which) : PLAN_EINVAL;
    if (rc == PLAN_OK) *collective = (lit_collective_t)which;
    return rc;
}

const char *lit_collective_algorithm(lit_collective_t collective, size_t i)
{
    if (lit_collective_name(collective) == NULL) return NULL;
    for (size_t k = 0; forms[collective][k].algorithm != NULL; k++)
        if (k == i) return forms[collective][k].algorithm;
    return NULL;
}

static int amounts(size_t n, const double *x)
{
    if (n == 0 || x == NULL) return 0;
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]) || x[i] < 0) return 0;
    return 1;
}

static int ascending(size_t n, const double *x)
{
    if (!amounts(n, x)) return 0;
    for (size_t i = 1; i < n; i++)
        if (x[i] <= x[i - 1]) return 0;
    return 1;
}

static int is_valid(const lit_network_t *w, lit_model_t model)
{
    const double loggp[] = {w->loggp.L, w->loggp.o, w->loggp.g, w->loggp.G};

    if (!amounts(1, &w->gamma_s_per_byte)) return 0;
    if (model == LIT_LOGGP) return amounts(4, loggp);
    if (model == LIT_HOCKNEY)
        return ascending(w->hockney.n, w->hockney.bytes) && amounts(w->hockney.n, w->hockney.alpha_s) &&
               amounts(w->hockney.n, w->hockney.beta_s_per_byte);
    return amounts(1, &w->plogp.L) && ascending(w->plogp.n, w->plogp.bytes) && amounts(w->plogp.n, w->plogp.os_s) &&
           amounts(w->plogp.n, w->plogp.or_s) && amounts(w->plogp.n, w->plogp.g_s);
}

static int log_down(int n) /* floor(log2 n) */
{
    int k = 0;
    while (n > 1) n /= 2, k++;
    return k;
}

plan_status_t lit_predict_collective(const lit_network_t *network, lit_model_t model, lit_collective_t collective,
                                     const char *algorithm, int ranks, size_t bytes, size_t segment, double *seconds)
{
    if (network == NULL || algorithm == NULL || seconds == NULL || ranks < 1 || lit_model_name(model) == NULL ||
        lit_collective_name(collective) == NULL || !is_valid(network, model))
        return PLAN_EINVAL;
    const lit_forms_t *f = forms[collective];
    while (f->algorithm != NULL && strcmp(f->algorithm, algorithm) != 0) f++;
    if (f->algorithm == NULL) return PLAN_EINVAL;

    int down = log_down(ranks), power = ranks == 1 << down;
    size_t m = segment > 0 && segment < bytes ? segment : bytes, messages = m > 0 ? bytes / m + (bytes % m > 0) : 1;
    lit_point_t x = {.network = network, .P = ranks, .m = (double)m, .whole = (double)bytes, .power_of_two = power};
    x.n = (double)messages;
    x.floor_log = down;
    x.ceil_log = power ? down : down + 1;
    x.up = down + 1; /* ceil(log2(P + 1)) = floor(log2 P) + 1 */
    *seconds = ranks == 1 ? 0 : f->by[model](&x);
    return PLAN_OK;
}
