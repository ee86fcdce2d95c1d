/* Reading JSON files: typed access, and errors of one line that name the file, the place and the remedy. */
#ifndef PLANI_JSON_H
#define PLANI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <jansson.h>
#include <planbcast/platform.h>

/**
 * A value and its place. Values of this type live on the stack; `up` must outlive them. The document itself comes
 * from plani_json_load. A member that is absent has value NULL.
 *
 *     plani_json_t doc, links, link;
 *     if ((rc = plani_json_load(text, len, "FILE", err, &doc)) != PLAN_OK) return rc;
 *     if ((rc = plani_json_list(&doc, "links", true, &links)) != PLAN_OK) goto done;
 *     for (size_t i = 0; i < plani_json_size(&links); i++) {
 *         link = plani_json_element(&links, i);
 *         if ((rc = plani_json_int(&link, "from", 0, 9, &from)) != PLAN_OK) goto done;
 *     }                                         // "FILE: links[3].from is 12; give a whole number from 0 to 9"
 *   done:
 *     plani_json_close(&doc);
 */
typedef struct plani_json {
    const struct plani_json *up; /* NULL: the document */
    const char *key;             /* name of the member; NULL: element `index` of a list; of the document: the file */
    size_t index;
    json_t *value; /* borrowed from the document, which owns its own */
    plan_error_t *err;
} plani_json_t;

/** Parse text. `file` names it in errors and must outlive the document. PLAN_EFORMAT: not JSON, or not an object. */
plan_status_t plani_json_load(const char *text, size_t len, const char *file, plan_error_t *err, plani_json_t *doc);
void plani_json_close(plani_json_t *doc);
/** Check that "format" is `format` and "version" is `version`. */
plan_status_t plani_json_format(const plani_json_t *doc, const char *format, int version);
/** Whether "format" is `format`. */
bool plani_json_is_format(const plani_json_t *doc, const char *format);

plani_json_t plani_json_member(const plani_json_t *object, const char *key);
plani_json_t plani_json_element(const plani_json_t *list, size_t i);
/** Elements of a list; 0 if it is absent. */
size_t plani_json_size(const plani_json_t *list);

/** Set the error to "FILE: links[3].from " and the text, and return PLAN_EFORMAT. */
plan_status_t plani_json_fail(const plani_json_t *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** The same unless 0 <= x <= most. */
plan_status_t plani_json_check_amount(const plani_json_t *at, double x, double most);

/** The same if there is not enough memory for a value; returns PLAN_ENOMEM. */
plan_status_t plani_json_no_memory(const plani_json_t *at);

/* Members of an object. The first of each pair requires the member; the second leaves *x unchanged if it is absent.
 * Each checks that `object` is an object. Numbers are finite; a whole number may be written as 1 or 1.0, not as 1.5. */
plan_status_t plani_json_number(const plani_json_t *object, const char *key, double *x);
plan_status_t plani_json_number_or(const plani_json_t *object, const char *key, double *x);
plan_status_t plani_json_int(const plani_json_t *object, const char *key, int low, int high, int *x);
plan_status_t plani_json_int_or(const plani_json_t *object, const char *key, int low, int high, int *x);
plan_status_t plani_json_size_t(const plani_json_t *object, const char *key, size_t *x);
plan_status_t plani_json_size_t_or(const plani_json_t *object, const char *key, size_t *x);
plan_status_t plani_json_string(const plani_json_t *object, const char *key, const char **s);
plan_status_t plani_json_string_or(const plani_json_t *object, const char *key, const char **s);
plan_status_t plani_json_bool_or(const plani_json_t *object, const char *key, bool *x);
/** A list. With wanted == false it may be absent or null: then list->value is NULL and its size 0. */
plan_status_t plani_json_list(const plani_json_t *object, const char *key, bool wanted, plani_json_t *list);
/** The same, with one element per rank. */
plan_status_t plani_json_list_of_ranks(const plani_json_t *object, const char *key, bool wanted, int ranks,
                                       plani_json_t *list);
plan_status_t plani_json_object(const plani_json_t *object, const char *key, bool wanted, plani_json_t *member);

/* A value itself, such as an element of a list. */
plan_status_t plani_json_as_number(const plani_json_t *at, double *x);
plan_status_t plani_json_as_int(const plani_json_t *at, int low, int high, int *x);
plan_status_t plani_json_as_string(const plani_json_t *at, const char **s);
/** All elements of a list of numbers into x[plani_json_size(list)]. */
plan_status_t plani_json_as_numbers(const plani_json_t *list, double *x);
plan_status_t plani_json_as_ints(const plani_json_t *list, int low, int high, int *x);

/** The platform in an object, such as member "platform" of a profile; "format" and "version" are not checked. */
plan_status_t plani_platform_from_json(const plani_json_t *at, plan_platform_t **out);

#endif
