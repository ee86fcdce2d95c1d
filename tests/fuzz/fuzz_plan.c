/*
 * Whatever the bytes, a plan file is read or refused: no crash, no leak, one line. What is read writes and reads back
 * as the same plan. Built as it is, it replays the files named on its command line; with
 * clang -fsanitize=fuzzer -DPLANBCAST_LIBFUZZER it searches.
 */
#include <planbcast/plan.h>
#include "lib/base/base.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void claim(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_plan: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plan_t *plan = NULL, *back = NULL;
    plan_error_t err;
    char *text = NULL, *why = NULL;
    plan_status_t rc = plan_parse((const char *)data, size, "fuzz", &plan, &err);
    if (rc != PLAN_OK) {
        claim(plan == NULL && err.status == rc && err.text[0] != '\0', "a refusal without its line");
        claim(strchr(err.text, '\n') == NULL, "a refusal of several lines");
        return 0;
    }
    claim(plan_to_json(plan, &text) == PLAN_OK, "a plan that was read is not written");
    claim(plan_parse(text, strlen(text), "back", &back, &err) == PLAN_OK, "a plan that was written is not read");
    claim(plan_hash(plan) == plan_hash(back), "a plan that was written and read has another hash");
    claim(plan_explain(plan, NULL, 1 << 20, &why) == PLAN_OK, "a plan that was read does not explain itself");
    claim(plan_chosen(plan, SIZE_MAX) == plan_range(plan, plan_nranges(plan) - 1).chosen, "the last range ends");
    free(text);
    free(why);
    plan_destroy(&plan);
    plan_destroy(&back);
    return 0;
}

#ifndef PLANBCAST_LIBFUZZER
/* Replay each file, and every prefix of it that is a power of two long. */
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char *text = NULL;
        size_t len = 0;
        plan_error_t err;
        if (plani_read_file(argv[i], (size_t)1 << 26, &text, &len, &err) != PLAN_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        for (size_t cut = 1; cut < len; cut *= 2) LLVMFuzzerTestOneInput((const uint8_t *)text, cut);
        LLVMFuzzerTestOneInput((const uint8_t *)text, len);
        free(text);
    }
    printf("%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
#endif
