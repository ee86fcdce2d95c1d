/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libplanbcast-preload: planned broadcasts and reductions for programs that call MPI_Bcast and MPI_Reduce, without
 * recompiling them.
 *
 *     mpirun -x LD_PRELOAD=libplanbcast-preload.so -x PLANBCAST_MACHINE=machine.json ... program
 *
 * MPI_Bcast and PMPI_Bcast both come here, since Open MPI's Fortran calls PMPI_Bcast and MPICH's calls MPI_Bcast; and
 * so do MPI_Reduce and PMPI_Reduce.
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
typedef int reduce_t(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm);
typedef int reduce_large_t(const void *, void *, MPI_Count, MPI_Datatype, MPI_Op, int, MPI_Comm);
typedef int init_t(int *, char ***);
typedef int init_thread_t(int *, char ***, int, int *);
typedef int finalize_t(void);
/* Arguments as registers hold them: handles of another MPI library may be wider. */
typedef int bcast_words_t(void *, intptr_t, intptr_t, intptr_t, intptr_t);
typedef int bcast_large_words_t(void *, MPI_Count, intptr_t, intptr_t, intptr_t);
typedef int reduce_words_t(const void *, void *, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t);
typedef int reduce_large_words_t(const void *, void *, MPI_Count, intptr_t, intptr_t, intptr_t, intptr_t);
typedef int session_words_t(intptr_t, intptr_t, void *);

/* The functions of MPI, or of a tool. */
typedef struct {
    bcast_t *bcast;
    bcast_large_t *bcast_large;
    reduce_t *reduce;
    reduce_large_t *reduce_large;
} functions_t;

/* The same of another MPI library. */
typedef struct {
    bcast_words_t *bcast;
    bcast_large_words_t *bcast_large;
    reduce_words_t *reduce;
    reduce_large_words_t *reduce_large;
} words_t;

static struct {
    functions_t mpi;  /* no large counts: NULL */
    functions_t tool; /* of the next tool; NULL: it has none, or there is no tool */
    init_t *init, *tool_init;
    init_thread_t *init_thread, *tool_init_thread;
    finalize_t *finalize, *tool_finalize;
    words_t words, first_words; /* PMPI_Bcast and so on, and MPI_Bcast and so on of the next tool or of MPI */
    bool foreign;               /* the program uses another MPI library than this one was built for */
} next;

static pthread_once_t found = PTHREAD_ONCE_INIT;
static atomic_bool over;     /* MPI_Finalize has been called */
static atomic_bool sessions; /* a session has been opened */
static _Thread_local bool inside;
static _Thread_local unsigned long reached; /* calls of PMPI_Bcast, PMPI_Reduce and those of large counts */

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

/* The same, whatever lies in between. */
static void find_words(const char *name, void *mine, void *first)
{
    symbol_of(name, mine);
    symbol_of(name + 1, first);
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
             "libplanbcast-preload.so was built for %s and the program uses %.100s; build it with that. Broadcasts "
             "and reductions are left to MPI",
             ours, version);
    preload_complain_now(line);
}

static void find_all(void)
{
    enum { ROOM = 16384 }; /* [B] more than in any MPI library, whatever this one was built for */
    static char version[ROOM];
    int len = 0;
    bool open = false;

    find_words("PMPI_Bcast", &next.words.bcast, &next.first_words.bcast);
    find_words("PMPI_Bcast_c", &next.words.bcast_large, &next.first_words.bcast_large);
    find_words("PMPI_Reduce", &next.words.reduce, &next.first_words.reduce);
    find_words("PMPI_Reduce_c", &next.words.reduce_large, &next.first_words.reduce_large);
    find("PMPI_Bcast", &next.mpi.bcast, &next.tool.bcast);
    find("PMPI_Bcast_c", &next.mpi.bcast_large, &next.tool.bcast_large);
    find("PMPI_Reduce", &next.mpi.reduce, &next.tool.reduce);
    find("PMPI_Reduce_c", &next.mpi.reduce_large, &next.tool.reduce_large);
    find("PMPI_Init", &next.init, &next.tool_init);
    find("PMPI_Init_thread", &next.init_thread, &next.tool_init_thread);
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

/* ---- calls ---- */

typedef struct {
    preload_kind_t kind;
    const void *send; /* of a reduction */
    void *buffer;     /* of a reduction: for the result */
    MPI_Count count;
    MPI_Datatype type;
    MPI_Op op; /* of a reduction */
    int root;
    MPI_Comm comm;
    bool large; /* MPI_Bcast_c, MPI_Reduce_c */
} call_t;

static bool has(const functions_t *f, const call_t *b)
{
    if (b->kind == PRELOAD_REDUCE) return b->large ? f->reduce_large != NULL : f->reduce != NULL;
    return b->large ? f->bcast_large != NULL : f->bcast != NULL;
}

static int call(const functions_t *f, const call_t *b)
{
    if (b->kind == PRELOAD_REDUCE && b->large)
        return f->reduce_large(b->send, b->buffer, b->count, b->type, b->op, b->root, b->comm);
    if (b->kind == PRELOAD_REDUCE)
        return f->reduce(b->send, b->buffer, (int)b->count, b->type, b->op, b->root, b->comm);
    if (b->large) return f->bcast_large(b->buffer, b->count, b->type, b->root, b->comm);
    return f->bcast(b->buffer, (int)b->count, b->type, b->root, b->comm);
}

static int pass_on(const call_t *b)
{
    return call(&next.mpi, b);
}

/* Returns as MPI does. */
static int execute(const call_t *b, plan_t *plan)
{
    inside = true;
    int rc = b->kind == PRELOAD_REDUCE ? plan_reduce_execute(plan, b->send, b->buffer, b->count, b->type, b->op)
                                       : plan_execute(plan, b->buffer, b->count, b->type);
    inside = false;
    if (rc == MPI_SUCCESS) return rc;
    if (rc == PLAN_EDISAGREE) preload_complain_now(plan_execute_error(plan)); /* it may name the rank */
    if (rc < 0) rc = rc == PLAN_ENOMEM ? MPI_ERR_NO_MEM : rc == PLAN_EDISAGREE ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
    PMPI_Comm_call_errhandler(b->comm, rc);
    return rc;
}

static int run(const call_t *b)
{
    preload_choice_t choice;

    pthread_once(&found, find_all);
    reached++;
    if (inside || !is_awake()) return pass_on(b);
    inside = true;
    preload_choose(b->kind, b->comm, b->root, b->count, b->type, b->op, &choice);
    inside = false;
    if (choice.plan != NULL)
        preload_count_planned(b->kind, choice.is_root, choice.native);
    else if (choice.is_root)
        preload_count(b->kind, choice.fate);
    if (!choice.eligible) return pass_on(b);
    if (choice.plan != NULL && choice.is_first) preload_add_saved(b->kind, choice.saved_s);
    double start = PMPI_Wtime();
    int rc = choice.plan != NULL ? execute(b, choice.plan) : pass_on(b);
    preload_add_call(PMPI_Wtime() - start);
    return rc;
}

/* A tool has run a call without calling PMPI_Bcast or PMPI_Reduce. */
static void count_kept(const call_t *b)
{
    int inter = 0, rank = b->root;
    if (!is_awake() || PMPI_Comm_test_inter(b->comm, &inter) != MPI_SUCCESS) return;
    if (!inter) PMPI_Comm_rank(b->comm, &rank);
    if (inter ? b->root == MPI_ROOT : b->root == rank) preload_count(b->kind, PRELOAD_TOOL);
}

static int enter(const call_t *b)
{
    pthread_once(&found, find_all);
    if (inside || !has(&next.tool, b)) return run(b);
    unsigned long before = reached;
    int rc = call(&next.tool, b);
    if (reached == before) count_kept(b);
    return rc;
}

static call_t bcast_of(void *buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return (call_t){.kind = PRELOAD_BCAST, .buffer = buffer, .count = count, .type = type, .root = root, .comm = comm};
}

static call_t reduce_of(const void *send, void *recv, MPI_Count count, MPI_Datatype type, MPI_Op op, int root,
                        MPI_Comm comm)
{
    return (call_t){.kind = PRELOAD_REDUCE,
                    .send = send,
                    .buffer = recv,
                    .count = count,
                    .type = type,
                    .op = op,
                    .root = root,
                    .comm = comm};
}

/* MPI's functions under names that mpi.h does not declare. */
EXPORT int preload_bcast(void *buffer, intptr_t count, intptr_t datatype, intptr_t root,
                         intptr_t comm) __asm__("MPI_Bcast");
EXPORT int preload_pbcast(void *buffer, intptr_t count, intptr_t datatype, intptr_t root,
                          intptr_t comm) __asm__("PMPI_Bcast");

int preload_bcast(void *buffer, intptr_t count, intptr_t datatype, intptr_t root, intptr_t comm)
{
    pthread_once(&found, find_all);
    if (next.foreign) return next.first_words.bcast(buffer, count, datatype, root, comm);
    const call_t b = bcast_of(buffer, (int)count, (MPI_Datatype)datatype, (int)root, (MPI_Comm)comm);
    return enter(&b);
}

int preload_pbcast(void *buffer, intptr_t count, intptr_t datatype, intptr_t root, intptr_t comm)
{
    pthread_once(&found, find_all);
    if (next.foreign) return next.words.bcast(buffer, count, datatype, root, comm);
    const call_t b = bcast_of(buffer, (int)count, (MPI_Datatype)datatype, (int)root, (MPI_Comm)comm);
    return run(&b);
}

EXPORT int preload_reduce(const void *send, void *recv, intptr_t count, intptr_t datatype, intptr_t op, intptr_t root,
                          intptr_t comm) __asm__("MPI_Reduce");
EXPORT int preload_preduce(const void *send, void *recv, intptr_t count, intptr_t datatype, intptr_t op, intptr_t root,
                           intptr_t comm) __asm__("PMPI_Reduce");

int preload_reduce(const void *send, void *recv, intptr_t count, intptr_t datatype, intptr_t op, intptr_t root,
                   intptr_t comm)
{
    pthread_once(&found, find_all);
    if (next.foreign) return next.first_words.reduce(send, recv, count, datatype, op, root, comm);
    const call_t b = reduce_of(send, recv, (int)count, (MPI_Datatype)datatype, (MPI_Op)op, (int)root, (MPI_Comm)comm);
    return enter(&b);
}

int preload_preduce(const void *send, void *recv, intptr_t count, intptr_t datatype, intptr_t op, intptr_t root,
                    intptr_t comm)
{
    pthread_once(&found, find_all);
    if (next.foreign) return next.words.reduce(send, recv, count, datatype, op, root, comm);
    const call_t b = reduce_of(send, recv, (int)count, (MPI_Datatype)datatype, (MPI_Op)op, (int)root, (MPI_Comm)comm);
    return run(&b);
}

#if HAS_LARGE_COUNTS
EXPORT int preload_bcast_large(void *buffer, MPI_Count count, intptr_t datatype, intptr_t root,
                               intptr_t comm) __asm__("MPI_Bcast_c");
EXPORT int preload_pbcast_large(void *buffer, MPI_Count count, intptr_t datatype, intptr_t root,
                                intptr_t comm) __asm__("PMPI_Bcast_c");

int preload_bcast_large(void *buffer, MPI_Count count, intptr_t datatype, intptr_t root, intptr_t comm)
{
    pthread_once(&found, find_all);
    if (next.foreign) return next.first_words.bcast_large(buffer, count, datatype, root, comm);
    call_t b = bcast_of(buffer, count, (MPI_Datatype)datatype, (int)root, (MPI_Comm)comm);
    b.large = true;
    return enter(&b);
}

int preload_pbcast_large(void *buffer, MPI_Count count, intptr_t datatype, intptr_t root, intptr_t comm)
{
    pthread_once(&found, find_all);
    if (next.foreign) return next.words.bcast_large(buffer, count, datatype, root, comm);
    call_t b = bcast_of(buffer, count, (MPI_Datatype)datatype, (int)root, (MPI_Comm)comm);
    b.large = true;
    return run(&b);
}

EXPORT int preload_reduce_large(const void *send, void *recv, MPI_Count count, intptr_t datatype, intptr_t op,
                                intptr_t root, intptr_t comm) __asm__("MPI_Reduce_c");
EXPORT int preload_preduce_large(const void *send, void *recv, MPI_Count count, intptr_t datatype, intptr_t op,
                                 intptr_t root, intptr_t comm) __asm__("PMPI_Reduce_c");

int preload_reduce_large(const void *send, void *recv, MPI_Count count, intptr_t datatype, intptr_t op, intptr_t root,
                         intptr_t comm)
{
    pthread_once(&found, find_all);
    if (next.foreign) return next.first_words.reduce_large(send, recv, count, datatype, op, root, comm);
    call_t b = reduce_of(send, recv, count, (MPI_Datatype)datatype, (MPI_Op)op, (int)root, (MPI_Comm)comm);
    b.large = true;
    return enter(&b);
}

int preload_preduce_large(const void *send, void *recv, MPI_Count count, intptr_t datatype, intptr_t op, intptr_t root,
                          intptr_t comm)
{
    pthread_once(&found, find_all);
    if (next.foreign) return next.words.reduce_large(send, recv, count, datatype, op, root, comm);
    call_t b = reduce_of(send, recv, count, (MPI_Datatype)datatype, (MPI_Op)op, (int)root, (MPI_Comm)comm);
    b.large = true;
    return run(&b);
}
#endif

/* ---- beginning and end ---- */

/* MPI_COMM_WORLD is there: from now on its ranks have the same settings. */
static int begun(int rc)
{
    if (rc != MPI_SUCCESS || next.foreign) return rc;
    inside = true; /* it broadcasts */
    preload_settings_share();
    inside = false;
    return rc;
}

static int init(int *argc, char ***argv)
{
    pthread_once(&found, find_all);
    return begun(next.init(argc, argv));
}

static int init_thread(int *argc, char ***argv, int required, int *provided)
{
    pthread_once(&found, find_all);
    return begun(next.init_thread(argc, argv, required, provided));
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
    pthread_once(&found, find_all);
    return next.tool_init != NULL ? next.tool_init(argc, argv) : init(argc, argv);
}

EXPORT int PMPI_Init(int *argc, char ***argv)
{
    return init(argc, argv);
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    pthread_once(&found, find_all);
    return next.tool_init_thread != NULL ? next.tool_init_thread(argc, argv, required, provided)
                                         : init_thread(argc, argv, required, provided);
}

EXPORT int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return init_thread(argc, argv, required, provided);
}

/* Of sessions MPI does not tell. */
#ifdef MPI_SESSION_NULL
static int open_session(const char *name, intptr_t info, intptr_t handler, void *session)
{
    session_words_t *open = NULL;
    if (symbol_of(name, &open) == NULL) return MPI_ERR_OTHER;
    int rc = open(info, handler, session);
    if (rc == MPI_SUCCESS) atomic_store(&sessions, true);
    return rc;
}

EXPORT int preload_session_init(intptr_t info, intptr_t handler, void *session) __asm__("MPI_Session_init");
EXPORT int preload_psession_init(intptr_t info, intptr_t handler, void *session) __asm__("PMPI_Session_init");

int preload_session_init(intptr_t info, intptr_t handler, void *session)
{
    return open_session("MPI_Session_init", info, handler, session);
}

int preload_psession_init(intptr_t info, intptr_t handler, void *session)
{
    return open_session("PMPI_Session_init", info, handler, session);
}
#endif

static int finalize(void)
{
    int world = 0;
    pthread_once(&found, find_all);
    if (next.foreign) return next.finalize();
    if (PMPI_Initialized(&world) == MPI_SUCCESS && world && !atomic_exchange(&over, true)) {
        inside = true; /* it reduces */
        preload_sum_up();
        inside = false;
    }
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
