/* For any bytes, a plan file is read or refused with one line; no crash, no leak. A plan that was read is
 * the same after writing and reading again. */
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include <planbcast/plan.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plan_t *plan = NULL, *back = NULL;
    plan_error_t err;
    char *text = NULL, *why = NULL;
    plan_status_t rc = plan_parse((const char *)data, size, "fuzz", &plan, &err);
    if (rc != PLAN_OK) {
        claim_refusal(rc, plan, &err);
        return 0;
    }
    claim(plan_to_json(plan, &text) == PLAN_OK, "a plan that was read is not written");
    claim(plan_parse(text, strlen(text), "back", &back, &err) == PLAN_OK, "a plan that was written is not read");
    claim(plan_data(plan)->hash == plan_data(back)->hash, "a plan that was written and read has another hash");
    claim(plan_explain(plan, NULL, 1 << 20, &why) == PLAN_OK, "a plan that was read does not explain itself");
    claim(plan_chosen(plan, SIZE_MAX) == plan_data(plan)->range[plan_data(plan)->nranges - 1].chosen,
          "the last range ends");
    free(text);
    free(why);
    plan_destroy(&plan);
    plan_destroy(&back);
    return 0;
}
