/* The parts of measuring that need no ranks: shared processors, trunks, bursts and tables inferred from rates. */
#include "infer/infer_suite.h"
#include "lib/mpi/measure/phases/findings.h"

/* 375 kB, but no longer than four times what is usual. */
static void flows_through_slow_trunks_last_longer(void)
{
    CU_ASSERT_EQUAL(plani_long_enough(0.025, 25e6), 0.025);
    CU_ASSERT_DOUBLE_EQUAL(plani_long_enough(0.025, 6.25e6), 0.06, 1e-12);
    CU_ASSERT_EQUAL(plani_long_enough(0.025, 1e6), 0.1);
    CU_ASSERT_EQUAL(plani_long_enough(0.025, 0), 0.025);
    CU_ASSERT_EQUAL(plani_long_enough(0.025, INFINITY), 0.025);
}

static void flows_that_get_half_share_something(void)
{
    CU_ASSERT_EQUAL(plani_together(50e6, 25e6), PLANI_SHARED);
    CU_ASSERT_EQUAL(plani_together(50e6, 47e6), PLANI_SHARED_NOT);
}

static void pairs_that_get_no_more_than_one_share_processors(void)
{
    CU_ASSERT_DOUBLE_EQUAL(plani_message_time(4, 1e6, 1e6), 1e-6, 1e-18);   /* one core for all */
    CU_ASSERT_DOUBLE_EQUAL(plani_message_time(4, 1e6, 2e6), 0.5e-6, 1e-18); /* two cores */
    CU_ASSERT_EQUAL(plani_message_time(4, 1e6, 3.9e6), 0);                  /* as many as there are */
    CU_ASSERT_EQUAL(plani_message_time(4, 1e6, 0), 0);
    CU_ASSERT_EQUAL(plani_message_time(4, 0, 1e6), 0);
}

/* Sizes at which cards were as slow say only what processors do not exceed. */
static void passing_on_is_fitted_where_processors_are_slowest(void)
{
    const double m[] = {128, 1024, 4096, 16384};
    const double t[] = {5e-6 + 128 * 2e-9, 5e-6 + 1024 * 2e-9, 5e-6 + 4096 * 2e-9, 90e-6};
    const double steep[] = {5e-6, 10e-6, 12e-6, 20e-6};
    const bool last[] = {false, false, false, true}, half[] = {false, false, true, true},
               all[] = {true, true, true, true};
    double a, b;

    CU_ASSERT_TRUE(plani_fit_passing(m, t, last, 4, &a, &b));
    CU_ASSERT_DOUBLE_EQUAL(a, 5e-6, 1e-12);
    CU_ASSERT_DOUBLE_EQUAL(b, 2e-9, 1e-15);
    CU_ASSERT_TRUE(plani_fit_passing(m, steep, half, 4, &a, &b)); /* through the first two alone: 97 us at last */
    CU_ASSERT_TRUE(a + 16384 * b < 1.3 * 20e-6);
    CU_ASSERT_FALSE(plani_fit_passing(m, t, all, 4, &a, &b));
    CU_ASSERT_FALSE(plani_fit_passing(m, t, all, 0, &a, &b));
}

/* Five links through cards of 8 MB/s, processors take 9 us for each message and next to nothing for a byte: the cards
 * show from 512 B on, and are not taken for processors that copy 50 MB/s. */
static void slow_cards_are_not_taken_for_slow_processors(void)
{
    double m[4], t[4], a, b;
    bool limited[4];

    for (int k = 0; k < 4; k++) {
        double card = fmax(0, 32 * ((128 << k) + 180) - 8600.) / 8e6 / 31, slice = hypot(5 * 9e-6, card);
        double own = plani_beside_cards(slice, card);
        m[k] = 128 << k, limited[k] = own <= 0, t[k] = (limited[k] ? slice : own) / 5;
    }
    CU_ASSERT_FALSE(limited[2]);
    CU_ASSERT_TRUE(limited[3]);
    CU_ASSERT_TRUE(plani_fit_passing(m, t, limited, 4, &a, &b));
    CU_ASSERT_DOUBLE_EQUAL(a, 9e-6, 1e-9);
    CU_ASSERT_TRUE(b < 1e-12);
}

/* Links that follow one another, or start at one rank, are one chain; it starts again where they do not, and with each
 * step. */
static void a_chain_begins_where_no_link_leads_to(void)
{
    const plani_task_t task[] = {
        {.kind = PLANI_FLOW, .step = 0, .from = 3, .to = 0},  {.kind = PLANI_CHAIN, .step = 1, .from = 0, .to = 1},
        {.kind = PLANI_CHAIN, .step = 1, .from = 1, .to = 2}, {.kind = PLANI_CHAIN, .step = 1, .from = 4, .to = 5},
        {.kind = PLANI_CHAIN, .step = 2, .from = 5, .to = 6}, {.kind = PLANI_CHAIN, .step = 2, .from = 6, .to = 4},
        {.kind = PLANI_CHAIN, .step = 2, .from = 6, .to = 7}, {.kind = PLANI_CHAIN, .step = 2, .from = 5, .to = 8}};
    const bool starts[] = {true, false, true, true, false, false, true};

    for (size_t i = 1; i < 8; i++) CU_ASSERT_EQUAL(plani_starts_chain(task, i), starts[i - 1]);
}

/* Tables of what N messages get are kept in order, the best of repeated runs, and never beyond their room. */
static void tables_keep_the_best_run_in_order(void)
{
    plani_table_t table = {0};
    const struct {
        double bytes;
        int messages;
        double rate;
    } run[] = {{262144, 4, 9e6},  {1024, 2, 3e6},    {262144, 1, 8e6}, {1024, 1, 2e6},
               {262144, 4, 11e6}, {262144, 4, 10e6}, {1024, 4, 0},     {1024, 8, NAN}};

    for (size_t i = 0; i < sizeof run / sizeof *run; i++)
        plani_table_add(&table, run[i].bytes, run[i].messages, run[i].rate);
    CU_ASSERT_EQUAL_FATAL(table.n, 4);
    const plan_pairs_t *at = table.at;
    CU_ASSERT_TRUE(at[0].bytes == 1024 && at[0].messages == 1 && at[0].bytes_per_s == 2e6);
    CU_ASSERT_TRUE(at[1].bytes == 1024 && at[1].messages == 2 && at[1].bytes_per_s == 3e6);
    CU_ASSERT_TRUE(at[2].bytes == 262144 && at[2].messages == 1 && at[2].bytes_per_s == 8e6);
    CU_ASSERT_TRUE(at[3].bytes == 262144 && at[3].messages == 4 && at[3].bytes_per_s == 11e6);
    for (int n = 100; n < 200; n++) plani_table_add(&table, 1024, n, 1e6);
    CU_ASSERT_EQUAL(table.n, PLANI_TABLE);
    for (size_t i = 1; i < table.n; i++)
        CU_ASSERT_TRUE(at[i - 1].bytes < at[i].bytes ||
                       (at[i - 1].bytes == at[i].bytes && at[i - 1].messages < at[i].messages));
}

/* Two flows: slices of 4 and 8 KiB were disturbed. One and three flows are others. */
static void larger_slices_are_not_slower(void)
{
    static const struct {
        double bytes;
        int messages;
        double measured, rate;
    } run[] = {{1024, 2, 18e6, 18e6}, {2048, 1, 30e6, 30e6},  {2048, 2, 24e6, 24e6},   {4096, 2, 14e6, 24e6},
               {8192, 2, 8e6, 24e6},  {16384, 3, 15e6, 15e6}, {262144, 1, 22e6, 30e6}, {262144, 2, 25e6, 25e6}};
    enum { RUNS = sizeof run / sizeof *run };
    plani_table_t table = {0};

    for (size_t i = 0; i < RUNS; i++) plani_table_add(&table, run[i].bytes, run[i].messages, run[i].measured);
    plani_table_rise(&table);
    CU_ASSERT_EQUAL_FATAL(table.n, RUNS);
    for (size_t i = 0; i < RUNS; i++) CU_ASSERT_EQUAL(table.at[i].bytes_per_s, run[i].rate);
    table.n = 0;
    plani_table_rise(&table);
    CU_ASSERT_EQUAL(table.n, 0);
}

/* Three slices of 2 KiB get 65% and 60% of two racks' trunks of 20 MB/s: so 65% of their site's of 10 MB/s. */
static void a_further_trunk_is_as_unkind_to_small_slices_as_the_nearer_ones(void)
{
    plani_table_t rack[2] = {{0}}, site = {0};

    for (int k = 0; k < 2; k++) {
        plani_table_add(&rack[k], 2048, 3, k == 0 ? 13e6 : 12e6);
        plani_table_add(&rack[k], PLANI_LARGE, 1, 11e6); /* one flow alone does not fill it */
        plani_table_add(&rack[k], PLANI_LARGE, 2, 19e6);
        plani_table_add(&rack[k], PLANI_LARGE, 3, 21e6); /* another run's, better than the trunk */
        plani_table_carry_over(&rack[k], 20e6, 10e6, &site);
    }
    plani_table_carry_over(&rack[0], 0, 10e6, &site); /* no trunk was seen there */
    CU_ASSERT_EQUAL_FATAL(site.n, 3);
    CU_ASSERT_TRUE(site.at[0].bytes == 2048 && site.at[0].messages == 3);
    CU_ASSERT_TRUE(site.at[1].messages == 2 && site.at[2].messages == 3);
    CU_ASSERT_DOUBLE_EQUAL(site.at[0].bytes_per_s, 6.5e6, 1);
    CU_ASSERT_DOUBLE_EQUAL(site.at[1].bytes_per_s, 9.5e6, 1);
    CU_ASSERT_DOUBLE_EQUAL(site.at[2].bytes_per_s, 10e6, 1);
}

/* Flows of 10, 20 and 30 MB/s on one clock are together as one of 60. */
static void flows_together_are_as_one_flow(void)
{
    static plani_result_t result[3];
    const plani_task_t task = {.kind = PLANI_FLOW, .bytes = 16384, .seconds = 30e-3};
    double rate = 0;

    for (int k = 0; k < 3; k++) {
        double alone = (k + 1) * 10e6;
        result[k].n = 0;
        for (int i = 0; i < PLANI_LOG && (i + 1) * 16384 / alone < 31e-3; i++, result[k].n++)
            result[k].b[i] = (i + 1) * 16384.0, result[k].a[i] = result[k].b[i] / alone;
    }
    CU_ASSERT_EQUAL(plani_flows_rate(&task, result, 3, &rate), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(rate, 60e6, 3e6);
    CU_ASSERT_EQUAL(plani_flows_rate(&task, result, 0, &rate), PLAN_OK);
    CU_ASSERT_EQUAL(rate, 0);
}

/* Four flows share 6.25 MB/s in slices of 16 KiB, a sixth of a slice apart: eight slices each, of which every one is
 * 4% of what counts. */
static void few_slices_tell_the_rate_of_a_slow_resource(void)
{
    static plani_result_t result[4];
    const plani_task_t task = {.kind = PLANI_FLOW, .bytes = 16384, .seconds = 60e-3};
    double rate = 0;

    for (int k = 0; k < 4; k++) {
        result[k].n = 0;
        for (int i = 0; i < 8; i++, result[k].n++)
            result[k].b[i] = (i + 1) * 16384.0, result[k].a[i] = (i + k / 6.0) * 4 * 16384 / 6.25e6;
    }
    CU_ASSERT_EQUAL(plani_flows_rate(&task, result, 4, &rate), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(rate, 6.25e6, 0.01 * 6.25e6);
}

/* What is under way when the time is over still fills what flows share, until the first of them ends: from then on the
 * other has twice as much. */
static void flows_count_together_until_the_first_ends(void)
{
    static plani_result_t result[2];
    const plani_task_t task = {.kind = PLANI_FLOW, .bytes = 8192, .seconds = 10e-3};
    double rate = 0;

    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 30 + 20 * k; i++) { /* a slice a millisecond each; the first ten noted late, all at once */
            result[k].a[i] = i < 10 ? 9.9e-3 + 1e-6 * i : (i < 30 ? i + 1 : 30 + 0.5 * (i - 29)) * 1e-3;
            result[k].b[i] = (i + 1) * 8192.0;
        }
        result[k].n = 30 + 20 * k;
    }
    CU_ASSERT_EQUAL(plani_flows_rate(&task, result, 2, &rate), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(rate, 2 * 8192e3, 0.04 * 2 * 8192e3);
    result[1].n = 30;
    double same = 0;
    CU_ASSERT_EQUAL(plani_flows_rate(&task, result, 2, &same), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(same, rate, 0.02 * rate);
}

/* Two flows out of a card of 2 MB/s, of 8 slices of 8 KiB in flight each: what is queued passes by windows, first those
 * of one flow and then those of the other. Slices of the one that waits are not on their way. */
static void windows_take_turns_in_a_card(void)
{
    static plani_result_t result[2];
    const plani_task_t task = {.kind = PLANI_FLOW, .bytes = -65536, .seconds = 30e-3, .at_sender = true};
    double rate = 0;

    for (int k = 0; k < 2; k++) result[k].n = 0;
    for (int i = 0; i < 24; i++) {
        plani_result_t *r = &result[i / 8 % 2];
        r->b[r->n] = (r->n + 1) * 8192.0, r->a[r->n++] = (i + 1) * 8192 / 2e6;
    }
    CU_ASSERT_EQUAL(plani_card_flows_rate(&task, result, 2, &rate), PLAN_OK);
    CU_ASSERT_DOUBLE_EQUAL(rate, 2e6, 0.005 * 2e6);
    CU_ASSERT_EQUAL(plani_flows_rate(&task, result, 2, &rate), PLAN_OK);
    CU_ASSERT(fabs(rate - 2e6) > 0.02 * 2e6); /* which counts them in part */
}

/* A card's only flow, of which the last slices pass after its time: they are its best samples, for it has grown. */
static void what_is_in_flight_at_the_end_counts_where_nothing_else_runs(void)
{
    static plani_result_t result;
    const plani_task_t task = {.kind = PLANI_FLOW, .bytes = -65536, .seconds = 10e-3, .at_sender = true};
    double rate = 0, beside = 0;

    result.n = 0;
    for (int i = 0; i < 20; i++, result.n++) { /* slow to start: until 9 ms at half the rate */
        result.b[i] = (i + 1) * 8192.0;
        result.a[i] = i < 9 ? (i + 1) * 1e-3 : 9e-3 + (i - 8) * 0.5e-3;
    }
    CU_ASSERT_EQUAL(plani_card_flows_rate(&task, &result, 1, &rate), PLAN_OK);
    CU_ASSERT_EQUAL(plani_flows_rate(&task, &result, 1, &beside), PLAN_OK);
    CU_ASSERT(rate > 1.1 * beside && rate <= 1.001 * 8192 / 0.5e-3);
    CU_ASSERT_EQUAL(plani_card_flows_rate(&task, &result, 0, &rate), PLAN_OK);
    CU_ASSERT_EQUAL(rate, 0);
}

/* Two and four flows from hosts that send little do not say what a card lets two receive. */
static void only_the_most_large_messages_are_kept(void)
{
    plani_table_t table = {0};

    plani_table_keep_most(&table);
    CU_ASSERT_EQUAL(table.n, 0);
    plani_table_add(&table, 2048, 8, 14e6);
    plani_table_add(&table, PLANI_LARGE, 2, 5e6);
    plani_table_add(&table, PLANI_LARGE, 4, 10e6);
    plani_table_add(&table, PLANI_LARGE, 8, 20e6);
    plani_table_keep_most(&table);
    CU_ASSERT_EQUAL_FATAL(table.n, 2);
    CU_ASSERT(table.at[0].bytes == 2048 && table.at[0].bytes_per_s == 14e6);
    CU_ASSERT(table.at[1].bytes == PLANI_LARGE && table.at[1].messages == 8);
    table.n = 1;
    plani_table_keep_most(&table);
    CU_ASSERT_EQUAL(table.n, 1); /* smaller ones alone: of another card's table */
}

/* 32 KiB at 25 MB/s, of which 12500 B passed at once; and a way without a burst, as well as it is known. */
static void a_message_that_is_there_too_soon_had_a_burst(void)
{
    CU_ASSERT_DOUBLE_EQUAL(plani_burst(32768, 40e-6 + (32768 - 12500) / 25e6, 40e-6, 25e6), 0.95 * 12500, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(plani_burst(32768, 30e-6, 40e-6, 25e6), 0.95 * 32768, 1e-6); /* all of it */
    CU_ASSERT_EQUAL(plani_burst(32768, 40e-6 + 32768 / 25e6, 40e-6, 25e6), 0);
    CU_ASSERT_EQUAL(plani_burst(32768, 40e-6 + 32768 / 25e6 * 0.85, 40e-6, 25e6), 0); /* the rate is not known better */
    CU_ASSERT_EQUAL(plani_burst(32768, 1, 40e-6, 25e6), 0);
}

static void half_duplex_shows_when_both_directions_run(void)
{
    CU_ASSERT_TRUE(plani_half_duplex(25e6, 25e6, 12e6, 13e6));
    CU_ASSERT_FALSE(plani_half_duplex(25e6, 25e6, 24e6, 24e6));
    CU_ASSERT_FALSE(plani_half_duplex(12e6, 50e6, 8e6, 22e6));  /* acknowledgements queue behind a slow way out */
    CU_ASSERT_FALSE(plani_half_duplex(25e6, 25e6, 20e6, 19e6)); /* disturbed */
    CU_ASSERT_FALSE(plani_half_duplex(25e6, 25e6, 0, 0));
}

/* Ways in wait for a part `held` of the time that ways out are busy. Step by step: of `fan` bytes out for each byte in
 * the card sends while it has any left, and meanwhile only 1 - held of what comes in does. The rate found must say how
 * long a message takes whose copies fill the card, from what one with fewer copies took. */
static double relayed_s(double in, double out, double fan, double held, double bytes)
{
    const double step = 1e-6;
    double came = 0, queue = 0, t = 0;

    for (; came < bytes; t += step) {
        double busy = fmin(1, queue / (out * step));
        double now = in * step * (1 - held * busy);
        came += now;
        queue += fan * now - busy * out * step;
    }
    return t;
}

static void relays_pass_on_what_both_ways_let_them(void)
{
    const double in = 12e6, out = 96e6, bytes = 1e6;

    for (int k = 0; k <= 4; k++)
        for (int fan = 2; fan <= 8; fan += 3) {
            double held = 0.25 * k, one = bytes / in;
            double rate = plani_relay_rate(in, out, fan, relayed_s(in, out, fan, held, bytes) / one);
            double full = relayed_s(in, out, out / in, held, bytes);
            CU_ASSERT_DOUBLE_EQUAL((1 + out / in) * bytes / rate, full, 0.03 * full);
        }
    CU_ASSERT_DOUBLE_EQUAL(plani_relay_rate(25e6, 25e6, 1, 2), 25e6, 1); /* one medium for both ways */
    CU_ASSERT_DOUBLE_EQUAL(plani_relay_rate(25e6, 25e6, 1, 0.98), 50e6, 1);
}

/* Who sends slower than it receives takes longer to pass on than to receive, whatever its ways take from each other: a
 * site of cards of 12 MB/s in and 6 out has no relays, and two copies of 10 MB/s do not fit into 15. */
static void slow_uploads_are_not_taken_for_relays(void)
{
    CU_ASSERT_EQUAL(plani_relay_fan(12e6, 6e6), 0);
    CU_ASSERT_EQUAL(plani_relay_fan(10e6, 15e6), 1);
    CU_ASSERT_EQUAL(plani_relay_fan(25e6, 24.6e6), 1);
    CU_ASSERT_EQUAL(plani_relay_fan(12.4e6, 24.4e6), 2);
    CU_ASSERT_EQUAL(plani_relay_fan(12e6, 96e6), 8);
}

/* Beside a flow that comes back, acknowledgements wait behind its bytes, if the way back is slow: that is no limit. */
static void flows_beside_others_say_nothing_of_a_pair(void)
{
    double out[] = {10e6, 2e6}, in[] = {40e6, 15e6}, rate[] = {0, 3e6, 2e6, 0};
    bool alone[4] = {false};
    int site[] = {0, 0};
    plani_findings_t s = {.hosts = 2, .sites = 1, .site = site, .rate = rate, .alone = alone};

    s.card_out = out, s.card_in = in;
    CU_ASSERT_EQUAL(plani_host_rate(&s, 0, 1), 10e6);
    CU_ASSERT_EQUAL(plani_host_rate(&s, 1, 0), 2e6);
    alone[1] = true;
    CU_ASSERT_EQUAL(plani_host_rate(&s, 0, 1), 3e6);
    rate[1] = 9.5e6;
    CU_ASSERT_EQUAL(plani_host_rate(&s, 0, 1), 10e6);
}

/* A boundary may be narrow one way alone. */
static void flows_of_two_sites_meet_both_ways(void)
{
    static const double loss[] = {0, 0, 0, 0};
    int site[] = {0, 1, 0, 1}, first[] = {0, 1, 2, 3, 4}, rank_at[] = {0, 1, 2, 3}, ways[2] = {0};
    plani_findings_t s = {.hosts = 4, .sites = 2, .site = site, .host_first = first, .rank_at = rank_at};
    plani_tasks_t tasks = {0};

    CU_ASSERT_EQUAL(plani_choose_joint(&s, loss, &tasks), PLAN_OK);
    for (size_t i = 0; i < tasks.n; i++) {
        CU_ASSERT_EQUAL(tasks.task[i].label, 2 * site[tasks.task[i].from] + site[tasks.task[i].to]);
        CU_ASSERT(i == 0 || tasks.task[i].step != tasks.task[i - 1].step ||
                  tasks.task[i].label == tasks.task[i - 1].label);
        ways[site[tasks.task[i].from]]++;
    }
    CU_ASSERT(ways[0] > 0 && ways[0] == ways[1]);
    plani_tasks_clear(&tasks);
}

static void a_fat_trunk_behind_thin_ones_is_not_made_up(void)
{
    double out[] = {12.4e6, 6.2e6, 6.2e6}, in[] = {12.5e6, 6.2e6, 6.3e6};

    plani_explained_trunks(3, in, out); /* site 0 sends as much as the other two can take: its own limit is unknown */
    CU_ASSERT_EQUAL(out[0], 0);
    CU_ASSERT_EQUAL(out[1], 6.2e6);
    CU_ASSERT_EQUAL(out[2], 6.2e6);
    double two_out[] = {6e6, 6e6}, two_in[] = {6e6, 6e6};
    plani_explained_trunks(2, two_in, two_out);
    CU_ASSERT_EQUAL(two_out[0], 6e6);
}

/* Flows of 12 MB/s each; a card of 50 MB/s has room for four, one of 100 for all. */
static void flows_that_add_little_have_filled_their_card(void)
{
    plani_table_t table = {0};
    CU_ASSERT_FALSE(plani_is_full(&table, 2, 23.8e6, 24e6)); /* nothing to compare with */
    CU_ASSERT_TRUE(plani_is_full(&table, 6, 50e6, 72e6));    /* far less than alone */
    plani_table_add(&table, 1024, 4, 49e6);                  /* another size */
    CU_ASSERT_FALSE(plani_is_full(&table, 5, 54.5e6, 60e6));
    plani_table_add(&table, PLANI_LARGE, 1, 12e6);
    CU_ASSERT_FALSE(plani_is_full(&table, 5, 55e6, 60e6));
    plani_table_add(&table, PLANI_LARGE, 4, 49e6);
    CU_ASSERT_TRUE(plani_is_full(&table, 5, 54.5e6, 60e6)); /* 5.5 of 12 more */
    CU_ASSERT_FALSE(plani_is_full(&table, 5, 59e6, 60e6));
}

/* Sites of two hosts and of three: 40 MB/s inside, 8 and 15 MB/s between them. Too thin a trunk shows nothing. */
static void cards_of_two_hosts_are_told_apart_by_a_third(void)
{
    double card[] = {40e6, 40e6, 40e6, 40e6, 40e6}, rate[25], site_rate[] = {0, 8e6, 15e6, 0};
    int site[] = {0, 1, 0, 1, 1};
    plani_findings_t s = {.hosts = 5, .sites = 2, .site = site, .rate = rate, .site_rate = site_rate};

    s.card_out = s.card_in = card;
    for (int i = 0; i < 25; i++) rate[i] = site[i / 5] == site[i % 5] ? 40e6 : 5e6;
    CU_ASSERT_EQUAL(plani_beyond(&s, 0, false), 1);
    CU_ASSERT_EQUAL(plani_beyond(&s, 2, false), 1);
    CU_ASSERT_EQUAL(plani_beyond(&s, 2, true), -1);
    CU_ASSERT_EQUAL(plani_beyond(&s, 1, false), -1);
    card[3] = 60e6, site_rate[1] = 60e6;
    CU_ASSERT_EQUAL(plani_beyond(&s, 0, true), 1); /* no faster than its own card */
    card[0] = 60e6, rate[2] = 60e6, card[2] = 60e6;
    CU_ASSERT_EQUAL(plani_beyond(&s, 0, true), 3);
}

/* The largest rate counts, with its own runs; of one that ran once, a smaller one that agrees to 10% is another run. */
static void rates_that_are_raised_keep_their_runs(void)
{
    static const plani_ends_t none = {0, 0};
    double rate = 0;
    plani_ends_t ends = none;

    plani_raise(&rate, &ends, 100, none);
    CU_ASSERT(rate == 100 && ends.high == 0);
    plani_raise(&rate, &ends, 80, none); /* too slow for another run */
    CU_ASSERT(rate == 100 && ends.high == 0);
    plani_raise(&rate, &ends, 95, none);
    CU_ASSERT(rate == 100 && ends.low == 95 && ends.high == 100);
    plani_raise(&rate, &ends, 120, (plani_ends_t){119, 121});
    CU_ASSERT(rate == 120 && ends.low == 119 && ends.high == 121);
    plani_raise(&rate, &ends, 119, none);
    CU_ASSERT(rate == 120 && ends.low == 119 && ends.high == 121);
    rate = 10, ends = none;
    plani_raise(&rate, &ends, 10, none); /* the same run */
    CU_ASSERT_EQUAL(ends.high, 0);
    plani_raise(&rate, &ends, 10, (plani_ends_t){9.9, 10});
    CU_ASSERT_EQUAL(ends.low, 9.9);
}

static double clock_s;

static double fake_now(void)
{
    return clock_s;
}

/* As where many ranks need memory: 60 ms and a second for 8 MiB, of which the broadcast is a tenth. */
static int run_shared(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result)
{
    engine->left_out = 0;
    for (size_t i = 0; i < n; i++) {
        double seconds = 60e-3 + task[i].bytes / 8388608.0;
        clock_s += seconds;
        result[i] = (plani_result_t){.a = {seconds / 10}, .n = 1};
    }
    return PLAN_OK;
}

/* Messages for which there is no time are left out, but not those that take little of it. */
static void shared_memory_takes_no_longer_than_the_budget(void)
{
    static const struct {
        double start, budget, least, most;
    } of[] = {
        {0, 10, 16 << 20, 16 << 20}, {8, 10, 4 << 20, 4 << 20}, {9.9, 10, 1 << 20, 4 << 20}, {0, 0.5, 8, 1 << 20}};

    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        int first[] = {0, 2}, rank_at[] = {0, 1};
        double latency[] = {0}, card[] = {0};
        plani_place_t place[2] = {{0, {0}}, {0, {0}}};
        plani_engine_t engine = {.run = run_shared, .now = fake_now};
        plani_findings_t s = {.engine = &engine, .budget = of[k].budget, .ranks = 2, .hosts = 1, .sites = 1};
        clock_s = of[k].start;
        s.host_first = first, s.rank_at = rank_at, s.place = place, s.latency = latency, s.card_out = card;
        s.samples = json_array(), s.phases = json_array();
        CU_ASSERT_EQUAL(plani_measure_shared(&s), PLAN_OK);
        CU_ASSERT_FATAL(s.nshared > 0);
        for (int i = 1; i < s.nshared; i++) CU_ASSERT(s.shared_s[i - 1] <= s.shared_s[i]);
        CU_ASSERT(s.shared_bytes[s.nshared - 1] >= of[k].least && s.shared_bytes[s.nshared - 1] <= of[k].most);
        json_decref(s.samples);
        json_decref(s.phases);
    }
}

SUITE_MAIN("measuring: shared resources, without ranks", TEST(flows_through_slow_trunks_last_longer),
           TEST(flows_that_get_half_share_something), TEST(pairs_that_get_no_more_than_one_share_processors),
           TEST(passing_on_is_fitted_where_processors_are_slowest), TEST(slow_cards_are_not_taken_for_slow_processors),
           TEST(a_chain_begins_where_no_link_leads_to), TEST(tables_keep_the_best_run_in_order),
           TEST(larger_slices_are_not_slower), TEST(a_further_trunk_is_as_unkind_to_small_slices_as_the_nearer_ones),
           TEST(flows_together_are_as_one_flow), TEST(few_slices_tell_the_rate_of_a_slow_resource),
           TEST(windows_take_turns_in_a_card), TEST(what_is_in_flight_at_the_end_counts_where_nothing_else_runs),
           TEST(only_the_most_large_messages_are_kept), TEST(flows_count_together_until_the_first_ends),
           TEST(a_message_that_is_there_too_soon_had_a_burst), TEST(half_duplex_shows_when_both_directions_run),
           TEST(relays_pass_on_what_both_ways_let_them), TEST(slow_uploads_are_not_taken_for_relays),
           TEST(flows_beside_others_say_nothing_of_a_pair), TEST(flows_of_two_sites_meet_both_ways),
           TEST(a_fat_trunk_behind_thin_ones_is_not_made_up), TEST(flows_that_add_little_have_filled_their_card),
           TEST(cards_of_two_hosts_are_told_apart_by_a_third), TEST(rates_that_are_raised_keep_their_runs),
           TEST(shared_memory_takes_no_longer_than_the_budget))
