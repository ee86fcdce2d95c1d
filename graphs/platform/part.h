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

#endif
