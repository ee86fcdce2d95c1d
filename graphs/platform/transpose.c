#include "graphs/platform/transpose.h"
#include "lib/base/base.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char text[32];
} label_t;

/* One for each rank that others send to. \return their number */
static size_t add_combining(const plan_platform_data_t *d, double s_per_byte, plan_resource_t *resource, label_t *label)
{
    size_t n = 0;
    for (int r = 0; r < d->ranks; r++) {
        size_t first = d->in_first[r];
        if (d->in_first[r + 1] == first) continue;
        snprintf(label[n].text, sizeof label[n].text, "combining on rank %d", r);
        resource[n] = (plan_resource_t){.name = label[n].text,
                                        .s_per_byte = s_per_byte,
                                        .nlinks = d->in_first[r + 1] - first,
                                        .link = d->in_link + first};
        n++;
    }
    return n;
}

plan_status_t plani_platform_transpose(const plan_platform_t *pf, double combine_s_per_byte, plan_platform_t **out,
                                       plan_error_t *err)
{
    plan_platform_data_t d = *plan_platform_data(pf);
    size_t ranks = (size_t)d.ranks;
    plan_link_t *link = malloc((d.nlinks + 1) * sizeof *link);
    plan_resource_t *resource = malloc((d.nresources + ranks) * sizeof *resource);
    label_t *label = malloc(ranks * sizeof *label);
    double *nothing = calloc(ranks, sizeof *nothing);
    plan_status_t rc = PLAN_ENOMEM;

    if (link == NULL || resource == NULL || label == NULL || nothing == NULL) {
        plani_fail(err, rc, "out of memory for a platform of %d ranks and %zu links", d.ranks, d.nlinks);
        goto done;
    }
    for (size_t i = 0; i < d.nlinks; i++) {
        link[i] = d.link[i];
        link[i].from = d.link[i].to;
        link[i].to = d.link[i].from;
    }
    if (d.nresources > 0) memcpy(resource, d.resource, d.nresources * sizeof *resource);
    if (combine_s_per_byte > 0) d.nresources += add_combining(&d, combine_s_per_byte, resource + d.nresources, label);
    if (d.send_s != NULL) { /* who sends there, receives here */
        const double *send = d.send_s, *per_byte = d.send_s_per_byte;
        d.send_s = d.receive_s != NULL ? d.receive_s : nothing, d.send_s_per_byte = d.receive_s_per_byte;
        d.receive_s = send, d.receive_s_per_byte = per_byte;
    }
    d.link = link;
    d.resource = resource;
    d.nshared = 0;
    rc = plan_platform_create(&d, out, err);
done:
    free(link);
    free(resource);
    free(label);
    free(nothing);
    return rc;
}
