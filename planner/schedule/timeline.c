/* The first periods of a schedule as a picture: what each rank sends and receives when. */
#include "planner/schedule/periodic.h"
#include "lib/base/base.h"
#include "planner/plan/units.h"
#include <math.h>

enum {
    MOST_BARS = 20000,
    WIDE = 900, /* pixels: of the time axis */
    LABEL = 70, /* of the names */
    LANE = 9,   /* of sends, and of receives */
    ROW = 2 * LANE + 6
};

static void put_bar(const plani_periodic_t *p, const plan_link_t *l, const plani_piece_t *piece, int period, double end,
                    plani_text_t *to)
{
    /* Okabe, Ito 2002: told apart without red and green */
    static const char *const colour[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                         "#56b4e9", "#d55e00", "#f0e442", "#999999"};
    double start = period * p->period_s + piece->start_s, wide = fmax(0.5, WIDE * piece->length / end - 0.5);
    const int rank[] = {l->from, l->to};

    for (int lane = 0; lane < 2; lane++)
        plani_text_add(to,
                       "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\" opacity=\"%s\"><title>%d to "
                       "%d: slice %d of batch %d, tree %d</title></rect>\n",
                       LABEL + WIDE * start / end, rank[lane] * ROW + lane * LANE + 2, wide, LANE - 1,
                       colour[p->tree_of[piece->slice] % 8], (period - piece->lag) % 2 ? "0.55" : "1", l->from, l->to,
                       piece->slice, period - piece->lag, p->tree_of[piece->slice]);
}

plan_status_t plani_periodic_put_svg(const plani_periodic_t *p, const plan_platform_t *pf, plani_text_t *to,
                                     plan_error_t *err)
{
    const plan_platform_data_t *d = plan_platform_data(pf);
    double periods = ceil(p->startup_s / p->period_s - 1e-9) + 1, end = periods * p->period_s;
    int wide = LABEL + WIDE + 20, axis = p->ranks * ROW + 2, high = axis + 38;

    if (periods * (double)p->npieces > MOST_BARS)
        return plani_fail(err, PLAN_EUNSUPPORTED,
                          "%.0f transfers until the first slices are everywhere: a picture has "
                          "up to %d; allow fewer slices per period",
                          periods * (double)p->npieces, (int)MOST_BARS);
    plani_text_add(to,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                   "font-family=\"sans-serif\" font-size=\"11\">\n<title>What each rank sends (above) and receives "
                   "(below)</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                   wide, high, wide, high);
    for (int q = 0; q <= (int)periods; q++) {
        double x = LABEL + WIDE * q / periods;
        plani_text_add(to,
                       "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\" stroke=\"#bbb\"/><text x=\"%.1f\" y=\"%d\" "
                       "text-anchor=\"middle\">%s</text>\n",
                       x, x, axis, x, axis + 14, plani_seconds(q * p->period_s).s);
    }
    for (int r = 0; r < p->ranks; r++)
        plani_text_add(to, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">rank %d</text>\n", LABEL - 8, r * ROW + 14, r);
    for (int q = 0; q < (int)periods; q++)
        for (size_t i = 0; i < p->npieces; i++)
            if (p->piece[i].lag <= q) put_bar(p, &d->link[p->piece[i].link], &p->piece[i], q, end, to);
    plani_text_add(
        to,
        "<text x=\"%d\" y=\"%d\">upper bars: sends; lower bars: receives; a colour for each tree; the slices of "
        "every other period are lighter</text>\n</svg>\n",
        LABEL, axis + 32);
    return PLAN_OK;
}
