/* Random broadcasts for a given time, each checked byte by byte; the method is in bench/endurance/README.md. */
#ifndef BENCH_ENDURANCE_H
#define BENCH_ENDURANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <mpi.h>
#include <planbcast/mpi.h>

#undef SEED /* SimGrid's mpi.h defines it */

/* --- random numbers: splitmix64 (Steele, Lea, Flood 2014)
 * -------------------------------------------------------------
 */

typedef struct {
    uint64_t state;
} rng_t;

/* A generator whose state depends on these four numbers only, so that any rank can reproduce that of another. */
rng_t rng_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d);
uint64_t rng_next(rng_t *r);
size_t rng_below(rng_t *r, size_t n); /* 0 for n == 0 */
bool rng_one_in(rng_t *r, size_t n);
/* Fill with pseudo-random bytes that depend on `seed` only. */
void fill_bytes(uint64_t seed, unsigned char *out, size_t n);

/* --- datatypes, and where their bytes lie
 * ------------------------------------------------------------------------------
 */

/* Bytes that are contiguous both in memory and in packed order. */
typedef struct {
    MPI_Aint at;
    size_t len;
} run_t;

/* A datatype and its type map by the MPI standard: its bytes in packed order. */
typedef struct {
    MPI_Datatype type;
    size_t bytes; /* packed */
    size_t nruns, room;
    run_t *run;
    MPI_Aint lb, extent;
    MPI_Aint low, high; /* bytes lie in [low, high) */
    bool hollow;        /* has parts of no bytes */
} shape_t;

/* A committed random type of n elements of a predefined type, nested up to `depth` constructors. */
shape_t shape_elements(rng_t *r, MPI_Datatype base, int n, int depth);
/* The same, of a random mixture of predefined types. */
shape_t shape_mixture(rng_t *r, int depth);
void shape_free(shape_t *s);
/* Append the bytes of `inner`, displaced by `shift` bytes. */
void shape_append(shape_t *s, const shape_t *inner, MPI_Aint shift);
/* Whether no byte belongs to two places of the message. */
bool shape_is_disjoint(const shape_t *s);

/* Append how a type was constructed: constructor(integers; addresses, types). */
void describe_type(MPI_Datatype type, char *out, size_t room);

/* --- buffers of broadcasts
 * ----------------------------------------------------------------------------------
 */

typedef enum { LAYOUT_BYTES, LAYOUT_SAME, LAYOUT_OWN, LAYOUT_MIXTURE, LAYOUTS } layout_kind_t;

typedef struct {
    void *buffer; /* buffer, count and type are the arguments of MPI_Bcast */
    MPI_Count count;
    MPI_Datatype type;
    unsigned char *memory; /* [size] with guards at both ends */
    size_t size;
    shape_t whole;   /* count elements of the type; its `type` is what is freed */
    MPI_Aint origin; /* index in memory of displacement 0 */
    uint64_t before; /* seed of the memory's initial contents */
} layout_t;

/* A layout of exactly `bytes` bytes, or about as many for LAYOUT_MIXTURE. `common` is the same generator on all ranks,
 * `own` differs among ranks. `hollow`: parts of a type may have no bytes. */
void layout_create(layout_kind_t kind, bool hollow, size_t bytes, rng_t *common, rng_t *own, layout_t *out);
void layout_destroy(layout_t *l);
/* Fill the memory with its initial contents; with_message: and the layout with the message, as at the root. */
void layout_fill(layout_t *l, bool with_message, uint64_t message);
typedef enum { CONTENT_MESSAGE, CONTENT_BEFORE, CONTENT_ANY } content_t;
/* The number of wrong bytes in the memory, and a line about the first. By `content`, the layout should hold the message
 * or its initial contents, or may hold anything; all other memory should hold its initial contents. */
size_t layout_check(const layout_t *l, content_t content, uint64_t message, char *line, size_t room);
/* Whether the MPI library itself sends and receives this layout right, by messages from this rank to itself. */
bool layout_is_right_in_mpi(layout_t *l, uint64_t message);

/* --- candidates and plans
 * -----------------------------------------------------------------------------------------------
 */

enum { MOST_NAMES = 64 };

typedef struct {
    int n;
    char name[MOST_NAMES][64];
} names_t;

/* All candidates that can be forced; those in shared memory only if `shared` (all ranks are on one host). */
bool candidates_list(bool shared, names_t *names);
/* The index of a name; -1: none. */
int candidates_find(const names_t *names, const char *name);
/* On rank 0 only: a plan of random ranges of sizes, the first with candidate names->name[first]; NULL: failed. */
plan_t *candidates_plan(const names_t *names, int first, int ranks, int root, size_t most, rng_t *r);
void candidates_forget(void);

/* --- point-to-point messages of the application
 * -----------------------------------------------------------------------------------------
 */

typedef struct traffic traffic_t;

/* Point-to-point messages between ranks of comm that overlap with `steps` broadcasts. They are received from
 * MPI_ANY_SOURCE with MPI_ANY_TAG. */
traffic_t *traffic_create(MPI_Comm comm, int steps, rng_t *common);
/* Start the messages that are due before broadcast `step`; after the last, complete all. Returns the number of wrong
 * messages. */
int traffic_step(traffic_t *t, int step);
void traffic_destroy(traffic_t *t);

/* --- cases
 * -------------------------------------------------------------------------------------------------------------
 */

typedef struct {
    uint64_t seed;
    long first, cases; /* number of the first case; how many; cases 0: as many as the seconds allow */
    double seconds;
    size_t most;        /* [B] of a message */
    int threads;        /* with a communicator each */
    double stop_s;      /* mean seconds between two stops of a rank; 0: none */
    int patience_s;     /* time limit of a case, after which it counts as hung */
    bool hollow;        /* also datatypes with parts of no bytes */
    bool check;         /* PLANBCAST_CHECK=1 */
    bool misuse;        /* also wrong arguments */
    const char *ready;  /* file to create once all pairs of ranks are connected; NULL: none */
    long tell;          /* describe all buffers of this broadcast of each case; -1: none */
    const char *only;   /* candidate forced in all cases, or NULL */
    const char *replay; /* the command that runs this again, without seed and case */
} options_t;

/* Status 0, or 2 after one line on bad usage, 1 after --help. */
int options_read(int argc, char **argv, options_t *o);

enum { NATIVE = MOST_NAMES, COUNTERS = MOST_NAMES + 1 }; /* NATIVE: MPI_Bcast called by the application */

typedef struct {
    long long broadcasts[COUNTERS];      /* counted at rank 0 of each communicator */
    long long rank_broadcasts[COUNTERS]; /* counted everywhere */
    long long layouts[LAYOUTS];          /* counted everywhere */
    long long messages;                  /* point-to-point messages of the application */
    long long left_out;                  /* layouts that the MPI library itself transfers wrongly, on some rank */
    long long native_wrong;              /* broadcasts by MPI_Bcast that were wrong */
    long long misused, refused;          /* broadcasts with wrong arguments, and later ones refused for them */
    long long failures;
} counts_t;

/* Run one case, collectively over MPI_COMM_WORLD; adds to counts. */
void case_run(const options_t *o, const names_t *names, long number, counts_t *counts);

/* One line about a failure of this rank, with the command that runs the case again. */
void report(const options_t *o, long number, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* --- watching
 * -----------------------------------------------------------------------------------------------------------
 */

enum { MOST_THREADS = 16, LINE = 240 };

/* Start or restart a timer: after `seconds` without another call, this process prints what it is doing, and ends. */
void watch_start(int seconds);
/* Note what `thread` is doing; `line` must stay valid until the next call. */
void watch_say(int thread, const char *line);
/* Yield the processor; sleep. */
void give_way(void);
void nap(double seconds);
/* Fork a process that stops this one at random times (SIGSTOP) for up to three seconds each. */
void watch_stop_at_times(double mean_s, uint64_t seed);

#endif
