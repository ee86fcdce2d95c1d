/* Parameters of the network models: from a measured channel class, from LogGP's four numbers, from a file. */
#include "planner/literature/models.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "graphs/platform/json.h"
#include "lib/base/base.h"

struct lit_network_owned {
    lit_network_t network;
    double *hockney; /* bytes, alpha, beta */
    double *plogp;   /* bytes, os, or, g */
};

/* Largest values, [s] or [s/B], and [B]: so that sums and products stay finite. */
static const double most_seconds = 1e9, most_bytes = 1e18;

enum { HOCKNEY_ROWS = 3, PLOGP_ROWS = 4, MAX_SIZES = 4096 };

void lit_network_destroy(lit_network_owned_t **network)
{
    if (network == NULL || *network == NULL) return;
    free((*network)->hockney);
    free((*network)->plogp);
    free(*network);
    *network = NULL;
}

const lit_network_t *lit_network(const lit_network_owned_t *network)
{
    return network != NULL ? &network->network : NULL;
}

/* Allocate curves with so many sizes; 0: none. */
static plan_status_t room(lit_network_owned_t *w, size_t hockney, size_t plogp)
{
    lit_network_t *p = &w->network;

    if (hockney > 0) {
        if ((w->hockney = calloc(hockney, HOCKNEY_ROWS * sizeof *w->hockney)) == NULL) return PLAN_ENOMEM;
        p->hockney.n = hockney;
        p->hockney.bytes = w->hockney;
        p->hockney.alpha_s = w->hockney + hockney;
        p->hockney.beta_s_per_byte = w->hockney + 2 * hockney;
    }
    if (plogp > 0) {
        if ((w->plogp = calloc(plogp, PLOGP_ROWS * sizeof *w->plogp)) == NULL) return PLAN_ENOMEM;
        p->plogp.n = plogp;
        p->plogp.bytes = w->plogp;
        p->plogp.os_s = w->plogp + plogp;
        p->plogp.or_s = w->plogp + 2 * plogp;
        p->plogp.g_s = w->plogp + 3 * plogp;
    }
    return PLAN_OK;
}

/* g + (m - 1) G, from one byte on. */
static plan_status_t plogp_from_loggp(lit_network_owned_t *w)
{
    const double L = w->network.loggp.L, o = w->network.loggp.o, g = w->network.loggp.g, G = w->network.loggp.G;
    static const double far = 1e6; /* [B] any second size gives the same line */

    if (room(w, 0, 2) != PLAN_OK) return PLAN_ENOMEM;
    w->network.plogp.L = fmax(0, L + 2 * o - g);
    for (int i = 0; i < 2; i++) {
        w->plogp[i] = i == 0 ? 1 : far;
        w->plogp[2 + i] = w->plogp[4 + i] = o;
        w->plogp[6 + i] = g + (w->plogp[i] - 1) * G;
    }
    return PLAN_OK;
}

static plan_status_t hockney_from_loggp(lit_network_owned_t *w)
{
    if (room(w, 1, 0) != PLAN_OK) return PLAN_ENOMEM;
    w->hockney[1] = w->network.loggp.L + 2 * w->network.loggp.o;
    w->hockney[2] = w->network.loggp.G;
    return PLAN_OK;
}

plan_status_t lit_network_from_loggp(double L, double o, double g, double G, lit_network_owned_t **out)
{
    lit_network_owned_t *w = NULL;

    if (out == NULL || !(L >= 0 && o >= 0 && g >= 0 && G >= 0) || !isfinite(L + o + g + G)) return PLAN_EINVAL;
    if ((w = calloc(1, sizeof *w)) == NULL) return PLAN_ENOMEM;
    w->network.loggp.L = L;
    w->network.loggp.o = o;
    w->network.loggp.g = g;
    w->network.loggp.G = G;
    if (hockney_from_loggp(w) != PLAN_OK || plogp_from_loggp(w) != PLAN_OK) {
        lit_network_destroy(&w);
        return PLAN_ENOMEM;
    }
    *out = w;
    return PLAN_OK;
}

plan_status_t lit_network_from_channel(const plan_channel_t *c, lit_network_owned_t **out)
{
    lit_network_owned_t *w = NULL;
    size_t n;

    if (c == NULL || out == NULL || c->nsizes == 0) return PLAN_EINVAL;
    n = c->nsizes;
    if ((w = calloc(1, sizeof *w)) == NULL || room(w, n, n) != PLAN_OK) {
        lit_network_destroy(&w);
        return PLAN_ENOMEM;
    }
    double alpha = c->p2p_s[0], L = fmax(0, c->p2p_s[0] - c->gap_s[0]);
    for (size_t i = 0; i < n; i++) {
        double m = c->bytes[i];
        w->hockney[i] = w->plogp[i] = m;
        w->hockney[n + i] = alpha;
        w->hockney[2 * n + i] = m > 0 ? fmax(0, c->p2p_s[i] - alpha) / m : 0;
        w->plogp[n + i] = w->plogp[2 * n + i] = c->overhead_s[i];
        w->plogp[3 * n + i] = c->gap_s[i];
    }
    w->network.plogp.L = L;
    w->network.loggp.o = c->overhead_s[0];
    w->network.loggp.g = c->gap_s[0];
    w->network.loggp.L = fmax(0, L + c->gap_s[0] - 2 * c->overhead_s[0]);
    w->network.loggp.G = c->bytes[n - 1] > 0 ? c->gap_s[n - 1] / c->bytes[n - 1] : 0;
    *out = w;
    return PLAN_OK;
}

static plan_status_t read_seconds(const plani_json_t *object, const char *key, double *x)
{
    plani_json_t at = plani_json_member(object, key);
    plan_status_t rc = plani_json_number(object, key, x);
    return rc == PLAN_OK ? plani_json_check_amount(&at, *x, most_seconds) : rc;
}

/* Read one list of n numbers; sizes ascend. */
static plan_status_t read_row(const plani_json_t *at, const char *key, size_t n, bool sizes, double *row)
{
    plani_json_t list;
    plan_status_t rc = plani_json_list(at, key, true, &list);

    if (rc == PLAN_OK && plani_json_size(&list) != n)
        rc = plani_json_fail(&list, "has %zu numbers; give one for each of \"bytes\": %zu", plani_json_size(&list), n);
    if (rc == PLAN_OK) rc = plani_json_as_numbers(&list, row);
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) {
        plani_json_t one = plani_json_element(&list, i);
        rc = plani_json_check_amount(&one, row[i], sizes ? most_bytes : most_seconds);
        if (rc == PLAN_OK && sizes && i > 0 && row[i] <= row[i - 1])
            rc = plani_json_fail(&one, "must be larger than the one before");
    }
    return rc;
}

static plan_status_t read_rows(const plani_json_t *doc, const char *model, size_t rows, const char *const *key,
                               lit_network_owned_t *w, double **curves)
{
    plani_json_t at, list;
    plan_status_t rc = plani_json_object(doc, model, false, &at);
    size_t n;

    if (rc != PLAN_OK || at.value == NULL) return rc;
    if ((rc = plani_json_list(&at, "bytes", true, &list)) != PLAN_OK) return rc;
    n = plani_json_size(&list);
    if (n == 0 || n > MAX_SIZES) return plani_json_fail(&list, "has %zu sizes; give 1 to %d", n, MAX_SIZES);
    rc = rows == HOCKNEY_ROWS ? room(w, n, 0) : room(w, 0, n);
    for (size_t i = 0; i < rows && rc == PLAN_OK; i++) rc = read_row(&at, key[i], n, i == 0, *curves + i * n);
    if (rc == PLAN_OK && rows == PLOGP_ROWS) rc = read_seconds(&at, "L", &w->network.plogp.L);
    return rc;
}

static plan_status_t read_loggp(const plani_json_t *doc, lit_network_owned_t *w)
{
    lit_network_t *p = &w->network;
    plani_json_t at;
    plan_status_t rc = plani_json_object(doc, "loggp", true, &at);

    if (rc == PLAN_OK) rc = read_seconds(&at, "L", &p->loggp.L);
    if (rc == PLAN_OK) rc = read_seconds(&at, "o", &p->loggp.o);
    if (rc == PLAN_OK) rc = read_seconds(&at, "g", &p->loggp.g);
    if (rc == PLAN_OK) rc = read_seconds(&at, "G", &p->loggp.G);
    at = plani_json_member(doc, "gamma");
    if (rc == PLAN_OK && at.value != NULL) rc = read_seconds(doc, "gamma", &p->gamma_s_per_byte);
    return rc;
}

plan_status_t lit_network_parse(const char *text, size_t len, const char *name_for_errors, lit_network_owned_t **out,
                                plan_error_t *err)
{
    static const char *const hockney[] = {"bytes", "alpha", "beta"}, *const plogp[] = {"bytes", "os", "or", "g"};
    plani_json_t doc;
    lit_network_owned_t *w = NULL;
    if (text == NULL || out == NULL) return plani_fail(err, PLAN_EINVAL, "no text to read parameters from");
    if (name_for_errors == NULL) name_for_errors = "parameters";
    plan_status_t rc = plani_json_load(text, len, name_for_errors, err, &doc);

    if (rc != PLAN_OK) return rc;
    if ((w = calloc(1, sizeof *w)) == NULL) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK) rc = read_loggp(&doc, w);
    if (rc == PLAN_OK) rc = read_rows(&doc, "hockney", HOCKNEY_ROWS, hockney, w, &w->hockney);
    if (rc == PLAN_OK) rc = read_rows(&doc, "plogp", PLOGP_ROWS, plogp, w, &w->plogp);
    if (rc == PLAN_OK && w->hockney == NULL) rc = hockney_from_loggp(w);
    if (rc == PLAN_OK && w->plogp == NULL) rc = plogp_from_loggp(w);
    if (rc == PLAN_ENOMEM) rc = plani_fail(err, rc, "%s: out of memory", name_for_errors);
    if (rc == PLAN_OK) *out = w, w = NULL;
    lit_network_destroy(&w);
    plani_json_close(&doc);
    return rc;
}
