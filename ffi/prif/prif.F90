!> PRIF 0.8, the Parallel Runtime Interface for Fortran (doi 10.25344/S4Z88F), for programs that say `use prif`.
!>
!> The module has interfaces only: gfortran and flang compile it, and programs are linked with libxmprt. Image indices of
!> procedures that access an image count in the initial team, those of collective subroutines in the current one. Errors go
!> to `stat`, `errmsg` and `errmsg_alloc` where they are given; otherwise they end the program with a message.
!>
!> A test compares them with the library's table of procedures (ffi/src/prif).
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

  ! Start and end of a program
  interface
    !> Starts this image. `stat` becomes 0, or PRIF_STAT_ALREADY_INIT after the first call: compilers call it once for
    !> each source file with coarrays, before and in the main program.
    subroutine prif_init(stat) bind(C, name='xmp_prif_init')
      import
      implicit none
      integer(c_int), intent(out) :: stat
    end subroutine

    !> STOP: normal termination of the image, with `stop_code_int` as exit status. Unless it is `quiet` the code is
    !> printed to standard error.
    subroutine prif_stop(quiet, stop_code_int, stop_code_char) bind(C, name='xmp_prif_stop')
      import
      implicit none
      logical(c_bool), intent(in) :: quiet
      integer(c_int), intent(in), optional :: stop_code_int
      character(kind=c_char, len=*), intent(in), optional :: stop_code_char
    end subroutine

    !> ERROR STOP: error termination of all images, with `stop_code_int` as exit status, or 1.
    subroutine prif_error_stop(quiet, stop_code_int, stop_code_char) bind(C, name='xmp_prif_error_stop')
      import
      implicit none
      logical(c_bool), intent(in) :: quiet
      integer(c_int), intent(in), optional :: stop_code_int
      character(kind=c_char, len=*), intent(in), optional :: stop_code_char
    end subroutine

    !> FAIL IMAGE: this image ends and is a failed image from then on.
    subroutine prif_fail_image() bind(C, name='xmp_prif_fail_image')
      import
      implicit none
    end subroutine
  end interface

  interface prif_register_stop_callback
    !> Has `callback` be called at prif_stop and prif_error_stop, before the image ends. Later callbacks are called
    !> first.
    subroutine xmp_prif_register_stop_callback(callback)
      import
      implicit none
      procedure(prif_stop_callback_interface), pointer, intent(in) :: callback
    end subroutine
  end interface

  ! Images
  interface
    !> NUM_IMAGES(): the number of images of the current team.
    subroutine prif_num_images(num_images) bind(C, name='xmp_prif_num_images')
      import
      implicit none
      integer(c_int), intent(out) :: num_images
    end subroutine

    !> NUM_IMAGES(TEAM).
    subroutine prif_num_images_with_team(team, num_images) bind(C, name='xmp_prif_num_images_with_team')
      import
      implicit none
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out) :: num_images
    end subroutine

    !> NUM_IMAGES(TEAM_NUMBER): of the initial team (-1), the current team or a sibling of it.
    subroutine prif_num_images_with_team_number(team_number, num_images &
        ) bind(C, name='xmp_prif_num_images_with_team_number')
      import
      implicit none
      integer(c_int64_t), intent(in) :: team_number
      integer(c_int), intent(out) :: num_images
    end subroutine

    !> THIS_IMAGE([TEAM]).
    subroutine prif_this_image_no_coarray(team, this_image) bind(C, name='xmp_prif_this_image_no_coarray')
      import
      implicit none
      type(prif_team_type), intent(in), optional :: team
      integer(c_int), intent(out) :: this_image
    end subroutine

    !> THIS_IMAGE(COARRAY [, TEAM]): the cosubscripts of this image.
    subroutine prif_this_image_with_coarray(coarray_handle, team, cosubscripts &
        ) bind(C, name='xmp_prif_this_image_with_coarray')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(prif_team_type), intent(in), optional :: team
      integer(c_int64_t), intent(out) :: cosubscripts(:)
    end subroutine

    !> THIS_IMAGE(COARRAY, DIM [, TEAM]): one cosubscript of this image.
    subroutine prif_this_image_with_dim(coarray_handle, dim, team, cosubscript &
        ) bind(C, name='xmp_prif_this_image_with_dim')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(in) :: dim
      type(prif_team_type), intent(in), optional :: team
      integer(c_int64_t), intent(out) :: cosubscript
    end subroutine

    !> FAILED_IMAGES([TEAM]): the indices of the failed images, ascending.
    subroutine prif_failed_images(team, failed_images) bind(C, name='xmp_prif_failed_images')
      import
      implicit none
      type(prif_team_type), intent(in), optional :: team
      integer(c_int), intent(out), allocatable :: failed_images(:)
    end subroutine

    !> STOPPED_IMAGES([TEAM]): the indices of the stopped images, ascending.
    subroutine prif_stopped_images(team, stopped_images) bind(C, name='xmp_prif_stopped_images')
      import
      implicit none
      type(prif_team_type), intent(in), optional :: team
      integer(c_int), intent(out), allocatable :: stopped_images(:)
    end subroutine
  end interface

  interface prif_image_status
    !> IMAGE_STATUS(IMAGE [, TEAM]): 0, PRIF_STAT_STOPPED_IMAGE or PRIF_STAT_FAILED_IMAGE. It is elemental.
    impure elemental subroutine xmp_prif_image_status(image, team, image_status)
      import
      implicit none
      integer(c_int), intent(in) :: image
      type(prif_team_type), intent(in), optional :: team
      integer(c_int), intent(out) :: image_status
    end subroutine
  end interface

  ! Allocation
  interface
    !> ALLOCATE of a coarray: all images of the current team call it. `ucobounds` may lack the last one. `final_proc`
    !> is called before the coarray is deallocated, if it is associated.
    subroutine prif_allocate_coarray(lcobounds, ucobounds, size_in_bytes, final_proc, coarray_handle, &
        allocated_memory, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_allocate_coarray')
      import
      implicit none
      integer(c_int64_t), intent(in) :: lcobounds(:)
      integer(c_int64_t), intent(in) :: ucobounds(:)
      integer(c_size_t), intent(in) :: size_in_bytes
      procedure(prif_coarray_cleanup_interface), pointer, intent(in) :: final_proc
      type(prif_coarray_handle), intent(out) :: coarray_handle
      type(c_ptr), intent(out) :: allocated_memory
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> Allocates memory on this image only. Other images reach it by its address.
    subroutine prif_allocate(size_in_bytes, allocated_memory, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_allocate')
      import
      implicit none
      integer(c_size_t), intent(in) :: size_in_bytes
      type(c_ptr), intent(out) :: allocated_memory
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> DEALLOCATE of a coarray: all images of the team that allocated it call it.
    subroutine prif_deallocate_coarray(coarray_handle, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_deallocate_coarray')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> DEALLOCATE of several coarrays, in this order.
    subroutine prif_deallocate_coarrays(coarray_handles, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_deallocate_coarrays')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handles(:)
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> Deallocates memory of prif_allocate.
    subroutine prif_deallocate(mem, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_deallocate')
      import
      implicit none
      type(c_ptr), intent(in) :: mem
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> Makes another handle for a coarray: with other cobounds, and `data_pointer_offset` bytes further on.
    subroutine prif_alias_create(source_handle, alias_lcobounds, alias_ucobounds, data_pointer_offset, &
        alias_handle) bind(C, name='xmp_prif_alias_create')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: source_handle
      integer(c_int64_t), intent(in) :: alias_lcobounds(:)
      integer(c_int64_t), intent(in) :: alias_ucobounds(:)
      integer(c_size_t), intent(in) :: data_pointer_offset
      type(prif_coarray_handle), intent(out) :: alias_handle
    end subroutine

    !> Forgets an alias.
    subroutine prif_alias_destroy(alias_handle) bind(C, name='xmp_prif_alias_destroy')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: alias_handle
    end subroutine
  end interface

  ! Inquiries about coarrays
  interface
    !> Associates an address with a coarray and all its aliases, for this image.
    subroutine prif_set_context_data(coarray_handle, context_data) bind(C, name='prif_set_context_data')
      import
      implicit none
      type(prif_coarray_handle), intent(in), value :: coarray_handle
      type(c_ptr), intent(in), value :: context_data
    end subroutine

    !> The address that prif_set_context_data has associated with a coarray; null if it has not been called.
    subroutine prif_get_context_data(coarray_handle, context_data) bind(C, name='prif_get_context_data')
      import
      implicit none
      type(prif_coarray_handle), intent(in), value :: coarray_handle
      type(c_ptr), intent(out) :: context_data
    end subroutine

    !> The size of a coarray as it was allocated.
    subroutine prif_size_bytes(coarray_handle, data_size) bind(C, name='prif_size_bytes')
      import
      implicit none
      type(prif_coarray_handle), intent(in), value :: coarray_handle
      integer(c_size_t), intent(out) :: data_size
    end subroutine

    !> The address of a coarray on this image.
    subroutine prif_local_data_pointer(coarray_handle, local_data) bind(C, name='prif_local_data_pointer')
      import
      implicit none
      type(prif_coarray_handle), intent(in), value :: coarray_handle
      type(c_ptr), intent(out) :: local_data
    end subroutine

    !> LCOBOUND(COARRAY).
    subroutine prif_lcobound_no_dim(coarray_handle, lcobounds) bind(C, name='xmp_prif_lcobound_no_dim')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(out) :: lcobounds(:)
    end subroutine

    !> LCOBOUND(COARRAY, DIM).
    subroutine prif_lcobound_with_dim(coarray_handle, dim, lcobound &
        ) bind(C, name='xmp_prif_lcobound_with_dim')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(in) :: dim
      integer(c_int64_t), intent(out) :: lcobound
    end subroutine

    !> UCOBOUND(COARRAY): the last one by the number of images of the current team.
    subroutine prif_ucobound_no_dim(coarray_handle, ucobounds) bind(C, name='xmp_prif_ucobound_no_dim')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(out) :: ucobounds(:)
    end subroutine

    !> UCOBOUND(COARRAY, DIM).
    subroutine prif_ucobound_with_dim(coarray_handle, dim, ucobound &
        ) bind(C, name='xmp_prif_ucobound_with_dim')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(in) :: dim
      integer(c_int64_t), intent(out) :: ucobound
    end subroutine

    !> COSHAPE(COARRAY).
    subroutine prif_coshape(coarray_handle, sizes) bind(C, name='xmp_prif_coshape')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(out) :: sizes(:)
    end subroutine

    !> IMAGE_INDEX(COARRAY, SUB): 0 if no image has these cosubscripts.
    subroutine prif_image_index(coarray_handle, sub, image_index) bind(C, name='xmp_prif_image_index')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      integer(c_int), intent(out) :: image_index
    end subroutine

    !> IMAGE_INDEX(COARRAY, SUB, TEAM).
    subroutine prif_image_index_with_team(coarray_handle, sub, team, image_index &
        ) bind(C, name='xmp_prif_image_index_with_team')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out) :: image_index
    end subroutine

    !> IMAGE_INDEX(COARRAY, SUB, TEAM_NUMBER): of the initial team (-1), the current team or a sibling of it.
    subroutine prif_image_index_with_team_number(coarray_handle, sub, team_number, image_index &
        ) bind(C, name='xmp_prif_image_index_with_team_number')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      integer(c_int64_t), intent(in) :: team_number
      integer(c_int), intent(out) :: image_index
    end subroutine

    !> The index in the initial team of the image with these cosubscripts in the current team.
    subroutine prif_initial_team_index(coarray_handle, sub, initial_team_index, stat &
        ) bind(C, name='xmp_prif_initial_team_index')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      integer(c_int), intent(out) :: initial_team_index
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> The index in the initial team of the image with these cosubscripts in a team.
    subroutine prif_initial_team_index_with_team(coarray_handle, sub, team, initial_team_index, stat &
        ) bind(C, name='xmp_prif_initial_team_index_with_team')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out) :: initial_team_index
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> The index in the initial team of the image with these cosubscripts in the team of this number: the initial team
    !> (-1), the current team or a sibling of it.
    subroutine prif_initial_team_index_with_team_number(coarray_handle, sub, team_number, &
        initial_team_index, stat) bind(C, name='xmp_prif_initial_team_index_with_team_number')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int64_t), intent(in) :: sub(:)
      integer(c_int64_t), intent(in) :: team_number
      integer(c_int), intent(out) :: initial_team_index
      integer(c_int), intent(out), optional :: stat
    end subroutine
  end interface

  ! Contiguous access
  interface
    !> Gets `size_in_bytes` bytes at `offset` of a coarray on an image of the initial team.
    subroutine prif_get(image_num, coarray_handle, offset, current_image_buffer, size_in_bytes, stat, &
        errmsg, errmsg_alloc) bind(C, name='xmp_prif_get')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> Gets `size_in_bytes` bytes at the address `remote_ptr` of an image of the initial team.
    subroutine prif_get_indirect(image_num, remote_ptr, current_image_buffer, size_in_bytes, stat, errmsg, &
        errmsg_alloc) bind(C, name='xmp_prif_get_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> Puts `size_in_bytes` bytes to `offset` of a coarray on an image of the initial team.
    subroutine prif_put(image_num, coarray_handle, offset, current_image_buffer, size_in_bytes, stat, &
        errmsg, errmsg_alloc) bind(C, name='xmp_prif_put')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> Puts `size_in_bytes` bytes to the address `remote_ptr` of an image of the initial team.
    subroutine prif_put_indirect(image_num, remote_ptr, current_image_buffer, size_in_bytes, stat, errmsg, &
        errmsg_alloc) bind(C, name='xmp_prif_put_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> As prif_put; then notifies the variable at `notify_offset` of a coarray on that image.
    subroutine prif_put_with_notify(image_num, coarray_handle, offset, current_image_buffer, size_in_bytes, &
        notify_coarray_handle, notify_offset, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_put_with_notify')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      type(prif_coarray_handle), intent(in) :: notify_coarray_handle
      integer(c_size_t), intent(in) :: notify_offset
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> As prif_put; then notifies the variable at the address `notify_ptr` of that image.
    subroutine prif_put_with_notify_indirect(image_num, coarray_handle, offset, current_image_buffer, &
        size_in_bytes, notify_ptr, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_put_with_notify_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_intptr_t), intent(in) :: notify_ptr
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> As prif_put_indirect; then notifies the variable at `notify_offset` of a coarray on that image.
    subroutine prif_put_indirect_with_notify(image_num, remote_ptr, current_image_buffer, size_in_bytes, &
        notify_coarray_handle, notify_offset, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_put_indirect_with_notify')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      type(prif_coarray_handle), intent(in) :: notify_coarray_handle
      integer(c_size_t), intent(in) :: notify_offset
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> As prif_put_indirect; then notifies the variable at the address `notify_ptr` of that image.
    subroutine prif_put_indirect_with_notify_indirect(image_num, remote_ptr, current_image_buffer, &
        size_in_bytes, notify_ptr, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_put_indirect_with_notify_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_intptr_t), intent(in) :: notify_ptr
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
  end interface

  ! Strided access
  interface
    !> Gets the elements of a section that starts at `offset` of a coarray on an image of the initial team. Strides are
    !> in bytes.
    subroutine prif_get_strided(image_num, coarray_handle, offset, remote_stride, current_image_buffer, &
        current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_get_strided')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size
      integer(c_size_t), intent(in) :: extent(:)
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> Gets the elements of a section that starts at the address `remote_ptr` of an image of the initial team.
    subroutine prif_get_strided_indirect(image_num, remote_ptr, remote_stride, current_image_buffer, &
        current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_get_strided_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size
      integer(c_size_t), intent(in) :: extent(:)
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> Puts elements to a section that starts at `offset` of a coarray on an image of the initial team. Strides are in
    !> bytes.
    subroutine prif_put_strided(image_num, coarray_handle, offset, remote_stride, current_image_buffer, &
        current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_put_strided')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size
      integer(c_size_t), intent(in) :: extent(:)
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> Puts elements to a section that starts at the address `remote_ptr` of an image of the initial team.
    subroutine prif_put_strided_indirect(image_num, remote_ptr, remote_stride, current_image_buffer, &
        current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_put_strided_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size
      integer(c_size_t), intent(in) :: extent(:)
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> As prif_put_strided; then notifies the variable at `notify_offset` of a coarray on that image.
    subroutine prif_put_strided_with_notify(image_num, coarray_handle, offset, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, notify_coarray_handle, &
        notify_offset, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_put_strided_with_notify')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size
      integer(c_size_t), intent(in) :: extent(:)
      type(prif_coarray_handle), intent(in) :: notify_coarray_handle
      integer(c_size_t), intent(in) :: notify_offset
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> As prif_put_strided; then notifies the variable at the address `notify_ptr` of that image.
    subroutine prif_put_strided_with_notify_indirect(image_num, coarray_handle, offset, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, notify_ptr, stat, errmsg, &
        errmsg_alloc) bind(C, name='xmp_prif_put_strided_with_notify_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size
      integer(c_size_t), intent(in) :: extent(:)
      integer(c_intptr_t), intent(in) :: notify_ptr
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> As prif_put_strided_indirect; then notifies the variable at `notify_offset` of a coarray on that image.
    subroutine prif_put_strided_indirect_with_notify(image_num, remote_ptr, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, notify_coarray_handle, &
        notify_offset, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_put_strided_indirect_with_notify')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size
      integer(c_size_t), intent(in) :: extent(:)
      type(prif_coarray_handle), intent(in) :: notify_coarray_handle
      integer(c_size_t), intent(in) :: notify_offset
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> As prif_put_strided_indirect; then notifies the variable at the address `notify_ptr` of that image.
    subroutine prif_put_strided_indirect_with_notify_indirect(image_num, remote_ptr, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, notify_ptr, stat, errmsg, &
        errmsg_alloc) bind(C, name='xmp_prif_put_strided_indirect_with_notify_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      integer(c_ptrdiff_t), intent(in) :: remote_stride(:)
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_ptrdiff_t), intent(in) :: current_image_stride(:)
      integer(c_size_t), intent(in) :: element_size
      integer(c_size_t), intent(in) :: extent(:)
      integer(c_intptr_t), intent(in) :: notify_ptr
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
  end interface

  ! Synchronisation
  interface
    !> SYNC MEMORY.
    subroutine prif_sync_memory(stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_sync_memory')
      import
      implicit none
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> SYNC ALL. With `stat` the images that are left synchronise also when others have failed.
    subroutine prif_sync_all(stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_sync_all')
      import
      implicit none
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> SYNC IMAGES with the images of the current team in `image_set`; without it with all images.
    subroutine prif_sync_images(image_set, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_sync_images')
      import
      implicit none
      integer(c_int), intent(in), optional :: image_set(:)
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
  end interface

  ! Locks and critical constructs
  interface
    !> LOCK of the lock at `offset` of a coarray on an image of the initial team. With `acquired_lock` it does not
    !> wait.
    subroutine prif_lock(image_num, coarray_handle, offset, acquired_lock, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_lock')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(c_bool), intent(out), optional :: acquired_lock
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> LOCK of the lock at the address `lock_var_ptr` of an image of the initial team.
    subroutine prif_lock_indirect(image_num, lock_var_ptr, acquired_lock, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_lock_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: lock_var_ptr
      logical(c_bool), intent(out), optional :: acquired_lock
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> UNLOCK of the lock at `offset` of a coarray on an image of the initial team.
    subroutine prif_unlock(image_num, coarray_handle, offset, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_unlock')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> UNLOCK of the lock at the address `lock_var_ptr` of an image of the initial team.
    subroutine prif_unlock_indirect(image_num, lock_var_ptr, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_unlock_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: lock_var_ptr
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> CRITICAL: enters the construct of this scalar coarray of prif_critical_type, one image at a time.
    subroutine prif_critical(critical_coarray, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_critical')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: critical_coarray
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> END CRITICAL.
    subroutine prif_end_critical(critical_coarray) bind(C, name='xmp_prif_end_critical')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: critical_coarray
    end subroutine
  end interface

  ! Events and notifications
  interface
    !> EVENT POST of the event at `offset` of a coarray on an image of the initial team.
    subroutine prif_event_post(image_num, coarray_handle, offset, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_event_post')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> EVENT POST of the event at the address `event_var_ptr` of an image of the initial team.
    subroutine prif_event_post_indirect(image_num, event_var_ptr, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_event_post_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: event_var_ptr
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> EVENT WAIT for `until_count` posts of an event of this image, one without it.
    subroutine prif_event_wait(event_var_ptr, until_count, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_event_wait')
      import
      implicit none
      type(c_ptr), intent(in) :: event_var_ptr
      integer(c_int64_t), intent(in), optional :: until_count
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> EVENT_QUERY of an event of this image; -1 after an error.
    subroutine prif_event_query(event_var_ptr, count, stat) bind(C, name='xmp_prif_event_query')
      import
      implicit none
      type(c_ptr), intent(in) :: event_var_ptr
      integer(c_int64_t), intent(out) :: count
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> NOTIFY WAIT for `until_count` puts with notification, one without it.
    subroutine prif_notify_wait(notify_var_ptr, until_count, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_notify_wait')
      import
      implicit none
      type(c_ptr), intent(in) :: notify_var_ptr
      integer(c_int64_t), intent(in), optional :: until_count
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
  end interface

  ! Teams
  interface
    !> FORM TEAM: the images of the current team that give the same `team_number` form a team. With `stat` images that
    !> have failed are left out.
    subroutine prif_form_team(team_number, team, new_index, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_form_team')
      import
      implicit none
      integer(c_int64_t), intent(in) :: team_number
      type(prif_team_type), intent(out) :: team
      integer(c_int), intent(in), optional :: new_index
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> GET_TEAM([LEVEL]): the current team without `level`.
    subroutine prif_get_team(level, team) bind(C, name='xmp_prif_get_team')
      import
      implicit none
      integer(c_int), intent(in), optional :: level
      type(prif_team_type), intent(out) :: team
    end subroutine

    !> TEAM_NUMBER([TEAM]): -1 for the initial team.
    subroutine prif_team_number(team, team_number) bind(C, name='xmp_prif_team_number')
      import
      implicit none
      type(prif_team_type), intent(in), optional :: team
      integer(c_int64_t), intent(out) :: team_number
    end subroutine

    !> CHANGE TEAM: the team becomes the current one.
    subroutine prif_change_team(team, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_change_team')
      import
      implicit none
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> END TEAM: deallocates what was allocated since prif_change_team, and returns to the team before.
    subroutine prif_end_team(stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_end_team')
      import
      implicit none
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> SYNC TEAM.
    subroutine prif_sync_team(team, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_sync_team')
      import
      implicit none
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
  end interface

  ! Collective subroutines
  interface
    !> CO_BROADCAST.
    subroutine prif_co_broadcast(a, source_image, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_co_broadcast')
      import
      implicit none
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in) :: source_image
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> CO_BROADCAST of `size_in_bytes` bytes.
    subroutine prif_co_broadcast_cptr(a_ptr, size_in_bytes, source_image, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_co_broadcast_cptr')
      import
      implicit none
      type(c_ptr), intent(in) :: a_ptr
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(in) :: source_image
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> CO_SUM.
    subroutine prif_co_sum(a, result_image, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_co_sum')
      import
      implicit none
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> CO_MIN of numbers.
    subroutine prif_co_min(a, result_image, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_co_min')
      import
      implicit none
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> CO_MIN of characters.
    subroutine prif_co_min_character(a, result_image, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_co_min_character')
      import
      implicit none
      character(kind=c_char, len=*), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> CO_MAX of numbers.
    subroutine prif_co_max(a, result_image, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_co_max')
      import
      implicit none
      type(*), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> CO_MAX of characters.
    subroutine prif_co_max_character(a, result_image, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_co_max_character')
      import
      implicit none
      character(kind=c_char, len=*), intent(inout), target :: a(..)
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> CO_REDUCE: `operation_wrapper` combines elements, and gets `cdata`.
    subroutine prif_co_reduce(a, operation_wrapper, cdata, result_image, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_co_reduce')
      import
      implicit none
      type(*), intent(inout), target :: a(..)
      procedure(prif_operation_wrapper_interface), pointer, intent(in) :: operation_wrapper
      type(c_ptr), intent(in), value :: cdata
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine

    !> CO_REDUCE of `element_count` elements of `element_size` bytes.
    subroutine prif_co_reduce_cptr(a_ptr, element_size, element_count, operation_wrapper, cdata, &
        result_image, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_co_reduce_cptr')
      import
      implicit none
      type(c_ptr), intent(in) :: a_ptr
      integer(c_size_t), intent(in) :: element_size
      integer(c_size_t), intent(in) :: element_count
      procedure(prif_operation_wrapper_interface), pointer, intent(in) :: operation_wrapper
      type(c_ptr), intent(in), value :: cdata
      integer(c_int), intent(in), optional :: result_image
      integer(c_int), intent(out), optional :: stat
      character(kind=c_char, len=*), intent(inout), optional :: errmsg
      character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    end subroutine
  end interface

  ! Atomic operations
  interface
    !> ATOMIC_ADD.
    subroutine prif_atomic_add(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_add')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_ADD.
    subroutine prif_atomic_add_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_add_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_FETCH_ADD.
    subroutine prif_atomic_fetch_add(image_num, coarray_handle, offset, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_add')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_FETCH_ADD.
    subroutine prif_atomic_fetch_add_indirect(image_num, atom_remote_ptr, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_add_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_AND.
    subroutine prif_atomic_and(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_and')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_AND.
    subroutine prif_atomic_and_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_and_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_FETCH_AND.
    subroutine prif_atomic_fetch_and(image_num, coarray_handle, offset, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_and')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_FETCH_AND.
    subroutine prif_atomic_fetch_and_indirect(image_num, atom_remote_ptr, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_and_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_OR.
    subroutine prif_atomic_or(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_or')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_OR.
    subroutine prif_atomic_or_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_or_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_FETCH_OR.
    subroutine prif_atomic_fetch_or(image_num, coarray_handle, offset, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_or')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_FETCH_OR.
    subroutine prif_atomic_fetch_or_indirect(image_num, atom_remote_ptr, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_or_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_XOR.
    subroutine prif_atomic_xor(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_xor')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_XOR.
    subroutine prif_atomic_xor_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_xor_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_FETCH_XOR.
    subroutine prif_atomic_fetch_xor(image_num, coarray_handle, offset, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_xor')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_FETCH_XOR.
    subroutine prif_atomic_fetch_xor_indirect(image_num, atom_remote_ptr, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_xor_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(c_int), intent(out), optional :: stat
    end subroutine
  end interface

  ! Atomic accesses
  interface
    !> ATOMIC_DEFINE.
    subroutine prif_atomic_define_int(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_define_int')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_DEFINE.
    subroutine prif_atomic_define_int_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_define_int_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_REF.
    subroutine prif_atomic_ref_int(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_ref_int')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_REF.
    subroutine prif_atomic_ref_int_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_ref_int_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_CAS.
    subroutine prif_atomic_cas_int(image_num, coarray_handle, offset, old, compare, new, stat &
        ) bind(C, name='xmp_prif_atomic_cas_int')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: compare
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: new
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_CAS.
    subroutine prif_atomic_cas_int_indirect(image_num, atom_remote_ptr, old, compare, new, stat &
        ) bind(C, name='xmp_prif_atomic_cas_int_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: compare
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: new
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_DEFINE.
    subroutine prif_atomic_define_logical(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_define_logical')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_DEFINE.
    subroutine prif_atomic_define_logical_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_define_logical_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_REF.
    subroutine prif_atomic_ref_logical(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_ref_logical')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_REF.
    subroutine prif_atomic_ref_logical_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_ref_logical_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: value
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_CAS.
    subroutine prif_atomic_cas_logical(image_num, coarray_handle, offset, old, compare, new, stat &
        ) bind(C, name='xmp_prif_atomic_cas_logical')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: old
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: compare
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: new
      integer(c_int), intent(out), optional :: stat
    end subroutine

    !> ATOMIC_CAS.
    subroutine prif_atomic_cas_logical_indirect(image_num, atom_remote_ptr, old, compare, new, stat &
        ) bind(C, name='xmp_prif_atomic_cas_logical_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: old
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: compare
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: new
      integer(c_int), intent(out), optional :: stat
    end subroutine
  end interface
end module
