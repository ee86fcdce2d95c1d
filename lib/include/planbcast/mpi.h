/* The MPI side: plan once, broadcast often. The only header that includes <mpi.h>. */
#ifndef PLANBCAST_MPI_H
#define PLANBCAST_MPI_H

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <planbcast/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    PLAN_ESTIMATE, /* trust the model */
    PLAN_MEASURE   /* time the best few candidates, MPI_Bcast among them, and keep the fastest */
} plan_mode_t;

/** Options of plan_bcast; fill with plan_options_init, then change. Pointers are borrowed during the call. */
typedef struct {
    plan_mode_t mode;                /* PLANBCAST_MODE=estimate|measure */
    const plan_platform_t *platform; /* plan for this machine, neither loading nor measuring; NULL: load or measure */
    const char *load_profile;        /* PLANBCAST_PROFILE: file to load instead of measuring; NULL: measure */
    const char *save_profile;        /* PLANBCAST_SAVE_PROFILE: file to save what was measured; NULL: do not */
    double budget_s;                 /* PLANBCAST_BUDGET: seconds for measuring the machine, and as many again for
                                        timing candidates in measure mode; default 10 */
    bool calibrate;                  /* PLANBCAST_CALIBRATE=1: after measuring, see what the model makes of each
                                        algorithm, for half of budget_s; the profile keeps it */
    plan_choice_t choice;            /* PLANBCAST_MODEL, PLANBCAST_CANDIDATES, PLANBCAST_SLICE */
    int finalists;                   /* measure mode: so many candidates are timed per size at least, as far as budget_s
                                        goes; default 4 */
    /** Called on the deciding rank with progress lines and explanations; NULL: silence. level 0 result, 1 progress. */
    void (*report)(void *context, int level, const char *line);
    void *report_context;
    plan_error_t *error; /* filled on every rank when the call fails; may be NULL */
} plan_options_t;

/**
 * The defaults, overridden by the environment, which is read here and nowhere else.
 * \retval PLAN_EINVAL a variable's value is not one that it may have; `err` names it; *options holds the defaults, and
 *                     what variables before it said
 */
PLAN_API plan_status_t plan_options_init(plan_options_t *options, plan_error_t *err);

/**
 * Make a plan for broadcasts from `root` of up to max_bytes (larger ones run by the last range). Collective.
 *
 * Threads: as MPI's collectives. Where MPI_THREAD_MULTIPLE is provided, several threads may plan and broadcast at once,
 * each on a communicator and with plans of its own; a bound plan serves one thread at a time.
 *
 * The options that count are those of rank 0 of comm. NULL: the defaults. `comm` is duplicated; the plan owns the
 * duplicate and plan_destroy, collective too, frees it. A platform that is passed or loaded must have as many ranks as
 * comm, grouped into hosts as they are here: PLAN_EMISMATCH. All ranks pass the same root and max_bytes:
 * PLAN_EDISAGREE.
 *
 * \return 0, a plan_status_t (< 0) or an MPI error code (> 0); the same on every rank. No MPI error handler of the
 *         caller is called.
 */
PLAN_API int plan_bcast(MPI_Comm comm, int root, size_t max_bytes, const plan_options_t *options, plan_t **plan);

/** Bind a plan made offline to a communicator of as many ranks. Collective: rank 0's plan travels, hashes are compared;
 * the other ranks' is not looked at and may be NULL. Returns as plan_bcast; PLAN_EMISMATCH: comm has another number of
 * ranks; PLAN_EUNSUPPORTED: the plan goes through shared memory, and they are not on one host. */
PLAN_API int plan_bind(MPI_Comm comm, const plan_t *offline, plan_t **plan, plan_error_t *err);

/**
 * Broadcast, like MPI_Bcast(buffer, count, datatype, root, comm). Collective, as often as you like. Ranks may pass
 * different (count, datatype) with the same type signature. No communication beyond the broadcast's own: every rank
 * picks the range by the number of bytes. Contiguous data go from and to the buffer itself and allocate nothing; others
 * are packed and unpacked in pieces as slices come and go. No transfer is longer than 64 MiB, whatever the slice size.
 *
 * \return 0, or the first error of this rank: an MPI error code, or
 * \retval PLAN_EINVAL    plan is not bound, count is negative, or the bytes are more than a size_t counts
 * \retval PLAN_ENOMEM    no memory to stage non-contiguous data
 * \retval PLAN_EDISAGREE a slice came shorter than it should: the ranks broadcast different numbers of bytes, or a rank
 *                        above this one has failed
 *
 * A rank that fails goes on sending, empty slices if it must: others do not hang. A slice that is too long is an error
 * of MPI (MPI_ERR_TRUNCATE), which MPICH hands to the error handler of MPI_COMM_WORLD.
 */
PLAN_API int plan_execute(plan_t *plan, void *buffer, MPI_Count count, MPI_Datatype datatype);

/** A measured machine: a platform, the raw samples and how they were taken. */
typedef struct plan_profile plan_profile_t;

/** Measure the machine under comm. Collective; rank 0 of comm receives the profile, the others NULL (`out` may be NULL
 * there). Only rank 0's options count, NULL: the defaults. Returns as plan_bcast. */
PLAN_API int plan_measure(MPI_Comm comm, const plan_options_t *options, plan_profile_t **out);
PLAN_API void plan_profile_destroy(plan_profile_t **profile);
/** The platform in it; lives as long as the profile. */
PLAN_API const plan_platform_t *plan_profile_platform(const plan_profile_t *profile);
/**
 * Profile files: JSON, format "planbcast-profile", version 1: "platform" holds a platform (planbcast/platform.h), all
 * that planning needs. The rest says how it was found: "provenance" (versions, hosts, date, seconds), "method",
 * "classes" and "memory" (what was derived), "samples" (every experiment; raw, of flows some arrivals).
 *
 * \retval PLAN_EIO     the file cannot be read or written
 * \retval PLAN_EFORMAT it is not a profile of version 1; `err` names file, place and mend
 */
PLAN_API plan_status_t plan_profile_save(const plan_profile_t *profile, const char *path, plan_error_t *err);
PLAN_API plan_status_t plan_profile_load(const char *path, plan_profile_t **out, plan_error_t *err);

/** Seconds by this host's clock. MPI_Wtime of Open MPI starts at zero in each process. */
PLAN_API double plan_clock(void);
/**
 * A clock that all ranks share: plan_clock() + *offset_s is rank 0's plan_clock(), to within half a round trip for each
 * of log2 P turns. Clocks that may be one for all that was seen are taken as one (offset 0). Collective; clocks drift:
 * call it again before each measurement of some milliseconds.
 *
 * \return 0, PLAN_EINVAL without a communicator or a place for the offset, or an MPI error code; on intracommunicators
 *         where no other message is under way
 */
PLAN_API int plan_clock_sync(MPI_Comm comm, double *offset_s);

/**
 * The start of a broadcast that is timed: all ranks go on at the same instant of the clock that they share, as nearly
 * as processors that they share let them (Hunold, Carpen-Amarie 2016, window-based synchronisation). A barrier's ranks
 * leave it one after the other, in an order of its own: whoever has to pass a small message on makes it slow if it left
 * late, and where the last leaves a long latency after the first, what follows is hidden. Collective.
 *
 * \param offset_s  as of plan_clock_sync; nonsense costs time, but nobody waits much longer than others took to come
 * \return 0, PLAN_EINVAL without a communicator, or an MPI error code
 */
PLAN_API int plan_line_up(MPI_Comm comm, double offset_s);

/** What a rank tells of a broadcast that is timed; reduced over the ranks by MPI_MAX as two doubles. */
typedef struct {
    double end_s, minus_start_s; /* in shared time; only the root tells its start */
} plan_span_t;

static inline plan_span_t plan_span(bool root, double start_s, double end_s, double offset_s)
{
    plan_span_t span = {end_s + offset_s, root ? -(start_s + offset_s) : -HUGE_VAL};
    return span;
}

/** From the root's start to the last rank's end [s]: ranks that came late, when the message had long arrived, do not
 * make it look fast. */
static inline double plan_span_seconds(plan_span_t all)
{
    return all.end_s + all.minus_start_s;
}

/**
 * Time one candidate (or MPI_Bcast, for PLAN_RUN_NATIVE) as broadcast of `bytes` bytes: from the root's start to the
 * last rank's end (plan_clock_sync), the median over repetitions until its 95% interval is within 2.5% or `budget_s`
 * [s] is spent. Collective; `c` is significant at rank 0 of comm alone. *seconds is set on every rank. Returns as
 * plan_bcast.
 */
PLAN_API int plan_time_candidate(MPI_Comm comm, int root, const plan_candidate_t *c, size_t bytes, double budget_s,
                                 double *seconds);

#ifdef __cplusplus
}
#endif
#endif
