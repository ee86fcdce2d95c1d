! The module planbcast with the integer handles of the module mpi.
program fortran_mpi
    use mpi
    use planbcast
    implicit none

    type(plan_t) :: plan
    type(plan_options) :: options
    integer, volatile :: a(1000) ! MPI_BOTTOM does not show that it changes
    integer :: b(1000), rank, ranks, ierror, bad, bads, there
    integer(MPI_ADDRESS_KIND) :: at

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
    options%budget_s = 0.3d0
    options%mode = PLAN_ESTIMATE
    bad = 0
    call plan_bcast(MPI_COMM_WORLD, 0, 4000, plan, ierror, options)
    if (ierror /= 0) bad = bad + 1
    call plan_execute(plan, a, 1000, MPI_INTEGER, ierror)
    a = rank
    call plan_execute(plan, a, 1000, MPI_INTEGER, ierror)
    if (ierror /= 0 .or. any(a /= 0)) bad = bad + 1
    a = rank
    call plan_start(plan, a, 1000_MPI_COUNT_KIND, MPI_INTEGER, ierror)
    if (ierror /= 0) bad = bad + 1
    call plan_wait(plan, ierror)
    if (ierror /= 0 .or. any(a /= 0)) bad = bad + 1

    a = rank
    call MPI_Get_address(a, at, ierror)
    call MPI_Type_create_hindexed_block(1, 1000, [at], MPI_INTEGER, there, ierror)
    call MPI_Type_commit(there, ierror)
    call plan_execute(plan, MPI_BOTTOM, 1, there, ierror)
    if (ierror /= 0 .or. any(a /= 0)) bad = bad + 1
    call MPI_Type_free(there, ierror)
    call plan_destroy(plan)

    call plan_reduce(MPI_COMM_WORLD, 0, 4000_MPI_COUNT_KIND, plan, ierror, options)
    if (ierror /= 0) bad = bad + 1
    a = rank + 1
    if (rank == 0) then
        call plan_reduce_execute(plan, MPI_IN_PLACE, a, 1000, MPI_INTEGER, MPI_SUM, ierror)
        if (ierror /= 0 .or. any(a /= ranks*(ranks + 1)/2)) bad = bad + 1
    else
        call plan_reduce_execute(plan, a, b, 1000, MPI_INTEGER, MPI_SUM, ierror)
        if (ierror /= 0 .or. any(a /= rank + 1)) bad = bad + 1
    end if
    a = rank + 1
    call plan_reduce_execute(plan, a, b, 1000_MPI_COUNT_KIND, MPI_INTEGER, MPI_MAX, ierror)
    if (ierror /= 0 .or. rank == 0 .and. any(b /= ranks)) bad = bad + 1
    call plan_destroy(plan)

    call MPI_Allreduce(bad, bads, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_Finalize(ierror)
    if (bads > 0) error stop 1
end program
