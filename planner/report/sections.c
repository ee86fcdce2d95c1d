#include "planner/report/sections.h"
#include <stdio.h>
#include <stdlib.h>

static const char *title_of(const plani_report_t *r)
{
    if (r->machine != NULL && r->machine->name[0] != '\0') return r->machine->name;
    if (r->pf != NULL && plan_platform_data(r->pf)->name[0] != '\0') return plan_platform_data(r->pf)->name;
    return r->subject;
}

static void put_facts(const plani_report_t *r, const plani_view_t *v, plani_text_t *to)
{
    plani_page_put(to, "<p class=\"facts\">");
    plani_page_text(to, r->subject);
    plani_text_add(to, ": %d host%s", v->nhosts, v->nhosts == 1 ? "" : "s");
    if (v->ngroups > 0) plani_text_add(to, " in %d group%s", v->ngroups, v->ngroups == 1 ? "" : "s");
    if (v->ranks > 0) plani_text_add(to, ", %d rank%s", v->ranks, v->ranks == 1 ? "" : "s");
    plani_page_put(to, "</p>\n");
}

plan_status_t plani_report_html(const plani_report_t *r, char **html)
{
    plani_text_t to = {0}, verdict = {0};
    plani_view_t view;
    plan_status_t rc = plani_view_create(r, &view);

    if (rc != PLAN_OK) return rc;
    plani_verdict(&verdict, r);
    plani_page_begin(&to, title_of(r));
    plani_page_put(&to, "<h1>");
    plani_page_text(&to, title_of(r));
    plani_page_put(&to, "</h1>\n");
    put_facts(r, &view, &to);
    plani_page_put(&to, "<p class=\"verdict\">");
    if (verdict.at != NULL) plani_page_text(&to, verdict.at);
    plani_page_put(&to, "</p>\n");
    plani_section_machine(r, &view, &to);
    plani_section_plan(r, &view, &to);
    plani_section_compared(r, &to);
    plani_section_sizes(r, &to);
    plani_section_ranking(r, &to);
    plani_section_timeline(r, &view, &to);
    plani_section_resources(r, &view, &to);
    plani_section_heat(r, &view, &to);
    plani_section_provenance(r, &to);
    plani_page_end(&to);
    to.failed = to.failed || verdict.failed;
    free(verdict.at);
    plani_view_clear(&view);
    return plani_text_take(&to, html);
}
