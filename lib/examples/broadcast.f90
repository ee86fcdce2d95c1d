! SPDX-License-Identifier: BSD-3-Clause
! Plan once, broadcast often, in Fortran; and compute while the last broadcast is under way.
!
!     mpifort broadcast.f90 -o broadcast $(pkg-config --cflags --libs planbcast-fortran)
!     mpirun -n 4 ./broadcast
module lines
    implicit none
contains

    ! Called on rank 0 alone.
    subroutine say(level, line)
        integer, intent(in) :: level
        character(len=*), intent(in) :: line
        if (level == 0) print '(a)', line
    end subroutine

end module

program broadcast
    use mpi_f08
    use planbcast
    use lines
    implicit none

    integer, parameter :: n = 2**18, times = 10
    double precision, asynchronous :: x(n)
    double precision :: sum
    type(plan_t) :: plan
    type(plan_options) :: options
    character(len=512) :: errmsg
    integer :: rank, ierror, i, t, wrong, wrongs
    logical :: done

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)

    options%budget_s = 2 ! for measuring; or what was measured before: options%machine = "machine.json"
    options%report => say
    call plan_bcast(MPI_COMM_WORLD, 0, 8*n, plan, ierror, options, errmsg)
    if (ierror /= 0) call fail(trim(errmsg))

    wrong = 0
    do t = 1, times
        if (rank == 0) x = [(dble(i + t), i=1, n)]
        call plan_execute(plan, x, n, MPI_DOUBLE_PRECISION, ierror)
        if (ierror /= 0) call fail(plan_execute_error(plan))
        if (any(x /= [(dble(i + t), i=1, n)])) wrong = 1
    end do

    call plan_start(plan, x, n, MPI_DOUBLE_PRECISION, ierror)
    if (ierror /= 0) call fail(plan_execute_error(plan))
    sum = 0
    done = .false.
    do t = 1, 1000
        sum = sum + 1/dble(t)**2
        if (.not. done) call plan_test(plan, done, ierror)
        if (ierror /= 0) call fail(plan_execute_error(plan))
    end do
    if (.not. done) call plan_wait(plan, ierror)
    if (ierror /= 0) call fail(plan_execute_error(plan))
    if (x(n) /= n + times) wrong = 1
    call plan_destroy(plan)

    call MPI_Reduce(wrong, wrongs, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD)
    if (rank == 0) print '(i0, a, a)', times + 1, " broadcasts: ", trim(merge("all right", "WRONG    ", wrongs == 0))
    call MPI_Finalize()

contains

    subroutine fail(why)
        character(len=*), intent(in) :: why
        print '(a, ": ", a)', plan_status_text(ierror), why
        call MPI_Abort(MPI_COMM_WORLD, 1)
    end subroutine
end program
