/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plans of each communicator, an attribute of it. All ranks decide alike: on what they all know (the number of
 * bytes, the root, of a reduction the operation, the calls before), or on what a rank 0 says. That of MPI_COMM_WORLD
 * has said in MPI_Init which calls may be planned: a communicator without such calls costs neither time nor memory. (In
 * programs without MPI_COMM_WORLD the communicator's says so at its first call.) That of the communicator says, for a
 * root of broadcasts or of reductions, whether there is a plan or time to make one; it is asked again when the calls
 * with that root have doubled.
 */
#include "lib/mpi/preload/preload.h"
#include "lib/mpi/execute/common.h"
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of this process, for each holds one or two communicators, of which MPICH has 2048. */
enum { MOST_PLANS = 512 };
enum { UP_TO = 16 << 20 };                                 /* [B] largest message of a plan */
static const double LEAST_S = 0.01, LEAST_MEASURING_S = 1; /* [s] that have to be left for planning */

/* What rank 0 says about a root without a plan. */
enum { GIVE_UP, WAIT, MAKE, LOAD, MOST };

typedef struct {
    plan_t *plan;               /* NULL: none */
    const preload_gain_t *gain; /* rank 0; NULL: unknown */
    uint64_t seen;              /* bit k: there was a call of 2^k to 2^(k + 1) - 1 bytes */
    unsigned long n, again;     /* calls that could be planned so far; when rank 0 is asked again */
    preload_fate_t without;     /* why there is no plan */
} rooted_t;

/* What rank 0 asked for to get a plan. The same again gets the same plan in the time of some collectives. */
typedef struct made {
    struct made *next;
    uint64_t group; /* hash of the ranks */
    preload_kind_t kind;
    int root;
    plan_mode_t mode;
    double budget_s;
    size_t up_to;
} made_t;

typedef struct cache {
    struct cache *next, **link; /* list of all caches */
    int rank, ranks;
    uint64_t group; /* hash of the ranks; 0: unknown */
    preload_limits_t limits;
    bool has_plans;         /* rank 0 has saved plans, or has planned for the same ranks before */
    preload_fate_t refused; /* why nothing is planned; PRELOAD_PLANNED: something is */
    rooted_t at[];          /* [PRELOAD_KINDS * ranks] roots of broadcasts, then of reductions */
} cache_t;

static struct {
    atomic_int keyval;
    pthread_mutex_t lock; /* guards what follows, but for atomics */
    cache_t *first;
    made_t *made;
    double lent_s; /* part of the budget given to duels so far, where this process is rank 0 */
    bool has_planned, has_planner;
    pthread_t planner; /* the thread that plans, where has_planner */
    atomic_bool closed;
    atomic_int bound; /* plans */
} state = {.lock = PTHREAD_MUTEX_INITIALIZER, .keyval = MPI_KEYVAL_INVALID};

/* There was no memory for a communicator on this rank: nothing is planned on any. */
static cache_t none = {.refused = PRELOAD_FAILED};

/* ---- caches ---- */

static void destroy_cache(cache_t *c)
{
    if (c == &none) return;
    pthread_mutex_lock(&state.lock);
    *c->link = c->next;
    if (c->next != NULL) c->next->link = c->link;
    pthread_mutex_unlock(&state.lock);
    for (int r = 0; r < PRELOAD_KINDS * c->ranks; r++) {
        if (c->at[r].plan == NULL) continue;
        plan_destroy(&c->at[r].plan);
        atomic_fetch_sub(&state.bound, 1);
    }
    free(c);
}

/* Called by MPI when a communicator is freed. */
static int forget(MPI_Comm comm, int keyval, void *cache, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    if (!atomic_load(&state.closed)) destroy_cache(cache);
    return MPI_SUCCESS;
}

void preload_close(void)
{
    atomic_store(&state.closed, true);
}

void preload_free(void)
{
    while (state.first != NULL) destroy_cache(state.first);
}

/* Hash (FNV-1a) of the ranks in MPI_COMM_WORLD, and whether some are outside of it: spawned, or of other programs,
 * which may run without this library. \return false: there is no memory */
static bool look_at_group(MPI_Comm comm, cache_t *c)
{
    MPI_Group mine = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    int world = 0, *own = calloc(2 * (size_t)c->ranks, sizeof *own);

    if (own == NULL) return false;
    int *at = own + c->ranks;
    if (PMPI_Initialized(&world) != MPI_SUCCESS || !world) goto done; /* it uses sessions */
    for (int r = 0; r < c->ranks; r++) own[r] = r;
    PMPI_Comm_group(comm, &mine);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    if (PMPI_Group_translate_ranks(mine, c->ranks, own, all, at) != MPI_SUCCESS) goto done;
    c->group = 0xcbf29ce484222325;
    for (int r = 0; r < c->ranks; r++) {
        c->group = (c->group ^ (uint64_t)at[r]) * 0x100000001b3;
        if (at[r] == MPI_UNDEFINED) c->refused = PRELOAD_OUTSIDE;
    }
done:
    if (mine != MPI_GROUP_NULL) PMPI_Group_free(&mine);
    if (all != MPI_GROUP_NULL) PMPI_Group_free(&all);
    free(own);
    return true;
}

/* Whether it is a plan's. */
static bool is_own(MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int len = 0;
    PMPI_Comm_get_name(comm, name, &len);
    return strcmp(name, PLANI_COMM_NAME) == 0;
}

static cache_t *create_cache(MPI_Comm comm, int rank, int ranks)
{
    cache_t *c = calloc(1, sizeof *c + PRELOAD_KINDS * (size_t)ranks * sizeof c->at[0]);

    if (c == NULL) return NULL;
    c->rank = rank, c->ranks = ranks;
    if (!look_at_group(comm, c)) {
        free(c);
        return NULL;
    }
    if (is_own(comm)) c->refused = PRELOAD_OWN;
    pthread_mutex_lock(&state.lock);
    c->next = state.first;
    c->link = &state.first;
    if (c->next != NULL) c->next->link = &c->next;
    state.first = c;
    pthread_mutex_unlock(&state.lock);
    return c;
}

/* Rank 0: what was asked for before, for this kind and root or (-1) any. */
static const made_t *find_made(const cache_t *c, preload_kind_t kind, int root)
{
    pthread_mutex_lock(&state.lock);
    const made_t *m = c->group != 0 ? state.made : NULL;
    while (m != NULL && (m->group != c->group || (root >= 0 && (m->root != root || m->kind != kind)))) m = m->next;
    pthread_mutex_unlock(&state.lock);
    return m;
}

/* Take over rank 0's limits. Collective. */
static preload_fate_t settle(cache_t *c, MPI_Comm comm, int rank)
{
    enum { BYTES, RANKS, REDUCES, SAVED, BAD, NO_MEMORY, VALUES };
    const preload_limits_t *limits = &preload_settings()->limits;
    long long mine[VALUES] = {[NO_MEMORY] = c == NULL}, all[VALUES];

    if (rank == 0) {
        bool made = c != NULL && find_made(c, PRELOAD_BCAST, -1) != NULL;
        mine[BYTES] = limits->bytes, mine[RANKS] = limits->ranks, mine[REDUCES] = limits->reduces;
        mine[BAD] = limits->bad, mine[SAVED] = !limits->bad && (preload_saved_any() || made);
    }
    if (PMPI_Allreduce(mine, all, VALUES, MPI_LONG_LONG, MPI_MAX, comm) != MPI_SUCCESS) return PRELOAD_FAILED;
    if (c != NULL) {
        c->limits = (preload_limits_t){.bytes = all[BYTES], .ranks = all[RANKS], .reduces = all[REDUCES]};
        c->has_plans = all[SAVED];
    }
    return all[BAD] ? PRELOAD_SETTING : all[NO_MEMORY] ? PRELOAD_FAILED : PRELOAD_PLANNED;
}

/* Whether the others settle, where there was no memory to look: no rank is outside MPI_COMM_WORLD, if there is one. */
static bool is_served(MPI_Comm comm, int ranks)
{
    MPI_Group mine = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    int at = MPI_UNDEFINED, world = 0, r = 0;

    if (PMPI_Initialized(&world) != MPI_SUCCESS || !world)
        r = ranks; /* it uses sessions */
    else if (PMPI_Comm_group(comm, &mine) == MPI_SUCCESS && PMPI_Comm_group(MPI_COMM_WORLD, &all) == MPI_SUCCESS)
        for (; r < ranks; r++)
            if (PMPI_Group_translate_ranks(mine, 1, &r, all, &at) != MPI_SUCCESS || at == MPI_UNDEFINED) break;
    if (mine != MPI_GROUP_NULL) PMPI_Group_free(&mine);
    if (all != MPI_GROUP_NULL) PMPI_Group_free(&all);
    return r == ranks && !is_own(comm);
}

static int key(void)
{
    int keyval = atomic_load(&state.keyval);
    if (keyval != MPI_KEYVAL_INVALID) return keyval;
    pthread_mutex_lock(&state.lock);
    keyval = atomic_load(&state.keyval);
    if (keyval == MPI_KEYVAL_INVALID &&
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL) == MPI_SUCCESS)
        atomic_store(&state.keyval, keyval);
    pthread_mutex_unlock(&state.lock);
    return keyval;
}

/* Collective at the first call for a communicator of several ranks. NULL: MPI has no attributes. */
static cache_t *find_cache(MPI_Comm comm, int rank, int ranks)
{
    cache_t *c = NULL;
    int found = 0, keyval = key();

    if (PMPI_Comm_get_attr(comm, keyval, &c, &found) != MPI_SUCCESS) return NULL;
    if (found) return c;
    c = create_cache(comm, rank, ranks);
    if (ranks > 1 && (c != NULL ? c->refused == PRELOAD_PLANNED : is_served(comm, ranks))) {
        preload_fate_t refused = settle(c, comm, rank);
        if (c != NULL) c->refused = refused;
    }
    if (c == NULL) c = &none;
    PMPI_Comm_set_attr(comm, keyval, c);
    return c;
}

/* ---- planning ---- */

/* Rank 0's part of planning. */
typedef struct {
    plan_options_t options;
    const plan_t *saved; /* NULL: none for this root */
    size_t up_to;        /* [B] largest message */
    plan_error_t error;
    preload_gain_t gain;
} request_t;

/* There is a duel for each root of each communicator, which the user may not expect. So each gets half of the remaining
 * budget, and all together take no longer than one budget; below a thousandth of it there is none. */
static void limit_duel(plan_options_t *options)
{
    if (options->mode == PLAN_DEFAULT) options->mode = PLAN_DUEL; /* the platform is that of this machine */
    if (options->mode != PLAN_DUEL) return;
    pthread_mutex_lock(&state.lock);
    double budget_s = fmin((options->budget_s - state.lent_s) / 2, preload_allowance());
    if (budget_s < options->budget_s / 1000)
        options->mode = PLAN_ESTIMATE;
    else
        state.lent_s += options->budget_s = budget_s;
    pthread_mutex_unlock(&state.lock);
}

/* Rank 0: set the options of a plan that is made anew, if it may be. */
static int limit_planning(request_t *q)
{
    pthread_mutex_lock(&state.lock);
    bool known = state.has_planned;
    pthread_mutex_unlock(&state.lock);
    double least_s = known || preload_machine_is_given(&q->options) ? LEAST_S : LEAST_MEASURING_S;
    if (preload_allowance() < fmin(least_s, q->options.budget_s)) return WAIT;
    limit_duel(&q->options);
    q->options.budget_s = fmin(q->options.budget_s, preload_allowance());
    return MAKE;
}

/* Rank 0: whether there is a plan, saved or made for the same ranks before, or one may be made now. */
static int propose(const cache_t *c, preload_kind_t kind, int root, bool make, request_t *q)
{
    plan_error_t err;
    const made_t *made = find_made(c, kind, root);

    if (!make) q->saved = preload_saved_find(kind, c->ranks, root);
    if (q->saved != NULL) return LOAD;
    if (!make && made == NULL) return WAIT;
    q->options.size = sizeof q->options;
    if (plan_options_init(&q->options, &err) != PLAN_OK) {
        preload_complain(err.text);
        return GIVE_UP;
    }
    if (made == NULL) return limit_planning(q);
    q->options.mode = made->mode, q->options.budget_s = made->budget_s, q->up_to = made->up_to;
    return MAKE;
}

/* Whether this thread may plan. Open MPI 4.1 may hang where several threads make communicators at once, as plans do:
 * there it is the first that asks. */
static bool may_plan(void)
{
    bool may = true;
#if defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION < 5
    int provided = MPI_THREAD_SINGLE;
    if (PMPI_Query_thread(&provided) != MPI_SUCCESS || provided != MPI_THREAD_MULTIPLE) return true;
    pthread_mutex_lock(&state.lock);
    if (!state.has_planner) state.planner = pthread_self();
    state.has_planner = true;
    may = pthread_equal(state.planner, pthread_self()) != 0;
    pthread_mutex_unlock(&state.lock);
#endif
    return may;
}

/* What to do: rank 0 says, and all ranks need room for a plan and a thread that may make it. Collective. *without: why
 * there is none, if one of these lacks. */
static int ask(const cache_t *c, MPI_Comm comm, int proposal, preload_fate_t *without)
{
    enum { WHAT, ROOM, THREAD, VALUES };
    int mine[VALUES] = {c->rank == 0 ? proposal : MOST, atomic_load(&state.bound) < MOST_PLANS, may_plan()},
        all[VALUES];
    if (PMPI_Allreduce(mine, all, VALUES, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS) return GIVE_UP;
    if (!all[ROOM]) *without = PRELOAD_FULL;
    if (!all[THREAD]) *without = PRELOAD_THREADS;
    return (all[ROOM] && all[THREAD]) || all[WHAT] == GIVE_UP ? all[WHAT] : WAIT;
}

static void say_plan(const plan_t *plan, size_t bytes, double seconds, const preload_gain_t *gain)
{
    const plan_data_t *d = plan_data(plan);
    const plan_candidate_t *c = plan_chosen(plan, bytes);
    char times[96] = "";
    double saves = preload_gain_of(gain, bytes);

    if (saves == saves)
        snprintf(times, sizeof times, ", %.3g s less than %s", saves, d->reduces ? "MPI_Reduce" : "MPI_Bcast");
    fprintf(stderr, "planbcast: a plan for %d ranks %s root %d, made in %.3g s: %zu bytes by %s%s\n", d->ranks,
            d->reduces ? "to" : "from", d->root, seconds, bytes, c->name, times);
}

/* Rank 0: where files are read or written, plan_bcast does not share plans. */
static void note_made(const cache_t *c, preload_kind_t kind, int root, const request_t *q)
{
    const plan_options_t *o = &q->options;
    made_t *m = NULL;

    pthread_mutex_lock(&state.lock);
    state.has_planned = true;
    pthread_mutex_unlock(&state.lock);
    if (o->load_profile != NULL || o->save_profile != NULL || o->save_machine != NULL) return;
    if (find_made(c, kind, root) != NULL || (m = malloc(sizeof *m)) == NULL) return;
    *m = (made_t){
        .group = c->group, .kind = kind, .root = root, .mode = o->mode, .budget_s = o->budget_s, .up_to = q->up_to};
    pthread_mutex_lock(&state.lock);
    m->next = state.made;
    state.made = m;
    pthread_mutex_unlock(&state.lock);
}

static plan_t *make_plan(const cache_t *c, MPI_Comm comm, preload_kind_t kind, int root, request_t *q)
{
    unsigned long long up_to = q->up_to;
    plan_t *plan = NULL;

    if (c->rank == 0) q->options.trial = preload_gain_note, q->options.report_context = &q->gain;
    q->options.error = &q->error;
    if (PMPI_Bcast(&up_to, 1, MPI_UNSIGNED_LONG_LONG, 0, comm) != MPI_SUCCESS) return NULL;
    int rc = (kind == PRELOAD_REDUCE ? plan_reduce : plan_bcast)(comm, root, (size_t)up_to, &q->options, &plan);
    if (c->rank == 0 && rc != 0) preload_complain(q->error.text);
    if (c->rank == 0 && rc == 0) note_made(c, kind, root, q);
    return rc == 0 ? plan : NULL;
}

/* Whether it is the second call of its size, to a factor of 2. */
static bool has_come_before(rooted_t *r, size_t bytes)
{
    uint64_t bit = 1;
    while ((bytes >>= 1) > 0) bit <<= 1;
    bool before = (r->seen & bit) != 0;
    r->seen |= bit;
    return before;
}

/* Whether to ask rank 0 about a root: at its first call for a plan that there is, at a repeated one, and then when
 * their number has doubled, for a new one. All ranks know. */
static bool is_time(const cache_t *c, rooted_t *r, size_t bytes, bool *make)
{
    bool repeated = has_come_before(r, bytes);

    r->n++;
    r->without = repeated ? PRELOAD_EARLY : PRELOAD_FIRST;
    *make = repeated && r->n >= r->again;
    if (*make) r->again = 2 * r->n;
    return *make || (c->has_plans && r->n == 1);
}

static rooted_t *rooted(cache_t *c, preload_kind_t kind, int root)
{
    return &c->at[(int)kind * c->ranks + root];
}

static void look_for_plan(cache_t *c, MPI_Comm comm, preload_kind_t kind, int root, size_t bytes)
{
    rooted_t *r = rooted(c, kind, root);
    request_t q = {.options.size = sizeof q.options, .up_to = bytes > UP_TO ? bytes : UP_TO};
    bool make = false;
    double start = PMPI_Wtime();

    if (!is_time(c, r, bytes, &make)) return;
    int what = ask(c, comm, c->rank == 0 ? propose(c, kind, root, make, &q) : MOST, &r->without);
    if (what == LOAD) r->plan = preload_saved_bind(comm, c->rank, c->ranks, q.saved);
    if (what == MAKE) r->plan = make_plan(c, comm, kind, root, &q);
    if (what == GIVE_UP || (what == MAKE && r->plan == NULL)) c->refused = PRELOAD_FAILED;
    double seconds = PMPI_Wtime() - start;
    if (what != WAIT) preload_add_planning(kind, seconds, c->rank == 0);
    if (r->plan == NULL) return;
    atomic_fetch_add(&state.bound, 1);
    if (c->rank != 0) return;
    r->gain = preload_gain_keep(&q.gain, plan_data(r->plan)->hash);
    if (preload_settings()->verbose > 1) say_plan(r->plan, bytes, seconds, r->gain);
}

/* [B] 0: invalid, which MPI reports, or nothing */
static size_t bytes_of(MPI_Count count, MPI_Datatype type)
{
    MPI_Count size = 0;
    if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size <= 0) return 0;
    return count <= PTRDIFF_MAX / size ? (size_t)count * (size_t)size : 0;
}

static void take_plan(const cache_t *c, const rooted_t *r, size_t bytes, preload_choice_t *choice)
{
    choice->plan = r->plan;
    choice->fate = r->plan != NULL ? PRELOAD_PLANNED : c->refused != PRELOAD_PLANNED ? c->refused : r->without;
    if (r->plan == NULL) return;
    choice->native = plan_chosen(r->plan, bytes)->run == PLAN_RUN_NATIVE;
    if (choice->is_first) choice->saved_s = choice->native ? 0 : preload_gain_of(r->gain, bytes);
}

/* Whether MPI defines it, so that it commutes and all ranks know it by its handle. */
static bool is_predefined(MPI_Op op)
{
    const MPI_Op known[] = {MPI_MAX, MPI_MIN, MPI_SUM,  MPI_PROD, MPI_LAND,   MPI_BAND,
                            MPI_LOR, MPI_BOR, MPI_LXOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i] == op) return true;
    return false;
}

/* Why a call may not be planned, as far as all ranks know by themselves; PRELOAD_PLANNED: it may. */
static preload_fate_t look_at_call(const preload_limits_t *limits, preload_kind_t kind, int ranks, size_t bytes,
                                   MPI_Op op)
{
    if (limits->bad) return PRELOAD_SETTING;
    if (kind == PRELOAD_REDUCE && ranks > 1 && !limits->reduces) return PRELOAD_REDUCES;
    if (kind == PRELOAD_REDUCE && !is_predefined(op)) return PRELOAD_OP;
    if (ranks == 1 || ranks < limits->ranks) return PRELOAD_FEW;
    if (bytes == 0 || (unsigned long long)bytes < (unsigned long long)limits->bytes) return PRELOAD_SHORT;
    return PRELOAD_PLANNED;
}

/* On a communicator whose calls may be planned, as far as is known before. */
static void choose_on(cache_t *c, MPI_Comm comm, preload_kind_t kind, int root, size_t bytes, MPI_Op op,
                      preload_choice_t *choice)
{
    choice->fate = c->refused;
    if (c == &none || root < 0 || root >= c->ranks) return;
    if (c->refused != PRELOAD_PLANNED && c->refused != PRELOAD_FAILED) return;
    choice->fate = look_at_call(&c->limits, kind, c->ranks, bytes, op);
    if (choice->fate != PRELOAD_PLANNED) return;
    choice->eligible = true;
    const rooted_t *r = rooted(c, kind, root);
    if (r->plan == NULL && c->refused == PRELOAD_PLANNED) look_for_plan(c, comm, kind, root, bytes);
    take_plan(c, r, bytes, choice);
}

void preload_choose(preload_kind_t kind, MPI_Comm comm, int root, MPI_Count count, MPI_Datatype type, MPI_Op op,
                    preload_choice_t *choice)
{
    const preload_settings_t *s = preload_settings();
    preload_fate_t fate = PRELOAD_PLANNED;
    int inter = 0, rank = 0, ranks = 0;

    *choice = (preload_choice_t){.fate = PRELOAD_OWN};
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS) return;
    if (inter) {
        choice->fate = PRELOAD_GROUPS;
        choice->is_root = root == MPI_ROOT;
        return;
    }
    if (PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS || PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS) return;
    size_t bytes = bytes_of(count, type);
    choice->is_root = root == rank;
    choice->is_first = rank == 0;
    if (s->shared) fate = look_at_call(&s->limits, kind, ranks, bytes, op);
    cache_t *c = fate == PRELOAD_PLANNED ? find_cache(comm, rank, ranks) : NULL;
    if (c != NULL)
        choose_on(c, comm, kind, root, bytes, op, choice);
    else if (fate != PRELOAD_PLANNED && choice->is_root && !is_own(comm)) /* only the root counts it */
        choice->fate = fate;
}
