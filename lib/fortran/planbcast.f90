! SPDX-License-Identifier: BSD-3-Clause
! Planned broadcasts and reductions for Fortran, as planbcast/mpi.h for C: what the calls do, and which errors they
! return, stands there.
!
! Handles are those of mpi_f08, or the integers of the module mpi and of mpif.h. Every ierror is 0, a negative PLAN_* or
! a positive MPI error code; plan_status_text says what it means. Buffers are variables of any type and rank, scalars
! included. Array sections have to be contiguous: others are refused with MPI_ERR_BUFFER; pass the whole array and a
! derived datatype instead. The buffer of plan_start has to have the attribute asynchronous until plan_wait.
module planbcast
    use, intrinsic :: iso_c_binding
    use mpi_f08, only: MPI_Comm, MPI_Datatype, MPI_Op, MPI_BOTTOM, MPI_IN_PLACE, MPI_COUNT_KIND
    use mpi, only: old_bottom => MPI_BOTTOM, old_in_place => MPI_IN_PLACE
    implicit none
    private

    public :: plan_bcast, plan_execute, plan_start, plan_test, plan_wait, plan_destroy
    public :: plan_reduce, plan_reduce_execute
    public :: plan_t, plan_options, plan_report, plan_status_text, plan_execute_error

    !> As plan_status_t.
    integer, parameter, public :: PLAN_OK = 0, PLAN_ENOMEM = -1, PLAN_EINVAL = -2, PLAN_EIO = -3, PLAN_EFORMAT = -4, &
        PLAN_EUNREACHABLE = -5, PLAN_ENOTREE = -6, PLAN_ESOLVER = -7, PLAN_ETIME = -8, PLAN_EMISMATCH = -9, &
        PLAN_EDISAGREE = -10, PLAN_EUNSUPPORTED = -11, PLAN_EBUSY = -12, PLAN_EBROKEN = -13
    !> As plan_mode_t; PLAN_MODE_OF_ENVIRONMENT: as PLANBCAST_MODE says.
    integer, parameter, public :: PLAN_ESTIMATE = 0, PLAN_MEASURE = 1, PLAN_DUEL = 2, PLAN_DEFAULT = 3, &
        PLAN_MODE_OF_ENVIRONMENT = -1

    !> A plan, bound to a communicator by plan_bcast or plan_reduce.
    type :: plan_t
        private
        type(c_ptr) :: handle = c_null_ptr
    end type

    abstract interface
        !> Called on rank 0 with explanations (level 0) and progress (level 1), line by line.
        subroutine plan_report(level, line)
            integer, intent(in) :: level
            character(len=*), intent(in) :: line
        end subroutine
    end interface

    !> Options of plan_bcast and plan_reduce; only those of rank 0 count. What is not set is as the environment says.
    type :: plan_options
        integer :: mode = PLAN_MODE_OF_ENVIRONMENT
        double precision :: budget_s = -1 !< seconds for measuring, > 0
        !> files
        character(len=:), allocatable :: machine, save_machine, load_profile, save_profile
        procedure(plan_report), pointer, nopass :: report => null()
    end type

    type :: reporter_t
        procedure(plan_report), pointer, nopass :: report => null()
    end type

    !> plan_bcast(comm, root, max_bytes, plan, ierror, [options], [errmsg]); errmsg: one line, blank after success.
    interface plan_bcast
        module procedure bcast_f08, bcast_f08_large, bcast_integer, bcast_integer_large
    end interface
    !> plan_reduce(comm, root, max_bytes, plan, ierror, [options], [errmsg])
    interface plan_reduce
        module procedure reduce_f08, reduce_f08_large, reduce_integer, reduce_integer_large
    end interface
    !> plan_execute(plan, buffer, count, datatype, ierror)
    interface plan_execute
        module procedure execute_f08, execute_f08_large, execute_integer, execute_integer_large
    end interface
    !> plan_start(plan, buffer, count, datatype, ierror)
    interface plan_start
        module procedure start_f08, start_f08_large, start_integer, start_integer_large
    end interface

    !> plan_reduce_execute(plan, sendbuf, recvbuf, count, datatype, op, ierror); sendbuf of the root may be MPI_IN_PLACE.
    interface plan_reduce_execute
        module procedure combine_f08, combine_f08_large, combine_integer, combine_integer_large
    end interface

    interface
        function c_bcast(comm, root, max_bytes, reduces, mode, budget_s, machine, save_machine, load_profile, &
                         save_profile, report, context, plan, text, room) bind(c, name="plani_f_bcast") result(ierror)
            import :: c_int, c_int64_t, c_size_t, c_double, c_char, c_ptr, c_funptr
            integer(c_int), value :: comm, root, reduces, mode
            integer(c_int64_t), value :: max_bytes
            real(c_double), value :: budget_s
            character(kind=c_char), intent(in) :: machine(*), save_machine(*), load_profile(*), save_profile(*)
            type(c_funptr), value :: report
            type(c_ptr), value :: context
            type(c_ptr), intent(out) :: plan
            character(kind=c_char), intent(inout) :: text(*)
            integer(c_size_t), value :: room
            integer(c_int) :: ierror
        end function
        function c_execute(plan, buffer, count, datatype, bottom) bind(c, name="plani_f_execute") result(ierror)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan
            type(*), dimension(..) :: buffer
            integer(c_int64_t), value :: count
            integer(c_int), value :: datatype
            type(*), intent(in) :: bottom
            integer(c_int) :: ierror
        end function
        function c_start(plan, buffer, count, datatype, bottom) bind(c, name="plani_f_start") result(ierror)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan
            type(*), dimension(..), asynchronous :: buffer
            integer(c_int64_t), value :: count
            integer(c_int), value :: datatype
            type(*), intent(in) :: bottom
            integer(c_int) :: ierror
        end function
        function c_combine(plan, sendbuf, recvbuf, count, datatype, op, bottom, in_place) &
            bind(c, name="plani_f_reduce_execute") result(ierror)
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: plan
            type(*), dimension(..), intent(in) :: sendbuf
            type(*), dimension(..) :: recvbuf
            integer(c_int64_t), value :: count
            integer(c_int), value :: datatype, op
            type(*), intent(in) :: bottom, in_place
            integer(c_int) :: ierror
        end function
        function c_test(plan, done) bind(c, name="plani_f_test") result(ierror)
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
            integer(c_int), intent(out) :: done
            integer(c_int) :: ierror
        end function
        function c_wait(plan) bind(c, name="plan_wait") result(ierror)
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
            integer(c_int) :: ierror
        end function
        subroutine c_destroy(plan) bind(c, name="plan_destroy")
            import :: c_ptr
            type(c_ptr), intent(inout) :: plan
        end subroutine
        subroutine c_status_text(ierror, text, room) bind(c, name="plani_f_status_text")
            import :: c_int, c_char, c_size_t
            integer(c_int), value :: ierror
            character(kind=c_char), intent(inout) :: text(*)
            integer(c_size_t), value :: room
        end subroutine
        function c_execute_error(plan) bind(c, name="plan_execute_error") result(text)
            import :: c_ptr
            type(c_ptr), value :: plan
            type(c_ptr) :: text
        end function
        function c_strlen(text) bind(c, name="strlen") result(length)
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
            integer(c_size_t) :: length
        end function
    end interface

    integer, parameter :: ROOM = 512 ! of a line

contains

    ! ---- texts ----

    function from_c(address) result(text)
        type(c_ptr), intent(in) :: address
        character(len=:), allocatable :: text
        character(kind=c_char), pointer :: c(:)
        integer :: i, length

        length = int(c_strlen(address))
        call c_f_pointer(address, c, [length])
        allocate (character(len=length) :: text)
        do i = 1, length
            text(i:i) = c(i)
        end do
    end function

    function up_to_null(line) result(text)
        character(len=*), intent(in) :: line
        character(len=:), allocatable :: text
        integer :: length

        length = index(line, c_null_char) - 1
        if (length < 0) length = len(line)
        text = line(1:length)
    end function

    function to_c(name) result(text)
        character(len=:), allocatable, intent(in) :: name
        character(len=:), allocatable :: text

        text = c_null_char
        if (allocated(name)) text = trim(name)//c_null_char
    end function

    !> What an ierror means.
    function plan_status_text(ierror) result(text)
        integer, intent(in) :: ierror
        character(len=:), allocatable :: text
        character(len=ROOM) :: line

        line = c_null_char
        call c_status_text(int(ierror, c_int), line, int(ROOM, c_size_t))
        text = up_to_null(line)
    end function

    !> Why the last plan_execute, plan_start, plan_test or plan_wait by this plan failed on this rank; empty if it did not.
    function plan_execute_error(plan) result(text)
        type(plan_t), intent(in) :: plan
        character(len=:), allocatable :: text

        text = from_c(c_execute_error(plan%handle))
    end function

    subroutine forward_report(context, level, line) bind(c, name="")
        type(c_ptr), value :: context, line
        integer(c_int), value :: level
        type(reporter_t), pointer :: reporter

        call c_f_pointer(context, reporter)
        call reporter%report(int(level), from_c(line))
    end subroutine

    ! ---- plan_bcast, plan_reduce ----

    subroutine bcast(reduces, comm, root, max_bytes, plan, ierror, options, errmsg)
        logical, intent(in) :: reduces
        integer, intent(in) :: comm, root
        integer(c_int64_t), intent(in) :: max_bytes
        type(plan_t), intent(out) :: plan
        integer, intent(out) :: ierror
        type(plan_options), intent(in), optional :: options
        character(len=*), intent(out), optional :: errmsg
        type(plan_options) :: chosen
        type(reporter_t), target :: reporter
        type(c_funptr) :: report
        character(len=ROOM) :: line

        if (present(options)) chosen = options
        report = c_null_funptr
        if (associated(chosen%report)) report = c_funloc(forward_report)
        reporter%report => chosen%report
        line = c_null_char
        ierror = c_bcast(int(comm, c_int), int(root, c_int), max_bytes, merge(1_c_int, 0_c_int, reduces), &
                         int(chosen%mode, c_int), real(chosen%budget_s, c_double), to_c(chosen%machine), &
                         to_c(chosen%save_machine), to_c(chosen%load_profile), to_c(chosen%save_profile), report, &
                         c_loc(reporter), plan%handle, line, int(ROOM, c_size_t))
        if (present(errmsg)) errmsg = up_to_null(line)
    end subroutine

    subroutine bcast_f08(comm, root, max_bytes, plan, ierror, options, errmsg)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: root, max_bytes
        type(plan_t), intent(out) :: plan
        integer, intent(out) :: ierror
        type(plan_options), intent(in), optional :: options
        character(len=*), intent(out), optional :: errmsg

        call bcast(.false., comm%MPI_VAL, root, int(max_bytes, c_int64_t), plan, ierror, options, errmsg)
    end subroutine

    subroutine bcast_f08_large(comm, root, max_bytes, plan, ierror, options, errmsg)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: root
        integer(MPI_COUNT_KIND), intent(in) :: max_bytes
        type(plan_t), intent(out) :: plan
        integer, intent(out) :: ierror
        type(plan_options), intent(in), optional :: options
        character(len=*), intent(out), optional :: errmsg

        call bcast(.false., comm%MPI_VAL, root, int(max_bytes, c_int64_t), plan, ierror, options, errmsg)
    end subroutine

    subroutine bcast_integer(comm, root, max_bytes, plan, ierror, options, errmsg)
        integer, intent(in) :: comm, root, max_bytes
        type(plan_t), intent(out) :: plan
        integer, intent(out) :: ierror
        type(plan_options), intent(in), optional :: options
        character(len=*), intent(out), optional :: errmsg

        call bcast(.false., comm, root, int(max_bytes, c_int64_t), plan, ierror, options, errmsg)
    end subroutine

    subroutine bcast_integer_large(comm, root, max_bytes, plan, ierror, options, errmsg)
        integer, intent(in) :: comm, root
        integer(MPI_COUNT_KIND), intent(in) :: max_bytes
        type(plan_t), intent(out) :: plan
        integer, intent(out) :: ierror
        type(plan_options), intent(in), optional :: options
        character(len=*), intent(out), optional :: errmsg

        call bcast(.false., comm, root, int(max_bytes, c_int64_t), plan, ierror, options, errmsg)
    end subroutine

    subroutine reduce_f08(comm, root, max_bytes, plan, ierror, options, errmsg)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: root, max_bytes
        type(plan_t), intent(out) :: plan
        integer, intent(out) :: ierror
        type(plan_options), intent(in), optional :: options
        character(len=*), intent(out), optional :: errmsg

        call bcast(.true., comm%MPI_VAL, root, int(max_bytes, c_int64_t), plan, ierror, options, errmsg)
    end subroutine

    subroutine reduce_f08_large(comm, root, max_bytes, plan, ierror, options, errmsg)
        type(MPI_Comm), intent(in) :: comm
        integer, intent(in) :: root
        integer(MPI_COUNT_KIND), intent(in) :: max_bytes
        type(plan_t), intent(out) :: plan
        integer, intent(out) :: ierror
        type(plan_options), intent(in), optional :: options
        character(len=*), intent(out), optional :: errmsg

        call bcast(.true., comm%MPI_VAL, root, int(max_bytes, c_int64_t), plan, ierror, options, errmsg)
    end subroutine

    subroutine reduce_integer(comm, root, max_bytes, plan, ierror, options, errmsg)
        integer, intent(in) :: comm, root, max_bytes
        type(plan_t), intent(out) :: plan
        integer, intent(out) :: ierror
        type(plan_options), intent(in), optional :: options
        character(len=*), intent(out), optional :: errmsg

        call bcast(.true., comm, root, int(max_bytes, c_int64_t), plan, ierror, options, errmsg)
    end subroutine

    subroutine reduce_integer_large(comm, root, max_bytes, plan, ierror, options, errmsg)
        integer, intent(in) :: comm, root
        integer(MPI_COUNT_KIND), intent(in) :: max_bytes
        type(plan_t), intent(out) :: plan
        integer, intent(out) :: ierror
        type(plan_options), intent(in), optional :: options
        character(len=*), intent(out), optional :: errmsg

        call bcast(.true., comm, root, int(max_bytes, c_int64_t), plan, ierror, options, errmsg)
    end subroutine

    ! ---- plan_execute ----

    subroutine execute_f08(plan, buffer, count, datatype, ierror)
        type(plan_t), intent(in) :: plan
        type(*), dimension(..) :: buffer
        integer, intent(in) :: count
        type(MPI_Datatype), intent(in) :: datatype
        integer, intent(out) :: ierror

        ierror = c_execute(plan%handle, buffer, int(count, c_int64_t), datatype%MPI_VAL, MPI_BOTTOM)
    end subroutine

    subroutine execute_f08_large(plan, buffer, count, datatype, ierror)
        type(plan_t), intent(in) :: plan
        type(*), dimension(..) :: buffer
        integer(MPI_COUNT_KIND), intent(in) :: count
        type(MPI_Datatype), intent(in) :: datatype
        integer, intent(out) :: ierror

        ierror = c_execute(plan%handle, buffer, int(count, c_int64_t), datatype%MPI_VAL, MPI_BOTTOM)
    end subroutine

    subroutine execute_integer(plan, buffer, count, datatype, ierror)
        type(plan_t), intent(in) :: plan
        type(*), dimension(..) :: buffer
        integer, intent(in) :: count, datatype
        integer, intent(out) :: ierror

        ierror = c_execute(plan%handle, buffer, int(count, c_int64_t), datatype, old_bottom)
    end subroutine

    subroutine execute_integer_large(plan, buffer, count, datatype, ierror)
        type(plan_t), intent(in) :: plan
        type(*), dimension(..) :: buffer
        integer(MPI_COUNT_KIND), intent(in) :: count
        integer, intent(in) :: datatype
        integer, intent(out) :: ierror

        ierror = c_execute(plan%handle, buffer, int(count, c_int64_t), datatype, old_bottom)
    end subroutine

    ! ---- plan_reduce_execute ----

    subroutine combine_f08(plan, sendbuf, recvbuf, count, datatype, op, ierror)
        type(plan_t), intent(in) :: plan
        type(*), dimension(..), intent(in) :: sendbuf
        type(*), dimension(..) :: recvbuf
        integer, intent(in) :: count
        type(MPI_Datatype), intent(in) :: datatype
        type(MPI_Op), intent(in) :: op
        integer, intent(out) :: ierror

        ierror = c_combine(plan%handle, sendbuf, recvbuf, int(count, c_int64_t), datatype%MPI_VAL, op%MPI_VAL, MPI_BOTTOM, &
                           MPI_IN_PLACE)
    end subroutine

    subroutine combine_f08_large(plan, sendbuf, recvbuf, count, datatype, op, ierror)
        type(plan_t), intent(in) :: plan
        type(*), dimension(..), intent(in) :: sendbuf
        type(*), dimension(..) :: recvbuf
        integer(MPI_COUNT_KIND), intent(in) :: count
        type(MPI_Datatype), intent(in) :: datatype
        type(MPI_Op), intent(in) :: op
        integer, intent(out) :: ierror

        ierror = c_combine(plan%handle, sendbuf, recvbuf, int(count, c_int64_t), datatype%MPI_VAL, op%MPI_VAL, MPI_BOTTOM, &
                           MPI_IN_PLACE)
    end subroutine

    subroutine combine_integer(plan, sendbuf, recvbuf, count, datatype, op, ierror)
        type(plan_t), intent(in) :: plan
        type(*), dimension(..), intent(in) :: sendbuf
        type(*), dimension(..) :: recvbuf
        integer, intent(in) :: count, datatype, op
        integer, intent(out) :: ierror

        ierror = c_combine(plan%handle, sendbuf, recvbuf, int(count, c_int64_t), datatype, op, old_bottom, old_in_place)
    end subroutine

    subroutine combine_integer_large(plan, sendbuf, recvbuf, count, datatype, op, ierror)
        type(plan_t), intent(in) :: plan
        type(*), dimension(..), intent(in) :: sendbuf
        type(*), dimension(..) :: recvbuf
        integer(MPI_COUNT_KIND), intent(in) :: count
        integer, intent(in) :: datatype, op
        integer, intent(out) :: ierror

        ierror = c_combine(plan%handle, sendbuf, recvbuf, int(count, c_int64_t), datatype, op, old_bottom, old_in_place)
    end subroutine

    ! ---- plan_start, plan_test, plan_wait ----

    subroutine start_f08(plan, buffer, count, datatype, ierror)
        type(plan_t), intent(in) :: plan
        type(*), dimension(..), asynchronous :: buffer
        integer, intent(in) :: count
        type(MPI_Datatype), intent(in) :: datatype
        integer, intent(out) :: ierror

        ierror = c_start(plan%handle, buffer, int(count, c_int64_t), datatype%MPI_VAL, MPI_BOTTOM)
    end subroutine

    subroutine start_f08_large(plan, buffer, count, datatype, ierror)
        type(plan_t), intent(in) :: plan
        type(*), dimension(..), asynchronous :: buffer
        integer(MPI_COUNT_KIND), intent(in) :: count
        type(MPI_Datatype), intent(in) :: datatype
        integer, intent(out) :: ierror

        ierror = c_start(plan%handle, buffer, int(count, c_int64_t), datatype%MPI_VAL, MPI_BOTTOM)
    end subroutine

    subroutine start_integer(plan, buffer, count, datatype, ierror)
        type(plan_t), intent(in) :: plan
        type(*), dimension(..), asynchronous :: buffer
        integer, intent(in) :: count, datatype
        integer, intent(out) :: ierror

        ierror = c_start(plan%handle, buffer, int(count, c_int64_t), datatype, old_bottom)
    end subroutine

    subroutine start_integer_large(plan, buffer, count, datatype, ierror)
        type(plan_t), intent(in) :: plan
        type(*), dimension(..), asynchronous :: buffer
        integer(MPI_COUNT_KIND), intent(in) :: count
        integer, intent(in) :: datatype
        integer, intent(out) :: ierror

        ierror = c_start(plan%handle, buffer, int(count, c_int64_t), datatype, old_bottom)
    end subroutine

    subroutine plan_test(plan, done, ierror)
        type(plan_t), intent(in) :: plan
        logical, intent(out) :: done
        integer, intent(out) :: ierror
        integer(c_int) :: flag

        ierror = c_test(plan%handle, flag)
        done = flag /= 0
    end subroutine

    subroutine plan_wait(plan, ierror)
        type(plan_t), intent(in) :: plan
        integer, intent(out) :: ierror

        ierror = c_wait(plan%handle)
    end subroutine

    subroutine plan_destroy(plan)
        type(plan_t), intent(inout) :: plan

        call c_destroy(plan%handle)
    end subroutine

end module
