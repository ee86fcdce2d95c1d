/* From a request to rankings and a plan: the first candidate does not depend on what else is requested. */
#include "suite.h"
#include "alloc.h"
#include "rankings.h"
#include "sample.h"
#include "planner/plan/plan_private.h"
#include "planner/select/decide.h"
#include <math.h>
#include <planbcast/generate.h>
#include <stdlib.h>
#include <string.h>

/* ---- platforms ---- */

static plan_platform_t *drawn(int ranks, double density, uint64_t seed)
{
    plan_platform_t *pf = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_generate_random(ranks, density, seed, &pf), PLAN_OK);
    return pf;
}

enum { MOST_LINKS = 144, MOST_RESOURCES = 24 };

/* Sites, whose trunks let a burst pass at once, or whose links are fluid, or long. */
static plan_platform_t *sites_with(double burst_bytes, bool fluid, double flight)
{
    plan_platform_t *plain = sites(3, 9, 0), *pf = NULL;
    plan_platform_data_t d = *plan_platform_data(plain);
    const plan_channel_t channel = {.name = "network", .network = true, .fluid = true};
    plan_resource_t resource[MOST_RESOURCES];
    plan_link_t link[MOST_LINKS];
    CU_ASSERT_FATAL(d.nlinks <= MOST_LINKS && d.nresources <= MOST_RESOURCES);
    memcpy(resource, d.resource, d.nresources * sizeof *resource);
    memcpy(link, d.link, d.nlinks * sizeof *link);
    for (size_t i = 0; i < d.nresources; i++) resource[i].burst_bytes = burst_bytes;
    for (size_t l = 0; l < d.nlinks; l++) {
        link[l].channel = fluid ? 0 : -1;
        if (link[l].s_per_byte > 5e-8) link[l].delay_s = flight; /* between sites */
    }
    d.size = sizeof d;
    d.resource = resource, d.link = link;
    if (fluid) d.nchannels = 1, d.channel = &channel;
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    plan_platform_destroy(&plain);
    return pf;
}

/* Shared memory takes 5 us, and 0.1 ns a byte more from 4 KiB on; links 1 us and 1 ns a byte. */
static plan_platform_t *one_host(void)
{
    enum { RANKS = 6 };
    static const double bytes[] = {8, 4096, 4096 + 1e6}, seconds[] = {5e-6, 5e-6, 105e-6};
    plan_link_t link[RANKS * RANKS];
    const int host[RANKS] = {0};
    plan_platform_t *pf = NULL;
    plan_platform_data_t d = {.size = sizeof d,
                              .ranks = RANKS,
                              .link = link,
                              .host = host,
                              .nshared = 3,
                              .shared_bytes = bytes,
                              .shared_s = seconds};
    for (int u = 0; u < RANKS; u++)
        for (int v = 0; v < RANKS; v++)
            if (u != v) link[d.nlinks++] = (plan_link_t){u, v, 1e-6, 1e-9, 0, -1};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

/* Three hosts of three ranks; messages inside them take longer than shared memory. */
static plan_platform_t *three_hosts(void)
{
    enum { RANKS = 9 };
    static const double bytes[] = {8, 4096, 262144}, seconds[] = {2e-6, 3e-6, 4e-5};
    plan_link_t link[RANKS * RANKS];
    int host[RANKS];
    plan_platform_t *pf = NULL;
    plan_platform_data_t d = {.size = sizeof d,
                              .ranks = RANKS,
                              .link = link,
                              .host = host,
                              .nshared = 3,
                              .shared_bytes = bytes,
                              .shared_s = seconds};
    for (int r = 0; r < RANKS; r++) host[r] = r % 3;
    for (int u = 0; u < RANKS; u++)
        for (int v = 0; v < RANKS; v++)
            if (u != v) link[d.nlinks++] = (plan_link_t){u, v, host[u] == host[v] ? 2e-5 : 3e-5, 1e-9, 0, -1};
    CU_ASSERT_EQUAL_FATAL(plan_platform_create(&d, &pf, NULL), PLAN_OK);
    return pf;
}

enum { KINDS = 11 };

static plan_platform_t *platform(int kind)
{
    switch (kind) {
    case 0:
        return drawn(8, 1, 1);
    case 1:
        return drawn(9, 0.3, 2);
    case 2:
        return drawn(7, 0.6, 3);
    case 3:
        return sites(3, 9, 0);
    case 4:
        return sites(2, 8, 5);
    case 5:
        return sites_with(20000, false, 0);
    case 6:
        return sites_with(0, true, 1e-4);
    case 7:
        return drawn(2, 1, 4);
    case 8:
        return sites_with(0, false, 5e-3);
    case 9:
        return one_host();
    default:
        return three_hosts();
    }
}

/* ---- decisions ---- */

static plani_decision_t decide(const plani_request_t *request)
{
    plani_decision_t d;
    plan_error_t err = {.text = ""};
    int rc = plani_decide(request, &d, &err);
    if (rc != PLAN_OK) fprintf(stderr, "\n%s\n", err.text);
    CU_ASSERT_EQUAL_FATAL(rc, PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(d.n, request->n);
    return d;
}

static bool takes_the_same(const plan_candidate_t *a, const plan_candidate_t *b)
{
    bool same = plani_same_broadcast(a, b) && a->predicted_s == b->predicted_s && strcmp(a->name, b->name) == 0;
    if (!same)
        fprintf(stderr, "\n%s, slices of %zu B, %.17g s, is not %s, slices of %zu B, %.17g s\n", a->name, a->slice,
                a->predicted_s, b->name, b->slice, b->predicted_s);
    return same;
}

static plani_request_t request_for(const plan_platform_t *pf, int root, size_t most)
{
    plani_request_t r = {.pf = pf, .root = root};
    r.n = plani_ladder(most, r.bytes);
    return r;
}

/* ---- tests ---- */

/* The largest size of a ladder alone, in a ranking, and in a plan. */
static void check_largest(const plani_request_t *ladder, const plan_candidate_t *first)
{
    size_t most = ladder->bytes[ladder->n - 1];
    plan_t *plan = NULL;
    plan_ranking_t *ranking = ranking_of(ladder->pf, ladder->root, most, NULL);
    CU_ASSERT(takes_the_same(&ranking->candidate[0], first));
    plan_ranking_destroy(&ranking);
    CU_ASSERT_EQUAL_FATAL(plan_create(ladder->pf, ladder->root, most, NULL, &plan, NULL), PLAN_OK);
    CU_ASSERT(takes_the_same(plan_chosen(plan, most), first));
    plan_destroy(&plan);
    for (int way = 0; way < 2; way++) {
        plani_request_t alone = {.pf = ladder->pf, .root = ladder->root, .n = 1, .bytes = {most}};
        alone.uncached = way == 1;
        plani_decision_t d = decide(&alone);
        CU_ASSERT(takes_the_same(&d.ranking[0]->candidate[0], first));
        plani_decision_clear(&d);
    }
}

/* All sizes, whatever is listed and kept: the same first ones, borders and plan. */
static void check_ladder(const plani_request_t *ladder)
{
    plani_decision_t few = decide(ladder);
    check_largest(ladder, &few.ranking[few.n - 1]->candidate[0]);
    for (int way = 0; way < 3; way++) {
        plani_request_t other = *ladder;
        other.complete = way == 0 ? ladder->n : way == 1 ? ladder->n / 2 : 0;
        other.uncached = way > 0;
        plani_decision_t d = decide(&other);
        for (size_t i = 0; i < d.n; i++)
            CU_ASSERT(takes_the_same(&d.ranking[i]->candidate[0], &few.ranking[i]->candidate[0]));
        for (size_t i = 0; i + 1 < d.n; i++) CU_ASSERT_EQUAL(d.border[i], few.border[i]);
        CU_ASSERT_EQUAL(plan_data(d.plan)->hash, plan_data(few.plan)->hash);
        plani_decision_clear(&d);
    }
    plani_decision_clear(&few);
}

static void who_comes_first_depends_on_nothing_else_that_is_asked_for(void)
{
    static const size_t most[] = {3000, 1 << 20};
    for (int kind = 0; kind < KINDS; kind++) {
        plan_platform_t *pf = platform(kind);
        int ranks = plan_platform_data(pf)->ranks;
        for (int k = 0; k < 2; k++) {
            plani_request_t ladder = request_for(pf, (kind + 5 * k) % ranks, most[k]);
            check_ladder(&ladder);
        }
        plan_platform_destroy(&pf);
    }
}

/* To the last bit, at any fidelity, in any order. */
static void predictions_do_not_depend_on_earlier_ones(void)
{
    enum { QUERIES = 1000 };
    uint64_t state = 1;
    for (int kind = 0; kind < KINDS; kind++) {
        plan_platform_t *pf = platform(kind);
        plani_context_t kept, fresh;
        int wrong = 0;
        CU_ASSERT_EQUAL_FATAL(plani_context_open(pf, 0, NULL, false, &fresh, NULL), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_context_build(&fresh, 1 << 20, NULL), PLAN_OK);
        open_context(pf, 0, NULL, 1 << 20, &kept);
        CU_ASSERT_EQUAL_FATAL(kept.ninstances, fresh.ninstances);
        for (int k = 0; k < QUERIES; k++) {
            size_t instance = (size_t)sample_below(&state, 4) % kept.ninstances; /* few, so that they come again */
            size_t slice = (size_t)4096 << 2 * sample_below(&state, 3);
            if (k % 2 == 1) instance = (size_t)sample_below(&state, (int)kept.ninstances);
            plani_pipeline_t how = {(size_t)sample_below(&state, 600) * 4096 + 4096, slice,
                                    1 << 2 * sample_below(&state, 4)};
            plani_fidelity_t fidelity = (plani_fidelity_t)sample_below(&state, 3);
            plani_prediction_t a, b;
            CU_ASSERT_EQUAL(plani_predict(&kept, instance, how, fidelity, &a), PLAN_OK);
            CU_ASSERT_EQUAL(plani_predict(&fresh, instance, how, fidelity, &b), PLAN_OK);
            wrong += a.seconds != b.seconds;
            wrong += a.throughput != b.throughput && !(isnan(a.throughput) && isnan(b.throughput));
        }
        CU_ASSERT_EQUAL(wrong, 0);
        plani_context_clear(&kept);
        plani_context_clear(&fresh);
        plan_platform_destroy(&pf);
    }
}

/* There and back. */
static void decisions_do_not_depend_on_earlier_ones(void)
{
    static const size_t most[] = {1 << 20, 64, 30000};
    for (int kind = 0; kind < KINDS; kind++) {
        plan_platform_t *pf = platform(kind);
        uint64_t hash[3];
        for (int i = 0; i < 5; i++) {
            int k = i < 3 ? i : 4 - i;
            plani_request_t request = request_for(pf, k % plan_platform_data(pf)->ranks, most[k]);
            plani_decision_t d = decide(&request);
            if (i < 3) hash[k] = plan_data(d.plan)->hash;
            CU_ASSERT_EQUAL(plan_data(d.plan)->hash, hash[k]);
            plani_decision_clear(&d);
        }
        plan_platform_destroy(&pf);
    }
}

/* But for the largest, for which trees are made. */
static void other_sizes_do_not_change_who_comes_first(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        plan_platform_t *pf = platform(kind);
        plani_request_t ladder = request_for(pf, 1, 1 << 20), some = {.pf = pf, .root = 1};
        for (size_t i = 1; i < ladder.n; i += 3) some.bytes[some.n++] = ladder.bytes[i];
        some.bytes[some.n++] = 1 << 20;
        plani_decision_t all = decide(&ladder), few = decide(&some);
        for (size_t i = 0; i < few.n; i++)
            for (size_t k = 0; k < all.n; k++)
                if (all.bytes[k] == few.bytes[i])
                    CU_ASSERT(takes_the_same(&all.ranking[k]->candidate[0], &few.ranking[i]->candidate[0]));
        plani_decision_clear(&all);
        plani_decision_clear(&few);
        plan_platform_destroy(&pf);
    }
}

static void the_ladder_ends_at_the_largest_size(void)
{
    static const size_t want[] = {1, 8, 64, 128, 256, 300}, none[] = {1};
    size_t bytes[PLANI_SIZES];
    CU_ASSERT_EQUAL_FATAL(plani_ladder(300, bytes), 6);
    CU_ASSERT_EQUAL(memcmp(bytes, want, sizeof want), 0);
    CU_ASSERT_EQUAL(plani_ladder(256, bytes), 5);
    CU_ASSERT_EQUAL(bytes[4], 256);
    CU_ASSERT_EQUAL(plani_ladder(0, bytes), 1);
    CU_ASSERT_EQUAL(bytes[0], none[0]);
    size_t n = plani_ladder(PLANI_MAX_BYTES, bytes);
    CU_ASSERT(n <= PLANI_SIZES && bytes[n - 1] == PLANI_MAX_BYTES && bytes[n - 2] < PLANI_MAX_BYTES);
    CU_ASSERT_EQUAL(plani_ladder(SIZE_MAX, bytes), n);
    CU_ASSERT_EQUAL(bytes[n - 1], PLANI_MAX_BYTES);
}

/* ---- tuners ---- */

typedef struct {
    plani_tuner_t tuner;
    const char *crown; /* who is put first at each size; NULL: nobody */
    int answer;
    size_t calls, candidates;
    bool context; /* there was one */
} fake_t;

static int tune(plani_tuner_t *tuner, plani_decision_t *d)
{
    fake_t *fake = (fake_t *)tuner;
    fake->calls++;
    fake->context = d->ctx != NULL && d->plan == NULL;
    for (size_t i = 0; i < d->n; i++) {
        fake->candidates += d->ranking[i]->ncandidates;
        for (size_t k = 0; k < d->ranking[i]->ncandidates && fake->crown != NULL; k++) {
            plan_candidate_t *c = &d->ranking[i]->candidate[k];
            if (strcmp(c->name, fake->crown) == 0) c->measured_s = 0.5 + (double)i;
        }
        plani_ranking_sort(d->ranking[i]);
    }
    return fake->answer;
}

static void what_a_tuner_puts_first_is_planned(void)
{
    static const char *const crown[] = {"ompi-linear", "native", "circulant", "shared-memory"};
    const plan_choice_t choice = {.size = sizeof choice, .include_native = true};
    for (int k = 0; k < 4; k++) {
        plan_platform_t *pf = one_host();
        fake_t fake = {.tuner = {tune}, .crown = crown[k]};
        plani_request_t request = request_for(pf, 2, 1 << 20);
        request.choice = &choice;
        plani_decision_t untuned = decide(&request);
        request.tuner = &fake.tuner;
        plani_decision_t d = decide(&request);
        CU_ASSERT(fake.calls == 1 && fake.context);
        for (size_t i = 0; i < d.n; i++) CU_ASSERT_STRING_EQUAL(d.ranking[i]->candidate[0].name, crown[k]);
        CU_ASSERT_EQUAL(plan_data(d.plan)->range[plan_data(d.plan)->nranges - 1].up_to, 1 << 20);
        for (size_t bytes = 1; bytes <= 1 << 20; bytes *= 4)
            CU_ASSERT_STRING_EQUAL(plan_chosen(d.plan, bytes)->name, crown[k]);
        CU_ASSERT_EQUAL(plan_chosen(d.plan, 1 << 20)->measured_s, 0.5 + (double)(d.n - 1));
        CU_ASSERT_NOT_EQUAL(plan_data(d.plan)->hash, plan_data(untuned.plan)->hash);
        CU_ASSERT_PTR_NULL(d.ctx);
        plani_decision_clear(&d);
        plani_decision_clear(&untuned);
        plan_platform_destroy(&pf);
    }
}

/* It gets all that can run, not only who may win; and one that changes nothing leaves the plan as it is. */
static void tuners_see_all_that_can_run(void)
{
    for (int kind = 0; kind < KINDS; kind++) {
        plan_platform_t *pf = platform(kind);
        fake_t fake = {.tuner = {tune}};
        plani_request_t request = request_for(pf, 0, 1 << 20);
        size_t listed = 0;
        plani_decision_t few = decide(&request);
        request.complete = request.n;
        plani_decision_t all = decide(&request);
        for (size_t i = 0; i < all.n; i++)
            for (size_t k = 0; k < all.ranking[i]->ncandidates; k++)
                listed += all.ranking[i]->candidate[k].run != PLAN_RUN_NOT;
        request.complete = 0;
        request.tuner = &fake.tuner;
        plani_decision_t tuned = decide(&request);
        CU_ASSERT_EQUAL(fake.candidates, listed);
        CU_ASSERT_EQUAL(plan_data(tuned.plan)->hash, plan_data(few.plan)->hash);
        plani_decision_clear(&few);
        plani_decision_clear(&all);
        plani_decision_clear(&tuned);
        plan_platform_destroy(&pf);
    }
}

static void what_a_tuner_returns_comes_back(void)
{
    static const int answer[] = {17, PLAN_ENOMEM, PLAN_EINVAL}; /* the first as of MPI */
    plan_platform_t *pf = sites(2, 5, 0);
    for (int k = 0; k < 3; k++) {
        fake_t fake = {.tuner = {tune}, .answer = answer[k]};
        plani_request_t request = request_for(pf, 0, 1000);
        plani_decision_t d;
        plan_error_t err = {.text = "old"};
        request.tuner = &fake.tuner;
        CU_ASSERT_EQUAL(plani_decide(&request, &d, &err), answer[k]);
        CU_ASSERT_PTR_NULL(d.plan);
        CU_ASSERT(answer[k] > 0 ? err.text[0] == '\0' : err.text[0] != '\0');
        plani_decision_clear(&d);
    }
    plan_platform_destroy(&pf);
}

/* ---- failures ---- */

static void every_failing_allocation_of_a_decision_comes_back(void)
{
    static const char *const only[] = {"grow,best-tree,few-trees", "grow,two-tree,circulant,shared-memory",
                                       "grow,two-tree,circulant"};
    for (int k = 0; k < 3; k++) {
        plan_platform_t *pf = k == 0 ? drawn(3, 1, 5) : k == 1 ? one_host() : sites(2, 4, 0);
        const plan_choice_t choice = {.size = sizeof choice, .only = only[k], .include_native = k == 1};
        plani_request_t request = {.pf = pf, .choice = &choice, .n = 2, .bytes = {100, 30000}};
        plani_decision_t d = {.n = 0};
        plan_error_t err;
        request.complete = k == 1 ? 2 : 0;
        request.uncached = k == 2;
        ALLOC_EACH((plani_decision_clear(&d), plani_decide(&request, &d, &err)), {
            CU_ASSERT_EQUAL(status, PLAN_ENOMEM);
            CU_ASSERT(err.text[0] != '\0');
            CU_ASSERT_PTR_NULL(d.plan);
        });
        CU_ASSERT_PTR_NOT_NULL(d.plan);
        plani_decision_clear(&d);
        plan_platform_destroy(&pf);
    }
}

static void wrong_requests_are_refused_with_a_line(void)
{
    plan_platform_t *pf = sites(1, 3, 0);
    const plan_choice_t unsized = {.slice = 64};
    const struct {
        plani_request_t request;
        const char *needle;
    } bad[] = {{{.pf = pf}, "0 message sizes"},
               {{.pf = pf, .n = PLANI_SIZES + 1}, "65 message sizes"},
               {{.pf = pf, .n = 3, .bytes = {1, 9, 8}}, "8 comes after 9"},
               {{.pf = pf, .n = 2, .bytes = {1, PLANI_MAX_BYTES + 1}}, "give at most"},
               {{.pf = pf, .n = 1, .bytes = {1}, .root = 3}, "root is 3"},
               {{.pf = NULL, .n = 1, .bytes = {1}}, "no platform"},
               {{.pf = pf, .n = 1, .bytes = {1}, .choice = &unsized}, "plan_choice_t of size 0"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        plani_decision_t d;
        plan_error_t err = {.text = ""};
        CU_ASSERT_EQUAL(plani_decide(&bad[i].request, &d, &err), PLAN_EINVAL);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, bad[i].needle));
        CU_ASSERT_PTR_NULL(strchr(err.text, '\n'));
        CU_ASSERT(d.n == 0 && d.plan == NULL);
        plani_decision_clear(&d);
    }
    const plani_request_t equal = {.pf = pf, .n = 3, .bytes = {0, 1, 1}}; /* is fine */
    plani_decision_t d = decide(&equal);
    plani_decision_clear(&d);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("pipeline", TEST(who_comes_first_depends_on_nothing_else_that_is_asked_for),
           TEST(other_sizes_do_not_change_who_comes_first), TEST(decisions_do_not_depend_on_earlier_ones),
           TEST(predictions_do_not_depend_on_earlier_ones), TEST(the_ladder_ends_at_the_largest_size),
           TEST(what_a_tuner_puts_first_is_planned), TEST(tuners_see_all_that_can_run),
           TEST(what_a_tuner_returns_comes_back), TEST(every_failing_allocation_of_a_decision_comes_back),
           TEST(wrong_requests_are_refused_with_a_line))
