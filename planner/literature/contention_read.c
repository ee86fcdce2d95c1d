#include "planner/literature/contention_read.h"
#include "graphs/platform/json.h"
#include "lib/base/base.h"
#include <stdlib.h>

const char *const lit_level_key[LIT_LEVELS] = {"intra_socket", "inter_socket", "inter_host"};

/* Largest values, [s], [B/s] and [B]: so that sums and products stay finite. */
static const double most_seconds = 1e9, most_rate = 1e18, most_bytes = 1e18;

enum { MOST_RECEIVERS = 1 << 20 };

static plan_status_t read_receivers(const plani_json_t *level, size_t *n, int *receivers)
{
    plani_json_t list;
    plan_status_t rc = plani_json_list(level, "receivers", true, &list);

    if (rc != PLAN_OK) return rc;
    *n = plani_json_size(&list);
    if (*n == 0 || *n > LIT_RECEIVERS)
        return plani_json_fail(&list, "has %zu numbers; give 1 to %d", *n, LIT_RECEIVERS);
    for (size_t i = 0; i < *n && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&list, i);
        rc = plani_json_as_int(&at, 1, MOST_RECEIVERS, &receivers[i]);
        if (rc == PLAN_OK && i == 0 && receivers[i] != 1) rc = plani_json_fail(&at, "must be 1: one pair");
        if (rc == PLAN_OK && i > 0 && receivers[i] <= receivers[i - 1])
            rc = plani_json_fail(&at, "must be larger than the one before");
    }
    return rc;
}

static plan_status_t read_bandwidths(const plani_json_t *level, size_t n, double *bytes_per_s)
{
    plani_json_t list;
    plan_status_t rc = plani_json_list(level, "bytes_per_s", true, &list);

    if (rc == PLAN_OK && plani_json_size(&list) != n)
        rc = plani_json_fail(&list, "has %zu numbers; give one for each of \"receivers\": %zu", plani_json_size(&list),
                             n);
    if (rc == PLAN_OK) rc = plani_json_as_numbers(&list, bytes_per_s);
    for (size_t i = 0; i < n && rc == PLAN_OK; i++) {
        plani_json_t at = plani_json_element(&list, i);
        rc = bytes_per_s[i] > 0 ? plani_json_check_amount(&at, bytes_per_s[i], most_rate)
                                : plani_json_fail(&at, "must be positive");
    }
    return rc;
}

/* One level into the tables of `out`. */
static plan_status_t read_level(const plani_json_t *doc, lit_level_t level, lit_rates_t *out)
{
    lit_bandwidth_t *t = &out->table[level];
    plani_json_t at;
    plan_status_t rc = plani_json_object(doc, lit_level_key[level], false, &at);

    if (rc != PLAN_OK || at.value == NULL) return rc;
    plani_json_t tau = plani_json_member(&at, "tau");
    if ((rc = plani_json_number_or(&at, "tau", &t->tau_s)) == PLAN_OK)
        rc = plani_json_check_amount(&tau, t->tau_s, most_seconds);
    if (rc == PLAN_OK) rc = read_receivers(&at, &t->n, out->receivers[level]);
    if (rc == PLAN_OK) rc = read_bandwidths(&at, t->n, out->bytes_per_s[level]);
    t->receivers = out->receivers[level];
    t->bytes_per_s = out->bytes_per_s[level];
    return rc;
}

plan_status_t lit_rates_parse(const char *text, size_t len, const char *name_for_errors, lit_rates_t *out,
                              plan_error_t *err)
{
    plani_json_t doc;
    size_t levels = 0;
    plan_status_t rc = plani_json_load(text, len, name_for_errors, err, &doc);

    if (rc != PLAN_OK) return rc;
    for (int level = 0; level < LIT_LEVELS && rc == PLAN_OK; level++) {
        out->table[level] = (lit_bandwidth_t){0};
        rc = read_level(&doc, (lit_level_t)level, out);
        levels += out->table[level].n > 0;
    }
    if (rc == PLAN_OK && levels == 0)
        rc = plani_json_fail(&doc, "has no rates of many messages; give intra_socket, inter_socket or inter_host");
    plani_json_close(&doc);
    return rc;
}

static plan_status_t read_message(const plani_json_t *at, int ranks, lit_message_t *m)
{
    plani_json_t from = plani_json_element(at, 0), to = plani_json_element(at, 1), bytes = plani_json_element(at, 2);
    plan_status_t rc;

    if (!json_is_array(at->value) || plani_json_size(at) != 3)
        return plani_json_fail(at, "must be a list of three numbers: from, to, bytes");
    if ((rc = plani_json_as_int(&from, 0, ranks - 1, &m->from)) != PLAN_OK) return rc;
    if ((rc = plani_json_as_int(&to, 0, ranks - 1, &m->to)) != PLAN_OK) return rc;
    if (m->from == m->to) return plani_json_fail(at, "goes from rank %d to itself", m->to);
    rc = plani_json_as_number(&bytes, &m->bytes);
    return rc == PLAN_OK ? plani_json_check_amount(&bytes, m->bytes, most_bytes) : rc;
}

plan_status_t lit_messages_parse(const char *text, size_t len, const char *name_for_errors, int ranks,
                                 lit_message_t **list, size_t *n, plan_error_t *err)
{
    plani_json_t doc, at;
    lit_message_t *m = NULL;
    plan_status_t rc = plani_json_load(text, len, name_for_errors, err, &doc);

    if (rc != PLAN_OK) return rc;
    rc = plani_json_list(&doc, "messages", true, &at);
    size_t messages = rc == PLAN_OK ? plani_json_size(&at) : 0;
    if (rc == PLAN_OK && (m = calloc(messages + 1, sizeof *m)) == NULL) rc = plani_json_no_memory(&at);
    for (size_t i = 0; i < messages && rc == PLAN_OK; i++) {
        plani_json_t one = plani_json_element(&at, i);
        rc = read_message(&one, ranks, &m[i]);
    }
    if (rc == PLAN_OK) *list = m, *n = messages, m = NULL;
    free(m);
    plani_json_close(&doc);
    return rc;
}
