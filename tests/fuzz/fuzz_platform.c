/* For any bytes, a platform file is read or refused with one line; no crash, no leak. A platform that
 * was read is written as the same text after writing and reading again. */
#include "fuzz.h"
#include <stdlib.h>
#include <string.h>
#include <planbcast/platform.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plan_platform_t *pf = NULL, *back = NULL;
    plan_error_t err;
    char *text = NULL, *again = NULL;
    plan_status_t rc = plan_platform_parse((const char *)data, size, "fuzz", &pf, &err);
    if (rc != PLAN_OK) {
        claim_refusal(rc, pf, &err);
        return 0;
    }
    claim(plan_platform_to_json(pf, &text) == PLAN_OK, "a platform that was read is not written");
    claim(plan_platform_parse(text, strlen(text), "back", &back, &err) == PLAN_OK, "what was written is not read");
    claim(plan_platform_to_json(back, &again) == PLAN_OK, "a platform that was read back is not written");
    claim(strcmp(text, again) == 0, "what was written and read is written otherwise");
    free(text);
    free(again);
    plan_platform_destroy(&pf);
    plan_platform_destroy(&back);
    return 0;
}
