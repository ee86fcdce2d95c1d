/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libplanbcast-preload: planned broadcasts for programs that call MPI_Bcast, without recompiling them.
 *
 *     mpirun -x LD_PRELOAD=libplanbcast-preload.so -x PLANBCAST_MACHINE=machine.json ... program
 *
 * MPI_Bcast and PMPI_Bcast both come here, since Open MPI's Fortran calls PMPI_Bcast and MPICH's calls MPI_Bcast.
 * Another tool of the profiling interface sees every call: preloaded before this library it calls PMPI_Bcast; after it,
 * MPI_Bcast goes there first, and the tool's PMPI_Bcast comes here. Calls within planning go to MPI (`inside`).
 */
#define _GNU_SOURCE /* RTLD_NEXT, dladdr */
#include "lib/mpi/preload/preload.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define HAS_LARGE_COUNTS (MPI_VERSION >= 4)

typedef int bcast_t(void *, int, MPI_Datatype, int, MPI_Comm);
typedef int bcast_large_t(void *, MPI_Count, MPI_Datatype, int, MPI_Comm);
typedef int finalize_t(void);
/* MPI_Bcast with its arguments as registers hold them: handles of another MPI library may be wider. */
typedef int bcast_words_t(void *, intptr_t, intptr_t, intptr_t, intptr_t);

static struct {
    bcast_t *bcast;             /* MPI's */
    bcast_large_t *bcast_large; /* NULL: it has none */
    finalize_t *finalize;
    bcast_t *tool_bcast; /* of the next tool; NULL: there is none */
    bcast_large_t *tool_bcast_large;
    finalize_t *tool_finalize;
    bcast_words_t *bcast_words, *first_words; /* PMPI_Bcast, and MPI_Bcast of the next tool or of MPI */
    bool foreign;                             /* the program uses another MPI library than this one was built for */
} next;

static pthread_once_t found = PTHREAD_ONCE_INIT;
static atomic_bool over;     /* MPI_Finalize has been called */
static atomic_bool sessions; /* a session has been opened */
static _Thread_local bool inside;
static _Thread_local unsigned long reached; /* calls of PMPI_Bcast and PMPI_Bcast_c */

/* ---- whom to call ---- */

static void *symbol_of(const char *name, void *function)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol;
}

/* A function of MPI, and that of the same name in a tool in between. */
static void find(const char *name, void *mine, void *tool)
{
    Dl_info mpi, other;
    void *real = symbol_of(name, mine), *first = symbol_of(name + 1, tool);
    bool is_tool = real != NULL && first != NULL && first != real && dladdr(real, &mpi) && dladdr(first, &other) &&
                   mpi.dli_fbase != other.dli_fbase;
    if (!is_tool) memset(tool, 0, sizeof(void *));
}

/* Once a job, as far as that can be known: MPI cannot be asked. */
static void refuse_library(char *version)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"};
#ifdef OPEN_MPI
    const char *ours = "Open MPI";
#else
    const char *ours = "MPICH or one of its kind";
#endif
    char line[400];
    version[strcspn(version, ",\n")] = '\0';
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank != NULL && strcmp(rank, "0") != 0) return;
    }
    snprintf(line, sizeof line,
             "libplanbcast-preload.so was built for %s and the program uses %.100s; build it with that. Broadcasts are "
             "left to MPI",
             ours, version);
    preload_complain_now(line);
}

static void find_all(void)
{
    enum { ROOM = 16384 }; /* [B] more than in any MPI library, whatever this one was built for */
    static char version[ROOM];
    int len = 0;
    bool open = false;

    symbol_of("PMPI_Bcast", &next.bcast_words);
    symbol_of("MPI_Bcast", &next.first_words);
    find("PMPI_Bcast", &next.bcast, &next.tool_bcast);
    find("PMPI_Bcast_c", &next.bcast_large, &next.tool_bcast_large);
    find("PMPI_Finalize", &next.finalize, &next.tool_finalize);
#ifdef OPEN_MPI
    open = true;
#endif
    PMPI_Get_library_version(version, &len);
    next.foreign = open != (strncmp(version, "Open MPI", 8) == 0);
    if (next.foreign) refuse_library(version);
}

/* Whether MPI can be asked. */
static bool is_awake(void)
{
    int world = 0;
    if (next.foreign || atomic_load(&over)) return false;
    return atomic_load(&sessions) || (PMPI_Initialized(&world) == MPI_SUCCESS && world);
}

/* ---- broadcasts ---- */

typedef struct {
    void *buffer;
    MPI_Count count;
    MPI_Datatype type;
    int root;
    MPI_Comm comm;
    bool large; /* MPI_Bcast_c */
} call_t;

static int pass_on(const call_t *b)
{
    if (b->large) return next.bcast_large(b->buffer, b->count, b->type, b->root, b->comm);
    return next.bcast(b->buffer, (int)b->count, b->type, b->root, b->comm);
}

/* Returns as MPI_Bcast does. */
static int execute(const call_t *b, plan_t *plan)
{
    inside = true;
    int rc = plan_execute(plan, b->buffer, b->count, b->type);
    inside = false;
    if (rc == MPI_SUCCESS) return rc;
    if (rc == PLAN_EDISAGREE) preload_complain_now(plan_execute_error(plan)); /* it may name the rank */
    if (rc < 0) rc = rc == PLAN_ENOMEM ? MPI_ERR_NO_MEM : rc == PLAN_EDISAGREE ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
    PMPI_Comm_call_errhandler(b->comm, rc);
    return rc;
}

static int broadcast(const call_t *b)
{
    preload_choice_t choice;

    pthread_once(&found, find_all);
    reached++;
    if (inside || !is_awake()) return pass_on(b);
    inside = true;
    preload_choose(b->comm, b->root, b->count, b->type, &choice);
    inside = false;
    if (choice.plan != NULL)
        preload_count_planned(choice.is_root, choice.native);
    else if (choice.is_root)
        preload_count(choice.fate);
    if (!choice.eligible) return pass_on(b);
    if (choice.plan != NULL && choice.is_first) preload_add_saved(choice.saved_s);
    double start = PMPI_Wtime();
    int rc = choice.plan != NULL ? execute(b, choice.plan) : pass_on(b);
    preload_add_broadcast(PMPI_Wtime() - start);
    return rc;
}

/* A tool has run a broadcast without calling PMPI_Bcast. */
static void count_kept(const call_t *b)
{
    int inter = 0, rank = b->root;
    if (!is_awake() || PMPI_Comm_test_inter(b->comm, &inter) != MPI_SUCCESS) return;
    if (!inter) PMPI_Comm_rank(b->comm, &rank);
    if (inter ? b->root == MPI_ROOT : b->root == rank) preload_count(PRELOAD_TOOL);
}

static int enter(const call_t *b)
{
    pthread_once(&found, find_all);
    bool large = b->large;
    if (inside || (large ? next.tool_bcast_large == NULL : next.tool_bcast == NULL)) return broadcast(b);
    unsigned long before = reached;
    int rc = large ? next.tool_bcast_large(b->buffer, b->count, b->type, b->root, b->comm)
                   : next.tool_bcast(b->buffer, (int)b->count, b->type, b->root, b->comm);
    if (reached == before) count_kept(b);
    return rc;
}

/* MPI_Bcast and PMPI_Bcast under names that mpi.h does not declare. */
EXPORT int preload_bcast(void *buffer, intptr_t count, intptr_t datatype, intptr_t root,
                         intptr_t comm) __asm__("MPI_Bcast");
EXPORT int preload_pbcast(void *buffer, intptr_t count, intptr_t datatype, intptr_t root,
                          intptr_t comm) __asm__("PMPI_Bcast");

int preload_bcast(void *buffer, intptr_t count, intptr_t datatype, intptr_t root, intptr_t comm)
{
    pthread_once(&found, find_all);
    if (next.foreign) return next.first_words(buffer, count, datatype, root, comm);
    return enter(&(call_t){buffer, (int)count, (MPI_Datatype)datatype, (int)root, (MPI_Comm)comm, false});
}

int preload_pbcast(void *buffer, intptr_t count, intptr_t datatype, intptr_t root, intptr_t comm)
{
    pthread_once(&found, find_all);
    if (next.foreign) return next.bcast_words(buffer, count, datatype, root, comm);
    return broadcast(&(call_t){buffer, (int)count, (MPI_Datatype)datatype, (int)root, (MPI_Comm)comm, false});
}

#if HAS_LARGE_COUNTS
EXPORT int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    return enter(&(call_t){buffer, count, datatype, root, comm, true});
}

EXPORT int PMPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
    return broadcast(&(call_t){buffer, count, datatype, root, comm, true});
}
#endif

/* ---- beginning and end ---- */

/* MPI_Init is not replaced: whether MPI runs is asked at each broadcast. Of sessions MPI does not tell. */
#ifdef MPI_SESSION_NULL
typedef int session_init_t(MPI_Info, MPI_Errhandler, MPI_Session *);

static int open_session(const char *name, MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    session_init_t *init = NULL;
    if (symbol_of(name, &init) == NULL) return MPI_ERR_OTHER;
    int rc = init(info, handler, session);
    if (rc == MPI_SUCCESS) atomic_store(&sessions, true);
    return rc;
}

EXPORT int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    return open_session("MPI_Session_init", info, errhandler, session);
}

EXPORT int PMPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
    return open_session("PMPI_Session_init", info, errhandler, session);
}
#endif

static int finalize(void)
{
    int world = 0;
    pthread_once(&found, find_all);
    if (next.foreign) return next.finalize();
    if (PMPI_Initialized(&world) == MPI_SUCCESS && world && !atomic_exchange(&over, true)) preload_sum_up();
    preload_close();
    int rc = next.finalize();
    inside = true;
    preload_free(); /* memory only: MPI has freed its objects */
    inside = false;
    return rc;
}

EXPORT int MPI_Finalize(void)
{
    pthread_once(&found, find_all);
    return next.tool_finalize != NULL ? next.tool_finalize() : finalize();
}

EXPORT int PMPI_Finalize(void)
{
    return finalize();
}
