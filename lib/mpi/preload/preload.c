/*
 * libplanbcast-preload: planned broadcasts for programs that call MPI_Bcast, without recompiling them.
 *
 *     mpirun -x LD_PRELOAD=libplanbcast-preload.so -x PLANBCAST_MACHINE=machine.json ... program
 *
 * MPI_Bcast of PLANBCAST_PRELOAD_BYTES (65536) bytes or more, in communicators of PLANBCAST_PRELOAD_RANKS (4) ranks or
 * more, is run by a plan. All other broadcasts, and those that cannot be planned, go to the MPI library. A communicator
 * is planned once for each root at its first such broadcast; the plans are an attribute of the communicator, and are
 * freed with it. plan_bcast measures hosts once, unless it finds a machine or a profile.
 *
 * All ranks of a communicator have to decide alike. So the settings are those of rank 0 of MPI_COMM_WORLD. The
 * decision depends on the number of bytes, which is the same on all ranks. plan_bcast agrees on all else. Broadcasts
 * that the library calls itself (`inside`) go to the MPI library. The file has global state, as a replacement of
 * MPI_Bcast has no handle.
 */
#define _GNU_SOURCE /* secure_getenv */
#include <planbcast/mpi.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { MOST_ROOTS = 16 }; /* planned per communicator; further roots use the MPI library */

/* Plans of one communicator. */
typedef struct cache {
    struct cache *next, **link; /* list of all caches: MPI_Finalize frees those that are left */
    bool failed;                /* planning failed: do not try again */
    int nroots;
    struct {
        int root;
        plan_t *plan; /* NULL: cannot be planned */
    } at[MOST_ROOTS];
} cache_t;

static struct {
    int active; /* MPI_Init has been called through this library */
    int least_ranks;
    long long least_bytes;
    int keyval;
    bool finalizing;
    cache_t *first;
    pthread_mutex_t lock; /* guards `first` and `lent_s` */
    double lent_s;        /* part of the budget given to duels so far, where this process is rank 0 */
    atomic_long planned;  /* broadcasts run by a plan */
    atomic_flag said;     /* a line has been printed */
} state = {.keyval = MPI_KEYVAL_INVALID, .lock = PTHREAD_MUTEX_INITIALIZER, .said = ATOMIC_FLAG_INIT};

static _Thread_local bool inside;

/** Number of broadcasts that this process has run by a plan. */
EXPORT long plan_preload_count(void);
long plan_preload_count(void)
{
    return atomic_load(&state.planned);
}

/* Print why broadcasts go to the MPI library, or fail; only once per process. */
static void say(const char *line)
{
    if (!atomic_flag_test_and_set(&state.said)) fprintf(stderr, "planbcast: %s\n", line);
}

/* ---- caches ---- */

static void destroy_cache(cache_t *c)
{
    pthread_mutex_lock(&state.lock);
    *c->link = c->next;
    if (c->next != NULL) c->next->link = c->link;
    pthread_mutex_unlock(&state.lock);
    for (int i = 0; i < c->nroots; i++) plan_destroy(&c->at[i].plan);
    free(c);
}

/* Called by MPI when a communicator is freed. In MPI_Finalize it is too late to free its plans. */
static int forget(MPI_Comm comm, int keyval, void *cache, void *extra)
{
    (void)comm, (void)keyval, (void)extra;
    bool was = inside;
    inside = true;
    if (!state.finalizing) destroy_cache(cache);
    inside = was;
    return MPI_SUCCESS;
}

static cache_t *find_cache(MPI_Comm comm)
{
    cache_t *c = NULL;
    int found = 0;

    if (PMPI_Comm_get_attr(comm, state.keyval, &c, &found) != MPI_SUCCESS) return NULL;
    if (found) return c;
    if ((c = calloc(1, sizeof *c)) == NULL) return NULL;
    pthread_mutex_lock(&state.lock);
    c->next = state.first;
    c->link = &state.first;
    if (c->next != NULL) c->next->link = &c->next;
    state.first = c;
    pthread_mutex_unlock(&state.lock);
    if (PMPI_Comm_set_attr(comm, state.keyval, c) == MPI_SUCCESS) return c;
    destroy_cache(c);
    return NULL;
}

/* ---- planning ---- */

/* There is a duel for each root of each communicator, which the user may not expect. So each gets half of the remaining
 * budget, and all together take no longer than one budget; below a thousandth of it there is none. */
static void limit_duel(plan_options_t *options)
{
    if (options->mode == PLAN_DEFAULT) options->mode = PLAN_DUEL; /* the platform is that of this machine */
    if (options->mode != PLAN_DUEL) return;
    pthread_mutex_lock(&state.lock);
    double lent_s = (options->budget_s - state.lent_s) / 2;
    if (lent_s < options->budget_s / 1000)
        options->mode = PLAN_ESTIMATE;
    else
        state.lent_s += options->budget_s = lent_s;
    pthread_mutex_unlock(&state.lock);
}

static plan_t *make_plan(MPI_Comm comm, int root, size_t bytes)
{
    enum { UP_TO = 16 << 20 };
    plan_options_t options = {.size = sizeof options, .budget_s = 1};
    plan_error_t err;
    plan_t *plan = NULL;
    int rank, rc = 0;

    PMPI_Comm_rank(comm, &rank);
    if (rank == 0 && (rc = plan_options_init(&options, &err)) == PLAN_OK) limit_duel(&options);
    if (rank == 0 && rc != 0) say(err.text);
    if (PMPI_Bcast(&rc, 1, MPI_INT, 0, comm) != MPI_SUCCESS || rc != 0) return NULL;
    options.error = &err;
    rc = plan_bcast(comm, root, bytes > UP_TO ? bytes : UP_TO, &options, &plan);
    if (rank == 0 && rc != 0) say(err.text);
    return rc == 0 ? plan : NULL;
}

/* The plan for this broadcast, or NULL; the same on all ranks. */
static plan_t *find_plan(MPI_Comm comm, int root, size_t bytes)
{
    cache_t *c = find_cache(comm);
    int mine = c != NULL, all = 0;

    for (int i = 0; c != NULL && i < c->nroots; i++)
        if (c->at[i].root == root) return c->at[i].plan;
    if (c != NULL && (c->failed || c->nroots == MOST_ROOTS)) return NULL;
    /* New root: go on only if all ranks have a cache. */
    if (PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS || !all) return NULL;
    plan_t *plan = make_plan(comm, root, bytes);
    c->failed = plan == NULL;
    c->at[c->nroots].root = root;
    c->at[c->nroots].plan = plan;
    c->nroots++;
    return plan;
}

/* [B] Size of a broadcast that may be planned; 0: leave it to the MPI library, which also reports wrong arguments. */
static size_t wanted(int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    MPI_Count size = 0;
    int inter = 0, ranks = 0;

    if (!state.active || inside || comm == MPI_COMM_NULL || datatype == MPI_DATATYPE_NULL || count <= 0) return 0;
    if (PMPI_Type_size_x(datatype, &size) != MPI_SUCCESS || size <= 0) return 0;
    if (count < (state.least_bytes - 1) / size + 1) return 0;
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) return 0;
    if (PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS || ranks < state.least_ranks) return 0;
    return root >= 0 && root < ranks ? (size_t)count * (size_t)size : 0;
}

EXPORT int MPI_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    size_t bytes = wanted(count, datatype, root, comm);
    if (bytes == 0) return PMPI_Bcast(buffer, count, datatype, root, comm);
    inside = true;
    plan_t *plan = find_plan(comm, root, bytes);
    int rc = plan != NULL ? plan_execute(plan, buffer, count, datatype) : MPI_SUCCESS;
    const char *why = plan_execute_error(plan);
    inside = false;
    if (plan == NULL) return PMPI_Bcast(buffer, count, datatype, root, comm);
    atomic_fetch_add(&state.planned, 1);
    if (rc == MPI_SUCCESS) return rc;
    if (rc == PLAN_EDISAGREE) say(why); /* with PLANBCAST_CHECK it names the rank */
    if (rc < 0) rc = rc == PLAN_ENOMEM ? MPI_ERR_NO_MEM : rc == PLAN_EDISAGREE ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
    PMPI_Comm_call_errhandler(comm, rc); /* as MPI_Bcast does */
    return rc;
}

/* ---- beginning and end ---- */

/* Read a whole number above 0, if the variable is set. \return false: it has another value */
static bool read_setting(const char *name, long long *value)
{
    const char *text = secure_getenv(name);
    char *end, line[160];
    if (text == NULL || text[0] == '\0') return true;
    errno = 0;
    long long x = strtoll(text, &end, 10);
    if (*end == '\0' && errno == 0 && x > 0) {
        *value = x;
        return true;
    }
    snprintf(line, sizeof line, "%s is '%.40s'; set it to a number above 0. Broadcasts are left to MPI", name, text);
    say(line);
    return false;
}

static void begin(void)
{
    long long mine[3] = {65536, 4, 0}; /* least bytes, least ranks, whether both are valid */
    int rank = 0;
    if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) return;
    if (rank == 0)
        mine[2] =
            read_setting("PLANBCAST_PRELOAD_BYTES", &mine[0]) && read_setting("PLANBCAST_PRELOAD_RANKS", &mine[1]);
    if (PMPI_Bcast(mine, 3, MPI_LONG_LONG, 0, MPI_COMM_WORLD) != MPI_SUCCESS || !mine[2]) return;
    state.least_bytes = mine[0];
    state.least_ranks = mine[1] < 2 ? 2 : mine[1] > 1 << 30 ? 1 << 30 : (int)mine[1];
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &state.keyval, NULL) != MPI_SUCCESS) return;
    state.active = 1;
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv);
    if (rc == MPI_SUCCESS) begin();
    return rc;
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rc = PMPI_Init_thread(argc, argv, required, provided);
    if (rc == MPI_SUCCESS) begin();
    return rc;
}

EXPORT int MPI_Finalize(void)
{
    state.finalizing = true;
    state.active = 0;
    int rc = PMPI_Finalize();
    inside = true;
    while (state.first != NULL) destroy_cache(state.first); /* memory only: MPI has freed its objects */
    return rc;
}
