! Three long broadcasts by the bindings of module mpi_f08.
program preload_f08
    use mpi_f08
    implicit none
    integer, parameter :: n = 25000
    integer :: data(n), rank, round, i
    call mpi_init()
    call mpi_comm_rank(MPI_COMM_WORLD, rank)
    do round = 1, 3
        data = 0
        if (rank == 1) data = [(i * round, i = 1, n)]
        call mpi_bcast(data, n, MPI_INTEGER, 1, MPI_COMM_WORLD)
        if (any(data /= [(i * round, i = 1, n)])) call mpi_abort(MPI_COMM_WORLD, 1)
    end do
    call mpi_finalize()
end program
