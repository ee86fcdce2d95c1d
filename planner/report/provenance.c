/* The plan beside MPI_Bcast or MPI_Reduce, where it was timed; and where all figures come from. */
#include "planner/report/sections.h"
#include <math.h>
#include <stdio.h>
#include <planbcast/version.h>

static bool is_known(const plani_copied_t *c)
{
    return c->sent + c->written + c->read + c->single + c->packed + c->native > 0;
}

static void put_copies(const plani_report_t *r, plani_text_t *to)
{
    if (!is_known(&r->compared[r->ncompared - 1].copied)) return;
    plani_page_put(to, "<p>What all ranks together send and copy in a broadcast by the plan, per byte of the message. "
                       "Copies within MPI are not known.</p>\n"
                       "<div class=\"wide\"><table>\n<tr><th>message</th><th>by messages</th>"
                       "<th>into shared memory</th><th>out of it</th><th>from the root's memory</th><th>packed</th>"
                       "<th>by MPI_Bcast</th></tr>\n");
    for (size_t i = 0; i < r->ncompared; i++) {
        const plani_copied_t *c = &r->compared[i].copied;
        plani_text_add(to,
                       "<tr><td>%s</td><td>%.3g</td><td>%.3g</td><td>%.3g</td><td>%.3g</td><td>%.3g</td>"
                       "<td>%.3g</td></tr>\n",
                       plani_bytes((double)r->compared[i].bytes).s, c->sent, c->written, c->read, c->single, c->packed,
                       c->native);
    }
    plani_page_put(to, "</table></div>\n");
}

void plani_section_compared(const plani_report_t *r, plani_text_t *to)
{
    if (r->ncompared == 0) return;
    plani_page_heading(to, "compared",
                       plani_report_reduces(r) ? "The plan and MPI_Reduce, in turns"
                                               : "The plan and MPI_Bcast, in turns");
    plani_text_add(to,
                   "<p>Medians; the quartiles are those of the ratio over pairs of turns.</p>\n"
                   "<div class=\"wide\"><table>\n<tr><th>message</th><th class=\"l\">plan</th><th>plan</th>"
                   "<th>%s</th><th>faster by</th><th>quartiles</th></tr>\n",
                   plani_report_native(r));
    for (size_t i = 0; i < r->ncompared; i++) {
        const plani_compared_t *c = &r->compared[i];
        plani_text_add(to, "<tr><td>%s</td><td class=\"l\">", plani_bytes((double)c->bytes).s);
        plani_page_text(to, c->name);
        plani_text_add(to, "</td><td>%s</td><td>%s</td><td>%.2f x</td><td>%.2f to %.2f</td></tr>\n",
                       plani_seconds(c->plan_s).s, plani_seconds(c->native_s).s, c->ratio, c->ratio_lo, c->ratio_hi);
    }
    plani_page_put(to, "</table></div>\n");
    put_copies(r, to);
}

static void put_term(const char *term, const char *value, plani_text_t *to)
{
    plani_page_put(to, "<dt>");
    plani_page_text(to, term);
    plani_page_put(to, "</dt><dd>");
    plani_page_text(to, value);
    plani_page_put(to, "</dd>\n");
}

/* Texts and numbers; what is nested is told elsewhere, or in the file. */
static void put_members(json_t *object, plani_text_t *to)
{
    const char *key;
    json_t *value;
    char number[40];

    json_object_foreach(object, key, value)
    {
        if (json_is_string(value)) {
            put_term(key, json_string_value(value), to);
        } else if (json_is_number(value)) {
            snprintf(number, sizeof number, "%.6g", json_number_value(value));
            put_term(key, number, to);
        } else if (json_is_boolean(value)) {
            put_term(key, json_is_true(value) ? "yes" : "no", to);
        }
    }
}

void plani_section_provenance(const plani_report_t *r, plani_text_t *to)
{
    const json_t *merged = json_object_get(r->provenance, "merged");

    plani_page_heading(to, "provenance", "Where this is from");
    plani_page_put(to, "<dl>\n");
    put_term("page", "planbcast " PLANBCAST_VERSION, to);
    if (r->command != NULL) put_term("command", r->command, to);
    put_term("about", r->subject, to);
    plani_page_put(to, "</dl>\n");
    if (r->provenance == NULL) {
        plani_page_put(to, "<p>The file does not say where its figures come from.</p>\n");
        return;
    }
    plani_page_put(to, "<h3>The machine's figures</h3>\n<dl>\n");
    put_members(r->provenance, to);
    plani_page_put(to, "</dl>\n");
    for (size_t i = 0; i < json_array_size(merged); i++) {
        plani_page_put(to, "<h3>Merged with</h3>\n<dl>\n");
        put_members(json_array_get(merged, i), to);
        plani_page_put(to, "</dl>\n");
    }
}
