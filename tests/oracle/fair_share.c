#include "fair_share.h"
#include <math.h>

enum { MOST = 64 };

static lit_level_t level_of(const lit_message_t *m, const int *socket, const int *host)
{
    if (host[m->from] != host[m->to]) return LIT_OFF_HOST;
    return socket[m->from] == socket[m->to] ? LIT_ON_SOCKET : LIT_OFF_SOCKET;
}

/* When each process has received what it gets from outside its host, or from within: in steps of dt. */
static void receive(const lit_bandwidth_t *table, int n, const int *group, double volume[][LIT_LEVELS], double dt,
                    double *finish)
{
    double all[MOST], left[MOST];
    int busy = 0;
    for (int i = 0; i < n; i++) {
        left[i] = all[i] = volume[i][0] + volume[i][1] + volume[i][2];
        finish[i] = 0;
        busy += left[i] > 0;
    }
    for (double now = dt; busy > 0; now += dt) {
        int baselines[MOST] = {0};
        for (int i = 0; i < n; i++)
            for (int k = 0; k < n; k++) baselines[i] += group[k] == group[i] && left[k] > 0;
        for (int i = 0; i < n; i++) {
            if (left[i] <= 0) continue;
            double rate = 0;
            for (int level = 0; level < LIT_LEVELS; level++)
                if (volume[i][level] > 0)
                    rate += volume[i][level] / all[i] * lit_bandwidth(&table[level], baselines[i]) / baselines[i];
            left[i] -= rate * dt;
            if (left[i] <= 0) finish[i] = now, busy--;
        }
    }
}

void fair_share(const lit_bandwidth_t *table, int processes, const int *socket, const int *host, size_t nmessages,
                const lit_message_t *message, double dt, double *seconds)
{
    for (int i = 0; i < processes; i++) seconds[i] = 0;
    for (int between = 0; between < 2; between++) {
        double volume[MOST][LIT_LEVELS] = {{0}}, finish[MOST], last[MOST], startup[MOST] = {0};
        for (size_t k = 0; k < nmessages; k++) {
            lit_level_t level = level_of(&message[k], socket, host);
            if ((level == LIT_OFF_HOST) != between) continue;
            volume[message[k].to][level] += message[k].bytes;
            startup[message[k].to] += table[level].tau_s;
        }
        receive(table, processes, between ? host : socket, volume, dt, finish);
        for (int i = 0; i < processes; i++) last[i] = finish[i];
        for (size_t k = 0; k < nmessages; k++) {
            const lit_message_t *m = &message[k];
            double before = 0, all = 0; /* what its receiver has got when it is complete: no more of any than of it */
            if ((level_of(m, socket, host) == LIT_OFF_HOST) != between) continue;
            for (size_t j = 0; j < nmessages; j++)
                if (message[j].to == m->to && (level_of(&message[j], socket, host) == LIT_OFF_HOST) == between)
                    before += fmin(message[j].bytes, m->bytes), all += message[j].bytes;
            if (all > 0) last[m->from] = fmax(last[m->from], before / all * finish[m->to]);
        }
        for (int i = 0; i < processes; i++) seconds[i] += startup[i] + last[i];
    }
}
