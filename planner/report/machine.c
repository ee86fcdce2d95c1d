/* The machine drawn: groups in groups, hosts in them, cards and trunks as bars as long as they are fast. */
#include "planner/report/sections.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    HOSTS = 64, /* beyond, equal hosts of a group are one box */
    GROUPS = 64 /* that are drawn */
};

typedef struct {
    plani_text_t *to;
    const plani_view_t *view;
    plani_view_place_t worst; /* what holds the plan up */
    bool *drawn;              /* [nhosts] */
    int groups;               /* so far */
} drawing_t;

static bool is_slow(const drawing_t *d, double rate)
{
    return rate > 0 && rate <= d->view->median / 2;
}

static void put_bar(const drawing_t *d, const char *way, double rate, bool worst)
{
    if (!(rate > 0)) return;
    double part = 100 * rate / d->view->fastest;
    plani_text_add(d->to,
                   "<div class=\"bar%s\"><span>%s</span><span><i style=\"width:%.0f%%\"></i></span><em>%s</em></div>",
                   worst              ? " worst"
                   : is_slow(d, rate) ? " slow"
                                      : "",
                   way, fmax(2, round(part)), plani_rate(rate).s);
}

static void put_tag(const drawing_t *d, bool worst, double out, double in)
{
    if (worst)
        plani_page_put(d->to, " <span class=\"tag worst\">limits the plan</span>");
    else if (is_slow(d, out) || is_slow(d, in))
        plani_page_put(d->to, " <span class=\"tag slow\">slow</span>");
}

static void put_ranks(const drawing_t *d, const plani_view_host_t *host)
{
    if (d->view->ranks == 0 || host->ranks == 0) return;
    plani_text_add(d->to, " <small>rank %d", host->first);
    if (host->ranks > 1) plani_text_add(d->to, " and %d more", host->ranks - 1);
    plani_page_put(d->to, "</small>");
}

static void put_card(const drawing_t *d, int h, bool worst)
{
    const plani_view_host_t *host = &d->view->host[h];
    put_bar(d, "out", host->out, worst && d->worst.out);
    put_bar(d, "in", host->in, worst && d->worst.in);
}

static void put_host(drawing_t *d, int h)
{
    const plani_view_host_t *host = &d->view->host[h];
    bool worst = d->worst.host == h;

    plani_text_add(d->to, "<div class=\"host%s\"><b>", worst ? " worst" : "");
    plani_page_text(d->to, host->name);
    plani_page_put(d->to, "</b>");
    put_ranks(d, host);
    put_tag(d, worst, host->out, host->in);
    put_card(d, h, worst);
    plani_page_put(d->to, "</div>\n");
}

/* All hosts of h's kind in its group, in one box. */
static void put_equal_hosts(drawing_t *d, int h)
{
    const plani_view_t *v = d->view;
    const plani_view_host_t *host = &v->host[h];
    const char **names = malloc(((size_t)v->nhosts + 1) * sizeof *names);
    size_t n = 0, named = 0;
    bool worst = false;
    char *list = NULL;

    for (int k = h; k < v->nhosts && names != NULL; k++) {
        if (v->host[k].group != host->group || v->host[k].kind != host->kind) continue;
        d->drawn[k] = true;
        worst = worst || d->worst.host == k;
        if (v->host[k].full != NULL) names[named++] = v->host[k].full;
        n++;
    }
    if (names != NULL) list = plani_host_list_of(named, names);
    free(names);
    if (list == NULL) {
        d->to->failed = true;
        return;
    }
    plani_text_add(d->to, "<div class=\"host%s\"><b>", worst ? " worst" : "");
    plani_page_text(d->to, list[0] != '\0' ? plani_label(list).s : host->name);
    plani_text_add(d->to, "%s</b> <small>%zu host%s</small>", strlen(plani_label(list).s) < strlen(list) ? "..." : "",
                   n, n == 1 ? "" : "s");
    put_tag(d, worst, host->out, host->in);
    put_card(d, h, worst);
    plani_page_put(d->to, "</div>\n");
    free(list);
}

static void put_hosts(drawing_t *d, int group)
{
    const plani_view_t *v = d->view;
    bool any = false;

    for (int h = 0; h < v->nhosts; h++) {
        if (v->host[h].group != group || d->drawn[h]) continue;
        if (!any) plani_page_put(d->to, "<div class=\"hosts\">\n");
        any = true;
        if (v->nhosts > HOSTS)
            put_equal_hosts(d, h);
        else
            put_host(d, h);
    }
    if (any) plani_page_put(d->to, "</div>\n");
}

static void put_group(drawing_t *d, int g)
{
    const plani_view_t *v = d->view;
    const plani_view_group_t *group = &v->group[g];
    bool worst = d->worst.group == g;

    if (group->hosts == 0 || d->groups++ >= GROUPS) return;
    plani_text_add(d->to, "<div class=\"group%s\"><div class=\"head\"><b>", worst ? " worst" : "");
    plani_page_text(d->to, group->name);
    plani_text_add(d->to, "</b><small>%d host%s%s</small>", group->hosts, group->hosts == 1 ? "" : "s",
                   group->out > 0 || group->in > 0 ? "; trunk:" : "");
    put_tag(d, worst, group->out, group->in);
    put_bar(d, "out", group->out, worst && d->worst.out);
    put_bar(d, "in", group->in, worst && d->worst.in);
    plani_page_put(d->to, "</div>\n");
    put_hosts(d, g);
    for (int k = g + 1; k < v->ngroups; k++)
        if (v->group[k].above == g) put_group(d, k);
    plani_page_put(d->to, "</div>\n");
}

static void put_legend(const drawing_t *d)
{
    if (!(d->view->fastest > 0)) {
        plani_page_put(d->to, "<p class=\"dim\">Rates of cards and trunks are not known.</p>\n");
        return;
    }
    plani_text_add(d->to,
                   "<p class=\"dim\">Bars are as long as the rate; the fastest has %s. <span class=\"tag slow\">slow"
                   "</span>: at most half of the median, %s.",
                   plani_rate(d->view->fastest).s, plani_rate(d->view->median).s);
    if (d->worst.host >= 0 || d->worst.group >= 0)
        plani_page_put(d->to, " <span class=\"tag worst\">limits the plan</span>: what is busiest while it runs.");
    plani_page_put(d->to, "</p>\n");
}

void plani_section_machine(const plani_report_t *r, const plani_view_t *view, plani_text_t *to)
{
    const plan_candidate_t *c = plani_report_sent(r, false);
    drawing_t d = {.to = to, .view = view, .worst = {.host = -1, .group = -1}};

    d.drawn = calloc((size_t)view->nhosts + 1, sizeof *d.drawn);
    if (d.drawn == NULL) {
        to->failed = true;
        return;
    }
    if (c != NULL && r->pf != NULL && c->bottleneck.seconds > 0 && c->bottleneck.at == PLAN_AT_RESOURCE &&
        c->bottleneck.index < plan_platform_data(r->pf)->nresources)
        d.worst = plani_view_place(view, plan_platform_data(r->pf), c->bottleneck.index);
    plani_page_heading(to, "machine", "The machine");
    put_legend(&d);
    put_hosts(&d, -1);
    for (int g = 0; g < view->ngroups; g++)
        if (view->group[g].above < 0) put_group(&d, g);
    if (d.groups > GROUPS) plani_text_add(to, "<p class=\"dim\">... and %d more groups</p>\n", d.groups - GROUPS);
    free(d.drawn);
}
