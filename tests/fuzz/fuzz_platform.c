/*
 * Whatever the bytes, a platform file is read or refused: no crash, no leak, one line. What is read writes and reads
 * back as the same text. Built as it is, it replays the files named on its command line, with every byte changed in
 * turn and cut short in many places; with clang -fsanitize=fuzzer -DPLANBCAST_LIBFUZZER it searches.
 */
#include <planbcast/platform.h>
#include "lib/base/base.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void claim(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "fuzz_platform: %s\n", what);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    plan_platform_t *pf = NULL, *back = NULL;
    plan_error_t err;
    char *text = NULL, *again = NULL;
    plan_status_t rc = plan_platform_parse((const char *)data, size, "fuzz", &pf, &err);
    if (rc != PLAN_OK) {
        claim(pf == NULL && err.status == rc && err.text[0] != '\0', "a refusal without its line");
        claim(strchr(err.text, '\n') == NULL, "a refusal of several lines");
        claim(rc == PLAN_EFORMAT, "a refusal that is no fault of the format");
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

#ifndef PLANBCAST_LIBFUZZER
static void replay(char *text, size_t len)
{
    static const char other[] = "\0\"0-9]}{,\xff"; /* what a byte is changed to */

    LLVMFuzzerTestOneInput((const uint8_t *)text, len);
    for (size_t cut = 0; cut < len; cut += 1 + cut / 64) LLVMFuzzerTestOneInput((const uint8_t *)text, cut);
    for (size_t i = 0; i < len && len < 4096; i++) {
        char was = text[i];
        text[i] = other[(i * 7 + len) % (sizeof other - 1)];
        LLVMFuzzerTestOneInput((const uint8_t *)text, len);
        text[i] = was;
    }
}

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
        replay(text, len);
        free(text);
    }
    printf("%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
#endif
