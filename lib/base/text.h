/* Texts that grow: for files written as JSON, DOT and the like. */
#ifndef PLANI_TEXT_H
#define PLANI_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <planbcast/status.h>

/** Start with {0}. After a failed allocation everything added is dropped; ask once, at the end. */
typedef struct {
    char *at; /* NUL-terminated */
    size_t len, room;
    bool failed;
} plani_text_t;

void plani_text_add(plani_text_t *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** n numbers with commas between. */
void plani_text_add_ints(plani_text_t *t, const int *x, int n);
/** Shortest decimal form that reads back as the same double, with a point whatever the locale. x must be finite. */
void plani_text_add_double(plani_text_t *t, double x);
/** A JSON string: quoted, escaped; bytes above 0x7f pass as they are. NULL: null. */
void plani_text_add_quoted(plani_text_t *t, const char *s);
/** Hand over the text, or free it: PLAN_ENOMEM. t is empty afterwards. */
plan_status_t plani_text_take(plani_text_t *t, char **text);

#endif
