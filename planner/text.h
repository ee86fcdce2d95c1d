/* Writing texts that people or programs read: numbers that do not change with the locale, and units. */
#ifndef PLANI_TEXT_H
#define PLANI_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <planbcast/status.h>

/** A text under construction: print to `file`, then close. */
typedef struct {
    FILE *file;
    char *text;
    size_t len;
} plani_text_t;

plan_status_t plani_text_open(plani_text_t *t);
/** Hand the text over in *out (freed with free()) if `rc` is PLAN_OK and nothing was lost; else drop it. */
plan_status_t plani_text_close(plani_text_t *t, plan_status_t rc, char **out);

typedef struct {
    char s[32];
} plani_word_t;

/** The shortest decimal that reads back as the same double, with a point in every locale; "null" if not finite. */
plani_word_t plani_real(double x);
/** Three digits and a unit: "4 MiB", "1.5 KiB", "17 B". */
plani_word_t plani_bytes(double bytes);
/** "713 ms", "1.25 us", "2.1 s"; "?" if not finite. */
plani_word_t plani_seconds(double s);

#endif
