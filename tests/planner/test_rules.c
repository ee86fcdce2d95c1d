/* Rules for MPI libraries: what a library can do is ranked by the predictor, and the files say what was chosen. */
#include "suite.h"
#include "rankings.h"
#include "sample.h"
#include "alloc.h"
#include "lib/base/base.h"
#include "planner/exports/exports.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a source of a text ---- */

static const char spec[] =
    "{\"format\": \"planbcast-cluster\", \"version\": 1, \"name\": \"two sites\", \"sites\": ["
    "{\"name\": \"a\", \"trunk\": {\"in_bytes_per_s\": 1e7, \"out_bytes_per_s\": 1e7, \"latency_s\": 1e-4},"
    " \"hosts\": [{\"count\": 4, \"in_bytes_per_s\": 2e7, \"out_bytes_per_s\": 2e7}]},"
    "{\"name\": \"b\", \"trunk\": {\"in_bytes_per_s\": 5e6, \"out_bytes_per_s\": 5e6, \"latency_s\": 1e-4},"
    " \"hosts\": [{\"count\": 4, \"in_bytes_per_s\": 2e7, \"out_bytes_per_s\": 2e7}]}]}";

static plani_source_t source_of(const char *text)
{
    plani_source_t source;
    plan_error_t err = {PLAN_OK, ""};
    plan_status_t rc = plani_source_parse(text, strlen(text), "spec", &source, &err);
    CU_ASSERT_STRING_EQUAL(err.text, "");
    CU_ASSERT_EQUAL_FATAL(rc, PLAN_OK);
    return source;
}

static const int sizes[] = {2, 4, 8};
static const plan_choice_t choice = {.size = sizeof choice, .only = "best-tree,ompi-chain,ompi-binomial"};

static plani_rules_t rules_of(const plani_target_t *target, size_t bytes)
{
    plani_source_t source = source_of(spec);
    plani_rules_t rules;
    plan_error_t err = {PLAN_OK, ""};
    plan_status_t rc = plani_rules_create(&source, target, 1, bytes, 3, sizes, &choice, &rules, &err);
    CU_ASSERT_STRING_EQUAL(err.text, "");
    CU_ASSERT_EQUAL_FATAL(rc, PLAN_OK);
    plani_source_clear(&source);
    return rules;
}

/* ---- settings ---- */

static void kary_trees_are_heaps(void)
{
    const plani_setting_t kary = {.shape = PLANI_SHAPE_KARY, .fanout = 3};
    plan_tree_t *tree = NULL;
    int n = 0;
    CU_ASSERT_EQUAL_FATAL(plani_setting_tree(&kary, 10, 5, &tree), PLAN_OK);
    for (int r = 0; r < 10; r++) {
        int v = (r + 5) % 10, up = v == 0 ? -1 : ((v - 1) / 3 + 5) % 10;
        CU_ASSERT_EQUAL(plan_tree_data(tree)->parent[r], up);
    }
    const int *child = plan_tree_children(tree, 5, &n);
    CU_ASSERT_EQUAL_FATAL(n, 3);
    CU_ASSERT(child[0] == 6 && child[1] == 7 && child[2] == 8);
    plan_tree_destroy(&tree);
}

/* What MPICH 4.2.1 dumps (MPIR_CVAR_COLL_TREE_DUMP=1) for 8 ranks, of groups 0, 0, 0, 1, 1, 1, 2, 2 and switches 0, 0,
 * 1, 0, 1, 1, 1, 0 in them. */
static void trees_by_topology_are_those_that_mpich_dumps(void)
{
    static const struct {
        int k, root, parent[8], children[4]; /* children: of the root, in their order; then -1 */
    } dumped[] = {{2, 0, {-1, 0, 0, 4, 0, 4, 0, 6}, {4, 6, 2, 1}},
                  {2, 5, {5, 0, 0, 5, 5, -1, 5, 6}, {0, 6, 3, 4}},
                  {1, 0, {-1, 0, 0, 4, 0, 4, 4, 6}, {4, 2, 1, -1}}};
    static const int site[] = {0, 0, 0, 1, 1, 1, 2, 2}, host[] = {0, 0, 1, 2, 3, 3, 4, 5};
    const plan_platform_data_t d = {.ranks = 8, .site = site, .host = host};
    for (size_t i = 0; i < sizeof dumped / sizeof *dumped; i++) {
        plan_tree_t *tree = NULL;
        int n = 0;
        CU_ASSERT_EQUAL_FATAL(plani_aware_tree(&d, dumped[i].k, dumped[i].root, &tree), PLAN_OK);
        for (int v = 0; v < 8; v++) CU_ASSERT_EQUAL(plan_tree_data(tree)->parent[v], dumped[i].parent[v]);
        const int *child = plan_tree_children(tree, dumped[i].root, &n);
        for (int c = 0; c < 4 && dumped[i].children[c] >= 0; c++) CU_ASSERT(c < n && child[c] == dumped[i].children[c]);
        plan_tree_destroy(&tree);
    }
}

/* Whoever shares sites and hosts with whom. */
static void trees_by_topology_span_all_ranks(void)
{
    uint64_t state = 41;
    for (int i = 0; i < 300; i++) {
        int ranks = 1 + sample_below(&state, 12), host[12], site[12];
        for (int r = 0; r < ranks; r++) host[r] = sample_below(&state, 5), site[r] = host[r] % 2;
        const plan_platform_data_t d = {.ranks = ranks, .site = site, .host = host};
        plan_tree_t *tree = NULL;
        int root = sample_below(&state, ranks), within = 0;
        CU_ASSERT_EQUAL_FATAL(plani_aware_tree(&d, 1 + sample_below(&state, 4), root, &tree), PLAN_OK);
        for (int v = 0; v < ranks; v++) {
            int up = plan_tree_data(tree)->parent[v];
            within += up >= 0 && host[up] == host[v];
        }
        bool seen[5] = {false};
        int hosts = 0;
        for (int r = 0; r < ranks; r++) hosts += !seen[host[r]], seen[host[r]] = true;
        CU_ASSERT_EQUAL(within, ranks - hosts); /* each host is entered once */
        plan_tree_destroy(&tree);
    }
}

static void names_of_settings_differ(void)
{
    const plani_target_t *const target[] = {&plani_open_mpi, &plani_mpich_aware, &plani_ucc, &plani_open_mpi_reduce};
    for (size_t t = 0; t < 4; t++) {
        CU_ASSERT(target[t]->n > 0 && target[t]->n <= PLANI_REGISTRY_ROOM);
        for (size_t i = 0; i < target[t]->n; i++)
            CU_ASSERT_PTR_EQUAL(plani_target_find(target[t], target[t]->setting[i].name), &target[t]->setting[i]);
    }
    CU_ASSERT_PTR_NULL(plani_target_find(&plani_ucc, "linear"));
    for (size_t i = 0; i < plani_mpich_before_trees.n; i++)
        CU_ASSERT(plani_mpich_before_trees.setting[i].shape != PLANI_SHAPE_KARY);
}

/* The first is the fastest by weighed time; what has no segments is sent whole, and halves are halves. */
static void rankings_hold_what_the_library_can_send(void)
{
    plan_platform_t *pf = sites(3, 12, 0);
    const plani_described_t on = {.pf = pf};
    plani_context_t ctx;
    CU_ASSERT_EQUAL_FATAL(plani_target_open(&plani_open_mpi, &on, 0, &ctx, NULL), PLAN_OK);
    for (size_t bytes = 1; bytes <= (size_t)1 << 22; bytes *= 8) {
        plan_ranking_t *r = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_target_rank(&plani_open_mpi, &ctx, bytes, &r, NULL), PLAN_OK);
        CU_ASSERT(r->ncandidates > 5);
        for (size_t i = 0; i < r->ncandidates; i++) {
            const plan_candidate_t *c = &r->candidate[i];
            const plani_setting_t *s = plani_target_find(&plani_open_mpi, c->name);
            CU_ASSERT_PTR_NOT_NULL_FATAL(s);
            CU_ASSERT(c->predicted_s > 0);
            CU_ASSERT_EQUAL(isfinite(c->predicted_s), s->shape != PLANI_SHAPE_ROUNDS || bytes >= 8 * 12);
            if (!s->segments) CU_ASSERT_EQUAL(c->slice, 0);
            if (s->shape == PLANI_SHAPE_SPLIT && bytes > 1) CU_ASSERT(c->slice > 0 && c->slice <= bytes - bytes / 2);
            if (i > 0) CU_ASSERT(plani_weighed(&r->candidate[i - 1]) <= plani_weighed(c));
        }
        plan_ranking_destroy(&r);
    }
    plani_context_clear(&ctx);
    plan_platform_destroy(&pf);
}

/* The predictor is the planner's: a tree that both have, alone, takes the same time. */
static void times_are_those_of_the_planner(void)
{
    plan_platform_t *pf = sites(3, 12, 0);
    const plani_described_t on = {.pf = pf};
    const plan_choice_t same = {.size = sizeof same, .only = "ompi-binomial"};
    const plani_target_t binomial = {"binomial", 1, plani_target_find(&plani_open_mpi, "binomial")};
    plani_context_t ctx;
    plan_ranking_t *mine = NULL, *planned = ranking_of(pf, 0, 1 << 20, &same);
    CU_ASSERT_EQUAL_FATAL(plani_target_open(&binomial, &on, 0, &ctx, NULL), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plani_target_rank(&binomial, &ctx, 1 << 20, &mine, NULL), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(mine->candidate[0].predicted_s, planned->candidate[0].predicted_s, 0);
    CU_ASSERT_EQUAL(mine->candidate[0].slice, planned->candidate[0].slice);
    plan_ranking_destroy(&mine);
    plan_ranking_destroy(&planned);
    plani_context_clear(&ctx);
    plan_platform_destroy(&pf);
}

/* ---- rules ---- */

static void rules_cover_all_sizes_once(void)
{
    plani_rules_t rules = rules_of(&plani_open_mpi, 1 << 22);
    CU_ASSERT_EQUAL_FATAL(rules.n, 3);
    for (size_t i = 0; i < rules.n; i++) {
        const plani_comm_rules_t *c = &rules.comm[i];
        CU_ASSERT_EQUAL(c->ranks, sizes[i]);
        CU_ASSERT(c->n >= 1);
        CU_ASSERT_EQUAL(c->rule[0].from, 0);
        for (size_t k = 0; k < c->n; k++) {
            CU_ASSERT(c->rule[k].at >= c->rule[k].from);
            CU_ASSERT(isfinite(c->rule[k].plan_s));
            CU_ASSERT(c->rule[k].plan[0] != '\0');
            if (k == 0) continue;
            CU_ASSERT(c->rule[k].from > c->rule[k - 1].at);
            CU_ASSERT(c->rule[k].setting != c->rule[k - 1].setting || c->rule[k].segment != c->rule[k - 1].segment);
        }
    }
    plani_rules_clear(&rules);
}

/* Chains and binomial trees are the library's own, too: a plan that may take these alone is not faster but by its
 * slices. */
static void nothing_is_lost_where_the_library_can_do_the_same(void)
{
    const plan_choice_t same = {.size = sizeof same, .only = "ompi-pipeline"};
    plani_source_t source = source_of(spec);
    plani_rules_t rules;
    int ranks = 0;
    CU_ASSERT_EQUAL_FATAL(plani_rules_create(&source, &plani_open_mpi, 1, 1 << 22, 3, sizes, &same, &rules, NULL),
                          PLAN_OK);
    const plani_rule_t *worst = plani_rules_worst(&rules, &ranks);
    CU_ASSERT_PTR_NOT_NULL_FATAL(worst);
    CU_ASSERT(plani_rule_factor(worst) < 1.03);
    for (size_t i = 0; i < rules.n; i++)
        for (size_t k = 0; k < rules.comm[i].n; k++)
            CU_ASSERT(plani_rule_factor(&rules.comm[i].rule[k]) <= plani_rule_factor(worst));
    plani_rules_clear(&rules);
    plani_source_clear(&source);
}

/* A reduction is a broadcast on the platform with all links reversed: its rules are those that the same trees get for
 * broadcasts there. Its binomial tree clears lowest bits. */
static void rules_for_reductions_are_those_of_reversed_broadcasts(void)
{
    static const char forth[] = "{\"format\": \"planbcast-platform\", \"version\": 1, \"ranks\": 5, \"links\": [";
    char text[2][8192];
    plani_rules_t rules[2];
    plan_tree_t *tree = NULL;
    for (int way = 0; way < 2; way++) {
        size_t at = (size_t)snprintf(text[way], sizeof text[way], "%s", forth);
        for (int u = 0; u < 5; u++)
            for (int v = 0; v < 5; v++)
                if (u != v)
                    at += (size_t)snprintf(text[way] + at, sizeof text[way] - at,
                                           "%s{\"from\": %d, \"to\": %d, \"latency_s\": 1e-5, "
                                           "\"s_per_byte\": %de-9}",
                                           text[way][at - 1] == '[' ? "" : ", ", way ? v : u, way ? u : v,
                                           1 + (7 * u + 3 * v) % 11);
        snprintf(text[way] + at, sizeof text[way] - at, "]}");
        plani_source_t source = source_of(text[way]);
        const int all = 5;
        source.reduces = way == 0;
        CU_ASSERT_EQUAL_FATAL(
            plani_rules_create(&source, &plani_open_mpi_reduce, 2, 1 << 20, 1, &all, &choice, &rules[way], NULL),
            PLAN_OK);
        CU_ASSERT(rules[way].reduces == (way == 0));
        plani_source_clear(&source);
    }
    const plani_comm_rules_t *a = rules[0].comm, *b = rules[1].comm;
    CU_ASSERT_EQUAL_FATAL(a->n, b->n);
    for (size_t k = 0; k < a->n; k++) {
        CU_ASSERT(a->rule[k].setting == b->rule[k].setting && a->rule[k].segment == b->rule[k].segment);
        CU_ASSERT(a->rule[k].from == b->rule[k].from && a->rule[k].at == b->rule[k].at);
        CU_ASSERT_DOUBLE_EQUAL(a->rule[k].seconds, b->rule[k].seconds, 1e-12 * b->rule[k].seconds);
    }
    CU_ASSERT_EQUAL_FATAL(plani_setting_tree(plani_target_find(&plani_open_mpi_reduce, "binomial"), 13, 0, &tree),
                          PLAN_OK);
    for (int v = 1; v < 13; v++) CU_ASSERT_EQUAL(plan_tree_data(tree)->parent[v], v & (v - 1));
    plan_tree_destroy(&tree);
    plani_rules_clear(&rules[0]);
    plani_rules_clear(&rules[1]);
}

/* The rule that a reader of numbers finds: of the largest communicator size and message size that fit. */
static const char *look_up(const char *text, int version, int ranks, size_t bytes, int found[3])
{
    int collectives = 0, id = 0, communicators = 0, used = 0, best[3] = {-1, -1, -1};
    long number[4096];
    size_t n = 0, at = 0;
    if (version > 1) {
        if (strncmp(text, "rule-file-version-2\n", 20) != 0) return "no version";
        text = strchr(text, '\n') + 1;
    }
    while (*text != '\0' && n < 4096) { /* numbers; "#" hides the rest of a line */
        if (*text == '#') text += strcspn(text, "\n");
        if (sscanf(text, " %ld%n", &number[n], &used) == 1)
            text += used, n++;
        else
            text += *text != '\0' && *text != '#';
    }
    collectives = (int)number[at++], id = (int)number[at++], communicators = (int)number[at++];
    if (collectives != 1 || id != 7) return "another collective";
    for (int c = 0; c < communicators; c++) {
        long size = number[at++], rules = number[at++];
        for (long k = 0; k<rules; k++, at += version> 1 ? 5 : 4) {
            if (k == 0 && number[at] != 0) return "rules do not begin at 0";
            if (size > ranks || (size_t)number[at] > bytes) continue;
            for (int i = 0; i < 3; i++) best[i] = (int)number[at + 1 + (size_t)i];
        }
    }
    memcpy(found, best, sizeof best);
    return at == n ? NULL : "numbers are left over, or missing";
}

static const plani_rule_t *rule_for(const plani_rules_t *rules, int ranks, size_t bytes)
{
    const plani_rule_t *best = NULL;
    for (size_t i = 0; i < rules->n; i++)
        for (size_t k = 0; k < rules->comm[i].n; k++)
            if (rules->comm[i].ranks <= ranks && rules->comm[i].rule[k].from <= bytes) best = &rules->comm[i].rule[k];
    return best;
}

static void open_mpi_finds_the_rule(void)
{
    plani_rules_t rules = rules_of(&plani_open_mpi, 1 << 22);
    for (int version = 1; version <= 2; version++) {
        plani_text_t to = {0};
        plani_put_open_mpi_rules(&rules, version, &to);
        for (int ranks = 2; ranks <= 9; ranks++)
            for (size_t bytes = 0; bytes <= (size_t)1 << 23; bytes = bytes * 3 + 1) {
                int found[3] = {0, 0, 0};
                const plani_rule_t *r = rule_for(&rules, ranks, bytes);
                CU_ASSERT_PTR_NULL(look_up(to.at, version, ranks, bytes, found));
                CU_ASSERT_EQUAL(found[0], atoi(r->setting->option));
                CU_ASSERT_EQUAL(found[1], found[0] == 2 ? r->setting->fanout : 0);
                CU_ASSERT_EQUAL((size_t)found[2], r->segment);
            }
        free(to.at);
    }
    plani_rules_clear(&rules);
}

static bool lies_in(const json_t *rule, const char *least, const char *most, size_t x)
{
    json_int_t a = json_integer_value(json_object_get(rule, least));
    const json_t *b = json_object_get(rule, most);
    return (size_t)a <= x && (b == NULL || x <= (size_t)json_integer_value(b));
}

/* By Open MPI's schema: no other members than these, and the first rule that fits counts. */
static void open_mpi_finds_the_rule_in_json(void)
{
    plani_rules_t rules = rules_of(&plani_open_mpi, 1 << 22);
    plani_text_t to = {0};
    plani_put_open_mpi_json(&rules, &to);
    json_t *doc = json_loads(to.at, 0, NULL), *list = json_object_get(json_object_get(doc, "collectives"), "bcast");
    CU_ASSERT_PTR_NOT_NULL_FATAL(doc);
    CU_ASSERT_EQUAL(json_object_size(doc), 3);
    CU_ASSERT_STRING_EQUAL(json_string_value(json_object_get(doc, "module")), "tuned");
    for (int ranks = 2; ranks <= 9; ranks++)
        for (size_t bytes = 0; bytes <= (size_t)1 << 23; bytes = bytes * 3 + 1) {
            const plani_rule_t *r = rule_for(&rules, ranks, bytes);
            size_t i = 0, k = 0;
            while (i < json_array_size(list) &&
                   !lies_in(json_array_get(list, i), "comm_size_min", "comm_size_max", (size_t)ranks))
                i++;
            const json_t *in = json_object_get(json_array_get(list, i), "rules");
            while (k < json_array_size(in) && !lies_in(json_array_get(in, k), "msg_size_min", "msg_size_max", bytes))
                k++;
            const json_t *found = json_array_get(in, k);
            CU_ASSERT_EQUAL(json_integer_value(json_object_get(found, "alg")), atoi(r->setting->option));
            CU_ASSERT_EQUAL((size_t)json_integer_value(json_object_get(found, "seg_size")), r->segment);
        }
    json_decref(doc);
    free(to.at);
    plani_rules_clear(&rules);
}

/* ---- MPICH ---- */

/* The algorithm that MPICH finds: of the conditions of an object, the first that holds. */
static const char *select_algorithm(const json_t *at, int ranks, size_t bytes, const json_t **parameters)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)at, key, value) /* which only reads */
    {
        size_t x;
        if (strncmp(key, "algorithm=", 10) == 0) {
            *parameters = value;
            return key + 10;
        }
        if ((sscanf(key, "comm_size<%zu", &x) == 1 && (size_t)ranks < x) || strcmp(key, "comm_size=any") == 0 ||
            (sscanf(key, "avg_msg_size<=%zu", &x) == 1 && bytes <= x) || strcmp(key, "avg_msg_size=any") == 0)
            return select_algorithm(value, ranks, bytes, parameters);
    }
    return "none";
}

static void mpich_selects_the_rule(void)
{
    plani_rules_t rules = rules_of(&plani_mpich, 1 << 22);
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_put_mpich_json(&rules, NULL, 0, NULL, &text, NULL), PLAN_OK);
    json_t *doc = json_loads(text, 0, NULL), *broadcast = json_object_get(doc, "collective=bcast");
    CU_ASSERT_PTR_NOT_NULL_FATAL(broadcast);
    for (int ranks = 2; ranks <= 9; ranks++)
        for (size_t bytes = 0; bytes <= (size_t)1 << 23; bytes = bytes * 3 + 1) {
            char chunk[48];
            const json_t *parameters = NULL;
            const plani_rule_t *r = rule_for(&rules, ranks, bytes);
            const char *name =
                select_algorithm(json_object_get(broadcast, "comm_type=intra"), ranks, bytes, &parameters);
            snprintf(chunk, sizeof chunk, "chunk_size=%zu", r->segment);
            if (r->setting->shape != PLANI_SHAPE_KARY) {
                CU_ASSERT_STRING_EQUAL(name, r->setting->option);
                continue;
            }
            CU_ASSERT_STRING_EQUAL(name, r->segment > 0 ? "MPIR_Bcast_intra_pipelined_tree" : "MPIR_Bcast_intra_tree");
            if (r->segment > 0) CU_ASSERT_PTR_NOT_NULL(json_object_get(parameters, chunk));
            snprintf(chunk, sizeof chunk, "k=%d", r->setting->fanout);
            CU_ASSERT_PTR_NOT_NULL(json_object_get(parameters, chunk));
        }
    CU_ASSERT_PTR_NOT_NULL(json_object_get(broadcast, "comm_type=inter"));
    json_decref(doc);
    free(text);
    plani_rules_clear(&rules);
}

static void mpichs_other_selections_stay(void)
{
    static const char base[] =
        "{\"collective=gather\": {\"algorithm=g\": {}}, \"collective=bcast\": {\"comm_type=intra\": "
        "{\"algorithm=old\": {}}, \"comm_type=inter\": {\"algorithm=between\": {}}}}";
    plani_rules_t rules = rules_of(&plani_mpich, 1 << 10);
    plan_error_t err = {PLAN_OK, ""};
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plani_put_mpich_json(&rules, base, sizeof base - 1, "base", &text, &err), PLAN_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "algorithm=g\""));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "algorithm=between\""));
    CU_ASSERT_PTR_NULL(strstr(text, "algorithm=old"));
    CU_ASSERT(strstr(text, "collective=gather") < strstr(text, "collective=bcast"));
    free(text);
    text = NULL;
    CU_ASSERT_EQUAL(plani_put_mpich_json(&rules, "{}", 2, "base", &text, &err), PLAN_EFORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "base"));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "coll_selection.json"));
    CU_ASSERT_EQUAL(plani_put_mpich_json(&rules, "{", 1, "base", &text, &err), PLAN_EFORMAT);
    CU_ASSERT_PTR_NULL(text);
    plani_rules_clear(&rules);
}

/* ---- UCC ---- */

static void ucc_has_a_range_for_every_rule(void)
{
    plani_rules_t rules = rules_of(&plani_ucc, 1 << 22);
    plani_text_t to = {0};
    size_t wanted = rules.comm[0].n + rules.comm[1].n + rules.comm[2].n, found = 0;
    plani_put_ucc(&rules, &to);
    const char *tune = strstr(to.at, "export UCC_TL_UCP_TUNE='bcast:0-");
    CU_ASSERT_PTR_NOT_NULL_FATAL(tune);
    for (const char *at = tune; (at = strstr(at, "bcast:")) != NULL; at++) found++;
    CU_ASSERT_EQUAL(found, wanted);
    CU_ASSERT_PTR_NOT_NULL(strstr(tune, ":host:[2-3]:inf:@"));
    CU_ASSERT_PTR_NOT_NULL(strstr(tune, "-inf:host:[8-inf]:inf:@"));
    free(to.at);
    plani_rules_clear(&rules);
}

/* ---- sources ---- */

static void communicators_are_the_first_ranks(void)
{
    plan_platform_t *pf = sites(3, 12, 0);
    char *text = NULL;
    plani_described_t on;
    CU_ASSERT_EQUAL_FATAL(plan_platform_to_json(pf, &text), PLAN_OK);
    plani_source_t source = source_of(text);
    const plan_platform_data_t *d = plan_platform_data(pf);
    CU_ASSERT_EQUAL_FATAL(plani_source_platform(&source, 5, 4, &on, NULL), PLAN_OK);
    const plan_platform_data_t *part = plan_platform_data(on.pf);
    CU_ASSERT_EQUAL(part->ranks, 5);
    CU_ASSERT_EQUAL(part->nlinks, 20);
    for (size_t l = 0; l < part->nlinks; l++) {
        const plan_link_t *a = &part->link[l];
        size_t whole = plan_platform_find_link(pf, a->from, a->to);
        CU_ASSERT_DOUBLE_EQUAL(plan_link_cost(a, 1000), plan_link_cost(&d->link[whole], 1000), 0);
        CU_ASSERT_EQUAL(part->use_first[l + 1] - part->use_first[l], d->use_first[whole + 1] - d->use_first[whole]);
    }
    plani_described_clear(&on);
    CU_ASSERT_EQUAL(plani_source_platform(&source, 5, 5, &on, NULL), PLAN_EINVAL);
    CU_ASSERT_EQUAL(plani_source_platform(&source, 13, 0, &on, NULL), PLAN_EINVAL);
    plani_source_clear(&source);
    free(text);
    plan_platform_destroy(&pf);
}

static plan_status_t rules_anew(plani_rules_t *rules)
{
    static const plan_choice_t few = {.size = sizeof few, .only = "ompi-chain"};
    plani_source_t source = {.ranks = 0};
    plan_status_t rc = plani_source_parse(spec, sizeof spec - 1, "spec", &source, NULL);
    if (rc == PLAN_OK) rc = plani_rules_create(&source, &plani_ucc, 0, 64, 1, sizes + 1, &few, rules, NULL);
    plani_source_clear(&source);
    return rc;
}

static void a_failed_allocation_leaves_nothing(void)
{
    plani_rules_t rules = {.n = 0};
    ALLOC_EACH(rules_anew(&rules), CU_ASSERT(status == PLAN_ENOMEM || status == PLAN_ESOLVER));
    plani_rules_clear(&rules);
}

/* ---- SimGrid ---- */

static void every_host_and_trunk_is_in_simgrids_platform(void)
{
    plani_source_t source = source_of(spec);
    plani_text_t to = {0};
    size_t hosts = 0, routes = 0, links = 0;
    plani_put_simgrid(source.cluster, &to);
    for (const char *at = to.at; (at = strstr(at, "<host ")) != NULL; at++) hosts++;
    for (const char *at = to.at; (at = strstr(at, "<link ")) != NULL; at++) links++;
    for (const char *at = to.at; (at = strstr(at, "<route ")) != NULL; at++) routes++;
    CU_ASSERT_EQUAL(hosts, 8);
    CU_ASSERT_EQUAL(links, 2 * 2 + 3 * 8);
    CU_ASSERT_EQUAL(routes, links);
    CU_ASSERT_PTR_NOT_NULL(strstr(to.at, "<link id=\"switch1 in\" bandwidth=\"5000000Bps\" latency=\"0.0001s\"/>"));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(to.at, "<route src=\"b-3\" dst=\"switch1\" symmetrical=\"NO\"><link_ctn id=\"b-3 out\"/>"));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(to.at, "<route src=\"core\" dst=\"switch0\" symmetrical=\"NO\"><link_ctn id=\"switch0 in\"/>"));
    free(to.at);
    to = (plani_text_t){0};
    plani_put_hosts(source.cluster, &to);
    CU_ASSERT_STRING_EQUAL(to.at, "a-0\na-1\na-2\na-3\nb-0\nb-1\nb-2\nb-3\n");
    free(to.at);
    plani_source_clear(&source);
}

SUITE_MAIN("rules", TEST(kary_trees_are_heaps), TEST(names_of_settings_differ),
           TEST(trees_by_topology_are_those_that_mpich_dumps), TEST(trees_by_topology_span_all_ranks),
           TEST(rankings_hold_what_the_library_can_send), TEST(times_are_those_of_the_planner),
           TEST(rules_cover_all_sizes_once), TEST(rules_for_reductions_are_those_of_reversed_broadcasts),
           TEST(nothing_is_lost_where_the_library_can_do_the_same), TEST(open_mpi_finds_the_rule),
           TEST(open_mpi_finds_the_rule_in_json), TEST(mpich_selects_the_rule), TEST(mpichs_other_selections_stay),
           TEST(ucc_has_a_range_for_every_rule), TEST(communicators_are_the_first_ranks),
           TEST(a_failed_allocation_leaves_nothing), TEST(every_host_and_trunk_is_in_simgrids_platform))
