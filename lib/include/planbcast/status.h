/* SPDX-License-Identifier: BSD-3-Clause */
/* Status codes and error messages. */
#ifndef PLANBCAST_STATUS_H
#define PLANBCAST_STATUS_H

#if defined(__GNUC__) && defined(PLANBCAST_BUILDING)
#define PLAN_API __attribute__((visibility("default")))
#else
#define PLAN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- stable ---- */

/**
 * Status of a call. 0 is success and every failure is negative, so that functions that call MPI can return an `int`:
 * 0 done, < 0 a plan_status_t, > 0 an MPI error code.
 */
typedef enum {
    PLAN_OK = 0,
    PLAN_ENOMEM = -1,        /* out of memory */
    PLAN_EINVAL = -2,        /* an argument is out of its range, or NULL where none may be */
    PLAN_EIO = -3,           /* a file cannot be read or written */
    PLAN_EFORMAT = -4,       /* a file or text is not what it should be */
    PLAN_EUNREACHABLE = -5,  /* a rank cannot be reached from the root */
    PLAN_ENOTREE = -6,       /* not a spanning tree, or it uses a link that the platform lacks */
    PLAN_ESOLVER = -7,       /* the linear programming solver failed */
    PLAN_ETIME = -8,         /* a time limit passed before there was any result */
    PLAN_EMISMATCH = -9,     /* profile, plan and communicator are incompatible */
    PLAN_EDISAGREE = -10,    /* ranks hold different plans or passed different arguments */
    PLAN_EUNSUPPORTED = -11, /* a valid request that this build or platform cannot serve */
    PLAN_EBUSY = -12,        /* a broadcast by the same plan is under way, or another thread is in one */
    PLAN_EBROKEN = -13       /* an earlier broadcast by this plan failed in MPI: plan again */
} plan_status_t;

/** One line of explanation; NULL is accepted wherever a function takes a `plan_error_t *`. */
typedef struct {
    plan_status_t status;
    char text[480]; /* names the file, the place and the remedy; no newline; "" after success */
} plan_error_t;

/** A short constant text for a status; never NULL. */
PLAN_API const char *plan_status_string(plan_status_t status);

#ifdef __cplusplus
}
#endif
#endif
