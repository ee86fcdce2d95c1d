/* The sections of the page, in their order; each adds nothing where it has nothing to say. Failed allocations mark the
 * text as failed. */
#ifndef PLANI_REPORT_SECTIONS_H
#define PLANI_REPORT_SECTIONS_H

#include "planner/report/view.h"

void plani_section_machine(const plani_report_t *r, const plani_view_t *view, plani_text_t *to);
void plani_section_resources(const plani_report_t *r, const plani_view_t *view, plani_text_t *to);
void plani_section_heat(const plani_report_t *r, const plani_view_t *view, plani_text_t *to);
void plani_section_ranking(const plani_report_t *r, plani_text_t *to);
void plani_section_sizes(const plani_report_t *r, plani_text_t *to);
void plani_section_plan(const plani_report_t *r, const plani_view_t *view, plani_text_t *to);
void plani_section_timeline(const plani_report_t *r, const plani_view_t *view, plani_text_t *to);
void plani_section_compared(const plani_report_t *r, plani_text_t *to);
void plani_section_provenance(const plani_report_t *r, plani_text_t *to);

#endif
