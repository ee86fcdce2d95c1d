/* Who leads is replayed: what is predicted by replays, and which slices they find. */
#include "suite.h"
#include "boards.h"
#include "planner/plan_private.h"
#include <math.h>

/* How long one candidate's replay takes, weighed for flows that take turns. */
static double replayed(const plan_platform_t *pf, const plan_candidate_t *c, size_t bytes)
{
    plani_replay_t *x = NULL;
    plani_turns_t turns;
    double share[PLANI_MENU_ROOM], total = 0, t = 0;
    CU_ASSERT_EQUAL_FATAL(plani_replay_create(pf, &x), PLAN_OK);
    if (c->run == PLAN_RUN_ROUNDS) {
        CU_ASSERT_EQUAL(plani_replay_rounds(x, c->schedule, c->order, bytes, c->slice, c->window, &t), PLAN_OK);
    } else {
        for (size_t k = 0; k < c->ntrees; k++) total += c->rate[k];
        for (size_t k = 0; k < c->ntrees; k++) share[k] = c->rate[k] / total;
        CU_ASSERT_EQUAL(plani_replay_trees(x, c->ntrees, c->tree, share, bytes, c->slice, c->window, &t), PLAN_OK);
        CU_ASSERT_EQUAL(plani_turns(pf, c->ntrees, c->tree, share, &turns), PLAN_OK);
        t *= plani_turns_stretch(&turns, (double)bytes, t);
    }
    plani_replay_destroy(&x);
    return t;
}

/* Messages that are cut in many slices: every candidate is predicted by its replay, and none at its slice comes before
 * a faster one.
 */
static void the_last_word_has_the_replay(void)
{
    plan_platform_t *pf = sites(3, 9, 0);
    for (size_t bytes = 100000; bytes <= 4 << 20; bytes *= 6) {
        plan_scoreboard_t *sb = board(pf, 0, bytes, NULL);
        for (size_t i = 0; i < sb->ncandidates; i++) {
            const plan_candidate_t *c = &sb->candidate[i];
            if (!plani_is_planned(c)) continue;
            CU_ASSERT_DOUBLE_EQUAL(c->predicted_s, replayed(pf, c, bytes), 1e-9 * c->predicted_s);
            CU_ASSERT(plani_weighed(c) >= plani_weighed(&sb->candidate[0]));
        }
        plan_scoreboard_destroy(&sb);
    }
    plan_platform_destroy(&pf);
}

/* Where only winners count few are replayed; what wins is hardly slower than what wins of all. */
static void few_replays_find_almost_the_best(void)
{
    const plan_choice_t replay = {.model = "replay"};
    plani_workshop_t all, winners;
    plan_error_t err;
    plan_platform_t *pf = sites(3, 9, 0);
    open_workshop(pf, 0, &replay, 4 << 20, false, &all);
    open_workshop(pf, 0, &replay, 4 << 20, true, &winners);
    for (size_t bytes = 1024; bytes <= 4 << 20; bytes *= 2) {
        plan_scoreboard_t *a = NULL, *w = NULL;
        CU_ASSERT_EQUAL_FATAL(plani_scoreboard_draw(&all, bytes, &a, &err), PLAN_OK);
        CU_ASSERT_EQUAL_FATAL(plani_scoreboard_draw(&winners, bytes, &w, &err), PLAN_OK);
        CU_ASSERT(plani_weighed(&w->candidate[0]) <= 1.05 * plani_weighed(&a->candidate[0]));
        plan_scoreboard_destroy(&a);
        plan_scoreboard_destroy(&w);
    }
    plani_workshop_clear(&all);
    plani_workshop_clear(&winners);
    plan_platform_destroy(&pf);
}

SUITE_MAIN("leaders", TEST(the_last_word_has_the_replay), TEST(few_replays_find_almost_the_best))
