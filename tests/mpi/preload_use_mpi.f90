! Three long broadcasts and reductions by the bindings of module mpi.
program preload_use_mpi
    use mpi
    implicit none
    integer, parameter :: n = 25000
    integer :: data(n), total(n), rank, ranks, ierr, round, i
    call mpi_init(ierr)
    call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
    call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
    do round = 1, 3
        data = 0
        if (rank == 1) data = [(i * round, i = 1, n)]
        call mpi_bcast(data, n, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
        if (ierr /= MPI_SUCCESS .or. any(data /= [(i * round, i = 1, n)])) call mpi_abort(MPI_COMM_WORLD, 1, ierr)
    end do
    do round = 1, 3
        data = [(i * round, i = 1, n)]
        total = data
        if (rank == 0) then
            call mpi_reduce(MPI_IN_PLACE, total, n, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
            if (any(total /= ranks * data)) call mpi_abort(MPI_COMM_WORLD, 1, ierr)
        else
            call mpi_reduce(data, total, n, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, ierr)
        end if
    end do
    call mpi_finalize(ierr)
end program
