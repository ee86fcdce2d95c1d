/*
 * Point-to-point messages of the application around broadcasts, to random ranks with random tags. Every rank draws the
 * same list in advance, so that a receiver can compare source, tag and content of a message with it.
 */
#include "endurance.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_MESSAGES = 24, LONGEST = 100000 };

typedef struct {
    int from, to, tag, send_before, receive_before; /* steps */
    size_t len;
    uint64_t seed;
    unsigned char *data; /* send or receive buffer */
    MPI_Request request;
    bool seen;
} message_t;

struct traffic {
    MPI_Comm comm;
    int rank, n, steps;
    message_t out[MOST_MESSAGES]; /* all messages; data is the sender's */
    message_t in[MOST_MESSAGES];  /* one receive for each message to this rank */
};

traffic_t *traffic_create(MPI_Comm comm, int steps, rng_t *r)
{
    int ranks;
    traffic_t *t = calloc(1, sizeof *t);
    if (t == NULL) abort();
    t->comm = comm;
    t->steps = steps;
    MPI_Comm_rank(comm, &t->rank);
    MPI_Comm_size(comm, &ranks);
    t->n = ranks > 1 ? (int)rng_below(r, MOST_MESSAGES + 1) : 0;
    for (int i = 0; i < t->n; i++) {
        message_t *m = &t->out[i];
        *m = (message_t){.from = (int)rng_below(r, (size_t)ranks), .to = (int)rng_below(r, (size_t)ranks)};
        m->tag = (int)rng_below(r, rng_one_in(r, 2) ? 4 : 30000); /* includes tags that the library uses itself */
        m->len = rng_below(r, rng_one_in(r, 8) ? LONGEST : 300);
        m->seed = rng_next(r);
        m->send_before = (int)rng_below(r, (size_t)steps + 1);
        m->receive_before = (int)rng_below(r, (size_t)steps + 1);
        m->request = MPI_REQUEST_NULL;
        t->in[i] = *m;
    }
    return t;
}

static void start(traffic_t *t, int step)
{
    for (int i = 0; i < t->n; i++) {
        message_t *out = &t->out[i], *in = &t->in[i];
        if (in->to == t->rank && in->receive_before == step) {
            if ((in->data = malloc(LONGEST)) == NULL) abort();
            MPI_Irecv(in->data, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, t->comm, &in->request);
        }
        if (out->from == t->rank && out->send_before == step) {
            if ((out->data = malloc(out->len + 1)) == NULL) abort();
            fill_bytes(out->seed, out->data, out->len);
            MPI_Isend(out->data, (int)out->len, MPI_BYTE, out->to, out->tag, t->comm, &out->request);
        }
    }
}

/* Whether a received message is in the list and was not received before. */
static bool is_known(traffic_t *t, const message_t *in, const MPI_Status *status, unsigned char *expected)
{
    int len = 0;
    MPI_Get_count(status, MPI_BYTE, &len);
    for (int i = 0; i < t->n; i++) {
        message_t *m = &t->out[i];
        if (m->seen || m->to != t->rank || m->from != status->MPI_SOURCE || m->tag != status->MPI_TAG ||
            m->len != (size_t)len)
            continue;
        fill_bytes(m->seed, expected, m->len);
        if (memcmp(expected, in->data, m->len) == 0) return m->seen = true;
    }
    return false;
}

/* MPI_Wait that yields the processor, which MPICH's does not. */
static void finish(MPI_Request *request, MPI_Status *status)
{
    for (int done = 0; !done;) {
        MPI_Test(request, &done, status);
        if (!done) give_way();
    }
}

int traffic_step(traffic_t *t, int step)
{
    int wrong = 0;
    unsigned char *expected;
    MPI_Status status;

    start(t, step);
    if (step < t->steps) return 0;
    if ((expected = malloc(LONGEST)) == NULL) abort();
    for (int i = 0; i < t->n; i++) {
        if (t->in[i].to == t->rank) {
            finish(&t->in[i].request, &status);
            wrong += !is_known(t, &t->in[i], &status, expected);
        }
    }
    for (int i = 0; i < t->n; i++)
        if (t->out[i].from == t->rank) finish(&t->out[i].request, &status);
    free(expected);
    return wrong;
}

void traffic_destroy(traffic_t *t)
{
    for (int i = 0; t != NULL && i < t->n; i++) {
        free(t->out[i].data);
        free(t->in[i].data);
    }
    free(t);
}
