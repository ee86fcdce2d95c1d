#include "fuzz.h"
#include "lib/base/base.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void claim(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

void claim_refusal(plan_status_t rc, const void *left, const plan_error_t *err)
{
    claim(left == NULL && err->status == rc && err->text[0] != '\0', "a refusal without its line");
    claim(strchr(err->text, '\n') == NULL, "a refusal of several lines");
    claim(rc == PLAN_EFORMAT, "a refusal that is no fault of the format");
}

#ifndef PLANBCAST_LIBFUZZER
/* A file as it is, cut short in many places, and with every byte changed in turn. */
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
