/* Random broadcasts for as long as one likes, each checked byte by byte: bench/endurance/README.md says how. */
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

/* A generator that depends on all four and on nothing else, so that any rank can have that of another. */
rng_t rng_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d);
uint64_t rng_next(rng_t *r);
size_t rng_below(rng_t *r, size_t n); /* 0 for n == 0 */
bool rng_one_in(rng_t *r, size_t n);
/* Bytes that `seed` names. */
void fill_bytes(uint64_t seed, unsigned char *out, size_t n);

/* --- datatypes, and where their bytes lie
 * ------------------------------------------------------------------------------
 */

/* Bytes that lie side by side in memory and in packed order. */
typedef struct {
    MPI_Aint at;
    size_t len;
} run_t;

/* A datatype, and what MPI's standard says that it means: its bytes in packed order. */
typedef struct {
    MPI_Datatype type;
    size_t bytes; /* packed */
    size_t nruns, room;
    run_t *run;
    MPI_Aint lb, extent;
    MPI_Aint low, high; /* bytes lie in [low, high) */
    bool hollow;        /* has parts of no bytes */
} shape_t;

/* n elements of a predefined type, however nested; committed. */
shape_t shape_elements(rng_t *r, MPI_Datatype base, int n, int depth);
/* Any mixture of predefined types. */
shape_t shape_mixture(rng_t *r, int depth);
void shape_free(shape_t *s);
/* Append what lies in `inner`, `shift` bytes further on. */
void shape_append(shape_t *s, const shape_t *inner, MPI_Aint shift);
/* Whether no byte belongs to two places of the message. */
bool shape_is_disjoint(const shape_t *s);

/* Append how a type was constructed: constructor(integers; addresses, types). */
void describe_type(MPI_Datatype type, char *out, size_t room);

/* --- a rank's buffer of one broadcast
 * ----------------------------------------------------------------------------------
 */

typedef enum { LAYOUT_BYTES, LAYOUT_SAME, LAYOUT_OWN, LAYOUT_MIXTURE, LAYOUTS } layout_kind_t;

typedef struct {
    void *buffer; /* these three are what MPI_Bcast takes */
    MPI_Count count;
    MPI_Datatype type;
    unsigned char *memory; /* [size] with guards at both ends */
    size_t size;
    shape_t whole;   /* count elements of the type; its `type` is what is freed */
    MPI_Aint origin; /* index in memory of displacement 0 */
    uint64_t before; /* seed of what memory holds at first */
} layout_t;

/* About `bytes` bytes, and exactly that many but for mixtures; `common` is the same generator on all ranks, `own`
 * differs from rank to rank; `hollow`: parts of a type may have no bytes. */
void layout_create(layout_kind_t kind, bool hollow, size_t bytes, rng_t *common, rng_t *own, layout_t *out);
void layout_destroy(layout_t *l);
/* Fill memory; with_message: the bytes that the seed names in their place, as at the root. */
void layout_fill(layout_t *l, bool with_message, uint64_t message);
typedef enum { CONTENT_MESSAGE, CONTENT_BEFORE, CONTENT_ANY } content_t;
/* How many bytes of memory are wrong: it should hold the message in its place, or what was there before, or anything,
 * and around it what was there before. A line about the first of them, if any. */
size_t layout_check(const layout_t *l, content_t content, uint64_t message, char *line, size_t room);
/* Whether MPI itself moves this layout's bytes as its standard says: a message from this rank to itself, both ways. */
bool layout_is_right_in_mpi(layout_t *l, uint64_t message);

/* --- candidates and plans
 * -----------------------------------------------------------------------------------------------
 */

enum { MOST_NAMES = 64 };

typedef struct {
    int n;
    char name[MOST_NAMES][64];
} names_t;

/* All that can be forced, where `shared` (all ranks on one host) with shared memory. */
bool candidates_list(bool shared, names_t *names);
/* Which of them a name is; -1: none. */
int candidates_find(const names_t *names, const char *name);
/* Of rank 0 alone: a plan of some ranges of sizes, the first by names->name[first]; NULL if that fails. */
plan_t *candidates_plan(const names_t *names, int first, int ranks, int root, size_t most, rng_t *r);
void candidates_forget(void);

/* --- messages of the user's own
 * -----------------------------------------------------------------------------------------
 */

typedef struct traffic traffic_t;

/* Messages between ranks of comm, some of them under way before, between and after `steps` broadcasts, received from
 * MPI_ANY_SOURCE with MPI_ANY_TAG. */
traffic_t *traffic_create(MPI_Comm comm, int steps, rng_t *common);
/* What is due before broadcast `step`, or, behind the last, all that is left. The number of wrong messages. */
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
    int patience_s;     /* until a case counts as hanging */
    bool hollow;        /* datatypes with parts of no bytes, too */
    bool check;         /* PLANBCAST_CHECK=1 */
    bool misuse;        /* wrong arguments, too */
    const char *ready;  /* file to make once all ranks have met; NULL: none */
    long tell;          /* the broadcast of each case of which all buffers are described; -1: none */
    const char *only;   /* candidate forced in all cases, or NULL */
    const char *replay; /* the command that runs this again, without seed and case */
} options_t;

/* Status 0, or 2 after one line on bad usage, 1 after --help. */
int options_read(int argc, char **argv, options_t *o);

enum { NATIVE = MOST_NAMES, COUNTERS = MOST_NAMES + 1 }; /* MPI_Bcast of the user's own */

typedef struct {
    long long broadcasts[COUNTERS];      /* counted at rank 0 of each communicator */
    long long rank_broadcasts[COUNTERS]; /* counted everywhere */
    long long layouts[LAYOUTS];          /* counted everywhere */
    long long messages;                  /* of the user's own */
    long long left_out;                  /* layouts that MPI itself moves wrongly, at some rank */
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

/* From now on, if nothing else is said for `seconds`, this process says what it was doing, and ends. */
void watch_start(int seconds);
/* What thread `thread` is doing: `line` stays valid until the next call. */
void watch_say(int thread, const char *line);
/* Let others have the processor, or sleep. */
void give_way(void);
void nap(double seconds);
/* A process that stops this one now and then for up to three seconds, until it ends. */
void watch_stop_at_times(double mean_s, uint64_t seed);

#endif
