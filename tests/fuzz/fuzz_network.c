/* For any bytes, a file of network parameters is read or refused with one line; no crash, no leak. Predictions
 * by parameters that are read are never negative. */
#include "fuzz.h"
#include "planner/literature/models.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lit_network_owned_t *network = NULL;
    plan_error_t err;
    plan_status_t rc = lit_network_parse((const char *)data, size, "fuzz", &network, &err);
    if (rc != PLAN_OK) {
        claim_refusal(rc, network, &err);
        return 0;
    }
    for (int model = 0; lit_model_name(model) != NULL; model++) {
        double seconds = -1;
        rc = lit_predict_collective(lit_network(network), (lit_model_t)model, LIT_BROADCAST, "binomial", 9, 1 << 20,
                                    1 << 13, &seconds);
        claim(rc == PLAN_OK && seconds >= 0, "a network that was read predicts nothing");
    }
    lit_network_destroy(&network);
    return 0;
}
