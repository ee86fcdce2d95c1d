/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * State that all plans of one communicator share. It is found by an attribute of the communicator and of the duplicates
 * that plans use, and in a list, by communicators of the same ranks. The key of the attribute and the list are the only
 * file-scope variables here: MPI identifies attributes by keys.
 */
#include "lib/mpi/execute/common.h"
#include "lib/base/base.h"
#include "lib/mpi/comm/agree.h"
#include "lib/mpi/comm/wait.h"
#include "lib/mpi/comm/world.h"
#include "lib/mpi/execute/ring.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int keyval = MPI_KEYVAL_INVALID; /* guarded by plani_lock */
static plani_common_t *all_of_them;     /* guarded by plani_lock */

void plani_common_use(plani_common_t *common)
{
    plani_lock();
    common->uses++;
    plani_unlock();
}

void plani_common_drop(plani_common_t **common)
{
    plani_common_t *c = *common;
    *common = NULL;
    if (c == NULL) return;
    plani_lock();
    int left = --c->uses;
    for (plani_common_t **at = &all_of_them; left == 0 && *at != NULL; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    plani_unlock();
    if (left > 0) return;
    plani_ring_close(&c->ring);
    free(c->world);
    free(c);
}

/* The communicator's ranks in MPI_COMM_WORLD [ranks] in *world. NULL: some rank is not in it, there is none, or the MPI
 * library allows several threads (MPI_THREAD_MULTIPLE). */
static plan_status_t find_world(MPI_Comm comm, int ranks, int **world)
{
    int level = MPI_THREAD_MULTIPLE, has_world = 0;

    *world = NULL;
    MPI_Initialized(&has_world); /* programs that only use sessions have no MPI_COMM_WORLD */
    if (!has_world || MPI_Query_thread(&level) != MPI_SUCCESS || level == MPI_THREAD_MULTIPLE) return PLAN_OK;
    int *own = malloc((size_t)ranks * sizeof *own);
    int rc = own == NULL ? PLAN_ENOMEM : plani_world_ranks(comm, ranks, own);
    bool known = rc == MPI_SUCCESS;
    for (int r = 0; r < ranks && known; r++) known = own[r] >= 0;
    if (known)
        *world = own;
    else
        free(own);
    return rc == PLAN_ENOMEM ? PLAN_ENOMEM : PLAN_OK; /* ranks must agree on whether the state is shared */
}

/* Called by MPI when a communicator with the attribute is freed. */
static int forget(MPI_Comm comm, int key, void *common, void *extra)
{
    plani_common_t *c = common;
    (void)comm, (void)key, (void)extra;
    plani_common_drop(&c);
    return MPI_SUCCESS;
}

static int key_of(int *key)
{
    plani_lock();
    int rc = keyval == MPI_KEYVAL_INVALID ? MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &keyval, NULL)
                                          : MPI_SUCCESS;
    *key = keyval;
    plani_unlock();
    return rc;
}

/* Set the attribute, which counts as a use. */
static int attach(MPI_Comm comm, plani_common_t *common)
{
    int key, rc = key_of(&key);
    if (rc == MPI_SUCCESS) rc = MPI_Comm_set_attr(comm, key, common);
    if (rc == MPI_SUCCESS) plani_common_use(common);
    return rc;
}

/* The state of a communicator of the same ranks, or a new one, with one more use. Takes ownership of world. */
static plani_common_t *find_or_make(int ranks, int *world)
{
    plani_common_t *c = all_of_them;
    while (c != NULL && (world == NULL || c->world == NULL || c->ranks != ranks ||
                         memcmp(c->world, world, (size_t)ranks * sizeof *world) != 0))
        c = c->next;
    if (c != NULL) {
        free(world);
    } else if ((c = calloc(1, sizeof *c)) != NULL) {
        *c = (plani_common_t){.next = all_of_them, .ranks = ranks, .world = world, .check = MPI_COMM_NULL};
        all_of_them = c;
    } else {
        free(world);
        return NULL;
    }
    c->uses++;
    return c;
}

plani_common_t *plani_common_of(MPI_Comm comm)
{
    plani_common_t *c = NULL;
    int key, found = 0, ranks = 0;

    if (key_of(&key) != MPI_SUCCESS || MPI_Comm_get_attr(comm, key, &c, &found) != MPI_SUCCESS) return NULL;
    if (found) return c;
    int *world = NULL;
    if (MPI_Comm_size(comm, &ranks) != MPI_SUCCESS || find_world(comm, ranks, &world) != PLAN_OK) return NULL;
    plani_lock();
    plani_common_t *own = c = find_or_make(ranks, world);
    plani_unlock();
    if (c != NULL && attach(comm, c) != MPI_SUCCESS) c = NULL;
    plani_common_drop(&own); /* the attribute's use remains */
    return c;
}

int plani_common_share(MPI_Comm comm, MPI_Comm duplicate)
{
    plani_common_t *c = plani_common_of(comm);
    return c == NULL ? PLAN_ENOMEM : attach(duplicate, c);
}

/* MPI_Comm_dup would call the copy functions of the program's attributes, and the delete functions later. */
static int of_the_same_ranks(MPI_Comm comm, MPI_Comm *out)
{
    MPI_Group all;
    int rc = MPI_Comm_group(comm, &all);

    if (rc != MPI_SUCCESS) return rc;
    rc = MPI_Comm_create(comm, all, out);
    MPI_Group_free(&all);
    return rc;
}

int plani_comm_dup(MPI_Comm comm, MPI_Comm *out, plan_error_t *err)
{
    MPI_Errhandler theirs;
    int inter = 0, rc;

    if (comm == MPI_COMM_NULL) return plani_fail(err, PLAN_EINVAL, "the communicator is MPI_COMM_NULL");
    if ((rc = MPI_Comm_get_errhandler(comm, &theirs)) != MPI_SUCCESS) return plani_mpi_fail(err, rc, "communicator");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    rc = MPI_Comm_test_inter(comm, &inter);
    if (rc == MPI_SUCCESS && !inter) rc = of_the_same_ranks(comm, out);
    MPI_Comm_set_errhandler(comm, theirs);
    MPI_Errhandler_free(&theirs);
    if (inter) return plani_fail(err, PLAN_EINVAL, "the communicator has two groups; merge it (MPI_Intercomm_merge)");
    if (rc == MPI_SUCCESS) rc = MPI_Comm_set_errhandler(*out, MPI_ERRORS_RETURN);
    if (rc != MPI_SUCCESS) return plani_mpi_fail(err, rc, "duplicating the communicator");
    MPI_Comm_set_name(*out, PLANI_COMM_NAME);
    rc = plani_common_share(comm, *out);
    if (rc < 0) plani_fail(err, (plan_status_t)rc, "out of memory for a communicator");
    rc = plani_agree(*out, rc, err);
    if (rc != 0) MPI_Comm_free(out);
    return rc;
}

/* MPICH keeps the attributes of a freed communicator until its last request, a persistent one for instance. So some
 * ranks may still have a state of equal communicators that others have no more. No plan broadcasts by it then. */
int plani_common_ring(plani_common_t *common, MPI_Comm comm, plan_error_t *err)
{
    unsigned long mine[2] = {common->ring == NULL, common->plans}, most[2];
    int rc = MPI_Allreduce(mine, most, 2, MPI_UNSIGNED_LONG, MPI_MAX, comm);

    if (rc != MPI_SUCCESS) return plani_mpi_fail(err, rc, "sharing memory");
    common->plans = most[1];
    if (most[0]) plani_ring_close(&common->ring);
    return common->ring != NULL ? 0 : plani_ring_open(comm, &common->ring, err);
}

/* Another thread may move on the fiber that has the turn, so its writes are acquired. */
void plani_common_begin_turn(plani_common_t *common)
{
    unsigned long mine = common->turns++;
    for (unsigned look = 0; atomic_load_explicit(&common->ended, memory_order_acquire) != mine; look++)
        plani_give_way(look);
}

void plani_common_end_turn(plani_common_t *common)
{
    unsigned long mine = atomic_load_explicit(&common->ended, memory_order_relaxed);
    atomic_store_explicit(&common->ended, mine + 1, memory_order_release);
}

/* All ranks continue with the largest count of broadcasts; the barrier keeps them from broadcasting before that. */
int plani_common_settle(plani_common_t *common, MPI_Comm comm, plan_error_t *err)
{
    unsigned long latest = 0;
    plani_common_begin_turn(common);
    int rc = MPI_Allreduce(&common->order, &latest, 1, MPI_UNSIGNED_LONG, MPI_MAX, comm);
    if (rc == MPI_SUCCESS) {
        common->order = latest;
        rc = plani_ring_settle(common->ring, comm);
    }
    plani_common_end_turn(common);
    return rc == MPI_SUCCESS ? 0 : plani_mpi_fail(err, rc, "sharing memory");
}

/* ---- PLANBCAST_CHECK ---- */

int plani_check_begin(plani_common_t *common, MPI_Comm comm, plan_error_t *err)
{
    int ranks = 0, rc = 0;
    if (common->checking++ > 0) return 0;
    MPI_Comm_size(comm, &ranks);
    if ((common->arguments = malloc((size_t)ranks * sizeof *common->arguments)) == NULL)
        rc = plani_fail(err, PLAN_ENOMEM, "out of memory for PLANBCAST_CHECK");
    if ((rc = plani_agree(comm, rc, err)) == 0) {
        if ((rc = MPI_Comm_dup(comm, &common->check)) != MPI_SUCCESS) {
            common->check = MPI_COMM_NULL;
            plani_mpi_fail(err, rc, "duplicating the communicator for PLANBCAST_CHECK");
        }
        rc = plani_agree(comm, rc, err);
    }
    if (rc != 0) plani_check_end(common, false);
    return rc;
}

void plani_check_end(plani_common_t *common, bool over)
{
    if (--common->checking > 0) return;
    if (!over && common->check != MPI_COMM_NULL) MPI_Comm_free(&common->check);
    free(common->arguments);
    common->arguments = NULL;
}

static const char *describe(uint64_t bytes, char text[32])
{
    snprintf(text, 32, bytes == UINT64_MAX ? "arguments that cannot be sent" : "%llu bytes", (unsigned long long)bytes);
    return text;
}

static plan_status_t compare(const plani_arguments_t *all, int rank, unsigned long number, plan_error_t *err)
{
    const plani_arguments_t *a = &all[0], *b = &all[rank];
    char theirs[32], first[32];
    if (a->root != b->root)
        return plani_fail(err, PLAN_EDISAGREE,
                          "broadcast %lu of this plan: rank %d broadcasts from root %llu and rank 0 from root %llu",
                          number, rank, (unsigned long long)b->root, (unsigned long long)a->root);
    if (a->hash != b->hash)
        return plani_fail(
            err, PLAN_EDISAGREE,
            "broadcast %lu of this plan: rank %d executes another plan (hash %016llx) than rank 0 (%016llx)", number,
            rank, (unsigned long long)b->hash, (unsigned long long)a->hash);
    if (a->bytes != b->bytes)
        return plani_fail(err, PLAN_EDISAGREE, "broadcast %lu of this plan: rank %d passes %s and rank 0 %s", number,
                          rank, describe(b->bytes, theirs), describe(a->bytes, first));
    return PLAN_OK;
}

int plani_check(const plani_common_t *common, const plani_arguments_t *mine, unsigned long number, plan_error_t *err)
{
    int ranks = 0, rc;
    plani_arguments_t *all = common->arguments;
    MPI_Request request;

    MPI_Comm_size(common->check, &ranks);
    rc = MPI_Iallgather(mine, (int)sizeof *mine, MPI_BYTE, all, (int)sizeof *all, MPI_BYTE, common->check, &request);
    if (rc == MPI_SUCCESS) rc = plani_await(&request, MPI_STATUS_IGNORE);
    if (rc != MPI_SUCCESS) plani_mpi_fail(err, rc, "PLANBCAST_CHECK");
    for (int r = 1; r < ranks && rc == 0; r++) rc = compare(all, r, number, err);
    return rc;
}
