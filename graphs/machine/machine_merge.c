/* What two machines know together: kinds, groups, hosts and channels. */
#include "graphs/machine/machine_merge.h"
#include "graphs/platform/components.h"
#include "lib/base/base.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 200 };

static plan_status_t allocate(plani_merging_t *k)
{
    size_t ha = (size_t)k->a->nhosts, hb = (size_t)k->b->nhosts, ga = (size_t)k->a->ngroups, gb = (size_t)k->b->ngroups;

    k->m = plani_machine_create();
    k->same = malloc((hb + 1) * sizeof *k->same);
    k->kind = malloc(((size_t)k->b->nkinds + 1) * sizeof *k->kind);
    k->group = malloc((gb + 1) * sizeof *k->group);
    k->fed = calloc(ga + 1, sizeof *k->fed);
    k->number = malloc((ga + gb + 1) * sizeof *k->number);
    k->channel = malloc(((size_t)k->b->nchannels + 1) * sizeof *k->channel);
    k->host_a = malloc((ha + 1) * sizeof *k->host_a);
    k->renewed = calloc(ha + 1, sizeof *k->renewed);
    k->node = calloc(ga + gb + 1, sizeof *k->node);
    bool all = k->m && k->same && k->kind && k->group && k->fed && k->number && k->channel && k->host_a && k->renewed &&
               k->node;
    for (int c = 0; all && c < k->b->nchannels; c++) k->channel[c] = -1;
    return all ? PLAN_OK : PLAN_ENOMEM;
}

static void release(plani_merging_t *k)
{
    plani_machine_destroy(&k->m);
    free(k->same);
    free(k->kind);
    free(k->group);
    free(k->fed);
    free(k->number);
    free(k->channel);
    free(k->host_a);
    free(k->renewed);
    free(k->node);
}

/* ---- names ---- */

/* The name, or one that is made of it and that the table lacks; it is added. NULL: out of memory. */
static char *unique_name(plani_machine_t *m, plani_names_t *taken, const char *name)
{
    char text[NAME];

    snprintf(text, sizeof text, "%.180s", name);
    for (int i = 2; plani_names_find(taken, text) >= 0; i++) snprintf(text, sizeof text, "%.180s (%d)", name, i);
    char *copy = plani_machine_text(m, text);
    return copy != NULL && plani_names_add(taken, copy, 0) >= 0 ? copy : NULL;
}

plan_status_t plani_machine_check_names(const plani_machine_t *m, plan_error_t *err)
{
    for (int h = 0; h < m->nhosts; h++) {
        if (m->host[h].name[0] == '\0') return plani_fail(err, PLAN_EMISMATCH, "a host has no name; give it one");
        if (plani_is_host_list(m->host[h].name))
            return plani_fail(err, PLAN_EMISMATCH,
                              "a host's name, %.80s, reads as a list of hosts; take out commas and brackets",
                              m->host[h].name);
        if (m->host[h].ambiguous)
            return plani_fail(err, PLAN_EMISMATCH, "two hosts are called %.80s; give one another name",
                              m->host[h].name);
    }
    return PLAN_OK;
}

static const char *signature_of(const plani_machine_t *m, int host)
{
    return m->kind[m->host[host].kind].signature;
}

static bool contradict(const char *a, const char *b)
{
    return a[0] != '\0' && b[0] != '\0' && strcmp(a, b) != 0;
}

/* Whether b's kind is a's with the signature that a lacks. Not where paths go by a's kinds. */
static bool names_kind(const plani_merging_t *k, int ka, int kb)
{
    const plani_machine_kind_t *x = &k->a->kind[ka], *y = &k->b->kind[kb];
    return k->a->npaths == 0 && x->signature[0] == '\0' && y->signature[0] != '\0' &&
           x->out.bytes_per_s == y->out.bytes_per_s && x->in.bytes_per_s == y->in.bytes_per_s &&
           x->latency_s == y->latency_s;
}

/* Hosts that were admitted by their kind are not known: the other machine's entry counts. */
static void find_same(plani_merging_t *k)
{
    for (int h = 0; h < k->b->nhosts; h++) {
        int other = plani_machine_find(k->a, k->b->host[h].name);
        bool both = other >= 0 && !k->a->host[other].admitted && !k->b->host[h].admitted;
        k->same[h] = both ? other : -1;
        if (k->same[h] >= 0)
            k->renewed[other] = contradict(signature_of(k->a, other), signature_of(k->b, h)) ||
                                names_kind(k, k->a->host[other].kind, k->b->host[h].kind);
    }
}

/* ---- channels ---- */

static double *copy_numbers(plani_machine_t *m, const double *x, size_t n)
{
    double *copy = plani_machine_room(m, n, sizeof *copy);
    if (copy != NULL && n > 0) memcpy(copy, x, n * sizeof *copy);
    return copy;
}

static plan_status_t copy_channel(plani_machine_t *m, const plani_machine_channel_t *from, const char *name)
{
    plani_machine_channel_t *to = &m->channel[m->nchannels];
    plan_channel_t *l = &to->ladder;

    *to = *from;
    l->name = name;
    l->bytes = copy_numbers(m, from->ladder.bytes, l->nsizes);
    l->overhead_s = copy_numbers(m, from->ladder.overhead_s, l->nsizes);
    l->gap_s = copy_numbers(m, from->ladder.gap_s, l->nsizes);
    l->p2p_s = copy_numbers(m, from->ladder.p2p_s, l->nsizes);
    l->gamma = copy_numbers(m, from->ladder.gamma, l->ngamma);
    if (!l->name || !l->bytes || !l->overhead_s || !l->gap_s || !l->p2p_s || !l->gamma) return PLAN_ENOMEM;
    m->nchannels++;
    return PLAN_OK;
}

static bool same_numbers(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static bool same_ends(plani_ends_t a, plani_ends_t b)
{
    return a.low == b.low && a.high == b.high;
}

static bool same_channel(const plani_machine_channel_t *x, const plani_machine_channel_t *y)
{
    const plan_channel_t *a = &x->ladder, *b = &y->ladder;
    return strcmp(a->name, b->name) == 0 && a->network == b->network && a->fluid == b->fluid &&
           a->rendezvous_bytes == b->rendezvous_bytes && x->latency_s == y->latency_s &&
           x->s_per_byte == y->s_per_byte && x->delay_s == y->delay_s &&
           same_ends(x->latency_interval, y->latency_interval) && same_ends(x->byte_interval, y->byte_interval) &&
           same_ends(x->delay_interval, y->delay_interval) && a->nsizes == b->nsizes && a->ngamma == b->ngamma &&
           same_numbers(a->bytes, b->bytes, a->nsizes) && same_numbers(a->overhead_s, b->overhead_s, a->nsizes) &&
           same_numbers(a->gap_s, b->gap_s, a->nsizes) && same_numbers(a->p2p_s, b->p2p_s, a->nsizes) &&
           same_numbers(a->gamma, b->gamma, a->ngamma);
}

plan_status_t plani_merge_channel(plani_merging_t *k, int channel, int *out)
{
    plani_machine_t *m = k->m;
    plani_names_t taken = {0};
    plan_status_t rc = PLAN_OK;

    *out = -1;
    if (channel < 0) return PLAN_OK;
    for (int c = 0; c < m->nchannels && k->channel[channel] < 0; c++)
        if (same_channel(&m->channel[c], &k->b->channel[channel])) k->channel[channel] = c;
    if (k->channel[channel] < 0) {
        for (int c = 0; c < m->nchannels && rc == PLAN_OK; c++)
            rc = plani_names_add(&taken, m->channel[c].ladder.name, c) < 0 ? PLAN_ENOMEM : PLAN_OK;
        char *name = rc == PLAN_OK ? unique_name(m, &taken, k->b->channel[channel].ladder.name) : NULL;
        k->channel[channel] = m->nchannels;
        rc = name != NULL ? copy_channel(m, &k->b->channel[channel], name) : PLAN_ENOMEM;
        plani_names_clear(&taken);
    }
    *out = k->channel[channel];
    return rc;
}

static plan_status_t put_channels(plani_merging_t *k)
{
    plani_machine_t *m = k->m;
    plan_status_t rc = PLAN_OK;

    m->channel = plani_machine_room(m, (size_t)k->a->nchannels + (size_t)k->b->nchannels, sizeof *m->channel);
    if (m->channel == NULL) return PLAN_ENOMEM;
    for (int c = 0; c < k->a->nchannels && rc == PLAN_OK; c++)
        rc = copy_channel(m, &k->a->channel[c], plani_machine_text(m, k->a->channel[c].ladder.name));
    return rc;
}

/* ---- inside hosts ---- */

static plan_status_t copy_shared(plani_machine_t *m, const plani_machine_shared_t *from, plani_machine_shared_t *to)
{
    *to = *from;
    to->bytes = copy_numbers(m, from->bytes, from->n);
    to->seconds = copy_numbers(m, from->seconds, from->n);
    return to->bytes != NULL && to->seconds != NULL ? PLAN_OK : PLAN_ENOMEM;
}

/* Broadcasts through memory: those of `add` by numbers of ranks that `in` lacks are added, ascending. */
static plan_status_t add_shared(plani_machine_t *m, plani_machine_inside_t *in, const plani_machine_inside_t *add)
{
    plani_machine_shared_t *all = plani_machine_room(m, (size_t)in->nshared + (size_t)add->nshared, sizeof *all);
    plan_status_t rc = all != NULL ? PLAN_OK : PLAN_ENOMEM;
    int n = 0;

    for (int i = 0; rc == PLAN_OK && i < in->nshared; i++) rc = copy_shared(m, &in->shared[i], &all[n++]);
    for (int i = 0; rc == PLAN_OK && i < add->nshared; i++) {
        int at = n, k = 0;
        while (k < n && all[k].ranks != add->shared[i].ranks) k++;
        if (k < n) continue;
        for (; at > 0 && all[at - 1].ranks > add->shared[i].ranks; at--) all[at] = all[at - 1];
        rc = copy_shared(m, &add->shared[i], &all[at]);
        n++;
    }
    in->shared = all, in->nshared = n;
    return rc;
}

/* Add to `in` what it lacks; `of_b`: the channels of `add` are those of b, else of a, which m has by the same numbers.
 */
static plan_status_t add_inside(plani_merging_t *k, plani_machine_inside_t *in, const plani_machine_inside_t *add,
                                bool of_b)
{
    plan_status_t rc = PLAN_OK;

    if (!plani_inside_is_known(in)) {
        for (int l = 0; l < PLANI_LEVELS && rc == PLAN_OK; l++)
            if (of_b)
                rc = plani_merge_channel(k, add->channel[l], &in->channel[l]);
            else
                in->channel[l] = add->channel[l];
        in->memory_shared = add->memory_shared, in->memory_latency_s = add->memory_latency_s;
        if (rc == PLAN_OK) rc = plani_machine_capacity(k->m, &add->memory, &in->memory);
    }
    if (rc == PLAN_OK && in->oversubscribed == 0) {
        in->oversubscribed = add->oversubscribed, in->oversubscribed_message_s = add->oversubscribed_message_s;
        rc = plani_machine_capacity(k->m, &add->copying, &in->copying);
    }
    return rc == PLAN_OK ? add_shared(k->m, in, add) : rc;
}

/* ---- kinds ---- */

static const plani_machine_inside_t *inside_of(const plani_machine_t *m, int kind)
{
    return m->kind[kind].inside != NULL ? m->kind[kind].inside : &m->inside;
}

static bool near(double x, double y)
{
    return fabs(x - y) <= PLANI_ALIKE * plani_max(x, y);
}

/* Whether hosts of two kinds differ by no more than noise: in their cards, and, unless hwloc says that they are alike,
 * in their memory. */
static bool are_alike(const plani_machine_t *a, int ka, const plani_machine_t *b, int kb)
{
    const plani_machine_kind_t *x = &a->kind[ka], *y = &b->kind[kb];
    double mine = inside_of(a, ka)->memory.bytes_per_s, theirs = inside_of(b, kb)->memory.bytes_per_s;
    bool named = x->signature[0] != '\0' && strcmp(x->signature, y->signature) == 0;

    return !contradict(x->signature, y->signature) && near(x->out.bytes_per_s, y->out.bytes_per_s) &&
           near(x->in.bytes_per_s, y->in.bytes_per_s) && near(x->latency_s, y->latency_s) &&
           near(x->relay_bytes_per_s, y->relay_bytes_per_s) && x->shared_out == y->shared_out &&
           x->shared_in == y->shared_in && x->half_duplex == y->half_duplex &&
           (named || mine == 0 || theirs == 0 || near(mine, theirs));
}

static plan_status_t copy_kind(plani_merging_t *k, const plani_machine_t *from, int kind, plani_names_t *taken)
{
    plani_machine_t *m = k->m;
    plani_machine_kind_t *to = &m->kind[m->nkinds++];
    plan_status_t rc;

    *to = from->kind[kind];
    to->inside = NULL;
    json_incref(to->hardware);
    to->name = unique_name(m, taken, from->kind[kind].name);
    to->signature = plani_machine_text(m, from->kind[kind].signature);
    if (to->name == NULL || to->signature == NULL) return PLAN_ENOMEM;
    if ((rc = plani_machine_capacity(m, &from->kind[kind].out, &to->out)) != PLAN_OK) return rc;
    return plani_machine_capacity(m, &from->kind[kind].in, &to->in);
}

/* The known kind of b's: that of most of its known hosts that are alike, else the first that is alike; -1: none. */
static int known_kind(const plani_merging_t *k, int kb, int *votes)
{
    int best = -1;

    memset(votes, 0, (size_t)k->a->nkinds * sizeof *votes);
    for (int h = 0; h < k->b->nhosts; h++)
        if (k->b->host[h].kind == kb && k->same[h] >= 0) votes[k->a->host[k->same[h]].kind]++;
    for (int ka = 0; ka < k->a->nkinds; ka++)
        if (are_alike(k->a, ka, k->b, kb) && !names_kind(k, ka, kb) && (best < 0 || votes[ka] > votes[best])) best = ka;
    return best;
}

static bool same_capacity(const plani_capacity_t *a, const plani_capacity_t *b)
{
    bool same = a->bytes_per_s == b->bytes_per_s && same_ends(a->interval, b->interval) &&
                a->burst_bytes == b->burst_bytes && a->guess == b->guess && a->npairs == b->npairs;
    for (size_t i = 0; same && i < a->npairs; i++)
        same = a->pairs[i].bytes == b->pairs[i].bytes && a->pairs[i].messages == b->pairs[i].messages &&
               a->pairs[i].bytes_per_s == b->pairs[i].bytes_per_s;
    return same;
}

static bool same_inside(const plani_machine_inside_t *a, const plani_machine_inside_t *b)
{
    bool same = memcmp(a->channel, b->channel, sizeof a->channel) == 0 && same_capacity(&a->memory, &b->memory) &&
                a->memory_shared == b->memory_shared && a->memory_latency_s == b->memory_latency_s &&
                a->oversubscribed == b->oversubscribed && a->oversubscribed_message_s == b->oversubscribed_message_s &&
                same_capacity(&a->copying, &b->copying) && a->nshared == b->nshared;
    for (int i = 0; same && i < a->nshared; i++)
        same = a->shared[i].ranks == b->shared[i].ranks && a->shared[i].n == b->shared[i].n &&
               same_numbers(a->shared[i].bytes, b->shared[i].bytes, a->shared[i].n) &&
               same_numbers(a->shared[i].seconds, b->shared[i].seconds, a->shared[i].n);
    return same;
}

/* What kinds have in common is said once, for the machine. */
static void share_insides(plani_machine_t *m)
{
    bool all = m->nkinds > 0;
    for (int i = 0; i < m->nkinds; i++) all = all && m->kind[i].inside != NULL;
    if (all) m->inside = *m->kind[0].inside;
    for (int i = 0; i < m->nkinds; i++)
        if (m->kind[i].inside != NULL && same_inside(m->kind[i].inside, &m->inside)) m->kind[i].inside = NULL;
}

static plan_status_t put_inside(plani_merging_t *k, int kind, const plani_machine_inside_t *known,
                                const plani_machine_inside_t *more)
{
    plani_machine_inside_t *in = plani_machine_room(k->m, 1, sizeof *in);
    plan_status_t rc = in != NULL ? PLAN_OK : PLAN_ENOMEM;

    if (rc != PLAN_OK) return rc;
    for (int l = 0; l < PLANI_LEVELS; l++) in->channel[l] = -1;
    if (known != NULL) rc = add_inside(k, in, known, false);
    if (rc == PLAN_OK && more != NULL) rc = add_inside(k, in, more, true);
    k->m->kind[kind].inside = in;
    return rc;
}

/* Kinds of a have what a says inside; those that b knows, too, also what a lacks. */
static plan_status_t put_insides(plani_merging_t *k)
{
    plan_status_t rc = PLAN_OK;

    k->m->inside = (plani_machine_inside_t){.channel = {-1, -1, -1, -1}};
    if (rc == PLAN_OK) rc = add_inside(k, &k->m->inside, &k->a->inside, false);
    for (int ka = 0; ka < k->a->nkinds && rc == PLAN_OK; ka++)
        if (k->a->kind[ka].inside != NULL) rc = put_inside(k, ka, k->a->kind[ka].inside, NULL);
    for (int kb = 0; kb < k->b->nkinds && rc == PLAN_OK; kb++) {
        int kind = k->kind[kb];
        rc = put_inside(k, kind, kind < k->a->nkinds ? inside_of(k->m, kind) : NULL, inside_of(k->b, kb));
    }
    if (rc == PLAN_OK) share_insides(k->m);
    return rc;
}

/* The interval of a known kind's rate, if it has one, also spans that of new hosts of the kind. */
static void widen(plani_ends_t *known, double rate, plani_ends_t more)
{
    plani_ends_t added = more.high > 0 ? more : (plani_ends_t){rate, rate};
    if (known->high > 0) *known = plani_ends_join(*known, added);
}

static void widen_kind(plani_merging_t *k, int kb)
{
    plani_machine_kind_t *known = &k->m->kind[k->kind[kb]];
    bool new = false;

    for (int h = 0; h < k->b->nhosts; h++)
        new = new || (k->b->host[h].kind == kb && k->same[h] < 0 && !k->b->host[h].admitted);
    if (!new) return;
    const plani_machine_kind_t *more = &k->b->kind[kb];
    widen(&known->out.interval, more->out.bytes_per_s, more->out.interval);
    widen(&known->in.interval, more->in.bytes_per_s, more->in.interval);
    widen(&known->relay_interval, more->relay_bytes_per_s, more->relay_interval);
}

static plan_status_t put_kinds(plani_merging_t *k)
{
    plani_machine_t *m = k->m;
    plani_names_t taken = {0};
    int *votes = malloc(((size_t)k->a->nkinds + 1) * sizeof *votes);
    plan_status_t rc = votes != NULL ? PLAN_OK : PLAN_ENOMEM;

    m->kind = plani_machine_room(m, (size_t)k->a->nkinds + (size_t)k->b->nkinds, sizeof *m->kind);
    if (m->kind == NULL) rc = PLAN_ENOMEM;
    for (int ka = 0; ka < k->a->nkinds && rc == PLAN_OK; ka++) rc = copy_kind(k, k->a, ka, &taken);
    for (int kb = 0; kb < k->b->nkinds && rc == PLAN_OK; kb++) {
        k->kind[kb] = known_kind(k, kb, votes);
        if (k->kind[kb] >= 0) {
            widen_kind(k, kb);
            continue;
        }
        k->kind[kb] = m->nkinds;
        rc = copy_kind(k, k->b, kb, &taken);
    }
    plani_names_clear(&taken);
    free(votes);
    return rc == PLAN_OK ? put_insides(k) : rc;
}

/* ---- groups ---- */

/* votes [a->ngroups], all 0 before and after: the group of most of the known hosts first[0 .. n) of one group of b; -1:
 * none is known. *all: they are in one group. */
static int most_common(const plani_merging_t *k, const int *host, int n, int *votes, bool *all)
{
    int best = -1, first = -1;

    *all = true;
    for (int i = 0; i < n; i++) {
        if (k->same[host[i]] < 0) continue;
        int g = k->a->host[k->same[host[i]]].group;
        votes[g]++;
        if (best < 0 || votes[g] > votes[best] || (g < best && votes[g] == votes[best])) best = g;
        if (first < 0) first = g;
        *all = *all && g == first;
    }
    for (int i = 0; i < n; i++)
        if (k->same[host[i]] >= 0) votes[k->a->host[k->same[host[i]]].group] = 0;
    return best;
}

/* Hosts by group: those of group g are host[first[g] .. first[g + 1]). */
static void sort_hosts(const plani_machine_t *m, int *first, int *host)
{
    memset(first, 0, ((size_t)m->ngroups + 2) * sizeof *first);
    for (int h = 0; h < m->nhosts; h++) first[m->host[h].group + 2]++;
    for (int g = 0; g < m->ngroups; g++) first[g + 2] += first[g + 1];
    for (int h = 0; h < m->nhosts; h++) host[first[m->host[h].group + 1]++] = h;
}

/* The node of every group of b: that of its known hosts; of a group of groups what is above one of those; else a new
 * one. scratch [2 a->ngroups + 2 b->ngroups + 2 + b->nhosts] */
static void find_groups(plani_merging_t *k, int *scratch)
{
    const plani_machine_t *a = k->a, *b = k->b;
    int *votes = scratch, *first = votes + a->ngroups, *host = first + b->ngroups + 2, *above = host + b->nhosts;

    memset(votes, 0, (size_t)a->ngroups * sizeof *votes);
    sort_hosts(b, first, host);
    for (int g = 0; g < b->ngroups; g++) above[g] = -1;
    for (int g = b->ngroups; g-- > 0;) { /* groups within come first */
        bool all;
        int known = most_common(k, host + first[g], first[g + 1] - first[g], votes, &all), up = b->group[g].above;
        if (known < 0) known = above[g];
        k->group[g] = known;
        if (known < 0) continue;
        k->fed[known] = all && k->fed[known] >= 0 ? k->fed[known] + 1 : -1;
        if (up >= 0 && a->group[known].above >= 0) above[up] = a->group[known].above;
    }
    k->nodes = a->ngroups;
    for (int g = 0; g < b->ngroups; g++)
        if (k->group[g] < 0) k->group[g] = k->nodes++;
}

/* Whether node `from` is `to` or below it. */
static bool is_below(const plani_merging_t *k, int from, int to)
{
    while (from >= 0 && from != to) from = k->node[from].above;
    return from == to;
}

/* A trunk that was measured replaces one that nobody had seen, or a guess. */
static void fill_trunk(plani_capacity_t *known, const plani_capacity_t *more)
{
    if (known->bytes_per_s == 0 || (known->guess && more->bytes_per_s > 0 && !more->guess)) *known = *more;
}

/* What a does not say of a group, where b has just this group: its trunk, and the level above. */
static void fill_node(plani_merging_t *k, int gb)
{
    const plani_machine_group_t *from = &k->b->group[gb];
    int n = k->group[gb], above = from->above >= 0 ? k->group[from->above] : -1;
    plani_machine_group_t *to = &k->node[n];

    if (k->fed[n] != 1) return;
    fill_trunk(&to->out, &from->out);
    fill_trunk(&to->in, &from->in);
    if (to->latency_s == 0) to->latency_s = from->latency_s;
    if (to->above < 0 && above >= k->a->ngroups && !is_below(k, above, n)) to->above = above;
}

static void make_nodes(plani_merging_t *k)
{
    for (int g = 0; g < k->a->ngroups; g++) k->node[g] = k->a->group[g];
    for (int g = 0; g < k->b->ngroups; g++) {
        int n = k->group[g], above = k->b->group[g].above;
        if (n < k->a->ngroups) continue;
        k->node[n] = k->b->group[g];
        k->node[n].above = above >= 0 ? k->group[above] : -1;
    }
    for (int g = 0; g < k->b->ngroups; g++)
        if (k->group[g] < k->a->ngroups) fill_node(k, g);
}

/* Groups in depth-first order. child [nodes] has the first child of each node, then next [nodes] the next one. */
static plan_status_t put_node(plani_merging_t *k, int n, int above, int depth, const int *child, const int *next,
                              plani_names_t *taken)
{
    plani_machine_t *m = k->m;
    plan_status_t rc = PLAN_OK;

    if (depth > PLANI_MACHINE_DEPTH) return PLAN_EMISMATCH;
    int self = k->number[n] = m->ngroups++;
    plani_machine_group_t *to = &m->group[self];
    *to = k->node[n];
    to->above = above;
    if ((to->name = unique_name(m, taken, k->node[n].name)) == NULL) return PLAN_ENOMEM;
    if ((rc = plani_machine_capacity(m, &k->node[n].out, &to->out)) != PLAN_OK) return rc;
    if ((rc = plani_machine_capacity(m, &k->node[n].in, &to->in)) != PLAN_OK) return rc;
    for (int c = child[n]; c >= 0 && rc == PLAN_OK; c = next[c])
        rc = put_node(k, c, self, depth + 1, child, next, taken);
    return rc;
}

static plan_status_t number_nodes(plani_merging_t *k, int *child, int *next)
{
    plani_names_t taken = {0};
    plan_status_t rc = PLAN_OK;

    k->m->group = plani_machine_room(k->m, (size_t)k->nodes, sizeof *k->m->group);
    if (k->m->group == NULL) return PLAN_ENOMEM;
    for (int n = 0; n < k->nodes; n++) child[n] = next[n] = -1;
    for (int n = k->nodes; n-- > 0;) {
        int above = k->node[n].above;
        if (above >= 0) next[n] = child[above], child[above] = n;
    }
    for (int n = 0; n < k->nodes && rc == PLAN_OK; n++)
        if (k->node[n].above < 0) rc = put_node(k, n, -1, 1, child, next, &taken);
    plani_names_clear(&taken);
    return rc;
}

static int most_parts(const plani_machine_t *m)
{
    int most = 0;
    for (int g = 0; g < m->ngroups; g++)
        if (m->group[g].part > most) most = m->group[g].part;
    return most + 1;
}

/* Parts with a common host become one, and are numbered by their first group: they are the components of a graph of the
 * groups, which come first, a's parts and b's. */
static plan_status_t join_parts(plani_merging_t *k)
{
    int nodes = k->nodes, part_a = nodes, part_b = part_a + most_parts(k->a), n = part_b + most_parts(k->b), parts;
    plan_link_t *link = calloc((size_t)nodes + (size_t)k->b->nhosts + 1, sizeof *link);
    int *component = malloc((size_t)n * sizeof *component);
    size_t nlinks = 0;
    plan_status_t rc = link != NULL && component != NULL ? PLAN_OK : PLAN_ENOMEM;

    for (int i = 0; i < nodes && rc == PLAN_OK; i++)
        link[nlinks++] = (plan_link_t){.from = i, .to = (i < k->a->ngroups ? part_a : part_b) + k->node[i].part};
    for (int h = 0; h < k->b->nhosts && rc == PLAN_OK; h++)
        if (k->same[h] >= 0)
            link[nlinks++] = (plan_link_t){.from = part_a + k->a->group[k->a->host[k->same[h]].group].part,
                                           .to = part_b + k->b->group[k->b->host[h].group].part};
    if (rc == PLAN_OK) rc = plani_components(n, link, nlinks, PLANI_WEAK, component, &parts);
    for (int i = 0; i < nodes && rc == PLAN_OK; i++) k->node[i].part = component[i];
    free(link);
    free(component);
    return rc;
}

static plan_status_t put_groups(plani_merging_t *k)
{
    size_t n = 2 * ((size_t)k->a->ngroups + (size_t)k->b->ngroups) + (size_t)k->b->nhosts + 2;
    int *scratch = malloc(n * sizeof *scratch);
    plan_status_t rc = scratch != NULL ? PLAN_OK : PLAN_ENOMEM;

    if (rc == PLAN_OK) {
        find_groups(k, scratch);
        make_nodes(k);
        rc = join_parts(k);
    }
    if (rc == PLAN_OK) rc = number_nodes(k, scratch, scratch + k->nodes);
    free(scratch);
    return rc;
}

/* ---- hosts ---- */

static plan_status_t put_hosts(plani_merging_t *k)
{
    plan_status_t rc = PLAN_OK;

    for (int h = 0; h < k->a->nhosts; h++) k->host_a[h] = -1;
    for (int h = 0; h < k->a->nhosts && rc == PLAN_OK; h++) {
        const plani_machine_host_t *host = &k->a->host[h];
        if (host->admitted) continue;
        k->host_a[h] = k->m->nhosts;
        rc = plani_machine_add_host(k->m, host->name, k->number[host->group], host->kind);
    }
    for (int h = 0; h < k->b->nhosts && rc == PLAN_OK; h++) {
        const plani_machine_host_t *host = &k->b->host[h];
        int same = k->same[h], kind = k->kind[host->kind];
        if (same >= 0 && k->renewed[same])
            k->m->host[k->host_a[same]].kind = kind;
        else if (same < 0 && !host->admitted)
            rc = plani_machine_add_host(k->m, host->name, k->number[k->group[host->group]], kind);
    }
    return rc;
}

/* ---- the whole ---- */

/* a's, and in "merged" those of all machines that were added to it. */
static plan_status_t put_provenance(plani_merging_t *k)
{
    json_t *all, *merged, *more;

    if (k->a->provenance == NULL && k->b->provenance == NULL) return PLAN_OK;
    all = k->a->provenance != NULL ? json_deep_copy(k->a->provenance) : json_object();
    k->m->provenance = all;
    if (!json_is_object(all)) return all == NULL ? PLAN_ENOMEM : PLAN_OK;
    if (k->b->provenance == NULL || json_equal(k->a->provenance, k->b->provenance)) return PLAN_OK;
    if ((merged = json_object_get(all, "merged")) == NULL) {
        if (json_object_set_new(all, "merged", json_array()) != 0) return PLAN_ENOMEM;
        merged = json_object_get(all, "merged");
    }
    if (!json_is_array(merged)) return PLAN_OK;
    for (size_t i = 0; i < json_array_size(merged); i++)
        if (json_equal(json_array_get(merged, i), k->b->provenance)) return PLAN_OK;
    more = json_deep_copy(k->b->provenance);
    return json_array_append_new(merged, more) == 0 ? PLAN_OK : PLAN_ENOMEM;
}

static plan_status_t merge(plani_merging_t *k)
{
    plani_machine_t *m = k->m;
    plan_status_t rc;

    find_same(k);
    if ((m->name = plani_machine_text(m, k->a->name)) == NULL) return PLAN_ENOMEM;
    m->message_s = k->a->message_s, m->message_byte_s = k->a->message_byte_s;
    if (m->message_s == 0) m->message_s = k->b->message_s, m->message_byte_s = k->b->message_byte_s;
    if ((rc = put_channels(k)) != PLAN_OK) return rc;
    if ((rc = put_kinds(k)) != PLAN_OK) return rc;
    if ((rc = put_groups(k)) != PLAN_OK) return rc;
    if ((rc = put_hosts(k)) != PLAN_OK) return rc;
    if ((rc = plani_merge_paths(k)) != PLAN_OK) return rc;
    return put_provenance(k);
}

plan_status_t plani_machine_merge(const plani_machine_t *known, const plani_machine_t *more, plani_machine_t **out,
                                  plan_error_t *err)
{
    plani_merging_t k = {.a = known, .b = more};
    plan_status_t rc = plani_machine_check_names(known, err);

    if (rc == PLAN_OK) rc = plani_machine_check_names(more, err);
    if (rc != PLAN_OK) return rc;
    if ((rc = allocate(&k)) == PLAN_OK) rc = merge(&k);
    if (rc == PLAN_OK)
        *out = k.m, k.m = NULL;
    else if (rc == PLAN_EMISMATCH)
        plani_fail(err, rc, "together, groups would be nested more than %d deep", PLANI_MACHINE_DEPTH);
    else
        plani_fail(err, rc, "out of memory for a machine");
    release(&k);
    return rc;
}
