/* A small reader of markup, apart from the library: whether a page is well-formed. */
#ifndef PLANBCAST_TESTS_MARKUP_H
#define PLANBCAST_TESTS_MARKUP_H

#include <stddef.h>

/** Every element is closed in order, attributes are quoted and stand once, text holds no bare markup, no control
 * character. \return NULL, or where it goes wrong */
const char *markup_error(const char *page);
/** How often `what` occurs in the page. */
size_t markup_count(const char *page, const char *what);

#endif
