/* Plan files: a written plan is read back exactly; an invalid file is refused with one line. */
#include "suite.h"
#include "alloc.h"
#include "plans.h"
#include "planner/plan/plan_private.h"
#include <jansson.h>
#include <locale.h>
#include <unistd.h>

static const int chain[] = {-1, 0, 1, 2}, star[] = {-1, 0, 0, 0}, star_order[] = {0, 2, 1, 0};
static const int order[] = {0, 2, 3, 1};

static plan_t *sample(void)
{
    plan_candidate_t c[] = {
        one_tree("binomial", 4, star, star_order, 0, 1), two_trees("lp-trees", 4, chain, star, 1.0 / 3, 1e300 / 7),
        one_tree("native", 4, NULL, NULL, 0, 1), in_rounds("circulant", PLAN_CIRCULANT, 4, order, 8192, 4),
        one_tree("chain", 4, chain, NULL, 65536, 16)};
    plan_range_t range[] = {{0, &c[0]}, {4096, &c[1]}, {1 << 20, &c[2]}, {1 << 21, &c[3]}, {SIZE_MAX, &c[4]}};
    plani_note_t note[5] = {{.at_bytes = 1, .runner_up = "chain", .runner_up_s = 0.1},
                            {.runner_up_s = NAN},
                            {.runner_up_s = NAN},
                            {.runner_up_s = NAN},
                            {.at_bytes = 4 << 20, .runner_up_s = NAN}};
    const int hosts[] = {0, 0, 1, 2};
    plan_t *plan = NULL;
    give_link_windows(&c[4]);
    c[4].bottleneck = (plan_bottleneck_t){.at = PLAN_AT_RESOURCE, .index = 7, .seconds = 0.003};
    c[2].measured_s = 0.1234567890123456789;
    CU_ASSERT_EQUAL_FATAL(plani_plan_create(4, 0, 5, range, note, hosts, &plan, NULL), PLAN_OK);
    for (int i = 0; i < 5; i++) plani_candidate_clear(&c[i]);
    return plan;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void check_same(const plan_t *a, const plan_t *b)
{
    CU_ASSERT_EQUAL(plan_data(a)->hash, plan_data(b)->hash);
    CU_ASSERT_EQUAL_FATAL(plan_data(a)->nranges, plan_data(b)->nranges);
    CU_ASSERT_EQUAL(memcmp(plan_data(a)->host, plan_data(b)->host, 4 * sizeof(int)), 0);
    for (size_t i = 0; i < plan_data(a)->nranges; i++) {
        const plan_candidate_t *x = plan_data(a)->range[i].chosen, *y = plan_data(b)->range[i].chosen;
        CU_ASSERT_EQUAL(plan_data(a)->range[i].up_to, plan_data(b)->range[i].up_to);
        CU_ASSERT_STRING_EQUAL(x->name, y->name);
        CU_ASSERT(x->run == y->run && x->schedule == y->schedule && x->places == y->places);
        if (x->places > 0) CU_ASSERT_EQUAL(memcmp(x->order, y->order, sizeof order), 0);
        CU_ASSERT_EQUAL_FATAL(plani_link_windows(x), plani_link_windows(y));
        for (size_t k = 0; k < plani_link_windows(x); k++) CU_ASSERT_EQUAL(x->link_window[k], y->link_window[k]);
        CU_ASSERT(same(x->throughput, y->throughput) && same(x->lp_ratio, y->lp_ratio));
        CU_ASSERT(same(x->predicted_s, y->predicted_s) && same(x->measured_s, y->measured_s));
        CU_ASSERT(x->bottleneck.at == y->bottleneck.at && x->bottleneck.index == y->bottleneck.index);
        CU_ASSERT_EQUAL(x->bottleneck.seconds, y->bottleneck.seconds);
        CU_ASSERT_EQUAL(a->note[i].at_bytes, b->note[i].at_bytes);
        CU_ASSERT_STRING_EQUAL(a->note[i].runner_up, b->note[i].runner_up);
        CU_ASSERT(same(a->note[i].runner_up_s, b->note[i].runner_up_s));
    }
}

static void what_is_written_is_read_back_exactly(void)
{
    plan_t *plan = sample(), *back = NULL;
    char *text = NULL, *again = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_parse(text, strlen(text), "sample", &back, &err), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(err.text, "");
    check_same(plan, back);
    CU_ASSERT_EQUAL_FATAL(plan_to_json(back, &again), PLAN_OK);
    CU_ASSERT_STRING_EQUAL(text, again);
    free(text);
    free(again);
    plan_destroy(&plan);
    plan_destroy(&back);
}

static void every_kind_of_bottleneck_is_read_back(void)
{
    int k = 0;
    for (; plani_bottleneck_name(k) != NULL; k++) {
        plan_candidate_t c = one_tree("chain", 4, chain, NULL, 65536, 16);
        const plan_range_t range = {SIZE_MAX, &c};
        plan_t *plan = NULL, *back = NULL;
        char *text = NULL;
        c.bottleneck = (plan_bottleneck_t){.at = (plan_at_t)k, .index = 2, .seconds = 0.003};
        CU_ASSERT_EQUAL_FATAL(plan_from_ranges(4, 0, 1, &range, NULL, &plan), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plan_parse(text, strlen(text), "bottleneck", &back, NULL), PLAN_OK);
        const plan_bottleneck_t *b = &plan_chosen(back, 1)->bottleneck;
        CU_ASSERT_EQUAL(b->at, c.bottleneck.at);
        CU_ASSERT(b->index == 2 && b->seconds == 0.003);
        free(text);
        plan_destroy(&plan);
        plan_destroy(&back);
        plani_candidate_clear(&c);
    }
    CU_ASSERT_EQUAL(k, PLAN_AT_PORT + 1);
}

/* Of trees and MPI_Reduce, in `text`. */
static plan_t *reducing(char **text)
{
    plan_candidate_t c[] = {one_tree("native", 4, NULL, NULL, 0, 1), one_tree("chain", 4, chain, NULL, 65536, 16)};
    plan_range_t range[] = {{4096, &c[0]}, {SIZE_MAX, &c[1]}};
    plan_t *plan = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_from_ranges(4, 0, 2, range, NULL, &plan), PLAN_OK);
    uint64_t hash = plan_data(plan)->hash;
    plani_plan_let_reduce(plan);
    CU_ASSERT_NOT_EQUAL(plan_data(plan)->hash, hash);
    for (int i = 0; i < 2; i++) plani_candidate_clear(&c[i]);
    CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, text), PLAN_OK);
    return plan;
}

/* It cannot become one of broadcasts unnoticed. */
static void plans_of_reductions_say_so(void)
{
    static const struct {
        const char *from, *to, *error;
    } edits[] = {{"\"operation\": \"reduce\",", "", "hash"},
                 {"\"operation\": \"reduce\",", "\"operation\": \"broadcast\",", "hash"},
                 {"\"operation\": \"reduce\",", "\"operation\": \"gather\",", "\"broadcast\" or \"reduce\""},
                 {"\"operation\": \"reduce\",", "\"operation\": 1,", "operation"},
                 {"\"run\": \"native\"", "\"run\": \"shared\"", "cannot reduce"},
                 {"\"run\": \"trees\"", "\"run\": \"hosts\"", "cannot reduce"}};
    char *text = NULL, *picture = NULL, *said = NULL;
    plan_error_t err;
    plan_t *plan = reducing(&text), *back = NULL;

    CU_ASSERT_EQUAL_FATAL(plan_parse(text, strlen(text), "sum", &back, &err), PLAN_OK);
    CU_ASSERT(plan_data(back)->reduces && plan_data(back)->hash == plan_data(plan)->hash);
    plan_t *shared = plani_plan_share(back);
    CU_ASSERT(shared != NULL && plan_data(shared)->reduces && shared->reduces);
    plan_destroy(&shared);
    CU_ASSERT_EQUAL_FATAL(plan_export(back, NULL, 1 << 20, "dot", &picture, &err), PLAN_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(picture, "reduction of 1 MiB"));
    free(picture);
    CU_ASSERT_EQUAL_FATAL(plan_explain(back, NULL, 1 << 20, &said), PLAN_OK);
    CU_ASSERT_PTR_NOT_NULL(strstr(said, "1 MiB reduced to rank 0 of 4: chain"));
    CU_ASSERT_PTR_NOT_NULL(strstr(said, "rank 0 receives from 1"));
    plan_destroy(&back);
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        const char *at = strstr(text, edits[i].from);
        CU_ASSERT_PTR_NOT_NULL_FATAL(at);
        char other[4096];
        snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text, edits[i].to, at + strlen(edits[i].from));
        CU_ASSERT_EQUAL(plan_parse(other, strlen(other), "sum", &back, &err), PLAN_EFORMAT);
        CU_ASSERT_PTR_NULL(back);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, edits[i].error));
    }
    free(text);
    free(said);
    plan_destroy(&plan);
}

static void saved_plans_are_loaded(void)
{
    plan_t *plan = sample(), *back = NULL;
    plan_error_t err;
    char path[] = "test_plan_file.XXXXXX";
    int fd = mkstemp(path);
    CU_ASSERT_FATAL(fd >= 0);
    close(fd);
    CU_ASSERT_EQUAL(plan_save(plan, path, &err), PLAN_OK);
    CU_ASSERT_EQUAL_FATAL(plan_load(path, &back, &err), PLAN_OK);
    check_same(plan, back);
    unlink(path);
    plan_destroy(&back);
    CU_ASSERT_EQUAL(plan_load(path, &back, &err), PLAN_EIO);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, path));
    CU_ASSERT_EQUAL(plan_save(plan, "no-such-folder/plan.json", &err), PLAN_EIO);
    CU_ASSERT_PTR_NULL(back);
    plan_destroy(&plan);
}

/* A copy of `text` in which the first `from` has become `to`. */
static char *edited(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    size_t room = strlen(text) + strlen(to) + 1;
    char *out = malloc(room);
    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    snprintf(out, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    return out;
}

/* Write `text` as often as `times` says, then `end`. */
static void write_often(const char *path, const char *text, int times, const char *end)
{
    FILE *file = fopen(path, "w");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    for (int i = 0; i < times; i++) fprintf(file, "\n%s ", text);
    fputs(end, file);
    CU_ASSERT_EQUAL(fclose(file), 0);
}

/* As cat writes them; braces within texts end none. An error has the number of its plan. */
static void several_plans_are_loaded_from_one_file(void)
{
    plan_t *plan = sample(), **all = NULL;
    plan_error_t err;
    char path[] = "test_plan_file.XXXXXX", *text = NULL, *braces;
    size_t n = 0;
    int fd = mkstemp(path);
    CU_ASSERT_FATAL(fd >= 0);
    close(fd);
    CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text), PLAN_OK);
    braces = edited(text, "{", "{ \"note\": \"}} \\\" {\",");
    for (int times = 1; times <= 3; times += 2) {
        write_often(path, braces, times, "");
        CU_ASSERT_EQUAL_FATAL(plan_load_all(path, &all, &n, &err), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(n, (size_t)times);
        for (size_t i = 0; i < n; i++) {
            check_same(plan, all[i]);
            plan_destroy(&all[i]);
        }
        free(all);
    }
    all = NULL;
    ALLOC_EACH(plan_load_all(path, &all, &n, &err), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    for (size_t i = 0; i < n; i++) plan_destroy(&all[i]);
    free(all);
    all = NULL;
    write_often(path, text, 2, "{\"format\": ");
    CU_ASSERT_EQUAL(plan_load_all(path, &all, &n, &err), PLAN_EFORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, ", plan 3: line 1"));
    write_often(path, "", 1, "");
    CU_ASSERT_EQUAL(plan_load_all(path, &all, &n, &err), PLAN_EFORMAT);
    CU_ASSERT_PTR_NULL(all);
    unlink(path);
    free(text);
    free(braces);
    plan_destroy(&plan);
}

/* Every edit of a good file is refused, and the line names the file and the place. */
static void bad_files_are_refused_with_their_place(void)
{
    static const struct {
        const char *from, *to, *place;
    } edit[] = {
        {"planbcast-plan", "planbcast-platform", "format"},
        {"\"version\": 1", "\"version\": 2", "version"},
        {"\"version\": 1", "\"version\": \"1\"", "version"},
        {"\"ranks\": 4", "\"ranks\": 0", "ranks"},
        {"\"ranks\": 4", "\"ranks\": 999999999", "ranks"},
        {"\"ranks\": 4", "\"ranks\": 4.5", "ranks"},
        {"\"ranks\": 4", "\"ranks\": 5", "hosts"},
        {"\"ranks\": 4", "\"ranks\": 4, \"ranks\": 4", "line 4"},
        {"\"root\": 0", "\"root\": 4", "root"},
        {"\"root\": 0", "\"root\": 1", "trees[0]"},
        {"\"hosts\": [0,", "\"hosts\": [-1,", "hosts[0]"},
        {"\"hosts\": [0,", "\"hosts\": [1048576,", "hosts[0]"},
        {"\"hosts\": [0,", "\"hosts\": [2147483647,", "hosts[0]"},
        {"\"hash\": \"", "\"hash\": \"1", "hash"},
        {"{\"parent\": [-1,0,0,0]", "{\"parent\": [-1,0,0,3]", "trees[0]"},
        {"{\"parent\": [-1,0,0,0]", "{\"parent\": [-1,0,0]", "trees[0]"},
        {"{\"parent\": [-1,0,0,0]", "{\"parent\": [-1,-1,0,0]", "trees[0]"},
        {"{\"parent\": [-1,0,0,0]", "{\"parent\": [-1,0,0,4]", "trees[0]"},
        {"{\"parent\": [-1,0,0,0]", "{\"parent\": [-1,0,0,null]", "trees[0]"},
        {"\"order\": [0,2,1,0]", "\"order\": [0,2,1]", "trees[0]"},
        {"\"up_to\": 4096", "\"up_to\": 0", "ranges[1].up_to"},
        {"\"up_to\": 4096", "\"up_to\": null", "ranges[1].up_to"},
        {"\"up_to\": 4096", "\"up_to\": 4096.5", "ranges[1].up_to is 4096.5"},
        {"\"up_to\": 4096", "\"up_to\": 1e300", "ranges[1].up_to is 1"},
        {"\"slice\": 65536", "\"slice\": -65536.0", "ranges[1].slice is -65536"},
        {"\"up_to\": 4096", "\"up_to\": 99999999999999999999999", "line"},
        {"\"name\": \"lp-trees\"", "\"name\": \"lp trees\"", "ranges[1].name"},
        {"\"name\": \"lp-trees\"", "\"name\": \"\"", "ranges[1].name"},
        {"\"name\": \"lp-trees\"", "\"name\": \"a\\u0000b\"", "line"},
        {"\"name\": \"lp-trees\"", "\"title\": \"lp-trees\"", "ranges[1].name is missing"},
        {"\"run\": \"trees\"", "\"run\": \"other\"", "ranges[0].run"},
        {"\"run\": \"native\"", "\"ran\": \"native\"", "ranges[2].run is missing"},
        {"\"run\": \"trees\"", "\"run\": \"native\"", "ranges[0]"},
        {"\"run\": \"rounds\"", "\"run\": \"trees\"", "ranges[3]"},
        {"\"run\": \"native\"", "\"run\": \"rounds\"", "ranges[2].schedule"},
        {"\"schedule\": \"circulant\"", "\"schedule\": \"ring\"", "ranges[3].schedule"},
        {"\"order\": [0,2,3,1]", "\"order\": [0,2,3]", "ranges[3].order"},
        {"\"order\": [0,2,3,1]", "\"order\": [0,2,4,1]", "ranges[3].order[2]"},
        {"\"order\": [0,2,3,1]", "\"order\": [0,2,2,1]", "ranges[3]"},
        {"\"order\": [0,2,3,1]", "\"order\": [2,0,3,1]", "ranges[3]"},
        {"\"slice\": 65536", "\"slice\": 1073741825", "ranges[1]"},
        {"\"slice\": 65536", "\"slice\": -1", "ranges[1].slice"},
        {"\"window\": 4", "\"window\": 0", "ranges[1].window"},
        {"\"window\": 4", "\"window\": 1025", "ranges[1].window"},
        {"\"windows\": [1,2,3,4]", "\"windows\": [1,2,3]", "ranges[4].trees[0].windows"},
        {"\"windows\": [1,2,3,4]", "\"windows\": [1,0,3,4]", "ranges[4].trees[0].windows[1]"},
        {"\"windows\": [1,2,3,4]", "\"windows\": [1,2,3,1025]", "ranges[4].trees[0].windows[3]"},
        {"\"windows\": [1,2,3,4]", "\"windows\": [1,2,4,4]", "hash"},
        {"\"tree\": 1", "\"tree\": 3", "ranges[1].trees[0].tree"},
        {"\"rate\": 0.333", "\"rate\": -0.333", "ranges[1].trees[0].rate"},
        {"\"rate\": 0.333", "\"rate\": 1e999, \"x\": 0.333", "line"},
        {"\"rate\": 0.333", "\"rate\": NaN, \"x\": 0.333", "line"},
        {"\"rate\": 0.333", "\"rate\": 0, \"x\": 0.333", "ranges[1].trees[0].rate"},
        {"\"rate\": 0.333", "\"rate\": null, \"x\": 0.333", "ranges[1].trees[0].rate"},
        {"\"lp_ratio\": 0.7", "\"lp_ratio\": \"0.7\"", "ranges[0].lp_ratio"},
        {"\"at\": \"resource\"", "\"at\": \"home\"", "ranges[4].bottleneck.at"},
        {"\"runner_up\": {\"name\": \"chain\"", "\"runner_up\": {\"name\": \"ch\\\"ain\"", "ranges[0].runner_up"},
        {"\"ranges\": [", "\"range\": [", "ranges"},
        {"\"trees\": [", "\"tree\": [", "trees"},
    };
    plan_t *plan = sample(), *back = NULL;
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text), PLAN_OK);
    for (size_t i = 0; i < sizeof edit / sizeof *edit; i++) {
        plan_error_t err = {.text = ""};
        char *bad = edited(text, edit[i].from, edit[i].to);
        plan_status_t rc = plan_parse(bad, strlen(bad), "bad.json", &back, &err);
        if (rc != PLAN_EFORMAT || strncmp(err.text, "bad.json: ", 10) != 0 || !strstr(err.text, edit[i].place))
            fprintf(stderr, "\n%s -> %s: %d %s\n", edit[i].from, edit[i].to, rc, err.text);
        CU_ASSERT_EQUAL(rc, PLAN_EFORMAT);
        CU_ASSERT_EQUAL(err.status, rc);
        CU_ASSERT_EQUAL(strncmp(err.text, "bad.json: ", 10), 0);
        CU_ASSERT_PTR_NOT_NULL(strstr(err.text, edit[i].place));
        CU_ASSERT_PTR_NULL_FATAL(back);
        free(bad);
    }
    free(text);
    plan_destroy(&plan);
}

static void unknown_fields_are_ignored(void)
{
    plan_t *plan = sample(), *back = NULL;
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text), PLAN_OK);
    char *more = edited(text, "\"version\": 1", "\"version\": 1, \"made_by\": {\"commit\": [1, {}]}");
    CU_ASSERT_EQUAL_FATAL(plan_parse(more, strlen(more), "more", &back, NULL), PLAN_OK);
    check_same(plan, back);
    free(text), free(more);
    plan_destroy(&plan), plan_destroy(&back);
}

/* JSON knows one kind of number: other programs write 4096 as 4096.0 or 4.096e3. */
static void whole_numbers_may_be_written_as_others(void)
{
    static const char *const edit[][2] = {
        {"\"up_to\": 4096", "\"up_to\": 4096.0"},     {"\"up_to\": 4096", "\"up_to\": 4.096e3"},
        {"\"slice\": 65536", "\"slice\": 6.5536E+4"}, {"\"slice\": 0", "\"slice\": -0.0"},
        {"\"window\": 4", "\"window\": 4.0"},         {"\"ranks\": 4", "\"ranks\": 0.4e1"}};
    plan_t *plan = sample(), *back = NULL;
    char *text = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text), PLAN_OK);
    for (size_t i = 0; i < sizeof edit / sizeof *edit; i++) {
        char *other = edited(text, edit[i][0], edit[i][1]);
        CU_ASSERT_EQUAL_FATAL(plan_parse(other, strlen(other), "other", &back, NULL), PLAN_OK);
        check_same(plan, back);
        plan_destroy(&back);
        free(other);
    }
    free(text);
    plan_destroy(&plan);
}

static void every_truncation_is_refused(void)
{
    plan_t *plan = sample(), *back = NULL;
    char *text = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text), PLAN_OK);
    for (size_t len = 0; len + 2 < strlen(text); len++) {
        CU_ASSERT_EQUAL(plan_parse(text, len, "cut", &back, &err), PLAN_EFORMAT);
        CU_ASSERT_PTR_NULL_FATAL(back);
    }
    free(text);
    plan_destroy(&plan);
}

static void deep_nesting_is_refused(void)
{
    size_t n = 1 << 20;
    char *text = malloc(n);
    plan_t *back = NULL;
    plan_error_t err;
    CU_ASSERT_PTR_NOT_NULL_FATAL(text);
    memset(text, '[', n);
    CU_ASSERT_EQUAL(plan_parse(text, n, "deep", &back, &err), PLAN_EFORMAT);
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "deep: line 1"));
    free(text);
}

/* Programs that set a locale with a decimal comma still write plans that everybody reads. */
static void numbers_do_not_change_with_the_locale(void)
{
    plan_t *plan = sample(), *back = NULL;
    char *text = NULL, *other = NULL;
    CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text), PLAN_OK);
    bool comma = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &other), PLAN_OK);
    CU_ASSERT_EQUAL(plan_parse(other, strlen(other), "comma", &back, NULL), PLAN_OK);
    if (comma) setlocale(LC_ALL, "C");
    CU_ASSERT_STRING_EQUAL(text, other);
    free(text), free(other);
    plan_destroy(&plan), plan_destroy(&back);
}

static void every_failing_allocation_comes_back(void)
{
    plan_t *plan = sample(), *back = NULL;
    char *text = NULL, *other = NULL;
    plan_error_t err;
    CU_ASSERT_EQUAL_FATAL(plan_to_json(plan, &text), PLAN_OK);
    ALLOC_EACH(plan_parse(text, strlen(text), "alloc", &back, &err), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    ALLOC_EACH(plan_to_json(plan, &other), CU_ASSERT_EQUAL(status, PLAN_ENOMEM));
    check_same(plan, back);
    free(text), free(other);
    plan_destroy(&plan), plan_destroy(&back);
}

SUITE_MAIN("plan files", TEST(what_is_written_is_read_back_exactly), TEST(every_kind_of_bottleneck_is_read_back),
           TEST(plans_of_reductions_say_so), TEST(saved_plans_are_loaded), TEST(several_plans_are_loaded_from_one_file),
           TEST(bad_files_are_refused_with_their_place), TEST(unknown_fields_are_ignored),
           TEST(whole_numbers_may_be_written_as_others), TEST(every_truncation_is_refused),
           TEST(deep_nesting_is_refused), TEST(numbers_do_not_change_with_the_locale),
           TEST(every_failing_allocation_comes_back))
