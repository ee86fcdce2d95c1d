/*
 * Thune, Reinemo, Skeie, Cai 2023: the time of many messages at once, for each process.
 *
 * The staircase model: all processes of a group receive at once, and share the bandwidth of that many. The process with
 * the least data left ends first; the others share the bandwidth of one receiver fewer. Volumes on and off the socket
 * are weighted by their parts theta.
 */
#include "planner/literature/contention.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const models[] = {"postal", "max-rate", "staircase"};

enum { MODELS = sizeof models / sizeof *models };

typedef struct {
    lit_message_t m;
    lit_level_t level;
    double received_s; /* [s] when it has been received, by the staircase model */
} transfer_t;

typedef struct {
    double volume[LIT_LEVELS]; /* to be received [B] */
    int messages[LIT_LEVELS];
    int group[LIT_LEVELS]; /* the group that shares each level: its socket, its socket, its host */
    double finish_s;       /* [s] when all of the current part has been received */
    double left;           /* [B] to be received */
    bool done;
} process_t;

typedef struct {
    const lit_bandwidth_t *table;
    int n;
    process_t *process; /* [n] */
    size_t ntransfers;
    transfer_t *transfer; /* [ntransfers] by receiver, then size */
    int *member;          /* [n] of the current group */
    double *until;        /* [n] [s] when each has received and delivered the current part */
} scene_t;

const char *lit_contention_name(lit_contention_t model)
{
    return (int)model >= 0 && (int)model < MODELS ? models[model] : NULL;
}

plan_status_t lit_contention_from_name(const char *name, lit_contention_t *model)
{
    for (int i = 0; name != NULL && model != NULL && i < MODELS; i++)
        if (strcmp(models[i], name) == 0) {
            *model = (lit_contention_t)i;
            return PLAN_OK;
        }
    return PLAN_EINVAL;
}

lit_level_t lit_message_level(const int *socket, const int *host, const lit_message_t *message)
{
    if (host[message->from] != host[message->to]) return LIT_OFF_HOST;
    return socket[message->from] != socket[message->to] ? LIT_OFF_SOCKET : LIT_ON_SOCKET;
}

static double bandwidth(const lit_bandwidth_t *t, double receivers)
{
    if (receivers <= t->receivers[0] || t->n == 1) return t->bytes_per_s[0];
    if (receivers >= t->receivers[t->n - 1]) return t->bytes_per_s[t->n - 1];
    size_t i = 0;
    while (t->receivers[i + 1] < receivers) i++;
    double part = (receivers - t->receivers[i]) / (t->receivers[i + 1] - t->receivers[i]);
    return t->bytes_per_s[i] + part * (t->bytes_per_s[i + 1] - t->bytes_per_s[i]);
}

double lit_total_relative_error(size_t n, const double *actual, const double *predicted)
{
    double off = 0, sum = 0;

    for (size_t i = 0; i < n; i++) {
        off += fabs(actual[i] - predicted[i]);
        sum += actual[i];
    }
    return sum > 0 ? off / sum : NAN;
}

static bool table_is_valid(const lit_bandwidth_t *t)
{
    if (t->n == 0 || t->receivers == NULL || t->bytes_per_s == NULL || !(t->tau_s >= 0) || !isfinite(t->tau_s))
        return false;
    for (size_t i = 0; i < t->n; i++)
        if (!(t->bytes_per_s[i] > 0) || !isfinite(t->bytes_per_s[i]) ||
            (i == 0 ? t->receivers[0] != 1 : t->receivers[i] <= t->receivers[i - 1]))
            return false;
    return true;
}

double lit_bandwidth(const lit_bandwidth_t *table, double receivers)
{
    return table != NULL && table_is_valid(table) && receivers >= 1 ? bandwidth(table, receivers) : NAN;
}

/* Every socket belongs to one host. */
static bool sockets_are_valid(int processes, const int *socket, const int *host)
{
    for (int i = 1; i < processes; i++)
        for (int k = 0; k < i; k++)
            if (socket[k] == socket[i]) {
                if (host[k] != host[i]) return false;
                break;
            }
    return true;
}

static int by_receiver_then_size(const void *a, const void *b)
{
    const transfer_t *x = a, *y = b;
    if (x->m.to != y->m.to) return x->m.to < y->m.to ? -1 : 1;
    if (x->m.bytes != y->m.bytes) return x->m.bytes < y->m.bytes ? -1 : 1;
    return x->m.from < y->m.from ? -1 : x->m.from > y->m.from;
}

static plan_status_t enter(scene_t *s, const int *socket, const int *host, const lit_message_t *m, transfer_t *t)
{
    if (m->from < 0 || m->from >= s->n || m->to < 0 || m->to >= s->n || m->from == m->to || !(m->bytes >= 0) ||
        !isfinite(m->bytes))
        return PLAN_EINVAL;
    *t = (transfer_t){.m = *m};
    t->level = lit_message_level(socket, host, m);
    if (!table_is_valid(&s->table[t->level])) return PLAN_EINVAL;
    s->process[m->to].volume[t->level] += m->bytes;
    s->process[m->to].messages[t->level]++;
    return isfinite(s->process[m->to].volume[t->level]) ? PLAN_OK : PLAN_EINVAL;
}

/* [B/s] Bandwidth of process p, one of n receivers: eq. (12), or that between hosts. */
static double share_of(const scene_t *s, const process_t *p, bool between_hosts, int n)
{
    if (between_hosts) return bandwidth(&s->table[LIT_OFF_HOST], n) / n;
    double on = p->volume[LIT_ON_SOCKET], off = p->volume[LIT_OFF_SOCKET], theta = on / (on + off), sum = 0;
    if (theta > 0) sum += theta * bandwidth(&s->table[LIT_ON_SOCKET], n);
    if (theta < 1) sum += (1 - theta) * bandwidth(&s->table[LIT_OFF_SOCKET], n);
    return sum / n;
}

/* A group of n members, in the order in which they finish: eqs (5), (7), (13)-(17). */
static void staircase(scene_t *s, bool between_hosts, int n)
{
    double now = 0;

    for (int left = n; left > 0; left--) {
        double step = INFINITY;
        process_t *next = NULL;
        for (int i = 0; i < n; i++) {
            process_t *p = &s->process[s->member[i]];
            if (p->done) continue;
            double until = p->left > 0 ? p->left / share_of(s, p, between_hosts, left) : 0;
            if (next == NULL || until < step) step = until, next = p;
        }
        for (int i = 0; i < n; i++) {
            process_t *p = &s->process[s->member[i]];
            if (!p->done && p->left > 0) p->left -= step * share_of(s, p, between_hosts, left);
        }
        if (next == NULL) return; /* never: `left` of them are not done */
        next->done = true;
        next->finish_s = now += step;
    }
}

static void receive_all(scene_t *s, bool between_hosts)
{
    lit_level_t first = between_hosts ? LIT_OFF_HOST : LIT_ON_SOCKET;

    for (int i = 0; i < s->n; i++) {
        process_t *p = &s->process[i];
        p->left = between_hosts ? p->volume[LIT_OFF_HOST] : p->volume[LIT_ON_SOCKET] + p->volume[LIT_OFF_SOCKET];
        p->done = false;
        p->finish_s = 0;
    }
    for (int i = 0; i < s->n; i++) {
        int n = 0;
        if (s->process[i].done) continue;
        for (int k = i; k < s->n; k++)
            if (s->process[k].group[first] == s->process[i].group[first]) s->member[n++] = k;
        staircase(s, between_hosts, n);
    }
}

static bool is_part(const transfer_t *t, bool between_hosts)
{
    return (t->level == LIT_OFF_HOST) == between_hosts;
}

/* Eq. (9): a process's messages, smallest first, share its time. */
static void deliver(scene_t *s, bool between_hosts)
{
    for (size_t i = 0, end; i < s->ntransfers; i = end) {
        const process_t *p = &s->process[s->transfer[i].m.to];
        double volume = 0, before = 0, now = 0;
        int left = 0;
        for (end = i; end < s->ntransfers && s->transfer[end].m.to == s->transfer[i].m.to; end++)
            if (is_part(&s->transfer[end], between_hosts)) volume += s->transfer[end].m.bytes, left++;
        for (size_t k = i; k < end; k++) {
            transfer_t *t = &s->transfer[k];
            if (!is_part(t, between_hosts)) continue;
            if (volume > 0) now += left * (t->m.bytes - before) / volume * p->finish_s;
            before = t->m.bytes;
            left--;
            t->received_s = now;
        }
    }
}

/* Eqs (8), (15): a sender waits until its messages have been received. */
static void add_part(const scene_t *s, bool between_hosts, double *seconds)
{
    for (int i = 0; i < s->n; i++) s->until[i] = s->process[i].finish_s;
    for (size_t k = 0; k < s->ntransfers; k++) {
        const transfer_t *t = &s->transfer[k];
        if (is_part(t, between_hosts)) s->until[t->m.from] = fmax(s->until[t->m.from], t->received_s);
    }
    for (int i = 0; i < s->n; i++) {
        const process_t *p = &s->process[i];
        seconds[i] += s->until[i];
        for (int level = 0; level < LIT_LEVELS; level++)
            if ((level == LIT_OFF_HOST) == between_hosts && p->messages[level] > 0)
                seconds[i] += p->messages[level] * s->table[level].tau_s;
    }
}

static void predict_staircase(scene_t *s, double *seconds)
{
    for (int part = 0; part < 2; part++) {
        receive_all(s, part == 1);
        deliver(s, part == 1);
        add_part(s, part == 1, seconds);
    }
}

/* Eqs (1) and (10), level after level. */
static void predict_rates(const scene_t *s, lit_contention_t model, double *seconds)
{
    for (int level = 0; level < LIT_LEVELS; level++) {
        const lit_bandwidth_t *t = &s->table[level];
        for (int i = 0; i < s->n; i++) {
            const process_t *p = &s->process[i];
            if (p->messages[level] == 0) continue;
            double alone = p->volume[level] / t->bytes_per_s[0], total = 0, receivers = 0;
            for (int k = 0; k < s->n && model == LIT_MAX_RATE; k++)
                if (s->process[k].group[level] == p->group[level] && s->process[k].volume[level] > 0)
                    total += s->process[k].volume[level], receivers++;
            double all = fmin(total, receivers * p->volume[level]) / t->bytes_per_s[t->n - 1];
            seconds[i] += p->messages[level] * t->tau_s + fmax(alone, all);
        }
    }
}

plan_status_t lit_predict_messages(lit_contention_t model, const lit_bandwidth_t *table, int processes,
                                   const int *socket, const int *host, size_t nmessages, const lit_message_t *message,
                                   double *seconds)
{
    scene_t s = {.table = table, .n = processes, .ntransfers = nmessages};
    plan_status_t rc = PLAN_OK;

    if (table == NULL || processes < 1 || socket == NULL || host == NULL || seconds == NULL ||
        (nmessages > 0 && message == NULL) || (int)model < LIT_POSTAL || model > LIT_STAIRCASE ||
        !sockets_are_valid(processes, socket, host))
        return PLAN_EINVAL;
    s.process = calloc((size_t)processes, sizeof *s.process);
    s.transfer = calloc(nmessages > 0 ? nmessages : 1, sizeof *s.transfer);
    s.member = calloc((size_t)processes, sizeof *s.member);
    s.until = calloc((size_t)processes, sizeof *s.until);
    if (s.process == NULL || s.transfer == NULL || s.member == NULL || s.until == NULL) rc = PLAN_ENOMEM;
    for (int i = 0; i < processes && rc == PLAN_OK; i++) {
        s.process[i].group[LIT_ON_SOCKET] = s.process[i].group[LIT_OFF_SOCKET] = socket[i];
        s.process[i].group[LIT_OFF_HOST] = host[i];
    }
    for (size_t k = 0; k < nmessages && rc == PLAN_OK; k++) rc = enter(&s, socket, host, &message[k], &s.transfer[k]);
    if (rc == PLAN_OK) {
        qsort(s.transfer, nmessages, sizeof *s.transfer, by_receiver_then_size);
        for (int i = 0; i < processes; i++) seconds[i] = 0;
        if (model == LIT_STAIRCASE)
            predict_staircase(&s, seconds);
        else
            predict_rates(&s, model, seconds);
    }
    free(s.process);
    free(s.transfer);
    free(s.member);
    free(s.until);
    return rc;
}
