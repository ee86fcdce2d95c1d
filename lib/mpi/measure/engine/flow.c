/* SPDX-License-Identifier: BSD-3-Clause */
/* Flows: streams of slices with a window of them in flight, many flows at once, for a fixed time.
 *
 * The receiver sends a credit (an empty acknowledgement) for every quarter of a window; where slices grow and the
 * sender notes when they arrive, for every slice. So queues and socket buffers hold no more than a window; otherwise a
 * sender would end long before its bytes have crossed a slow link. The first credit says that the receiver is ready and
 * its clock runs: nothing is sent before. When its time is over, the sender completes each receive that is still posted
 * with an empty message. */
#include "lib/mpi/measure/engine/engine.h"
#include "lib/mpi/execute/binding.h"
#include "lib/mpi/comm/simulator.h"
#include "lib/mpi/comm/wait.h"
#include <math.h>
#include <sched.h>

enum { TAG_SLICE = 10, TAG_CREDIT };
enum { GROWING_LEAST = 8192 };

/* The samples of a flow: bytes and the time of arrival of every `stride`-th slice. */
typedef struct {
    plani_result_t *result;
    double start; /* [s] MPI_Wtime */
    int stride;
    long skipped;              /* arrivals so far */
    double last_s, last_bytes; /* [s] after start, [B]: of the last arrival; flows in blocks: at first of their start */
} log_t;

typedef struct {
    const plani_task_t *task;
    log_t log;
    MPI_Request *send;             /* [window] */
    MPI_Request *credit;           /* [1] */
    int window, every;             /* slices in flight; slices per credit */
    long sent, acknowledged, ends; /* slices; ends: empty messages after them */
    long done;                     /* completed sends, empty ones among them; only where ranks must block */
    double start, bytes_acknowledged;
    int size[2 * PLANI_WINDOW_MOST];       /* [B] of recent slices, a ring */
    int block;                             /* flows in blocks: [B] slice size now */
    long since;                            /* slices sent before the first of that size */
    double changed;                        /* [s] when that one was sent */
    bool ready, going, over, credited_all; /* ready: the first credit has come; going: and its delay is over */
} out_flow_t;

typedef struct {
    const plani_task_t *task;
    log_t log;
    MPI_Request *recv;   /* [window] */
    MPI_Request *credit; /* [1] */
    char *buffer;        /* [window * slice] */
    int window, every, slice, ends;
    int size; /* [B] largest slice so far */
    long got;
    double bytes;
} in_flow_t;

typedef struct {
    out_flow_t out[PLANI_FLOWS];
    in_flow_t in[PLANI_FLOWS];
    int nout, nin, n; /* n requests */
    MPI_Request request[2 * PLANI_FLOWS * (PLANI_WINDOW_MOST + 1)];
} traffic_t;

static int largest(const plani_task_t *t)
{
    return t->bytes < 0 ? -t->bytes : t->bytes;
}

/* [B] Flows in blocks: slices of a growing flow grow until a window lasts long, apart from the latencies in which
 * nothing is on its way. */
static int block_size(out_flow_t *f)
{
    double now = MPI_Wtime(), wanted = PLANI_BLOCK_LATENCIES * f->task->latency;

    if (f->task->bytes > 0) return f->task->bytes;
    if (f->block == 0) f->block = PLANI_BLOCK_LEAST, f->changed = now;
    if (f->sent != f->since + f->window) return f->block; /* the first of its window has arrived, and so have all */
    int size = f->block;
    double lasts = now - f->changed - PLANI_BLOCK_IDLE * f->task->latency;
    for (; lasts < 0.7 * wanted && 2 * size <= -f->task->bytes; lasts *= 2) size *= 2;
    if (size > f->block) f->block = size, f->since = f->sent, f->changed = now;
    return size;
}

/* [B] Slices double up to a sixteenth of the bytes acknowledged so far. So the size suits links of any rate, and with a
 * window of 8 the bytes in flight at the end take no longer than half of the flow's time. */
static int next_size(out_flow_t *f)
{
    int size = GROWING_LEAST;

    if (PLANI_FLOWS_IN_BLOCKS) return block_size(f);
    if (f->task->bytes > 0) return f->task->bytes;
    while (size < -f->task->bytes && 2 * size < f->bytes_acknowledged / 16) size *= 2;
    return size < -f->task->bytes ? size : -f->task->bytes;
}

/* Log one arrival in `stride`; when the log is full, drop every other entry and double `stride`. */
static void note_at(log_t *log, double seconds, double bytes)
{
    plani_result_t *r = log->result;

    log->last_s = seconds, log->last_bytes = bytes;
    if (log->skipped++ % log->stride != 0) return;
    if (r->n == PLANI_LOG) {
        for (int i = 0; i < PLANI_LOG / 2; i++) r->a[i] = r->a[2 * i], r->b[i] = r->b[2 * i];
        r->n = PLANI_LOG / 2;
        log->stride *= 2;
    }
    r->a[r->n] = seconds;
    r->b[r->n++] = bytes;
}

static void note(log_t *log, double bytes)
{
    note_at(log, MPI_Wtime() - log->start, bytes);
}

/* Of a flow in blocks only arrivals of its final slice size count; its first entry is when the first of them could be
 * sent: the start, or the last arrival before them. */
static void begin_again(log_t *log)
{
    log->result->n = 0;
    log->skipped = 0;
    log->stride = 1;
    note_at(log, log->last_s, log->last_bytes);
}

/* Never before a window has been sent, so that there are at least two samples. Flows in blocks need several samples of
 * one size. */
static bool time_is_over(const out_flow_t *f)
{
    long windows = (f->sent - f->since) / f->window;

    if (PLANI_FLOWS_IN_BLOCKS && (windows < f->task->blocks || (f->sent - f->since) % f->window != 0)) return false;
    return windows >= 1 && MPI_Wtime() >= f->start + f->task->seconds;
}

/* [s] How long a flow that is ready still has to wait. */
static double to_wait(const out_flow_t *f)
{
    return f->log.start + f->task->latency + f->task->delay - MPI_Wtime();
}

/* Send as much as the window and the time allow. */
static int push(plani_engine_t *engine, out_flow_t *f)
{
    int rc = MPI_SUCCESS;

    if (!f->ready || (f->task->delay > 0 && !f->going && to_wait(f) > 0)) return rc;
    if (!f->going) {
        f->going = true;
        f->start = MPI_Wtime();
        f->log.last_s = f->start - f->log.start;
    }
    while (rc == MPI_SUCCESS && f->ends < f->window) {
        f->over = f->over || time_is_over(f);
        MPI_Request *slot = &f->send[(f->sent + f->ends) % f->window];
        if (*slot != MPI_REQUEST_NULL || (!f->over && f->sent - f->acknowledged >= f->window)) break;
        int size = f->over ? 0 : next_size(f);
        rc = plani_send(engine->out, (size_t)size, f->task->to, TAG_SLICE, engine->comm, false, slot);
        if (f->over)
            f->ends++;
        else
            f->size[f->sent++ % (2 * PLANI_WINDOW_MOST)] = size;
    }
    return rc;
}

/* A credit came: `every` more slices have arrived. The first credit starts the flow; the last, which answers the empty
 * messages, ends it. */
static int credited(plani_engine_t *engine, out_flow_t *f)
{
    if (!f->ready) {
        f->ready = true;
        return MPI_Irecv(NULL, 0, MPI_BYTE, f->task->to, TAG_CREDIT, engine->comm, f->credit);
    }
    if (f->over && f->acknowledged + f->every > f->sent) {
        f->credited_all = true;
        return MPI_SUCCESS;
    }
    for (int k = 0; k < f->every; k++) {
        if (PLANI_FLOWS_IN_BLOCKS && f->acknowledged == f->since) begin_again(&f->log);
        f->bytes_acknowledged += f->size[f->acknowledged++ % (2 * PLANI_WINDOW_MOST)];
    }
    if (f->task->at_sender) note(&f->log, f->bytes_acknowledged);
    return MPI_Irecv(NULL, 0, MPI_BYTE, f->task->to, TAG_CREDIT, engine->comm, f->credit);
}

static bool sent_all(const out_flow_t *f)
{
    for (int k = 0; k < f->window; k++)
        if (f->send[k] != MPI_REQUEST_NULL) return false;
    return f->ends == f->window && f->credited_all;
}

/* Send a credit. The wait is short: the credit before is an empty message whose receive is posted. */
static int credit(plani_engine_t *engine, in_flow_t *f)
{
    int rc = MPI_Wait(f->credit, MPI_STATUS_IGNORE);

    return rc != MPI_SUCCESS ? rc : MPI_Isend(NULL, 0, MPI_BYTE, f->task->from, TAG_CREDIT, engine->comm, f->credit);
}

static int post(plani_engine_t *engine, in_flow_t *f, int slot)
{
    /* Flows in blocks use one buffer for all slices: with long latencies the windows exceed the pool. */
    char *place = PLANI_FLOWS_IN_BLOCKS ? engine->in : f->buffer + (size_t)slot * (size_t)f->slice;
    return MPI_Irecv(place, f->slice, MPI_BYTE, f->task->from, TAG_SLICE, engine->comm, &f->recv[slot]);
}

static int arrived(plani_engine_t *engine, in_flow_t *f, int slot, const MPI_Status *status)
{
    int bytes = 0, rc = MPI_Get_count(status, MPI_BYTE, &bytes);

    if (rc != MPI_SUCCESS) return rc;
    if (bytes == 0) return ++f->ends == f->window ? credit(engine, f) : MPI_SUCCESS;
    f->bytes += bytes;
    if (PLANI_FLOWS_IN_BLOCKS && bytes > f->size) begin_again(&f->log), f->size = bytes;
    if (!f->task->at_sender) note(&f->log, f->bytes);
    rc = post(engine, f, slot);
    if (++f->got % f->every == 0 && rc == MPI_SUCCESS) rc = credit(engine, f);
    return rc;
}

static int slices_per_credit(const plani_task_t *t)
{
    bool noted = t->at_sender && t->bytes < 0 && !PLANI_FLOWS_IN_BLOCKS;

    return noted || t->window < 4 ? 1 : t->window / 4;
}

/* List the flows that start or end at this rank, and give each its requests and buffers. */
static void lay_out(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result, traffic_t *t)
{
    size_t used = 0;
    double now = MPI_Wtime(); /* one start for all flows of this rank, so that their samples can be merged */

    t->nout = t->nin = t->n = 0;
    for (size_t i = 0; i < n; i++) {
        int w = task[i].window;
        if (task[i].from == engine->rank) {
            out_flow_t *f = &t->out[t->nout++];
            *f = (out_flow_t){
                .task = &task[i], .window = w, .every = slices_per_credit(&task[i]), .send = t->request + t->n};
            f->log = (log_t){.result = &result[i], .start = now, .stride = 1};
            f->credit = f->send + w;
            t->n += w + 1;
        } else if (task[i].to == engine->rank) {
            in_flow_t *f = &t->in[t->nin++];
            *f = (in_flow_t){
                .task = &task[i], .window = w, .every = slices_per_credit(&task[i]), .recv = t->request + t->n};
            f->log = (log_t){.result = &result[i], .start = now, .stride = 1, .last_s = task[i].delay};
            f->slice = largest(&task[i]);
            f->buffer = engine->in + used;
            if (!PLANI_FLOWS_IN_BLOCKS) used += (size_t)w * (size_t)f->slice;
            f->credit = f->recv + w;
            t->n += w + 1;
        }
    }
    for (int k = 0; k < t->n; k++) t->request[k] = MPI_REQUEST_NULL;
}

static int open_flows(plani_engine_t *engine, traffic_t *t)
{
    int rc = MPI_SUCCESS;

    for (int i = 0; i < t->nin; i++)
        for (int slot = 0; slot <= t->in[i].window && rc == MPI_SUCCESS; slot++)
            rc = slot < t->in[i].window ? post(engine, &t->in[i], slot) : credit(engine, &t->in[i]);
    for (int i = 0; i < t->nout && rc == MPI_SUCCESS; i++) {
        out_flow_t *f = &t->out[i];
        rc = MPI_Irecv(NULL, 0, MPI_BYTE, f->task->to, TAG_CREDIT, engine->comm, f->credit);
    }
    return rc;
}

/* Request `index` has completed: continue its flow. */
static int dispatch(plani_engine_t *engine, traffic_t *t, int index, const MPI_Status *status)
{
    MPI_Request *r = t->request + index;

    for (int i = 0; i < t->nout; i++)
        if (r == t->out[i].credit) return credited(engine, &t->out[i]);
    for (int i = 0; i < t->nin; i++)
        if (r >= t->in[i].recv && r < t->in[i].recv + t->in[i].window)
            return arrived(engine, &t->in[i], (int)(r - t->in[i].recv), status);
    return MPI_SUCCESS; /* a send is done, or an acknowledgement */
}

static bool all_done(const traffic_t *t)
{
    for (int i = 0; i < t->nout; i++)
        if (!sent_all(&t->out[i])) return false;
    for (int i = 0; i < t->nin; i++)
        if (t->in[i].ends < t->in[i].window || *t->in[i].credit != MPI_REQUEST_NULL) return false;
    return true;
}

/* Where ranks must block: wait for the oldest request of each kind of each flow; those of a kind complete in order. */
static int next_blocking(traffic_t *t, int *index, MPI_Status *status)
{
    MPI_Request oldest[4 * PLANI_FLOWS], *at[4 * PLANI_FLOWS];
    int n = 0, k = 0;

    for (int i = 0; i < t->nout; i++) {
        out_flow_t *f = &t->out[i];
        at[n++] = &f->send[f->done % f->window];
        at[n++] = f->credit;
    }
    for (int i = 0; i < t->nin; i++) {
        in_flow_t *f = &t->in[i];
        at[n++] = &f->recv[(f->got + f->ends) % f->window];
        at[n++] = f->credit;
    }
    for (int i = 0; i < n; i++) oldest[i] = *at[i];
    int rc = MPI_Waitany(n, oldest, &k, status);
    if (rc != MPI_SUCCESS) return rc;
    if (k == MPI_UNDEFINED) return MPI_ERR_INTERN; /* no active request, but flows are not done: a defect */
    *at[k] = MPI_REQUEST_NULL;
    if (k < 2 * t->nout && k % 2 == 0) t->out[k / 2].done++;
    *index = (int)(at[k] - t->request);
    return rc;
}

/* Wait for the next completed requests. Ranks may share a core. Where events are 100 us apart or more on average, sleep
 * for a quarter of that time (300 us at most) between polls; elsewhere yield. Inside a host nothing is copied while the
 * receiver sleeps: the time between events would never fall below the sleep. So each of several events after a sleep
 * counts there. Between hosts such a group counts as one event, for the network delivers bursts, and ranks that share
 * cores with many others have to keep sleeping. */
typedef struct {
    double last, apart; /* [s] time of the last event; running average of the time between events */
    bool inside;        /* all flows are inside a host */
} pace_t;

static int next_event(traffic_t *t, pace_t *pace, int *count, int *index, MPI_Status *status)
{
    if (PLANI_MUST_BLOCK) {
        *count = 1;
        return next_blocking(t, index, status);
    }
    for (;;) {
        int rc = MPI_Testsome(t->n, t->request, count, index, status);
        if (rc != MPI_SUCCESS) return rc;
        if (*count == MPI_UNDEFINED) return MPI_ERR_INTERN; /* no active request, but flows are not done: a defect */
        double now = MPI_Wtime();
        if (*count > 0) {
            pace->apart += 0.2 * ((now - pace->last) / (pace->inside ? *count : 1) - pace->apart);
            pace->last = now;
            return rc;
        }
        if (pace->apart < 100e-6) {
            sched_yield();
            continue;
        }
        double nap = pace->apart / 4 < 300e-6 ? pace->apart / 4 : 300e-6;
        plani_sleep(nap);
    }
}

/* Once all flows out of this rank are ready, wait for the first whose delay is not over. No bytes arrive before all
 * delays are. \return whether there was one */
static bool wait_for_delay(traffic_t *t)
{
    double least = INFINITY;

    for (int i = 0; i < t->nout; i++) {
        if (!t->out[i].ready) return false;
        if (!t->out[i].going) least = fmin(least, to_wait(&t->out[i]));
    }
    if (isfinite(least)) plani_sleep(least);
    return isfinite(least);
}

int plani_do_flows(plani_engine_t *engine, const plani_task_t *task, size_t n, plani_result_t *result)
{
    enum { MOST = 2 * PLANI_FLOWS * (PLANI_WINDOW_MOST + 1) };
    traffic_t t;
    int index[MOST], count = 0;
    MPI_Status status[MOST];

    pace_t pace = {.last = MPI_Wtime(), .inside = n > 0 && task->inside};
    lay_out(engine, task, n, result, &t);
    if (t.n == 0) return MPI_SUCCESS; /* no flow of this rank */
    int rc = open_flows(engine, &t);
    for (;;) {
        for (int i = 0; i < t.nout && rc == MPI_SUCCESS; i++) rc = push(engine, &t.out[i]);
        if (rc != MPI_SUCCESS || all_done(&t)) return rc;
        if (wait_for_delay(&t)) continue;
        if ((rc = next_event(&t, &pace, &count, index, status)) != MPI_SUCCESS) return rc;
        for (int k = 0; k < count && rc == MPI_SUCCESS; k++) rc = dispatch(engine, &t, index[k], &status[k]);
    }
}
