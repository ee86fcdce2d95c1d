#include "measured.h"
#include "lib/base/base.h"
#include "fair.h"
#include "planner/literature/contention.h"
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 1024, MOST_SIZES = 16, MOST_N = 64, MODELS = 4, NAME = 256 };

typedef struct {
    int ranks, per_host;
    int host[MOST_RANKS];
    int n[2], receivers[2][MOST_N]; /* on and off the host */
    double bytes_per_s[2][MOST_N];
    double tau[2];         /* of two receivers, as in Table I; of one if there are no two */
    double off[2], all[2]; /* sums of |measured - fitted| and of measured times [s] */
} machine_t;

/* Fit T = tau + N s / BW to the times of all sizes s by relative errors, with tau >= 0. */
static void fit(machine_t *m, int off, int receivers, int sizes, const double *bytes, const double *seconds)
{
    double weight[MOST_SIZES], tau, slope, cov00, cov01, cov11, chisq;
    if (sizes < 2 || m->n[off] == MOST_N) return;
    for (int i = 0; i < sizes; i++) weight[i] = 1 / (seconds[i] * seconds[i]);
    gsl_fit_wlinear(bytes, 1, weight, 1, seconds, 1, (size_t)sizes, &tau, &slope, &cov00, &cov01, &cov11, &chisq);
    if (tau < 0 || slope <= 0) {
        tau = 0;
        gsl_fit_wmul(bytes, 1, weight, 1, seconds, 1, (size_t)sizes, &slope, &cov11, &chisq);
    }
    for (int i = 0; i < sizes; i++) {
        m->off[off] += fabs(seconds[i] - tau - slope * bytes[i]);
        m->all[off] += seconds[i];
    }
    printf("fit\t%s\t%d\t%.4g\t%.5g\n", off ? "off" : "on", receivers, tau, receivers / slope);
    if (receivers <= 2) m->tau[off] = tau;
    m->receivers[off][m->n[off]] = receivers;
    m->bytes_per_s[off][m->n[off]++] = receivers / slope;
}

/* Consecutive lines of pairs of one N make one entry of a table. */
static void fit_tables(FILE *f, machine_t *m)
{
    char line[NAME * 2], level[4] = "", before[4] = "";
    double bytes[MOST_SIZES], seconds[MOST_SIZES], b, s;
    int receivers, last = 0, sizes = 0;
    while (fgets(line, sizeof line, f) != NULL) {
        if (sscanf(line, "pairs\t%3s\t%d\t%lf\t%lf", level, &receivers, &b, &s) != 4) continue;
        if (receivers != last || strcmp(level, before) != 0) {
            fit(m, strcmp(before, "off") == 0, last, sizes, bytes, seconds);
            sizes = 0, last = receivers;
            snprintf(before, sizeof before, "%s", level);
        }
        if (sizes < MOST_SIZES) bytes[sizes] = b, seconds[sizes++] = s;
    }
    fit(m, strcmp(before, "off") == 0, last, sizes, bytes, seconds);
    for (int k = 0; k < 2; k++)
        if (m->n[k] > 0) printf("fitted\t%s\t%.4f\n", k ? "off" : "on", m->off[k] / m->all[k]);
}

static lit_message_t *read_pattern(const char *file, size_t *n)
{
    FILE *f = fopen(file, "r");
    lit_message_t *list = NULL, m;
    size_t room = 0;
    *n = 0;
    while (f != NULL && fscanf(f, "%d %d %lf", &m.from, &m.to, &m.bytes) == 3) {
        lit_message_t *more = plani_grown(list, *n, &room, sizeof m);
        if (more == NULL) break;
        list = more;
        list[(*n)++] = m;
    }
    if (f != NULL) fclose(f);
    return list;
}

/* Mean times of the ranks; `half`: over every other repetition, if they were printed. */
typedef struct {
    double mean[MOST_RANKS], half[2][MOST_RANKS];
    int halves;
} times_t;

/* Ranks' times and predictions, and the error of each model. */
static void print_comparison(const char *file, const machine_t *m, size_t n, const lit_message_t *list,
                             const times_t *actual, double t[][MOST_RANKS])
{
    const char *slash = strrchr(file, '/'), *name = slash != NULL ? slash + 1 : file;
    double off = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        all += list[i].bytes;
        if (m->host[list[i].from] != m->host[list[i].to]) off += list[i].bytes;
    }
    for (int r = 0; r < m->ranks; r++) {
        printf("rank\t%s\t%d\t%.6g", name, r, actual->mean[r]);
        for (int k = 0; k < MODELS; k++) printf("\t%.6g", t[k][r]);
        printf("\n");
    }
    printf("error\t%s\t%zu\t%.3f\t%.0f", name, n, all / 1e6, 100 * off / all);
    for (int k = 0; k < MODELS; k++) printf("\t%.4f", lit_total_relative_error((size_t)m->ranks, actual->mean, t[k]));
    printf("\t%.4f\n", actual->halves < m->ranks
                           ? NAN
                           : lit_total_relative_error((size_t)m->ranks, actual->half[0], actual->half[1]));
}

static int compare(const machine_t *m, const char *file, const times_t *actual)
{
    const lit_bandwidth_t table[LIT_LEVELS] = {{m->tau[0], (size_t)m->n[0], m->receivers[0], m->bytes_per_s[0]},
                                               {0, 0, NULL, NULL},
                                               {m->tau[1], (size_t)m->n[1], m->receivers[1], m->bytes_per_s[1]}};
    static const lit_contention_t model[] = {LIT_STAIRCASE, LIT_MAX_RATE, LIT_POSTAL};
    double t[MODELS][MOST_RANKS];
    size_t n = 0;
    lit_message_t *list = read_pattern(file, &n);
    plan_status_t rc = PLAN_OK;
    for (int k = 0; k < MODELS - 1 && rc == PLAN_OK; k++)
        rc = lit_predict_messages(model[k], table, m->ranks, m->host, m->host, n, list, t[k]);
    if (rc == PLAN_OK && !fair_predict(table, m->ranks, m->host, n, list, t[MODELS - 1])) rc = PLAN_ENOMEM;
    if (rc == PLAN_OK)
        print_comparison(file, m, n, list, actual, t);
    else
        fprintf(stderr, "paper_002: %s: %s\n", file, plan_status_string(rc));
    free(list);
    return rc == PLAN_OK;
}

/* Parse "time FILE rank mean [mean of one half, of the other]"; 0: another kind of line. */
static int read_time(const char *line, int ranks, char *name, times_t *t, int *rank)
{
    double s, half[2];
    int got = sscanf(line, "time\t%255s\t%d\t%lf\t%lf\t%lf", name, rank, &s, &half[0], &half[1]);
    if (got < 3 || *rank < 0 || *rank >= ranks) return 0;
    if (*rank == 0) t->halves = 0;
    t->mean[*rank] = s;
    if (got == 5) t->half[0][*rank] = half[0], t->half[1][*rank] = half[1], t->halves++;
    return 1;
}

int measured(const char *file, int ranks, int per_host)
{
    static machine_t m;
    static times_t actual;
    char line[NAME * 2], name[NAME];
    FILE *f = ranks <= MOST_RANKS ? fopen(file, "r") : NULL;
    int r, ok = f != NULL;
    if (!ok) return 0;
    m = (machine_t){.ranks = ranks, .per_host = per_host};
    for (int i = 0; i < ranks; i++) m.host[i] = i / per_host;
    fit_tables(f, &m);
    rewind(f);
    while (ok && fgets(line, sizeof line, f) != NULL)
        if (read_time(line, ranks, name, &actual, &r) && r == ranks - 1) ok = compare(&m, name, &actual);
    fclose(f);
    return ok;
}
