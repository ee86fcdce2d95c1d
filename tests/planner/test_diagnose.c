/* The resource that has changed is named by when the ranks received a broadcast. */
#include "suite.h"
#include "alloc.h"
#include "spec_text.h"
#include "graphs/machine/machine.h"
#include "lib/base/rng.h"
#include "planner/select/diagnose.h"
#include "planner/simulate/simulation.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HOSTS = 16 };
static const size_t BYTES = 4 << 20;

/* A machine with a host per rank, its platform, and trees for it. */
typedef struct {
    plani_machine_t *m;
    plan_platform_t *pf;
    plani_machine_part_t *part;
    plan_ranking_t *ranking;
    const plan_candidate_t *c;
    int ranks;
} scene_t;

static double between(plani_rng_t *rng, double low, double high)
{
    return low * pow(high / low, plani_rng_unit(rng));
}

static void put_site(plani_rng_t *rng, int site, int hosts)
{
    length += (size_t)snprintf(text + length, TEXT - length, "%s{ \"name\": \"s%d\"", site ? "," : "", site);
    put(", \"trunk\": { \"out_bytes_per_s\": %.0f, \"in_bytes_per_s\": %.0f, \"latency_s\": %g }",
        between(rng, 4e6, 4e7), between(rng, 4e6, 4e7), 1e-4);
    put(", \"hosts\": [", 0, 0, 0);
    for (int h = 0; h < hosts; h++) {
        put(h ? ", { \"ranks\": 1, \"out_bytes_per_s\": %.0f, \"in_bytes_per_s\": %.0f, \"latency_s\": %g }"
              : "{ \"ranks\": 1, \"out_bytes_per_s\": %.0f, \"in_bytes_per_s\": %.0f, \"latency_s\": %g }",
            between(rng, 8e6, 6e7), between(rng, 8e6, 6e7), 5e-5);
    }
    put("] }", 0, 0, 0);
}

static plan_platform_t *place(const plani_machine_t *m, plani_machine_part_t **part)
{
    plani_place_t where[HOSTS];
    plan_platform_t *pf = NULL;
    plan_error_t err = {.text = ""};
    for (int r = 0; r < m->nhosts; r++) where[r] = (plani_place_t){r, {-1, -1, -1}};
    CU_ASSERT_EQUAL_FATAL(plani_machine_platform_of_parts(m, m->nhosts, where, &pf, part, &err), PLAN_OK);
    return pf;
}

static scene_t make(uint64_t seed)
{
    plani_rng_t rng;
    scene_t s = {0};
    plan_choice_t choice = {.size = sizeof choice, .only = "best-tree,host-trees"};

    plani_rng_seed(&rng, seed);
    int sites = 1 + (int)(plani_rng_unit(&rng) * 4);
    length = 0;
    put("{ \"format\": \"planbcast-cluster\", \"version\": 1, \"name\": \"x\", \"sites\": [", 0, 0, 0);
    for (int i = 0; i < sites; i++) put_site(&rng, i, 2 + (int)(plani_rng_unit(&rng) * 3));
    put("] }", 0, 0, 0);
    plani_cluster_t *c = parse_text();
    CU_ASSERT_EQUAL_FATAL(plani_machine_of_cluster(c, &s.m), PLAN_OK);
    plani_cluster_destroy(&c);
    s.pf = place(s.m, &s.part);
    s.ranks = s.m->nhosts;
    CU_ASSERT_EQUAL_FATAL(plan_ranking_create(s.pf, 0, BYTES, &choice, &s.ranking, NULL), PLAN_OK);
    s.c = &s.ranking->candidate[0];
    return s;
}

static void clear(scene_t *s)
{
    plan_ranking_destroy(&s->ranking);
    plan_platform_destroy(&s->pf);
    plani_machine_destroy(&s->m);
    free(s->part);
}

/* Arrivals where one part is `factor` times as fast, each off by up to `noise`. */
static void arrivals(const scene_t *s, plani_machine_part_t part, double factor, double noise, plani_rng_t *rng,
                     double *out)
{
    plani_machine_t *m = NULL;
    const plani_machine_kind_t *kind = part.trunk ? NULL : &s->m->kind[s->m->host[part.which].kind];
    const plani_machine_group_t *group = &s->m->group[part.which];
    bool in = part.direction == PLANI_PART_IN;
    double rate = part.trunk ? (in ? group->in : group->out).bytes_per_s : (in ? kind->in : kind->out).bytes_per_s;

    CU_ASSERT_EQUAL_FATAL(plani_machine_copy(s->m, &m), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_machine_set_rate(m, part, rate * factor, (plani_ends_t){0, 0}), PLAN_OK);
    plan_platform_t *pf = place(m, NULL);
    CU_ASSERT_EQUAL_FATAL(plani_predict_arrivals(pf, s->c, BYTES, out), PLAN_OK);
    for (int r = 0; r < s->ranks; r++) out[r] *= 1 + noise * (2 * plani_rng_unit(rng) - 1);
    plan_platform_destroy(&pf);
    plani_machine_destroy(&m);
}

static double last_of(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, x[i]);
    return most;
}

typedef struct {
    int cases, first, listed;
} tally_t;

/* Change every card and trunk in turn. */
static void change_all(const scene_t *s, double factor, double noise, plani_rng_t *rng, tally_t *tally)
{
    double usual[HOSTS], now[HOSTS];
    plani_change_t change[PLANI_CHANGES];
    size_t n = 0;

    CU_ASSERT_EQUAL_FATAL(plani_predict_arrivals(s->pf, s->c, BYTES, usual), PLAN_OK);
    for (size_t i = 0; i < plan_platform_data(s->pf)->nresources; i++) {
        if (s->part[i].direction == PLANI_PART_OTHER) continue;
        arrivals(s, s->part[i], factor, noise, rng, now);
        double off = last_of(now, s->ranks) / last_of(usual, s->ranks);
        if (off < 1.3 && off > 1 / 1.3) continue;
        CU_ASSERT_EQUAL_FATAL(plani_diagnose(s->pf, s->c, BYTES, now, change, &n), PLAN_OK);
        tally->cases++;
        for (size_t k = 0; k < n; k++) {
            if (change[k].resource != i) continue;
            tally->listed++;
            tally->first += k == 0;
            if (k == 0) CU_ASSERT(fabs(log(change[k].factor / factor)) < 0.5);
        }
    }
}

/* Where a link alone crosses several resources, any of them explains its rate. */
static void the_changed_resource_is_found_on_random_machines(void)
{
    static const double factor[] = {0.5, 0.25, 2};
    plani_rng_t rng;
    tally_t t[3] = {{0}};

    plani_rng_seed(&rng, 1);
    for (uint64_t seed = 1; seed <= 12; seed++) {
        scene_t s = make(seed);
        for (int f = 0; f < 3; f++) change_all(&s, factor[f], 0.05, &rng, &t[f]);
        clear(&s);
    }
    for (int f = 0; f < 3; f++) {
        printf("\n  rates times %g: of %d changes %d came first, %d among the first %d", factor[f], t[f].cases,
               t[f].first, t[f].listed, PLANI_CHANGES);
        CU_ASSERT(t[f].cases >= 3);
        CU_ASSERT(t[f].first >= 0.7 * t[f].cases);
        CU_ASSERT(t[f].listed >= 0.95 * t[f].cases);
    }
    printf("\n");
}

/* The last of the arrivals is the time of the broadcast, of many slices too. */
static void the_last_arrival_is_the_time_of_the_broadcast(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        scene_t s = make(seed);
        double when[HOSTS];
        CU_ASSERT_EQUAL(plani_predict_arrivals(s.pf, s.c, BYTES, when), PLAN_OK);
        CU_ASSERT_DOUBLE_EQUAL(last_of(when, s.ranks), s.c->predicted_s, 0.03 * s.c->predicted_s);
        CU_ASSERT_EQUAL(when[0], 0);
        clear(&s);
    }
}

static void a_machine_as_it_was_has_no_change(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        scene_t s = make(seed);
        double when[HOSTS];
        plani_change_t change[PLANI_CHANGES];
        size_t n = 1;
        CU_ASSERT_EQUAL(plani_predict_arrivals(s.pf, s.c, BYTES, when), PLAN_OK);
        CU_ASSERT_EQUAL(plani_diagnose(s.pf, s.c, BYTES, when, change, &n), PLAN_OK);
        CU_ASSERT_EQUAL(n, 0);
        clear(&s);
    }
}

static void memory_that_fails_is_reported(void)
{
    scene_t s = make(1);
    double when[HOSTS];
    plani_change_t change[PLANI_CHANGES];
    size_t n = 0;
    for (int r = 0; r < s.ranks; r++) when[r] = r;
    ALLOC_EACH(plani_diagnose(s.pf, s.c, (size_t)64 << 10, when, change, &n), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    clear(&s);
}

SUITE_MAIN("diagnose", TEST(the_changed_resource_is_found_on_random_machines),
           TEST(the_last_arrival_is_the_time_of_the_broadcast), TEST(a_machine_as_it_was_has_no_change),
           TEST(memory_that_fails_is_reported))
