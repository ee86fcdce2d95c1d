/* For any bytes, rates and messages are read or refused with one line; no crash, no leak. Times predicted from what is
 * read are never negative. */
#include "fuzz.h"
#include "planner/literature/contention_read.h"
#include <stdlib.h>

enum { RANKS = 12 };

static void predict(const lit_bandwidth_t *table, size_t n, const lit_message_t *list)
{
    static const int socket[RANKS] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3},
                     host[RANKS] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
    for (int model = 0; lit_contention_name((lit_contention_t)model) != NULL; model++) {
        double seconds[RANKS];
        plan_status_t rc = lit_predict_messages((lit_contention_t)model, table, RANKS, socket, host, n, list, seconds);
        claim(rc == PLAN_OK || rc == PLAN_EINVAL, "messages that were read fail"); /* a level may be absent */
        for (int r = 0; r < RANKS && rc == PLAN_OK; r++) claim(!(seconds[r] < 0), "a time is negative");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static lit_rates_t rates;
    lit_message_t *list = NULL;
    size_t n = 0;
    plan_error_t err;
    plan_status_t read = lit_rates_parse((const char *)data, size, "fuzz", &rates, &err);
    if (read != PLAN_OK) claim_refusal(read, NULL, &err);
    plan_status_t rc = lit_messages_parse((const char *)data, size, "fuzz", RANKS, &list, &n, &err);
    if (rc != PLAN_OK)
        claim_refusal(rc, list, &err);
    else if (read == PLAN_OK)
        predict(rates.table, n, list);
    free(list);
    return 0;
}
