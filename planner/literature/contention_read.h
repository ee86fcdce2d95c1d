/* Bandwidths of N receivers, and messages, out of JSON. */
#ifndef LIT_CONTENTION_READ_H
#define LIT_CONTENTION_READ_H

#include "planner/literature/contention.h"

enum { LIT_RECEIVERS = 256 };

/** The members that hold the levels: "intra_socket", "inter_socket", "inter_host". */
extern const char *const lit_level_key[LIT_LEVELS];

/** Tables of all levels, with room for what they point to: not to be copied. */
typedef struct {
    lit_bandwidth_t table[LIT_LEVELS]; /* n == 0: absent */
    int receivers[LIT_LEVELS][LIT_RECEIVERS];
    double bytes_per_s[LIT_LEVELS][LIT_RECEIVERS];
} lit_rates_t;

/**
 * {"intra_socket": {"tau": 2.3e-6, "receivers": [1, 2, 4], "bytes_per_s": [7.5e9, 14.6e9, 25.5e9]}, ...}: tau [s], 0
 * where absent. Levels may be absent, but not all of them.
 *
 * \retval PLAN_EFORMAT  with one line of error; *out is not to be used
 */
plan_status_t lit_rates_parse(const char *text, size_t len, const char *name_for_errors, lit_rates_t *out,
                              plan_error_t *err);

/**
 * {"messages": [[FROM, TO, BYTES], ...]}, among `ranks` ranks, none to itself.
 *
 * \param[out] list  [*n], to be freed with free(); untouched on error
 * \retval PLAN_EFORMAT  with one line of error
 */
plan_status_t lit_messages_parse(const char *text, size_t len, const char *name_for_errors, int ranks,
                                 lit_message_t **list, size_t *n, plan_error_t *err);

#endif
