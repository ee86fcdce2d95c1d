/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts that grow, for writing JSON, DOT and so on. */
#ifndef PLANI_TEXT_H
#define PLANI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/status.h>

/** Start with {0}. After a failed allocation, additions are ignored; plani_text_take reports it. */
typedef struct {
    char *at; /* NUL-terminated */
    size_t len, room;
    bool failed;
} plani_text_t;

void plani_text_add(plani_text_t *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** n numbers separated by commas. */
void plani_text_add_ints(plani_text_t *t, const int *x, int n);
/** Shortest decimal form that reads back as the same double, with a decimal point in every locale. x must be finite. */
void plani_text_add_double(plani_text_t *t, double x);
/** A JSON string: quoted and escaped; bytes above 0x7f are copied. NULL: null. */
void plani_text_add_quoted(plani_text_t *t, const char *s);
/** Hand over the text, or free it: PLAN_ENOMEM. t is empty afterwards. */
plan_status_t plani_text_take(plani_text_t *t, char **text);

#endif
