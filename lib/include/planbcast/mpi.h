/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI side: plan once, broadcast often. The only header that includes <mpi.h>. */
#ifndef PLANBCAST_MPI_H
#define PLANBCAST_MPI_H

#include <math.h>
/* MPI's C++ classes, removed in MPI 3, would need a library of their own. To use them, include <mpi.h> first. */
#if defined(__cplusplus) && !defined(OMPI_SKIP_MPICXX)
#define OMPI_SKIP_MPICXX 1
#endif
#if defined(__cplusplus) && !defined(MPICH_SKIP_MPICXX)
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <planbcast/plan.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- stable ---- */

/** How a plan is chosen. */
typedef enum {
    PLAN_ESTIMATE, /* trust the model */
    PLAN_MEASURE,  /* time the candidates that are expected to be fastest, variants of them, and MPI_Bcast; keep the
                      one that should be fastest by its times and, the more they scatter, by the model */
    PLAN_DUEL,     /* the same with few runs each, for at most a quarter of budget_s, and for messages of up to 16 MiB;
                      the times also correct the predictions for larger messages */
    PLAN_DEFAULT   /* PLAN_DUEL; PLAN_ESTIMATE where a platform is passed */
} plan_mode_t;

/** The times of one candidate at one message size. */
typedef struct {
    size_t size;      /* sizeof(plan_trial_t) */
    size_t bytes;     /* [B] message size */
    const char *name; /* name, slice and window as in plan_candidate_t */
    size_t slice;     /* [B] */
    int window;
    size_t runs;
    const double *sample_s;         /* [runs] [s] from the root's start to the last rank's end, in order of time */
    double median_s, low_s, high_s; /* [s] with the 95% interval */
    bool chosen;
} plan_trial_t;

/** Options of plan_bcast; fill with plan_options_init, then change. Pointers are borrowed during the call. */
typedef struct {
    size_t size;                     /* sizeof(plan_options_t); plan_options_init sets it, and that of `choice` */
    plan_error_t *error;             /* filled on every rank when the call fails; may be NULL */
    plan_mode_t mode;                /* PLANBCAST_MODE=default|estimate|duel|measure */
    const plan_platform_t *platform; /* plan for this machine, neither loading nor measuring; NULL: load or measure */
    const char *load_profile;        /* PLANBCAST_PROFILE: file to load instead of measuring; NULL: measure */
    const char *save_profile;        /* PLANBCAST_SAVE_PROFILE: file to save what was measured; NULL: do not */
    const char *machine;      /* PLANBCAST_MACHINE: file of the machine; NULL: planbcast/machine.json in the user's
                                 configuration folder ($XDG_CONFIG_HOME or ~/.config), or else in /etc. If it lacks
                                 hosts of the communicator, they are measured; it may be absent if save_machine
                                 names it, too */
    const char *save_machine; /* PLANBCAST_SAVE_MACHINE: file to which the machine is added if it is measured: what the
                                 file says stays, and what it lacks is added; NULL: none */
    double budget_s;          /* PLANBCAST_BUDGET: seconds for measuring the machine; timing candidates has as many in
                                 measure mode, and a quarter of them in a duel; default 10 */
    plan_choice_t choice;     /* PLANBCAST_MODEL, PLANBCAST_CANDIDATES, PLANBCAST_SLICE */
    bool check;               /* PLANBCAST_CHECK=1: before each broadcast, compare the bytes, root and plan of all
                                 ranks; if one differs, all fail (plan_execute_error names it) */
    int shortlist; /* candidates that are timed per message size, besides MPI_Bcast and variants of the best, as far as
                      budget_s allows; 0: only MPI_Bcast is timed; default 11 */
    /** Called on rank 0 with explanations (level 0) and progress (level 1), line by line; NULL: none. */
    void (*report)(void *context, int level, const char *line);
    void *report_context;
    /** Called on rank 0, with report_context, for every timed candidate of every message size, after the choice; NULL:
     * not called. The trial is valid during the call only. */
    void (*trial)(void *context, const plan_trial_t *trial);
} plan_options_t;

/** As plan_options_init, which calls it with the size of *options. */
PLAN_API plan_status_t plan_options_read(plan_options_t *options, size_t size, plan_error_t *err);

/**
 * The defaults, overridden by the environment variables that the options name, which are read here.
 *
 * What other calls read: plan_bind PLANBCAST_CHECK; calls that need a machine and have no options->machine
 * XDG_CONFIG_HOME and HOME; the first call on a rank that opens the planner's library PLANBCAST_PLANNER; and calls with
 * NULL for options all variables. Set-user-ID programs are taken to have none of them.
 * \retval PLAN_EINVAL a variable has an invalid value; `err` names it. Options that were not read yet are at their
 *                     defaults
 */
static inline plan_status_t plan_options_init(plan_options_t *options, plan_error_t *err)
{
    return plan_options_read(options, sizeof *options, err);
}

/**
 * Make a plan for broadcasts from `root` of up to max_bytes (larger messages use the last range). Collective.
 *
 * Threads: as for MPI's collectives. With MPI_THREAD_MULTIPLE, several threads may plan and broadcast at once, each on
 * its own communicator and with its own plans; a bound plan serves one thread at a time (others get PLAN_EBUSY). Open
 * MPI 4.1 may hang where several threads make communicators at once, as plan_bcast, plan_bind and MPI_Comm_dup do:
 * there, let one thread make all plans.
 *
 * Only the options of rank 0 of comm count; NULL: the defaults. The plan makes a communicator of the same ranks
 * as `comm`, without its attributes, hints and topology; plan_destroy, which is collective too, frees it.
 *
 * Time: measuring, where no machine is known, takes up to budget_s, in simple cases less. Planning, on rank 0 while the
 * others wait, grows with ranks and links (bench/results/scale.md). Then PLAN_ESTIMATE is done, PLAN_DUEL times
 * candidates for up to a quarter of budget_s, PLAN_MEASURE for up to budget_s. Where an equal communicator has a plan
 * for the same request, its plan is taken, in the time of a few collectives.
 *
 * \param root      0..ranks - 1, the same on all ranks
 * \param max_bytes [B] up to 2^62, the same on all ranks
 * \param plan      the caller's, for plan_destroy; NULL on error
 * \return 0, a plan_status_t (< 0) or an MPI error code (> 0); the same on every rank. No MPI error handler of the
 *         caller is called.
 * \retval PLAN_EINVAL       comm is MPI_COMM_NULL or an intercommunicator; root, max_bytes, mode, budget_s, or a model
 *                           or candidate of options->choice is out of range or unknown; or an environment variable is
 *                           invalid, as in plan_options_init
 * \retval PLAN_EMISMATCH    the platform that was passed or loaded has other ranks than comm, or groups them into hosts
 *                           in another way; or the planner's library is of another build
 * \retval PLAN_EDISAGREE    ranks passed different roots or max_bytes, or some called plan_reduce
 * \retval PLAN_EIO          a file cannot be read or written, or the planner's library not be opened
 * \retval PLAN_EFORMAT      a file is not what it should be
 * \retval PLAN_EUNREACHABLE on the platform that was passed or loaded some rank cannot be reached from root
 * \retval PLAN_EUNSUPPORTED none of the candidates that options->choice allows can be executed
 * \retval PLAN_ETIME        budget_s was too short to measure any rate
 */
PLAN_API int plan_bcast(MPI_Comm comm, int root, size_t max_bytes, const plan_options_t *options, plan_t **plan);

/**
 * Bind a plan made offline to a communicator of as many ranks. Collective: rank 0's plan is sent to all, and hashes are
 * compared; other ranks may pass NULL. Reads PLANBCAST_CHECK from rank 0's environment. A plan that reduces
 * (plan_data_t) is bound as by plan_reduce, any other as by plan_bcast.
 *
 * \param plan the caller's, for plan_destroy; NULL on error
 * \return as plan_bcast
 * \retval PLAN_EINVAL       rank 0 passed no plan, comm is MPI_COMM_NULL or an intercommunicator, or PLANBCAST_CHECK is
 *                           neither 0 nor 1
 * \retval PLAN_EMISMATCH    comm has another number of ranks
 * \retval PLAN_EUNSUPPORTED the plan uses shared memory, and the ranks are not on one host, or /dev/shm has no room;
 *                           or the plan reduces, and a range of it has no trees; or MPI's largest tag is too small
 */
PLAN_API int plan_bind(MPI_Comm comm, const plan_t *offline, plan_t **plan, plan_error_t *err);

/**
 * Broadcast, like MPI_Bcast(buffer, count, datatype, root, comm). Collective, as often as you like. Ranks may pass
 * different (count, datatype) with the same type signature; the message has count * MPI_Type_size(datatype) bytes.
 * There is no agreement beforehand: every rank finds the range from the number of bytes. At intervals, usually before
 * each 512th broadcast, there is a barrier. Contiguous data are sent from and received into the buffer itself, without
 * allocation, except messages of up to 8 KiB by MPI_Bcast, which have a heading. Other data are packed and unpacked
 * slice by slice. No transfer is longer than 64 MiB, whatever the slice size. The buffer has to be in host memory: it
 * is read and written by the processor, so memory of a GPU is not supported, even where the MPI library supports it.
 *
 * \return 0, or the first error of this rank: an MPI error code, such as MPI_ERR_BUFFER for NULL or MPI_ERR_TYPE for a
 *         datatype that is not committed, or
 * \retval PLAN_EINVAL    plan is not bound, MPI is finalised, count is negative, the datatype is MPI_DATATYPE_NULL, or
 *                        there are more than PTRDIFF_MAX bytes
 * \retval PLAN_ENOMEM    no memory to stage non-contiguous data
 * \retval PLAN_EDISAGREE the root broadcasts another number of bytes than this rank passed, or by another plan; or the
 *                        root or another rank above this one has failed. The buffer may have changed
 * \retval PLAN_EUNSUPPORTED inside a host the kernel refused to read the root's buffer, as it does with a device's:
 *                        the buffer lacks data. Later broadcasts are copied in another way
 * \retval PLAN_EBUSY     another thread is in a broadcast by this plan, or one that plan_start began is under way
 * \retval PLAN_EBROKEN   an earlier broadcast by this plan failed in MPI, so that its messages may still arrive. This
 *                        rank runs no further broadcasts by it, and other ranks may wait for it: all have to plan again
 *
 * If one rank fails or passes other arguments, the others get their data, and later broadcasts work: messages carry the
 * number and size of their broadcast, and a rank that cannot take part forwards what it receives. If the root fails,
 * all others return PLAN_EDISAGREE. So do ranks that get data from a rank that cannot stage or unpack a broadcast by
 * rounds (PLAN_RUN_ROUNDS).
 *
 * Ranges of MPI_Bcast (PLAN_RUN_NATIVE) are an exception. If ranks pass different sizes, one of them up to 8 KiB, ranks
 * may hang, as in MPI_Bcast; but data of one broadcast are never taken for those of another. They also wait for a rank
 * that has no memory to unpack more than 8 KiB into a buffer that is not contiguous. PLANBCAST_CHECK=1 finds different
 * arguments before anything is sent.
 */
PLAN_API int plan_execute(plan_t *plan, void *buffer, MPI_Count count, MPI_Datatype datatype);
/** Why the last plan_execute, plan_start, plan_test, plan_wait or plan_reduce_execute by this plan failed on this rank:
 * one line, valid until the next call; "" if it did not. */
PLAN_API const char *plan_execute_error(const plan_t *plan);

/* ---- experimental ---- */

/**
 * Begin a broadcast as by plan_execute, and return without waiting for other ranks. It has ended on this rank when
 * plan_test says so or plan_wait returns; then the plan can begin the next. Until then the buffer may not be changed,
 * or read on ranks other than the root; the datatype may be freed at once.
 *
 * There is no thread behind it. A broadcast under way proceeds, on this rank and so for the ranks below it, while the
 * rank is in plan_start, plan_test, plan_wait or plan_execute, whatever plan they are for. Ranks that compute call
 * plan_test now and then, of one plan for all; one that blocks elsewhere, as in MPI_Barrier, holds up the others, for
 * ever if these have to get there first. A plan_execute by MPI_Bcast (PLAN_RUN_NATIVE) is such a call, too.
 *
 * Any number of plans may have broadcasts under way. All ranks begin those of one communicator, and of its duplicates
 * and others with the same ranks, in the same order, and each of them either by plan_start on all ranks or by
 * plan_execute on all. Ranges of MPI_Bcast call MPI_Ibcast. Plans with a range through shared memory, and with
 * PLANBCAST_CHECK=1 all, begin after those of the same ranks that were begun before have ended.
 *
 * The first plan_start by a plan maps a stack of 1 MiB, of which some pages are used. With a C library other than
 * glibc and in simulated time, plan_start waits, as plan_execute.
 *
 * \return as plan_execute; what is wrong with the arguments of this rank is returned here, after the rank has forwarded
 *         the data of the others, and nothing is under way then; all else by plan_test or plan_wait
 * \retval PLAN_EBUSY a broadcast by this plan is under way, which goes on
 */
PLAN_API int plan_start(plan_t *plan, void *buffer, MPI_Count count, MPI_Datatype datatype);
/**
 * Let all broadcasts under way proceed as far as they can without waiting. *done: whether this plan's has ended on this
 * rank.
 *
 * \return 0, or why the broadcast has failed (then *done is true): as plan_execute; or, with *done false,
 * \retval PLAN_EINVAL no broadcast by this plan is under way, plan is not bound, done is NULL, or MPI is finalised
 * \retval PLAN_EBUSY  another thread is in a call for this plan
 */
PLAN_API int plan_test(plan_t *plan, bool *done);
/** Wait until the plan's broadcast has ended on this rank. Returns as plan_test. */
PLAN_API int plan_wait(plan_t *plan);

/** What a rank has sent, received and copied in broadcasts by a plan; set `size`. Each copy counts once. All in bytes
 * of messages: records, headings and slices without data do not count. */
typedef struct {
    size_t size;       /* sizeof(plan_copies_t) */
    uint64_t sent;     /* [B] to other ranks, by messages; MPI may copy them again */
    uint64_t received; /* [B] by messages */
    uint64_t written;  /* [B] into the shared memory of its host; packed on the way, if need be */
    uint64_t read;     /* [B] out of it; unpacked on the way, if need be */
    uint64_t single;   /* [B] straight out of the root's memory, by the kernel or with XPMEM */
    uint64_t packed;   /* [B] packed into other memory, or unpacked from it: data that is not contiguous, and, for its
                              heading, a short message by MPI_Bcast */
    uint64_t native;   /* [B] of messages by MPI_Bcast, whose own copies are not known */
} plan_copies_t;

/**
 * What this rank has sent, received and copied in broadcasts by this plan since it was bound. Over all ranks of one
 * host, `written`, `read` and `single` divided by the bytes of the messages are the copies per byte: among n ranks
 * through slots of shared memory one in and n - 1 out, by single copies n - 1. Across hosts whose ranks share memory,
 * `received` over a host's ranks is how often a message has entered it. Local, O(1).
 *
 * \param copies  the members but `size` are set
 * \return 0, or
 * \retval PLAN_EINVAL plan is not bound, or one of plan_reduce, or the struct has another size
 */
PLAN_API int plan_copies(const plan_t *plan, plan_copies_t *copies);

/**
 * Make a plan for reductions to `root` of up to max_bytes, as plan_bcast makes one for broadcasts. A reduction along a
 * tree is a broadcast in reverse: trees, slice sizes and windows are planned on the machine with all links reversed,
 * where a rank also needs time to combine what it receives (as long as MPI_SUM of MPI_DOUBLE takes), and compared with
 * MPI_Reduce. The models are those of broadcasts (Nuriyev et al. 2022): how much longer several senders to one rank
 * take than one of them (gamma) is not measured, and is taken to be what one sender to several takes.
 *
 * The plan serves plan_reduce_execute, plan_execute_error and plan_destroy; other calls that execute or review a bound
 * plan return PLAN_EINVAL. Its file (plan_save) says that it reduces: loaded and bound, it does again.
 *
 * \param plan the caller's, for plan_destroy; NULL on error
 * \return as plan_bcast
 * \retval PLAN_EDISAGREE    ranks passed different roots or max_bytes, or some called plan_bcast
 * \retval PLAN_EUNSUPPORTED no candidate that options->choice.only names is made of trees; of several, others are left
 *                           out. "native" is MPI_Reduce
 */
PLAN_API int plan_reduce(MPI_Comm comm, int root, size_t max_bytes, const plan_options_t *options, plan_t **plan);

/**
 * Reduce, like MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm), by a plan of plan_reduce. Collective, as
 * often as you like. All ranks pass the same count and operation, and datatypes with the same signature. At the root,
 * sendbuf may be MPI_IN_PLACE; elsewhere recvbuf is ignored. Buffers have to be in host memory, as of plan_execute.
 *
 * Any datatype and any operation will do, a user's, too. Slices are whole elements. If the operation does not commute,
 * MPI_Reduce runs instead. A rank combines its own slice with that of its first child in the tree, then with those of
 * the others in turn, whatever arrives first: with the same plan, count, datatype and input, results are the same bit
 * by bit, but for what the operation itself leaves open. Another plan may round sums in another way. A rank with
 * children needs memory for the slices in flight: of each tree, the window x (its children + 1) slices at most.
 *
 * \return 0, or the first error of this rank: an MPI error code, such as MPI_ERR_OP for an operation that the datatype
 *         does not have, MPI_ERR_TYPE, or MPI_ERR_BUFFER for NULL, MPI_IN_PLACE on other ranks than the root, or one
 *         buffer for both at the root; or
 * \retval PLAN_EINVAL    plan is not bound or not one of plan_reduce, MPI is finalised, count is negative, datatype is
 *                        MPI_DATATYPE_NULL, or there are more than PTRDIFF_MAX bytes
 * \retval PLAN_ENOMEM    no memory for slices
 * \retval PLAN_EDISAGREE this rank passed another number of bytes, size of elements, or operation of MPI than the root;
 *                        or a rank below it in a tree has failed. At the root, recvbuf may have changed
 * \retval PLAN_EBUSY     another thread is in a reduction by this plan
 * \retval PLAN_EBROKEN   as of plan_execute
 *
 * If a rank fails or passes other arguments, the root returns an error, and later reductions work: the root says to
 * all ranks first what is reduced, and a rank that cannot take part sends empty slices. If the root fails, all others
 * return PLAN_EDISAGREE; if it passes no elements, it returns 0. Up to 8 KiB by MPI_Reduce (PLAN_RUN_NATIVE) are an
 * exception: there, wrong and different arguments do what they do in MPI_Reduce, unless PLANBCAST_CHECK=1 finds them
 * before anything is sent; and in plans with such ranges, so does a negative count or no datatype, whatever the size.
 * Different operations of users, and datatypes that differ but have elements of one size, are not found.
 */
PLAN_API int plan_reduce_execute(plan_t *plan, const void *sendbuf, void *recvbuf, MPI_Count count,
                                 MPI_Datatype datatype, MPI_Op op);

/** What plan_review found; set `size`. The same on every rank. */
typedef struct {
    size_t size;                   /* sizeof(plan_review_t) */
    size_t bytes;                  /* [B] size of the messages that were compared; 0: there were too few */
    int broadcasts;                /* how many of that size */
    double measured_s;             /* [s] from the root's start to the last arrival */
    double predicted_s;            /* [s] by the machine */
    bool off;                      /* they stay off by more than 30% */
    char resource[128];            /* what explains it best, such as "inbound trunk of site 1"; "": nothing does */
    double was_bytes_per_s;        /* [B/s] its rate in the machine */
    double now_bytes_per_s;        /* [B/s] its rate as the broadcasts tell or, if `measured`, as measured again */
    bool measured, saved, renewed; /* that rate; the machine's file; the plan */
    char text[384];                /* the same in a line for people */
} plan_review_t;

/**
 * Compare the times of a plan's last broadcasts with the prediction, and name the resource that explains the
 * difference.
 *
 * Each rank keeps the times of its last 16 broadcasts of 64 KiB or more down trees. Here they are collected; nothing is
 * sent before. Ranks that began a broadcast late do not make it look slow: it counts from when the last rank began.
 * Four broadcasts of one size are needed, which are predicted to take 1 ms at least; of several sizes the one that
 * takes longest is compared.
 *
 * Collective; only the options and `renew` of rank 0 count, as of plan_bcast. The machine is that of options->platform,
 * of options->load_profile, of this job or of options->machine.
 *
 * \param renew if broadcasts are off, measure that resource again, and only that; if it has not changed, the next best
 *              explanation, at most eight. If one has, its rate is updated in this job's machine and in the file
 *              options->save_machine, where all else stays (a file without that host or group stays as it is, and a
 *              line of the report says so), and *plan is replaced by a new one, as by plan_destroy and plan_bcast. Each
 *              takes up to a second or so. Cards and trunks can be measured, but not with options->platform or
 *              options->load_profile. Where the hosts of the communicator send or take no more than the machine says
 *              of their other cards and trunks, a rate is not lowered, for the resource may carry more
 * \return as plan_bcast; *plan is unchanged then
 * \retval PLAN_EINVAL       the plan is not bound, or the struct has another size
 * \retval PLAN_EBUSY        a broadcast by it is under way on this rank (plan_start); other ranks are not told
 * \retval PLAN_EUNSUPPORTED no machine with all hosts is known
 * \retval PLAN_EMISMATCH    the platform that was passed has other ranks than the plan, or the one that was loaded
 * groups them into hosts in another way, too
 */
PLAN_API int plan_review(plan_t **plan, const plan_options_t *options, bool renew, plan_review_t *review);

/** A measured machine: a platform, the raw samples and how they were taken. */
typedef struct plan_profile plan_profile_t;

/** Measure the machine under comm. Collective; rank 0 of comm receives the profile, NULL on error, the others NULL
 * (`out` may be NULL there). Only rank 0's options count, NULL: the defaults. Returns as plan_bcast. */
PLAN_API int plan_measure(MPI_Comm comm, const plan_options_t *options, plan_profile_t **out);
/** Free a profile; sets *profile to NULL. NULL-safe. */
PLAN_API void plan_profile_destroy(plan_profile_t **profile);
/** The platform in it; lives as long as the profile. */
PLAN_API const plan_platform_t *plan_profile_platform(const plan_profile_t *profile);
/**
 * Write a profile file: JSON, format "planbcast-profile", version 1. "platform" holds a platform
 * (planbcast/platform.h), which is all that planning needs. The other members say how it was measured: "provenance"
 * (versions, hosts, date, seconds), "method", "classes" and "memory" (derived quantities), "samples" (every experiment
 * with its raw times; of flows, up to 8 arrivals).
 *
 * \retval PLAN_EIO the file cannot be written
 */
PLAN_API plan_status_t plan_profile_save(const plan_profile_t *profile, const char *path, plan_error_t *err);
/**
 * Read a profile file.
 * \retval PLAN_EIO     it cannot be read
 * \retval PLAN_EFORMAT it is not a profile of version 1; `err` names the file, the place and the remedy
 */
PLAN_API plan_status_t plan_profile_load(const char *path, plan_profile_t **out, plan_error_t *err);

/** Seconds by this host's clock, the same for all its processes (unlike MPI_Wtime of Open MPI, which starts at zero in
 * each process). */
PLAN_API double plan_clock(void);
/**
 * Synchronise clocks: plan_clock() + *offset_s is rank 0's plan_clock(), with an error of up to half a round trip for
 * each of log2 P steps. If an offset of 0 is within the error, it is 0. Collective. Clocks drift: call it again before
 * each measurement of some milliseconds.
 *
 * \param comm an intracommunicator without other active messages
 * \return 0, PLAN_EINVAL without a communicator or a place for the offset, or an MPI error code
 */
PLAN_API int plan_clock_sync(MPI_Comm comm, double *offset_s);

/**
 * Start a timed broadcast: all ranks return at the same instant of the synchronised clock, as nearly as shared
 * processors allow (Hunold, Carpen-Amarie 2016, window-based synchronisation). A barrier would distort times, as ranks
 * leave it one after the other, in the same order each time. A rank that leaves late and has to forward a small message
 * makes the broadcast look slow. If the last rank leaves long after the first, part of the broadcast is hidden.
 * Collective.
 *
 * \param offset_s  from plan_clock_sync; a wrong one costs time, but no rank waits much longer than the others took to
 *                  arrive
 * \return 0, PLAN_EINVAL without a communicator, or an MPI error code
 */
PLAN_API int plan_line_up(MPI_Comm comm, double offset_s);

/** A rank's part of a timed broadcast; reduced over the ranks by MPI_MAX as two doubles. */
typedef struct {
    double end_s, minus_start_s; /* in synchronised time; only the root gives its start */
} plan_span_t;

/** A rank's part, in times of its own clock, with the offset of plan_clock_sync. The start of the root alone counts. */
static inline plan_span_t plan_span(bool root, double start_s, double end_s, double offset_s)
{
    plan_span_t span = {end_s + offset_s, root ? -(start_s + offset_s) : -HUGE_VAL};
    return span;
}

/** [s] From the root's start to the last rank's end. A rank that begins late, after the message has arrived, cannot
 * make it look fast. */
static inline double plan_span_seconds(plan_span_t all)
{
    return all.end_s + all.minus_start_s;
}

#ifdef __cplusplus
}
#endif
#endif
