/* Parts of a platform: some of its links, such as those among some ranks, and the resources that these use. */
#ifndef PLANI_PART_H
#define PLANI_PART_H

#include <planbcast/platform.h>
#include <stdbool.h>

/**
 * The platform of some of the links, and of the resources that these use.
 *
 * \param d    the whole
 * \param rank [ranks of d] the new number of each rank; below 0: its links are left out; NULL: all as they are
 * \param kept [nlinks of d] whether a link is kept; NULL: all are
 * \param part what else the part is, links apart; its resources [those of d] may differ in what they cost
 * \retval PLAN_ENOMEM
 */
plan_status_t plani_part_create(const plan_platform_data_t *d, const int *rank, const bool *kept,
                                plan_platform_data_t part, plan_platform_t **out, plan_error_t *err);

/**
 * The same link, or resource, of the whole platform: a link uses the same resources in both, in the same order.
 *
 * \param rank [ranks of part] their numbers in `whole`; NULL: the same
 */
size_t plani_part_origin_of_link(const plan_platform_data_t *part, const plan_platform_t *whole, const int *rank,
                                 size_t link);
size_t plani_part_origin_of_resource(const plan_platform_data_t *part, const plan_platform_t *whole, const int *rank,
                                     size_t resource);

#endif
