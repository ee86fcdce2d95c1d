/* Parts of a platform: the links among some of its ranks, and the resources that these use. */
#ifndef PLANI_PART_H
#define PLANI_PART_H

#include <planbcast/platform.h>

/**
 * The links among the ranks that are kept, by their new numbers.
 *
 * \param rank      [ranks] the new number of each rank; below 0: it is left out
 * \param[out] link room for all links
 * \param[out] at   [nlinks] the new index of each link; SIZE_MAX: it is left out
 * \return          how many are kept
 */
size_t plani_part_links(const plan_platform_data_t *d, const int *rank, plan_link_t *link, size_t *at);

/**
 * The first n resources become those with a link that is kept.
 *
 * \param resource [n] in: copies of the platform's; out: the first of them, with links in `use`
 * \param at       as of plani_part_links
 * \param[out] use room for all uses
 * \return         how many are kept
 */
size_t plani_part_resources(size_t n, plan_resource_t *resource, const size_t *at, size_t *use);

/**
 * The same link, or resource, of the whole platform: a link uses the same resources in both, in the same order.
 *
 * \param rank [ranks of part] their numbers in `whole`; NULL: the same
 */
size_t plani_part_origin_of_link(const plan_platform_data_t *part, const plan_platform_t *whole, const int *rank,
                                 size_t link);
size_t plani_part_origin_of_resource(const plan_platform_data_t *part, const plan_platform_t *whole, const int *rank,
                                     size_t resource);

/**
 * The platform of the links that `at` keeps, with all ranks.
 *
 * \param at [nlinks] as of plani_part_links
 * \retval PLAN_ENOMEM
 */
plan_status_t plani_part_create(const plan_platform_t *whole, const size_t *at, plan_platform_t **out,
                                plan_error_t *err);

#endif
