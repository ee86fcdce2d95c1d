/* Pieces of an HTML page with SVG pictures: escaped text, labels, and the style of the whole page. */
#ifndef PLANI_REPORT_PAGE_H
#define PLANI_REPORT_PAGE_H

#include "lib/base/text.h"

/** Add text as it stands. */
void plani_page_put(plani_text_t *to, const char *markup);
/**
 * Add text for content and attributes of HTML and XML alike: markup is escaped, and what may not stand in XML, or
 * changes the direction of writing, becomes '?': control characters, bytes that are not UTF-8.
 */
void plani_page_text(plani_text_t *to, const char *s);

/** A name for tables and pictures: at most 39 characters, cut off between characters of UTF-8. */
typedef struct {
    char s[40];
} plani_label_t;
plani_label_t plani_label(const char *name);

/** Everything before and after the sections. `title` is escaped. */
void plani_page_begin(plani_text_t *to, const char *title);
void plani_page_end(plani_text_t *to);

/** A heading, and what can be linked to. */
void plani_page_heading(plani_text_t *to, const char *id, const char *title);
/** The colour of the i-th series of charts, as a CSS class: "s0" to "s7". */
int plani_page_series(unsigned i);

#endif
