/* Many messages at once between many processes: postal, max-rate and staircase models. */
#ifndef LIT_CONTENTION_H
#define LIT_CONTENTION_H

#include <stddef.h>
#include <planbcast/status.h>

/** The levels of a machine: within a socket, between the sockets of a host, between hosts. */
typedef enum { LIT_ON_SOCKET, LIT_OFF_SOCKET, LIT_OFF_HOST, LIT_LEVELS } lit_level_t;

typedef enum {
    LIT_POSTAL,   /* eq. (1): every message has the bandwidth of one pair, a process's messages one after the other */
    LIT_MAX_RATE, /* eq. (10): a limit on the total bandwidth of all messages */
    LIT_STAIRCASE /* eqs (7)-(9), (12)-(18): the bandwidth is shared among those that still have data to receive */
} lit_contention_t;

const char *lit_contention_name(lit_contention_t model); /* "postal"; NULL: there is no such model */
plan_status_t lit_contention_from_name(const char *name, lit_contention_t *model);

/** BW_MP(N): total bandwidth of N receiving processes of a group (a socket; a host for LIT_OFF_HOST). Borrowed. */
typedef struct {
    double tau_s;              /* start-up of a message [s] */
    size_t n;                  /* >= 1 */
    const int *receivers;      /* [n] N, ascending; the first is 1: BW_SP, of one pair */
    const double *bytes_per_s; /* [n] BW_MP(N), linear in between; the last one, BW_max, holds beyond */
} lit_bandwidth_t;

typedef struct {
    int from, to;
    double bytes;
} lit_message_t;

/** The level of a message whose ends are on these sockets and hosts. */
lit_level_t lit_message_level(const int *socket, const int *host, const lit_message_t *message);

/** BW_MP(N) [B/s]; NAN if the table is not valid or N < 1. */
double lit_bandwidth(const lit_bandwidth_t *table, double receivers);

/**
 * [s] When each process has received and delivered all its messages, all of which start at once.
 *
 * Thune, Reinemo, Skeie, Cai 2023, section III. The times of messages within hosts (both levels compete for memory) and
 * between hosts are added, eq. (18). The postal and max-rate models count received messages only, and add the levels;
 * V_total and N of eq. (10) are those of one level of a group, with N the number of receiving processes.
 *
 * \param socket [processes] socket numbers; different numbers within one host are LIT_OFF_SOCKET
 * \param host   [processes]
 * \param table  [LIT_LEVELS]; levels that no message crosses may have n == 0
 * \param[out] seconds [processes]; untouched on error
 * \retval PLAN_EINVAL  a process out of range, a message to itself, bytes negative or not finite, a socket in two
 * hosts, or a table that is missing or not positive
 *
 * O(messages log messages + processes^2) time, O(messages + processes) space.
 */
plan_status_t lit_predict_messages(lit_contention_t model, const lit_bandwidth_t *table, int processes,
                                   const int *socket, const int *host, size_t nmessages, const lit_message_t *message,
                                   double *seconds);

/** Eq. (11): the sum of |actual - predicted| over the sum of actual; NAN if that is 0. */
double lit_total_relative_error(size_t n, const double *actual, const double *predicted);

#endif
