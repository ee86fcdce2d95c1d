/* What fuzz targets share. Built as they are, they replay the files named on their command line; with
 * clang -fsanitize=fuzzer -DPLANBCAST_LIBFUZZER they search. */
#ifndef PLANBCAST_TESTS_FUZZ_H
#define PLANBCAST_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <planbcast/status.h>

/** The target: any bytes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Ends the program, with a line, where the claim does not hold. */
void claim(bool holds, const char *what);
/** A refusal is the format's fault, leaves nothing behind, and says why in one line. */
void claim_refusal(plan_status_t rc, const void *left, const plan_error_t *err);

#endif
