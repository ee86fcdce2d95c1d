! Three long broadcasts and reductions by the bindings of module mpi_f08.
program preload_f08
    use mpi_f08
    implicit none
    integer, parameter :: n = 25000
    integer :: data(n), total(n), rank, ranks, round, i
    call mpi_init()
    call mpi_comm_rank(MPI_COMM_WORLD, rank)
    call mpi_comm_size(MPI_COMM_WORLD, ranks)
    do round = 1, 3
        data = 0
        if (rank == 1) data = [(i * round, i = 1, n)]
        call mpi_bcast(data, n, MPI_INTEGER, 1, MPI_COMM_WORLD)
        if (any(data /= [(i * round, i = 1, n)])) call mpi_abort(MPI_COMM_WORLD, 1)
    end do
    do round = 1, 3
        data = [(i * round, i = 1, n)]
        total = data
        if (rank == 0) then
            call mpi_reduce(MPI_IN_PLACE, total, n, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
            if (any(total /= ranks * data)) call mpi_abort(MPI_COMM_WORLD, 1)
        else
            call mpi_reduce(data, total, n, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD)
        end if
    end do
    call mpi_finalize()
end program
