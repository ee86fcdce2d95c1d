! The module planbcast with handles of mpi_f08: every kind of buffer and of argument, and what is wrong.
module checks
    use mpi_f08
    implicit none
    integer :: bad = 0, rank, ranks, lines = 0
contains
    subroutine check(good, what)
        logical, intent(in) :: good
        character(len=*), intent(in) :: what
        if (good) return
        print '(a, i0, a, a)', "rank ", rank, ": ", what
        bad = bad + 1
    end subroutine

    subroutine count_lines(level, line)
        integer, intent(in) :: level
        character(len=*), intent(in) :: line
        if (level >= 0 .and. len_trim(line) > 0) lines = lines + 1
    end subroutine
end module

program fortran_f08
    use mpi_f08
    use planbcast
    use checks
    implicit none

    integer, parameter :: n = 5000
    type(plan_t) :: plan, none
    type(plan_options) :: options
    character(len=480) :: errmsg
    integer :: ierror, root, bads
    logical :: done

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    root = ranks - 1
    options%budget_s = 0.3d0
    options%mode = PLAN_ESTIMATE
    options%report => count_lines
    call plan_bcast(MPI_COMM_WORLD, root, 40000_MPI_COUNT_KIND, plan, ierror, options, errmsg)
    call check(ierror == PLAN_OK, "no plan: "//trim(errmsg))
    call check(len_trim(errmsg) == 0, "an error without an error: "//trim(errmsg))
    call check((lines > 0) .eqv. (rank == 0), "the report")

    call buffers()
    call bottom()
    call at_once()
    call sums()
    call mistakes()

    call plan_destroy(plan)
    call plan_execute(plan, bads, 1, MPI_INTEGER, ierror)
    call check(ierror == PLAN_EINVAL, "a destroyed plan")
    call MPI_Allreduce(bad, bads, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Finalize()
    if (bads > 0) error stop 1

contains

    subroutine buffers()
        double precision :: matrix(100, 50)
        character(len=12) :: word
        integer :: scalar
        type(MPI_Datatype) :: row

        matrix = rank
        scalar = rank
        word = "no"
        if (rank == root) word = "twelve bytes"
        call plan_execute(plan, scalar, 1, MPI_INTEGER, ierror)
        call check(ierror == 0 .and. scalar == root, "a scalar")
        call plan_execute(plan, word, 12, MPI_CHARACTER, ierror)
        call check(ierror == 0 .and. word == "twelve bytes", "a string")
        call plan_execute(plan, matrix, int(n, MPI_COUNT_KIND), MPI_DOUBLE_PRECISION, ierror)
        call check(ierror == 0 .and. all(matrix == root), "a matrix")
        matrix = rank
        call plan_execute(plan, matrix(:, 3:4), 200, MPI_DOUBLE_PRECISION, ierror)
        call check(ierror == 0 .and. all(matrix(:, 3:4) == root), "columns")
        call check(rank == root .or. all(matrix(:, 5) == rank), "a column too many")

        matrix = rank
        call MPI_Type_vector(50, 1, 100, MPI_DOUBLE_PRECISION, row)
        call MPI_Type_commit(row)
        call plan_execute(plan, matrix(7, 1), 1, row, ierror)
        call check(ierror == 0 .and. all(matrix(7, :) == root) .and. all(matrix(8, :) == rank), "a row")
        call MPI_Type_free(row)

        matrix = rank ! a section with gaps is refused, as no buffer; the others get their data
        if (rank == 0) then
            call plan_execute(plan, matrix(1:100:2, 1), 50, MPI_DOUBLE_PRECISION, ierror)
            call check(ierror == MPI_ERR_BUFFER .or. ranks == 1 .and. ierror /= 0, "gaps")
            call check(len(plan_execute_error(plan)) > 0, "nothing said of gaps")
        else
            call plan_execute(plan, matrix(:, 1), 50, MPI_DOUBLE_PRECISION, ierror)
            call check(ierror == 0 .and. all(matrix(1:50, 1) == root), "beside gaps")
        end if

        matrix = rank ! whatever the datatype: one that does not begin at the buffer might be of addresses
        call MPI_Type_indexed(1, [50], [10], MPI_DOUBLE_PRECISION, row)
        call MPI_Type_commit(row)
        if (rank == 0) then
            call plan_execute(plan, matrix(1:100:2, 1), 1, row, ierror)
            call check(ierror == MPI_ERR_BUFFER .or. ranks == 1 .and. ierror /= 0, "gaps behind a displacement")
        else
            call plan_execute(plan, matrix(:, 1), 1, row, ierror)
            call check(ierror == 0 .and. all(matrix(11:60, 1) == root), "beside gaps behind a displacement")
        end if
        call MPI_Type_free(row)
    end subroutine

    subroutine bottom()
        integer, target :: here(10)
        integer(MPI_ADDRESS_KIND) :: at
        type(MPI_Datatype) :: there

        here = rank
        call MPI_Get_address(here, at)
        call MPI_Type_create_hindexed_block(1, 10, [at], MPI_INTEGER, there)
        call MPI_Type_commit(there)
        call plan_execute(plan, MPI_BOTTOM, 1, there, ierror)
        call MPI_F_sync_reg(here)
        call check(ierror == 0 .and. all(here == root), "MPI_BOTTOM")
        call MPI_Type_free(there)
    end subroutine

    subroutine at_once()
        integer, asynchronous :: a(n), b(n)
        type(plan_t) :: other
        integer :: turn

        call plan_bcast(MPI_COMM_WORLD, 0, 4*n, other, ierror, options)
        call check(ierror == 0, "no other plan")
        do turn = 1, 20
            a = rank
            b = rank
            call plan_start(plan, a, n, MPI_INTEGER, ierror)
            call check(ierror == 0, "a start")
            call plan_start(other, b, int(n, MPI_COUNT_KIND), MPI_INTEGER, ierror)
            call check(ierror == 0, "a start of a large count")
            done = .false.
            do while (.not. done)
                call plan_test(other, done, ierror)
                call check(ierror == 0, "a test")
            end do
            call plan_wait(plan, ierror)
            call check(ierror == 0 .and. all(a == root) .and. all(b == 0), "two at once")
        end do
        call plan_destroy(other)
    end subroutine

    !> Of whole numbers, in place and not; a section with gaps is refused at the root, where it is a result.
    subroutine sums()
        double precision :: x(100, 50), total(100, 50)
        integer :: i, scalar, most
        type(plan_t) :: sum
        character(len=480) :: line

        call plan_reduce(MPI_COMM_WORLD, root, 40000, sum, ierror, options, line)
        call check(ierror == PLAN_OK, "no plan for reductions: "//trim(line))
        do i = 1, 50
            x(:, i) = rank + i
        end do
        total = -1
        call plan_reduce_execute(sum, x, total, int(n, MPI_COUNT_KIND), MPI_DOUBLE_PRECISION, MPI_SUM, ierror)
        call check(ierror == 0, "a sum")
        do i = 1, 50
            call check(all(total(:, i) == merge(ranks*i + ranks*(ranks - 1)/2, -1, rank == root)), "what a sum is")
        end do
        if (rank == root) then
            call plan_reduce_execute(sum, MPI_IN_PLACE, x, n, MPI_DOUBLE_PRECISION, MPI_MAX, ierror)
            call check(ierror == 0 .and. all(x(:, 7) == ranks - 1 + 7), "a maximum in place")
        else
            call plan_reduce_execute(sum, x, total, n, MPI_DOUBLE_PRECISION, MPI_MAX, ierror)
            call check(ierror == 0 .and. all(total == -1), "beside a maximum in place")
        end if
        scalar = rank
        most = -1
        call plan_reduce_execute(sum, scalar, most, 1, MPI_INTEGER, MPI_MAX, ierror)
        call check(ierror == 0 .and. (most == ranks - 1 .or. rank /= root), "of a scalar")
        call plan_reduce_execute(sum, x(:, 1), total(1:100:2, 1), 50, MPI_DOUBLE_PRECISION, MPI_SUM, ierror)
        call check(ierror /= 0 .or. rank /= root, "a result with gaps")
        call plan_execute(sum, scalar, 1, MPI_INTEGER, ierror)
        call check(ierror == PLAN_EINVAL, "a broadcast by a plan for reductions")
        call plan_destroy(sum)
    end subroutine

    subroutine mistakes()
        integer, asynchronous :: a(n)

        a = rank
        call plan_wait(plan, ierror)
        call check(ierror == PLAN_EINVAL, "a wait without a start")
        call check(index(plan_execute_error(plan), "plan_start") > 0, "what is missing")
        call plan_start(plan, a, n, MPI_INTEGER, ierror)
        call plan_start(plan, a, n, MPI_INTEGER, ierror)
        call check(ierror == PLAN_EBUSY, "two starts")
        call plan_wait(plan, ierror)
        call check(ierror == 0 .and. all(a == root), "after two starts")
        call plan_execute(plan, a, -1, MPI_INTEGER, ierror)
        call check(ierror == PLAN_EINVAL, "a negative count")
        call plan_test(none, done, ierror)
        call check(ierror == PLAN_EINVAL .and. .not. done, "no plan at all")
        call check(len(plan_execute_error(none)) == 0, "an error of no plan")
        call check(index(plan_status_text(PLAN_EBUSY), "under way") > 0, "PLAN_EBUSY: "//plan_status_text(PLAN_EBUSY))
        call check(plan_status_text(PLAN_EBROKEN) /= plan_status_text(-100), "PLAN_EBROKEN")
        call check(len(plan_status_text(MPI_ERR_BUFFER)) > 0, "MPI_ERR_BUFFER")
        call plan_bcast(MPI_COMM_WORLD, ranks, 100, none, ierror, options, errmsg)
        call check(ierror == PLAN_EINVAL .and. index(errmsg, "root is") == 1, "the root: "//trim(errmsg))
    end subroutine
end program
