/* How often the average slice crosses each link: what throughput and bottleneck follow from. */
#ifndef PLANI_OCCUPATION_H
#define PLANI_OCCUPATION_H

#include <stddef.h>
#include <planbcast/heuristics.h>
#include <planbcast/platform.h>

/** Sparse: only the links in used[] have times[] > 0. */
typedef struct {
    double *times; /* [nlinks] crossings per average slice */
    size_t *used;  /* [n] links, in order of their first crossing */
    size_t n;
} plani_uses_t;

plan_status_t plani_uses_create(const plan_platform_t *pf, plani_uses_t *uses);
void plani_uses_clear(plani_uses_t *uses);
void plani_uses_add(plani_uses_t *uses, size_t link, double times);
plan_status_t plani_uses_throughput(const plan_platform_t *pf, const plani_uses_t *uses, double slice,
                                    double *throughput, plan_bottleneck_t *where);

#endif
