/* SPDX-License-Identifier: BSD-3-Clause */
/* The user's (buffer, count, datatype) as packed bytes. */
#include "lib/mpi/execute/binding.h"
#include "lib/base/base.h"
#include "lib/mpi/execute/copy.h"
#include "lib/mpi/execute/envelope.h"
#include <stdint.h>
#include <string.h>

#ifdef OPEN_MPI
enum { IN_PLACE_IS = MPI_ERR_ARG }; /* as MPI_Bcast returns */
#else
enum { IN_PLACE_IS = MPI_ERR_BUFFER }; /* MPICH does not check, and crashes */
#endif

static int size_and_extent(MPI_Datatype type, MPI_Count *size, MPI_Count *extent)
{
    MPI_Count lb;
    int rc = MPI_Type_size_x(type, size);
    return rc != MPI_SUCCESS ? rc : MPI_Type_get_extent_x(type, &lb, extent);
}

/*
 * Whether the packed bytes of the datatype are those in memory from its start: in order and without gaps. Equal size
 * and extent are not enough, for an indexed type may permute. Contiguous types that are not recognised here are packed:
 * slower, but correct.
 * \param alone there is only one element, so that a gap after it is allowed
 * \param last what the type becomes, if it is dense and MPI defines it; or NULL
 */
PLANI_COLD static int is_dense(MPI_Datatype type, bool alone, bool *dense, plani_named_t *last)
{
    plani_envelope_t made;
    MPI_Count size, extent, numbers[PLANI_NUMBERS];
    MPI_Datatype inner;
    int rc;

    *dense = false;
    if ((rc = plani_envelope(type, &made)) != MPI_SUCCESS) return rc;
    if ((rc = size_and_extent(type, &size, &extent)) != MPI_SUCCESS) return rc;
    if (plani_is_predefined(&made)) {
        *dense = size == extent; /* not so for MPI_SHORT_INT and its like */
        if (*dense && last != NULL) *last = (plani_named_t){.type = type, .size = (size_t)size};
        return MPI_SUCCESS;
    }
    if (made.combiner != MPI_COMBINER_DUP && made.combiner != MPI_COMBINER_CONTIGUOUS &&
        made.combiner != MPI_COMBINER_RESIZED && made.combiner != MPI_COMBINER_VECTOR)
        return MPI_SUCCESS;
    if (!alone && size != extent) return MPI_SUCCESS;
    if ((rc = plani_only_inner(type, &made, numbers, &inner)) != MPI_SUCCESS) return rc;
    bool in_line = true, one = true;
    if (made.combiner == MPI_COMBINER_CONTIGUOUS) one = numbers[0] == 1;
    if (made.combiner == MPI_COMBINER_VECTOR) {
        in_line = numbers[0] == 1 || numbers[1] == numbers[2];
        one = numbers[0] == 1 && numbers[1] == 1;
    }
    if (in_line) rc = is_dense(inner, one, dense, NULL);
    int freed = plani_free_inner(&inner);
    return rc != MPI_SUCCESS ? rc : freed;
}

/*
 * MPI_BOTTOM, which may be NULL, with a type of absolute addresses: replaced by an equal type relative to the first
 * address, for MPI_Pack of MPICH refuses NULL. Any other NULL is an error. It is found before anything is sent: later,
 * the slices that other ranks send would never be received.
 */
PLANI_COLD static int start_at_address(plani_view_t *view)
{
    MPI_Count lb = 0, extent;
    int rc = MPI_Type_get_true_extent_x(view->type, &lb, &extent);
    if (rc != MPI_SUCCESS) return rc;
    if (lb == 0) return MPI_ERR_BUFFER;
    MPI_Aint back = -(MPI_Aint)lb;
    MPI_Datatype moved;
    if ((rc = MPI_Type_create_hindexed_block(1, 1, &back, view->type, &moved)) != MPI_SUCCESS) return rc;
    if ((rc = MPI_Type_commit(&moved)) != MPI_SUCCESS) {
        MPI_Type_free(&moved);
        return rc;
    }
    view->type = view->own = moved;
    view->base = (void *)(intptr_t)lb; /* NOLINT(performance-no-int-to-ptr): it is an address */
    return MPI_SUCCESS;
}

/* Only MPI knows whether a datatype is committed; a message to MPI_PROC_NULL makes it check. */
PLANI_COLD static int check_type(const plani_view_t *view)
{
    return PMPI_Send(view->base, 1, view->type, MPI_PROC_NULL, 0, view->comm);
}

PLANI_HOT int plani_view_open(plani_view_t *view, void *buffer, MPI_Count count, MPI_Datatype type, MPI_Comm comm,
                              plani_named_t *last)
{
    bool known = last != NULL && last->size > 0 && last->type == type;
    MPI_Count size = known ? (MPI_Count)last->size : 0;
    ptrdiff_t bytes;
    int rc;

    *view = (plani_view_t){.base = buffer, .count = count, .type = type, .own = MPI_DATATYPE_NULL, .comm = comm};
    if (count < 0 || type == MPI_DATATYPE_NULL) return PLAN_EINVAL;
    if (!known && (rc = MPI_Type_size_x(type, &size)) != MPI_SUCCESS) return rc;
    if (size < 0 || __builtin_mul_overflow(count, size, &bytes)) return PLAN_EINVAL;
    view->bytes = (size_t)bytes;
    if (view->bytes == 0) return MPI_SUCCESS;
    if (buffer == MPI_IN_PLACE) return IN_PLACE_IS;
    view->direct = known && buffer != NULL;
    if (view->direct) return MPI_SUCCESS;
    rc = buffer == NULL ? start_at_address(view) : is_dense(type, count == 1, &view->direct, last);
    return rc == MPI_SUCCESS && type != MPI_BYTE ? check_type(view) : rc;
}

void plani_view_close(plani_view_t *view)
{
    plani_blocks_destroy(&view->parts);
    if (view->own != MPI_DATATYPE_NULL) MPI_Type_free(&view->own);
}

/* Contiguous data are sent as MPI_BYTE. */
int plani_view_keep_type(plani_view_t *view)
{
    if (view->bytes == 0 || view->direct || view->own != MPI_DATATYPE_NULL) return MPI_SUCCESS;
    int rc = MPI_Type_dup(view->type, &view->own);
    if (rc == MPI_SUCCESS)
        view->type = view->own;
    else
        view->own = MPI_DATATYPE_NULL;
    return rc;
}

static int move(plani_view_t *view, plani_piece_t piece)
{
    if (view->none) return PLAN_EINVAL;
    int rc = view->parts == NULL ? plani_blocks_create(view->type, &view->parts) : 0;
    return rc != 0 ? rc : plani_blocks_move(view->parts, view->base, piece);
}

PLANI_HOT int plani_view_get(plani_view_t *view, size_t offset, size_t len, char *out)
{
    if (!view->direct)
        return move(view, (plani_piece_t){.offset = offset, .len = len, .packed = out, .comm = view->comm});
    plani_copy(out, plani_at(view->base, (MPI_Aint)offset), len);
    return 0;
}

PLANI_HOT int plani_view_put(plani_view_t *view, size_t offset, size_t len, char *in)
{
    if (!view->direct)
        return move(view, (plani_piece_t){.offset = offset, .len = len, .packed = in, .comm = view->comm, .put = true});
    plani_copy_out(plani_at(view->base, (MPI_Aint)offset), in, len, view->past_caches);
    return 0;
}
