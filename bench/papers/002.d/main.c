/*
 * Thune, Reinemo, Skeie, Cai 2023: their models with their Table I and with measurements of this project.
 *
 *     paper_002 bandwidth TABLE     machine, level, N, BW_MP(N) of Table I, that of eq. (3) [GB/s]
 *
 *     paper_002 pairs TABLE         Figure 3: machine, middle size s, seconds of the pairs of 2 s, s, s / 2, by the
 *                                   staircase and by the max-rate model
 *
 *     paper_002 mixed TABLE BYTES   Figure 5(a) with messages of BYTES all over: machine, receivers on, off the socket,
 *                                   seconds of each by the staircase, and by the max-rate model
 *
 *     paper_002 pattern NAME RANKS RANKS_PER_HOST BYTES SEED      a pattern, see patterns.h
 *
 *     paper_002 measured FILE RANKS RANKS_PER_HOST                models against the output of paper_002_messages
 *
 * Prints lines of tab-separated fields.
 */
#include "measured.h"
#include "patterns.h"
#include "planner/literature/contention.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 6, MACHINES = 4, PER_SOCKET = 24, OFF_SOCKET = 8 };

typedef struct {
    char name[32];
    int receivers[2][ENTRIES];
    double bytes_per_s[2][ENTRIES];
    lit_bandwidth_t table[LIT_LEVELS];
} machine_t;

static const char *const level_name[] = {"intra-socket", "inter-socket"};

/* Table I, two lines for each machine. */
static int read_table(const char *file, machine_t *machine)
{
    FILE *f = fopen(file, "r");
    char line[256], name[32], level[32];
    int lines = 0;
    while (f != NULL && lines < 2 * MACHINES && fgets(line, sizeof line, f) != NULL) {
        machine_t *m = &machine[lines / 2];
        int k = lines % 2, cores;
        double tau, *b = m->bytes_per_s[k];
        if (line[0] == '#') continue;
        if (sscanf(line, "%31[^\t]\t%31[^\t]\t%lf\t%d\t%lf\t%lf\t%lf\t%lf\t%lf\t%lf", name, level, &tau, &cores, &b[0],
                   &b[1], &b[2], &b[3], &b[4], &b[5]) != 10 ||
            strcmp(level, level_name[k]) != 0)
            break;
        snprintf(m->name, sizeof m->name, "%s", name);
        for (int i = 0; i < ENTRIES; i++) b[i] *= 1e9, m->receivers[k][i] = i < ENTRIES - 1 ? 1 << i : cores;
        m->table[k] = (lit_bandwidth_t){tau * 1e-6, ENTRIES, m->receivers[k], b};
        lines++;
    }
    if (f != NULL) fclose(f);
    if (lines < 2 * MACHINES) fprintf(stderr, "paper_002: %s: not a Table I\n", file);
    return lines == 2 * MACHINES;
}

static int bandwidth(const machine_t *m)
{
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < ENTRIES; i++) {
            const double *b = m->bytes_per_s[k];
            printf("%s\t%s\t%d\t%.1f\t%.1f\n", m->name, level_name[k], m->receivers[k][i], b[i] / 1e9,
                   fmin(m->receivers[k][i] * b[0], b[ENTRIES - 1]) / 1e9);
        }
    return 1;
}

static int predict(lit_contention_t model, const machine_t *m, int n, const int *socket, const lit_message_t *message,
                   double *t)
{
    static const int host[2 * PER_SOCKET] = {0};
    plan_status_t rc = lit_predict_messages(model, m->table, n, socket, host, (size_t)n, message, t);
    if (rc != PLAN_OK) fprintf(stderr, "paper_002: %s\n", plan_status_string(rc));
    return rc == PLAN_OK;
}

static int pairs(const machine_t *m)
{
    static const int socket[6] = {0};
    for (double s = 16384; s <= 2097152; s *= 2) {
        lit_message_t message[6];
        double t[6], u[6];
        for (int i = 0; i < 6; i++) message[i] = (lit_message_t){i, i ^ 1, s * exp2(1 - i / 2)};
        if (!predict(LIT_STAIRCASE, m, 6, socket, message, t) || !predict(LIT_MAX_RATE, m, 6, socket, message, u))
            return 0;
        printf("%s\t%.0f\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\n", m->name, s, t[0], t[2], t[4], u[0], u[2], u[4]);
    }
    return 1;
}

/* Of 24 ranks on each socket, the last 8 exchange messages with those of the other socket, the others pairwise. */
static int mixed(const machine_t *m, double bytes)
{
    int socket[2 * PER_SOCKET], on = PER_SOCKET - OFF_SOCKET;
    lit_message_t message[2 * PER_SOCKET];
    double t[2 * PER_SOCKET], u[2 * PER_SOCKET];
    for (int i = 0; i < 2 * PER_SOCKET; i++) {
        socket[i] = i / PER_SOCKET;
        message[i] = (lit_message_t){i, i % PER_SOCKET < on ? i ^ 1 : (i + PER_SOCKET) % (2 * PER_SOCKET), bytes};
    }
    if (!predict(LIT_STAIRCASE, m, 2 * PER_SOCKET, socket, message, t) ||
        !predict(LIT_MAX_RATE, m, 2 * PER_SOCKET, socket, message, u))
        return 0;
    printf("%s\t%d\t%d\t%.6g\t%.6g\t%.6g\t%.6g\n", m->name, on, OFF_SOCKET, t[0], t[on], u[0], u[on]);
    return 1;
}

static int on_table(int argc, char **argv)
{
    static machine_t machine[MACHINES];
    int ok = read_table(argv[2], machine);
    for (int k = 0; k < MACHINES && ok; k++)
        ok = argc == 4           ? mixed(&machine[k], atof(argv[3]))
             : argv[1][0] == 'b' ? bandwidth(&machine[k])
                                 : pairs(&machine[k]);
    return ok;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int ok;
    if ((argc == 3 && (strcmp(what, "bandwidth") == 0 || strcmp(what, "pairs") == 0)) ||
        (argc == 4 && strcmp(what, "mixed") == 0))
        ok = on_table(argc, argv);
    else if (argc == 7 && strcmp(what, "pattern") == 0)
        ok = pattern_print(argv[2], atoi(argv[3]), atoi(argv[4]), atof(argv[5]), strtoul(argv[6], NULL, 10));
    else if (argc == 5 && strcmp(what, "measured") == 0 && atoi(argv[3]) > 1 && atoi(argv[4]) > 0)
        ok = measured(argv[2], atoi(argv[3]), atoi(argv[4]));
    else {
        fprintf(stderr,
                "usage: paper_002 bandwidth TABLE|pairs TABLE|mixed TABLE BYTES|pattern NAME RANKS RANKS_PER_HOST "
                "BYTES SEED|measured FILE RANKS RANKS_PER_HOST\n");
        return 2;
    }
    if (!ok) fprintf(stderr, "paper_002: %s failed\n", what);
    return ok ? 0 : 1;
}
