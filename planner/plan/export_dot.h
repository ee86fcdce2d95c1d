/* What the pictures for Graphviz share. */
#ifndef PLANI_EXPORT_DOT_H
#define PLANI_EXPORT_DOT_H

#include <stdbool.h>
#include "planner/plan/export.h"

#define RED "#c8102e"

/** Beyond so many ranks, groups of them are drawn. */
enum { PLANI_DOT_RANKS = 64 };

/** Escape markup and control characters of HTML-like labels. */
void plani_dot_escaped(plani_text_t *to, const char *s);
/** The graph's label: the candidate, its bottleneck, its trees. */
void plani_dot_title(const plani_export_t *x, plani_text_t *to);
/** "label=" and the name of a host or site, else its number. */
void plani_dot_place(plani_text_t *to, const char *what, const char *const *names, int place);
/** Whether a message from u to its child v, of a reduction from v to u, passes the bottleneck. */
bool plani_dot_is_busiest(const plani_export_t *x, int u, int v);

/** Many ranks: what is sent between sites, or hosts. Rounds: who sends to whom. Shared memory: who reads it. */
void plani_export_dot_groups(const plani_export_t *x, plani_text_t *to);

#endif
