!> PRIF 0.8, the Parallel Runtime Interface for Fortran (doi 10.25344/S4Z88F), for programs that say `use prif`.
!>
!> The module has interfaces only: gfortran and flang compile it, and programs are linked with libxmprt. Image indices of
!> procedures that access an image count in the initial team, those of collective subroutines in the current one. Errors go
!> to `stat`, `errmsg` and `errmsg_alloc` where they are given; otherwise they end the program with a message.
!>
!> `./x install` makes it of the library's table of procedures (ffi/src/prif).
module prif
  use, intrinsic :: iso_c_binding, only: c_bool, c_char, c_int, c_int64_t, c_intptr_t, c_null_ptr, c_ptr, c_ptrdiff_t, &
    c_size_t
  implicit none
  private :: c_bool, c_char, c_int, c_int64_t, c_intptr_t, c_null_ptr, c_ptr, c_ptrdiff_t, c_size_t
  private :: xmp_prif_register_stop_callback, xmp_prif_image_status

  integer(c_int), parameter, public :: PRIF_CURRENT_TEAM = -1
  integer(c_int), parameter, public :: PRIF_INITIAL_TEAM = -2
  integer(c_int), parameter, public :: PRIF_PARENT_TEAM = -3
  integer(c_int), parameter, public :: PRIF_STAT_FAILED_IMAGE = 101
  integer(c_int), parameter, public :: PRIF_STAT_LOCKED = 102
  integer(c_int), parameter, public :: PRIF_STAT_LOCKED_OTHER_IMAGE = 103
  integer(c_int), parameter, public :: PRIF_STAT_STOPPED_IMAGE = 104
  integer(c_int), parameter, public :: PRIF_STAT_UNLOCKED = 105
  integer(c_int), parameter, public :: PRIF_STAT_UNLOCKED_FAILED_IMAGE = 106
  integer(c_int), parameter, public :: PRIF_STAT_OUT_OF_MEMORY = 301
  integer(c_int), parameter, public :: PRIF_STAT_ALREADY_INIT = 302

  !> The version of PRIF.
  integer(c_int), parameter, public :: PRIF_VERSION_MAJOR = 0, PRIF_VERSION_MINOR = 8

  !> Kinds of atomic variables.
  integer, parameter, public :: PRIF_ATOMIC_INT_KIND = c_int64_t, PRIF_ATOMIC_LOGICAL_KIND = 8

  !> A coarray.
  type, public, bind(C) :: prif_coarray_handle
    private
    type(c_ptr) :: info = c_null_ptr
  end type

  !> A team. It is as large as a type with a pointer component, which PRIF demands and compilers have as TEAM_TYPE.
  type, private :: any_type
    integer :: nothing
  end type
  type, private :: pointer_type
    type(any_type), pointer :: info => null()
  end type
  type(pointer_type), private :: pointer_variable
  type, public, bind(C) :: prif_team_type
    private
    integer(c_int64_t) :: number(storage_size(pointer_variable) / 64) = 0
  end type

  !> An event, in a coarray.
  type, public, bind(C) :: prif_event_type
    private
    integer(c_int64_t) :: count = 0
  end type

  !> A variable that is notified of puts, in a coarray.
  type, public, bind(C) :: prif_notify_type
    private
    integer(c_int64_t) :: count = 0
  end type

  !> A lock, in a coarray.
  type, public, bind(C) :: prif_lock_type
    private
    integer(c_int64_t) :: owner = 0
  end type

  !> A critical construct, as a scalar coarray.
  type, public, bind(C) :: prif_critical_type
    private
    integer(c_int64_t) :: owner = 0
  end type

  abstract interface
    !> Is called by prif_stop and prif_error_stop, with the arguments that they have.
    subroutine prif_stop_callback_interface(is_error_stop, quiet, stop_code_int, stop_code_char)
      import :: c_bool, c_int
      implicit none
      logical(c_bool), intent(in) :: is_error_stop, quiet
      integer(c_int), intent(in), optional :: stop_code_int
      character(len=*), intent(in), optional :: stop_code_char
    end subroutine

    !> Is called before a coarray is deallocated.
    subroutine prif_coarray_cleanup_interface(handle) bind(C)
      import :: prif_coarray_handle
      implicit none
      type(prif_coarray_handle), intent(in), value :: handle
    end subroutine

    !> Combines `count` elements at `arg1` with those at `arg2_and_out`, where it leaves the results.
    subroutine prif_operation_wrapper_interface(arg1, arg2_and_out, count, cdata) bind(C)
      import :: c_ptr, c_size_t
      implicit none
      type(c_ptr), intent(in), value :: arg1, arg2_and_out
      integer(c_size_t), intent(in), value :: count
      type(c_ptr), intent(in), value :: cdata
    end subroutine
  end interface

