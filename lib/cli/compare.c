/* The plan compared with MPI_Bcast: timed in turns, each after a barrier; every byte is checked. */
#include "lib/cli/tool.h"
#include "lib/base/statistics.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <gsl/gsl_statistics_double.h>

enum { MAX_PAIRS = 200, MIN_PAIRS = 4 }; /* as many broadcasts as plan_review needs */

/* A pseudo-random pattern, different for each turn: it shows slices in a wrong place or of an earlier turn. */
static void fill(unsigned char *at, size_t n, uint64_t turn)
{
    uint64_t x = (turn + 1) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17; /* xorshift64, Marsaglia 2003 */
        at[i] = (unsigned char)(x >> 32);
    }
}

static long long differing(const unsigned char *a, const unsigned char *b, size_t n)
{
    long long wrong = 0;
    if (memcmp(a, b, n) == 0) return 0;
    for (size_t i = 0; i < n; i++) wrong += a[i] != b[i];
    return wrong;
}

static int native(MPI_Comm comm, unsigned char *at, size_t bytes, int root)
{
    for (size_t done = 0; done < bytes || bytes == 0;) {
        size_t piece = bytes - done < (1u << 30) ? bytes - done : (1u << 30);
        int rc = MPI_Bcast(at + done, (int)piece, MPI_BYTE, root, comm);
        if (rc != MPI_SUCCESS || bytes == 0) return rc;
        done += piece;
    }
    return MPI_SUCCESS;
}

/* One broadcast after a barrier; *seconds: from the root's start to the last rank's end. */
static int timed(MPI_Comm comm, plan_t *plan, unsigned char *at, size_t bytes, int root, double *seconds)
{
    plan_span_t mine, all;
    double offset = 0;
    int rank = 0, rc = plan_clock_sync(comm, &offset);
    MPI_Comm_rank(comm, &rank);
    if (rc == MPI_SUCCESS) rc = MPI_Barrier(comm);
    if (rc != MPI_SUCCESS) return rc;
    double start = plan_clock();
    rc = plan != NULL ? plan_execute(plan, at, (MPI_Count)bytes, MPI_BYTE) : native(comm, at, bytes, root);
    mine = plan_span(rank == root, start, plan_clock(), offset);
    if (rc == MPI_SUCCESS) rc = MPI_Allreduce(&mine, &all, 2, MPI_DOUBLE, MPI_MAX, comm);
    if (rc == MPI_SUCCESS) *seconds = plan_span_seconds(all);
    return rc;
}

static void summarise(double t[2][MAX_PAIRS], int n, tool_row_t *row)
{
    double ratio[MAX_PAIRS] = {0};
    for (int i = 0; i < n; i++) ratio[i] = t[1][i] / t[0][i];
    row->plan_s = plani_interval(t[0], n).median;
    row->native_s = plani_interval(t[1], n).median;
    row->ratio = plani_interval(ratio, n).median; /* and sorted */
    row->ratio_lo = gsl_stats_quantile_from_sorted_data(ratio, 1, (size_t)n, 0.25);
    row->ratio_hi = gsl_stats_quantile_from_sorted_data(ratio, 1, (size_t)n, 0.75);
    row->pairs = n;
}

int tool_compare(MPI_Comm comm, plan_t *plan, size_t bytes, double seconds, tool_row_t *row)
{
    double t[2][MAX_PAIRS], spent = 0, start = MPI_Wtime();
    int rank, rc = MPI_SUCCESS, n = 0, root = plan_data(plan)->root, short_of_memory;
    long long wrong = 0;
    unsigned char *mine = malloc(bytes ? bytes : 1), *theirs = malloc(bytes ? bytes : 1);
    int lacking = mine == NULL || theirs == NULL;

    MPI_Comm_rank(comm, &rank);
    if ((rc = MPI_Allreduce(&lacking, &short_of_memory, 1, MPI_INT, MPI_MAX, comm)) != MPI_SUCCESS) goto done;
    if (short_of_memory) {
        rc = PLAN_ENOMEM;
        goto done;
    }
    for (n = 0; n < MAX_PAIRS && (n < MIN_PAIRS || spent < seconds); n++) {
        memset(mine, n & 1 ? 0xff : 0x00, bytes);
        memset(theirs, 0x55, bytes);
        if (rank == root) {
            fill(theirs, bytes, (uint64_t)n);
            memcpy(mine, theirs, bytes);
        }
        for (int side = 0; side < 2; side++) { /* alternate which one is first */
            int native_turn = (side + n) & 1;
            rc = timed(comm, native_turn ? NULL : plan, native_turn ? theirs : mine, bytes, root, &t[native_turn][n]);
            if (rc != MPI_SUCCESS) goto done;
        }
        wrong += differing(mine, theirs, bytes);
        /* Rank 0's clock decides, so that all ranks run the same number of turns. */
        spent = MPI_Wtime() - start;
        if ((rc = MPI_Bcast(&spent, 1, MPI_DOUBLE, 0, comm)) != MPI_SUCCESS) goto done;
    }
    memset(row, 0, sizeof *row);
    row->bytes = bytes;
    snprintf(row->chosen, sizeof row->chosen, "%s", plan_chosen(plan, bytes)->name);
    summarise(t, n, row);
    rc = MPI_Allreduce(&wrong, &row->wrong, 1, MPI_LONG_LONG, MPI_SUM, comm);
done:
    free(mine);
    free(theirs);
    return rc;
}
