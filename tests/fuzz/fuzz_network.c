/* Whatever the bytes, a file of network parameters is read or refused: no crash, no leak, one line. What is read
 * predicts times that are none below zero. */
#include "fuzz.h"
#include <planbcast/models.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plan_network_owned_t *network = NULL;
    plan_error_t err;
    plan_status_t rc = plan_network_parse((const char *)data, size, "fuzz", &network, &err);
    if (rc != PLAN_OK) {
        claim_refusal(rc, network, &err);
        return 0;
    }
    for (int model = 0; plan_network_model_name(model) != NULL; model++) {
        double seconds = -1;
        rc = plan_predict_collective(plan_network(network), (plan_network_model_t)model, PLAN_BROADCAST, "binomial", 9,
                                     1 << 20, 1 << 13, &seconds);
        claim(rc == PLAN_OK && seconds >= 0, "a network that was read predicts nothing");
    }
    plan_network_destroy(&network);
    return 0;
}
