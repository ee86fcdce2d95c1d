#include "readings.h"
#include <math.h>

const question_t question[QUESTIONS] = {
    [P2P] = {"T_p2p^1 in the stages is", 2, {"o + 2 L0 + L1, section 4", "o + L0 + L1, as in (20)"}},
    [GAMMA] = {"gamma is", 2, {"Table 1", "1: sends overlap fully"}},
    [SHARED] = {"shared memory costs", 2, {"T_p2p^1 / Q, (3)", "as much as the network"}},
    [CHAINS] = {"K of the K-chain tree is", 2, {"4, Open MPI's default", "8"}},
    [EXCHANGE] = {"split-binary's exchange costs",
                  5,
                  {"half the message's segments, (13)", "one T_p2p", "nothing", "the whole message's segments",
                   "pair after pair, one T_p2p each"}},
    [FORWARD] = {"split-binary's first phase has",
                 3,
                 {"the stages of its tree", "as many as for the whole message",
                  "ceil(log2 P) + m/2m_s - 1, all of gamma(3) T_p2p^1"}},
    [BINOMIAL] = {"the binomial tree has", 3, {"Table 2's parameters", "those that solve (20), on Gros", "no part"}},
};

static const double segment = 8192;

int reading_at(int k, reading_t *r)
{
    for (int i = 0; i < QUESTIONS; i++) {
        r->choice[i] = k % question[i].options;
        k /= question[i].options;
    }
    return k == 0;
}

double reading_p2p(const reading_t *r, const lit_taulop_t *t)
{
    return t->o_net + (r->choice[P2P] == 0 ? 2 : 1) * t->L_shm + t->L_net;
}

/* In units of T_p2p^1: o_net is 1, and L nothing. */
static int sum(const cluster_t *c, const cell_t *cell, int gamma, int shared, int q, int chains, int a, double *out)
{
    static const double one[] = {1, 1};
    lit_taulop_t t = c->row[a].taulop;
    size_t bytes = algorithm[a] == PLAN_SPLIT_BINARY ? cell->bytes / 2 : cell->bytes;
    plan_topology_t kind = algorithm[a] == PLAN_SPLIT_BINARY ? PLAN_BINARY : algorithm[a]; /* the same tree */
    t.o_net = 1, t.o_shm = t.L_shm = t.L_net = 0;
    if (shared == 1) { /* alike in everything */
        t.Q = 1;
        t.gamma_shm = t.gamma_net, t.ngamma_shm = t.ngamma_net;
    } else
        t.Q += 0.5 * (2. * q / (QS - 1) - 1);
    if (gamma == 1) t.gamma_net = t.gamma_shm = one, t.ngamma_net = t.ngamma_shm = 2;
    return lit_predict_taulop(&t, kind, cell->ranks, c->ranks_per_host, 0, kind == PLAN_CHAIN ? chains : 0, bytes,
                              (size_t)segment, out) == PLAN_OK;
}

int sums_make(const published_t *p, const cell_t *cell, sums_t *s)
{
    const cluster_t *c = &p->cluster[cell->cluster];
    for (int gamma = 0; gamma < 2; gamma++)
        for (int shared = 0; shared < 2; shared++)
            for (int q = 0; q < QS; q++)
                for (int k = 0; k < 2; k++)
                    for (int a = 0; a < ALGORITHMS; a++) {
                        double *to = &s->tree[gamma][shared][q][k][a];
                        if (k > 0 && algorithm[a] != PLAN_CHAIN)
                            *to = s->tree[gamma][shared][q][0][a];
                        else if (!sum(c, cell, gamma, shared, q, k > 0 ? 8 : 4, a, to))
                            return 0;
                    }
    return 1;
}

/* Split-binary, both phases, in units of T_p2p^1. */
static double split_binary(const reading_t *r, const cluster_t *c, const cell_t *cell, const double *tree)
{
    double segments = (double)cell->bytes / segment, forward = 0, exchange[5];
    double gamma = r->choice[GAMMA] == 1 ? 1 : c->row[0].net[1];
    for (int a = 0; a < ALGORITHMS; a++)
        if ((r->choice[FORWARD] == 0 && algorithm[a] == PLAN_SPLIT_BINARY) ||
            (r->choice[FORWARD] == 1 && algorithm[a] == PLAN_BINARY))
            forward = tree[a];
    if (r->choice[FORWARD] == 2) forward = gamma * (ceil(log2(cell->ranks)) + segments / 2 - 1);
    exchange[0] = segments / 2, exchange[1] = 1, exchange[2] = 0, exchange[3] = segments;
    exchange[4] = floor((cell->ranks - 1) / 2.);
    return forward + exchange[r->choice[EXCHANGE]];
}

void reading_predict(const reading_t *r, const published_t *p, const cell_t *cell, const sums_t *s, int q,
                     const double p2p[ALGORITHMS], double seconds[ALGORITHMS])
{
    const cluster_t *c = &p->cluster[cell->cluster];
    const double *tree = s->tree[r->choice[GAMMA]][r->choice[SHARED]][q][r->choice[CHAINS]];
    for (int a = 0; a < ALGORITHMS; a++) {
        seconds[a] = p2p[a] * (algorithm[a] == PLAN_SPLIT_BINARY ? split_binary(r, c, cell, tree) : tree[a]);
        if (algorithm[a] == PLAN_BINOMIAL && r->choice[BINOMIAL] == 2) seconds[a] = INFINITY;
    }
}

int selected(const double seconds[ALGORITHMS])
{
    int best = 0;
    for (int a = 1; a < ALGORITHMS; a++)
        if (seconds[a] < seconds[best]) best = a;
    return best;
}
