!> PRIF 0.8, the Parallel Runtime Interface for Fortran (doi 10.25344/S4Z88F), for LFortran: what it calls for coarrays,
!> and the module for programs that say `use prif`.
!>
!> LFortran passes arguments in a way of its own, which changes with its versions. `xmpfc` therefore compiles this module
!> with the user's LFortran and links it with the program; it calls libxmprt by the C convention. What the procedures do
!> says prif.F90.
!>
!> Generated from the library's table of procedures (ffi/src/prif); a test compares them.
module prif
  use, intrinsic :: iso_c_binding, only: c_associated, c_bool, c_char, c_f_pointer, c_f_procpointer, c_funloc, c_funptr, &
    c_int, c_int8_t, c_int64_t, c_intptr_t, c_loc, c_null_funptr, c_null_ptr, c_ptr, c_ptrdiff_t, c_size_t
  implicit none
  private

  public :: prif_init
  public :: prif_register_stop_callback
  public :: prif_stop
  public :: prif_error_stop
  public :: prif_fail_image
  public :: prif_num_images
  public :: prif_num_images_with_team
  public :: prif_num_images_with_team_number
  public :: prif_this_image_no_coarray
  public :: prif_this_image_with_coarray
  public :: prif_this_image_with_dim
  public :: prif_failed_images
  public :: prif_stopped_images
  public :: prif_image_status
  public :: prif_allocate_coarray
  public :: prif_allocate
  public :: prif_deallocate_coarray
  public :: prif_deallocate_coarrays
  public :: prif_deallocate
  public :: prif_alias_create
  public :: prif_alias_destroy
  public :: prif_set_context_data
  public :: prif_get_context_data
  public :: prif_size_bytes
  public :: prif_local_data_pointer
  public :: prif_lcobound_no_dim
  public :: prif_lcobound_with_dim
  public :: prif_ucobound_no_dim
  public :: prif_ucobound_with_dim
  public :: prif_coshape
  public :: prif_image_index
  public :: prif_image_index_with_team
  public :: prif_image_index_with_team_number
  public :: prif_initial_team_index
  public :: prif_initial_team_index_with_team
  public :: prif_initial_team_index_with_team_number
  public :: prif_get
  public :: prif_get_indirect
  public :: prif_put
  public :: prif_put_indirect
  public :: prif_put_with_notify
  public :: prif_put_with_notify_indirect
  public :: prif_put_indirect_with_notify
  public :: prif_put_indirect_with_notify_indirect
  public :: prif_get_strided
  public :: prif_get_strided_indirect
  public :: prif_put_strided
  public :: prif_put_strided_indirect
  public :: prif_put_strided_with_notify
  public :: prif_put_strided_with_notify_indirect
  public :: prif_put_strided_indirect_with_notify
  public :: prif_put_strided_indirect_with_notify_indirect
  public :: prif_sync_memory
  public :: prif_sync_all
  public :: prif_sync_images
  public :: prif_lock
  public :: prif_lock_indirect
  public :: prif_unlock
  public :: prif_unlock_indirect
  public :: prif_critical
  public :: prif_end_critical
  public :: prif_event_post
  public :: prif_event_post_indirect
  public :: prif_event_wait
  public :: prif_event_query
  public :: prif_notify_wait
  public :: prif_form_team
  public :: prif_get_team
  public :: prif_team_number
  public :: prif_change_team
  public :: prif_end_team
  public :: prif_sync_team
  public :: prif_co_broadcast
  public :: prif_co_broadcast_cptr
  public :: prif_co_sum
  public :: prif_co_min
  public :: prif_co_min_character
  public :: prif_co_max
  public :: prif_co_max_character
  public :: prif_co_reduce
  public :: prif_co_reduce_cptr
  public :: prif_atomic_add
  public :: prif_atomic_add_indirect
  public :: prif_atomic_fetch_add
  public :: prif_atomic_fetch_add_indirect
  public :: prif_atomic_and
  public :: prif_atomic_and_indirect
  public :: prif_atomic_fetch_and
  public :: prif_atomic_fetch_and_indirect
  public :: prif_atomic_or
  public :: prif_atomic_or_indirect
  public :: prif_atomic_fetch_or
  public :: prif_atomic_fetch_or_indirect
  public :: prif_atomic_xor
  public :: prif_atomic_xor_indirect
  public :: prif_atomic_fetch_xor
  public :: prif_atomic_fetch_xor_indirect
  public :: prif_atomic_define_int
  public :: prif_atomic_define_int_indirect
  public :: prif_atomic_ref_int
  public :: prif_atomic_ref_int_indirect
  public :: prif_atomic_cas_int
  public :: prif_atomic_cas_int_indirect
  public :: prif_atomic_define_logical
  public :: prif_atomic_define_logical_indirect
  public :: prif_atomic_ref_logical
  public :: prif_atomic_ref_logical_indirect
  public :: prif_atomic_cas_logical
  public :: prif_atomic_cas_logical_indirect
  public :: prif_stop_callback_interface, prif_coarray_cleanup_interface, prif_operation_wrapper_interface

  integer(c_int), parameter, public :: PRIF_CURRENT_TEAM = 1
  integer(c_int), parameter, public :: PRIF_INITIAL_TEAM = 0
  integer(c_int), parameter, public :: PRIF_PARENT_TEAM = 2
  integer(c_int), parameter, public :: PRIF_STAT_FAILED_IMAGE = -1
  integer(c_int), parameter, public :: PRIF_STAT_LOCKED = 2
  integer(c_int), parameter, public :: PRIF_STAT_LOCKED_OTHER_IMAGE = 3
  integer(c_int), parameter, public :: PRIF_STAT_STOPPED_IMAGE = 4
  integer(c_int), parameter, public :: PRIF_STAT_UNLOCKED = 1
  integer(c_int), parameter, public :: PRIF_STAT_UNLOCKED_FAILED_IMAGE = 5
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

  !> A C descriptor of a list or a text.
  type, bind(C) :: descriptor
    type(c_ptr) :: base = c_null_ptr
    integer(c_size_t) :: elem_len = 0
    integer(c_int) :: version = 20180515
    integer(c_int8_t) :: rank = 1, type = 0, attribute = 0, extra = 0
    integer(c_int64_t) :: lower = 1, extent = 0, stride = 0
  end type

  !> A C descriptor of any array: its first bytes, and room for 15 dimensions.
  type, bind(C) :: array
    type(descriptor) :: header
    integer(c_int64_t) :: dimensions(3, 14)
  end type

  !> A registered stop callback, and the one before it. The library calls them by `call_last`, because they have
  !> LFortran's convention. It is no procedure pointer, since LFortran 0.67 cannot compile users of a module that
  !> assigns one with optional arguments.
  type :: stop_callback
    type(c_funptr) :: address = c_null_funptr
    type(stop_callback), pointer :: before => null()
  end type
  type(stop_callback), pointer :: last_callback => null()

  !> What is called before a coarray is deallocated: the library calls `clean_up`, because LFortran's procedures expect the
  !> address of the handle.
  type :: cleanup
    type(c_ptr) :: coarray = c_null_ptr
    type(c_funptr) :: address = c_null_funptr
    type(cleanup), pointer :: next => null()
  end type
  type(cleanup), pointer :: cleanups => null()

  !> Bytes of a descriptor before its dimensions, and of a dimension.
  integer(c_size_t), parameter :: HEADER = 24, DIMENSION = 24

  !> Characters of the longest message that is passed on.
  integer, parameter :: LONGEST = 1000

  ! Functions of libxmprt
  interface
    subroutine xmp_prif_init(stat) bind(C, name='xmp_prif_init')
      import
      implicit none
      integer(c_int), intent(out) :: stat
    end subroutine

    subroutine xmp_prif_stop(quiet, stop_code_int, stop_code_char) bind(C, name='xmp_prif_stop')
      import
      implicit none
      logical(c_bool), intent(in) :: quiet
      type(c_ptr), intent(in), value :: stop_code_int
      type(c_ptr), intent(in), value :: stop_code_char
    end subroutine

    subroutine xmp_prif_error_stop(quiet, stop_code_int, stop_code_char) bind(C, name='xmp_prif_error_stop')
      import
      implicit none
      logical(c_bool), intent(in) :: quiet
      type(c_ptr), intent(in), value :: stop_code_int
      type(c_ptr), intent(in), value :: stop_code_char
    end subroutine

    subroutine xmp_prif_fail_image() bind(C, name='xmp_prif_fail_image')
      import
      implicit none
    end subroutine

    subroutine xmp_prif_num_images(num_images) bind(C, name='xmp_prif_num_images')
      import
      implicit none
      integer(c_int), intent(out) :: num_images
    end subroutine

    subroutine xmp_prif_num_images_with_team(team, num_images) bind(C, name='xmp_prif_num_images_with_team')
      import
      implicit none
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out) :: num_images
    end subroutine

    subroutine xmp_prif_num_images_with_team_number(team_number, num_images &
        ) bind(C, name='xmp_prif_num_images_with_team_number')
      import
      implicit none
      integer(c_int64_t), intent(in) :: team_number
      integer(c_int), intent(out) :: num_images
    end subroutine

    subroutine xmp_prif_this_image_no_coarray(team, this_image) bind(C, name='xmp_prif_this_image_no_coarray')
      import
      implicit none
      type(c_ptr), intent(in), value :: team
      integer(c_int), intent(out) :: this_image
    end subroutine

    subroutine xmp_prif_this_image_with_coarray(coarray_handle, team, cosubscripts &
        ) bind(C, name='xmp_prif_this_image_with_coarray')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(c_ptr), intent(in), value :: team
      type(descriptor), intent(in) :: cosubscripts
    end subroutine

    subroutine xmp_prif_this_image_with_dim(coarray_handle, dim, team, cosubscript &
        ) bind(C, name='xmp_prif_this_image_with_dim')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(in) :: dim
      type(c_ptr), intent(in), value :: team
      integer(c_int64_t), intent(out) :: cosubscript
    end subroutine

    subroutine xmp_prif_failed_images(team, failed_images) bind(C, name='xmp_prif_failed_images')
      import
      implicit none
      type(c_ptr), intent(in), value :: team
      type(descriptor), intent(inout) :: failed_images
    end subroutine

    subroutine xmp_prif_stopped_images(team, stopped_images) bind(C, name='xmp_prif_stopped_images')
      import
      implicit none
      type(c_ptr), intent(in), value :: team
      type(descriptor), intent(inout) :: stopped_images
    end subroutine

    subroutine xmp_prif_image_status(image, team, image_status) bind(C, name='xmp_prif_image_status_')
      import
      implicit none
      integer(c_int), intent(in) :: image
      type(c_ptr), intent(in), value :: team
      integer(c_int), intent(out) :: image_status
    end subroutine

    subroutine xmp_prif_allocate_coarray(lcobounds, ucobounds, size_in_bytes, final_proc, coarray_handle, &
        allocated_memory, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_allocate_coarray')
      import
      implicit none
      type(descriptor), intent(in) :: lcobounds
      type(descriptor), intent(in) :: ucobounds
      integer(c_size_t), intent(in) :: size_in_bytes
      type(c_funptr), intent(in) :: final_proc
      type(prif_coarray_handle), intent(out) :: coarray_handle
      type(c_ptr), intent(out) :: allocated_memory
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_allocate(size_in_bytes, allocated_memory, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_allocate')
      import
      implicit none
      integer(c_size_t), intent(in) :: size_in_bytes
      type(c_ptr), intent(out) :: allocated_memory
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_deallocate_coarray(coarray_handle, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_deallocate_coarray')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_deallocate_coarrays(coarray_handles, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_deallocate_coarrays')
      import
      implicit none
      type(descriptor), intent(in) :: coarray_handles
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_deallocate(mem, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_deallocate')
      import
      implicit none
      type(c_ptr), intent(in) :: mem
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_alias_create(source_handle, alias_lcobounds, alias_ucobounds, data_pointer_offset, &
        alias_handle) bind(C, name='xmp_prif_alias_create')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: source_handle
      type(descriptor), intent(in) :: alias_lcobounds
      type(descriptor), intent(in) :: alias_ucobounds
      integer(c_size_t), intent(in) :: data_pointer_offset
      type(prif_coarray_handle), intent(out) :: alias_handle
    end subroutine

    subroutine xmp_prif_alias_destroy(alias_handle) bind(C, name='xmp_prif_alias_destroy')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: alias_handle
    end subroutine

    subroutine xmp_prif_set_context_data(coarray_handle, context_data) bind(C, name='prif_set_context_data')
      import
      implicit none
      type(c_ptr), intent(in), value :: coarray_handle
      type(c_ptr), intent(in), value :: context_data
    end subroutine

    subroutine xmp_prif_get_context_data(coarray_handle, context_data) bind(C, name='prif_get_context_data')
      import
      implicit none
      type(c_ptr), intent(in), value :: coarray_handle
      type(c_ptr), intent(out) :: context_data
    end subroutine

    subroutine xmp_prif_size_bytes(coarray_handle, data_size) bind(C, name='prif_size_bytes')
      import
      implicit none
      type(c_ptr), intent(in), value :: coarray_handle
      integer(c_size_t), intent(out) :: data_size
    end subroutine

    subroutine xmp_prif_local_data_pointer(coarray_handle, local_data) bind(C, name='prif_local_data_pointer')
      import
      implicit none
      type(c_ptr), intent(in), value :: coarray_handle
      type(c_ptr), intent(out) :: local_data
    end subroutine

    subroutine xmp_prif_lcobound_no_dim(coarray_handle, lcobounds) bind(C, name='xmp_prif_lcobound_no_dim')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(descriptor), intent(in) :: lcobounds
    end subroutine

    subroutine xmp_prif_lcobound_with_dim(coarray_handle, dim, lcobound &
        ) bind(C, name='xmp_prif_lcobound_with_dim')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(in) :: dim
      integer(c_int64_t), intent(out) :: lcobound
    end subroutine

    subroutine xmp_prif_ucobound_no_dim(coarray_handle, ucobounds) bind(C, name='xmp_prif_ucobound_no_dim')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(descriptor), intent(in) :: ucobounds
    end subroutine

    subroutine xmp_prif_ucobound_with_dim(coarray_handle, dim, ucobound &
        ) bind(C, name='xmp_prif_ucobound_with_dim')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_int), intent(in) :: dim
      integer(c_int64_t), intent(out) :: ucobound
    end subroutine

    subroutine xmp_prif_coshape(coarray_handle, sizes) bind(C, name='xmp_prif_coshape')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(descriptor), intent(in) :: sizes
    end subroutine

    subroutine xmp_prif_image_index(coarray_handle, sub, image_index) bind(C, name='xmp_prif_image_index')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(descriptor), intent(in) :: sub
      integer(c_int), intent(out) :: image_index
    end subroutine

    subroutine xmp_prif_image_index_with_team(coarray_handle, sub, team, image_index &
        ) bind(C, name='xmp_prif_image_index_with_team')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(descriptor), intent(in) :: sub
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out) :: image_index
    end subroutine

    subroutine xmp_prif_image_index_with_team_number(coarray_handle, sub, team_number, image_index &
        ) bind(C, name='xmp_prif_image_index_with_team_number')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(descriptor), intent(in) :: sub
      integer(c_int64_t), intent(in) :: team_number
      integer(c_int), intent(out) :: image_index
    end subroutine

    subroutine xmp_prif_initial_team_index(coarray_handle, sub, initial_team_index, stat &
        ) bind(C, name='xmp_prif_initial_team_index')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(descriptor), intent(in) :: sub
      integer(c_int), intent(out) :: initial_team_index
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_initial_team_index_with_team(coarray_handle, sub, team, initial_team_index, stat &
        ) bind(C, name='xmp_prif_initial_team_index_with_team')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(descriptor), intent(in) :: sub
      type(prif_team_type), intent(in) :: team
      integer(c_int), intent(out) :: initial_team_index
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_initial_team_index_with_team_number(coarray_handle, sub, team_number, &
        initial_team_index, stat) bind(C, name='xmp_prif_initial_team_index_with_team_number')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: coarray_handle
      type(descriptor), intent(in) :: sub
      integer(c_int64_t), intent(in) :: team_number
      integer(c_int), intent(out) :: initial_team_index
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_get(image_num, coarray_handle, offset, current_image_buffer, size_in_bytes, stat, &
        errmsg, errmsg_alloc) bind(C, name='xmp_prif_get')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_get_indirect(image_num, remote_ptr, current_image_buffer, size_in_bytes, stat, &
        errmsg, errmsg_alloc) bind(C, name='xmp_prif_get_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_put(image_num, coarray_handle, offset, current_image_buffer, size_in_bytes, stat, &
        errmsg, errmsg_alloc) bind(C, name='xmp_prif_put')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_put_indirect(image_num, remote_ptr, current_image_buffer, size_in_bytes, stat, &
        errmsg, errmsg_alloc) bind(C, name='xmp_prif_put_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_put_with_notify(image_num, coarray_handle, offset, current_image_buffer, &
        size_in_bytes, notify_coarray_handle, notify_offset, stat, errmsg, errmsg_alloc &
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
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_put_with_notify_indirect(image_num, coarray_handle, offset, current_image_buffer, &
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
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_put_indirect_with_notify(image_num, remote_ptr, current_image_buffer, size_in_bytes, &
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
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_put_indirect_with_notify_indirect(image_num, remote_ptr, current_image_buffer, &
        size_in_bytes, notify_ptr, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_put_indirect_with_notify_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(c_ptr), intent(in) :: current_image_buffer
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_intptr_t), intent(in) :: notify_ptr
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_get_strided(image_num, coarray_handle, offset, remote_stride, current_image_buffer, &
        current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_get_strided')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(descriptor), intent(in) :: remote_stride
      type(c_ptr), intent(in) :: current_image_buffer
      type(descriptor), intent(in) :: current_image_stride
      integer(c_size_t), intent(in) :: element_size
      type(descriptor), intent(in) :: extent
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_get_strided_indirect(image_num, remote_ptr, remote_stride, current_image_buffer, &
        current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_get_strided_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(descriptor), intent(in) :: remote_stride
      type(c_ptr), intent(in) :: current_image_buffer
      type(descriptor), intent(in) :: current_image_stride
      integer(c_size_t), intent(in) :: element_size
      type(descriptor), intent(in) :: extent
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_put_strided(image_num, coarray_handle, offset, remote_stride, current_image_buffer, &
        current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_put_strided')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(descriptor), intent(in) :: remote_stride
      type(c_ptr), intent(in) :: current_image_buffer
      type(descriptor), intent(in) :: current_image_stride
      integer(c_size_t), intent(in) :: element_size
      type(descriptor), intent(in) :: extent
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_put_strided_indirect(image_num, remote_ptr, remote_stride, current_image_buffer, &
        current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_put_strided_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(descriptor), intent(in) :: remote_stride
      type(c_ptr), intent(in) :: current_image_buffer
      type(descriptor), intent(in) :: current_image_stride
      integer(c_size_t), intent(in) :: element_size
      type(descriptor), intent(in) :: extent
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_put_strided_with_notify(image_num, coarray_handle, offset, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, notify_coarray_handle, &
        notify_offset, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_put_strided_with_notify')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(descriptor), intent(in) :: remote_stride
      type(c_ptr), intent(in) :: current_image_buffer
      type(descriptor), intent(in) :: current_image_stride
      integer(c_size_t), intent(in) :: element_size
      type(descriptor), intent(in) :: extent
      type(prif_coarray_handle), intent(in) :: notify_coarray_handle
      integer(c_size_t), intent(in) :: notify_offset
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_put_strided_with_notify_indirect(image_num, coarray_handle, offset, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, notify_ptr, stat, errmsg, &
        errmsg_alloc) bind(C, name='xmp_prif_put_strided_with_notify_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(descriptor), intent(in) :: remote_stride
      type(c_ptr), intent(in) :: current_image_buffer
      type(descriptor), intent(in) :: current_image_stride
      integer(c_size_t), intent(in) :: element_size
      type(descriptor), intent(in) :: extent
      integer(c_intptr_t), intent(in) :: notify_ptr
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_put_strided_indirect_with_notify(image_num, remote_ptr, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, notify_coarray_handle, &
        notify_offset, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_put_strided_indirect_with_notify')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(descriptor), intent(in) :: remote_stride
      type(c_ptr), intent(in) :: current_image_buffer
      type(descriptor), intent(in) :: current_image_stride
      integer(c_size_t), intent(in) :: element_size
      type(descriptor), intent(in) :: extent
      type(prif_coarray_handle), intent(in) :: notify_coarray_handle
      integer(c_size_t), intent(in) :: notify_offset
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_put_strided_indirect_with_notify_indirect(image_num, remote_ptr, remote_stride, &
        current_image_buffer, current_image_stride, element_size, extent, notify_ptr, stat, errmsg, &
        errmsg_alloc) bind(C, name='xmp_prif_put_strided_indirect_with_notify_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: remote_ptr
      type(descriptor), intent(in) :: remote_stride
      type(c_ptr), intent(in) :: current_image_buffer
      type(descriptor), intent(in) :: current_image_stride
      integer(c_size_t), intent(in) :: element_size
      type(descriptor), intent(in) :: extent
      integer(c_intptr_t), intent(in) :: notify_ptr
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_sync_memory(stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_sync_memory')
      import
      implicit none
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_sync_all(stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_sync_all')
      import
      implicit none
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_sync_images(image_set, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_sync_images')
      import
      implicit none
      type(c_ptr), intent(in), value :: image_set
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_lock(image_num, coarray_handle, offset, acquired_lock, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_lock')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in), value :: acquired_lock
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_lock_indirect(image_num, lock_var_ptr, acquired_lock, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_lock_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: lock_var_ptr
      type(c_ptr), intent(in), value :: acquired_lock
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_unlock(image_num, coarray_handle, offset, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_unlock')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_unlock_indirect(image_num, lock_var_ptr, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_unlock_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: lock_var_ptr
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_critical(critical_coarray, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_critical')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: critical_coarray
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_end_critical(critical_coarray) bind(C, name='xmp_prif_end_critical')
      import
      implicit none
      type(prif_coarray_handle), intent(in) :: critical_coarray
    end subroutine

    subroutine xmp_prif_event_post(image_num, coarray_handle, offset, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_event_post')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_event_post_indirect(image_num, event_var_ptr, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_event_post_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: event_var_ptr
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_event_wait(event_var_ptr, until_count, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_event_wait')
      import
      implicit none
      type(c_ptr), intent(in) :: event_var_ptr
      type(c_ptr), intent(in), value :: until_count
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_event_query(event_var_ptr, count, stat) bind(C, name='xmp_prif_event_query')
      import
      implicit none
      type(c_ptr), intent(in) :: event_var_ptr
      integer(c_int64_t), intent(out) :: count
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_notify_wait(notify_var_ptr, until_count, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_notify_wait')
      import
      implicit none
      type(c_ptr), intent(in) :: notify_var_ptr
      type(c_ptr), intent(in), value :: until_count
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_form_team(team_number, team, new_index, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_form_team')
      import
      implicit none
      integer(c_int64_t), intent(in) :: team_number
      type(prif_team_type), intent(out) :: team
      type(c_ptr), intent(in), value :: new_index
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_get_team(level, team) bind(C, name='xmp_prif_get_team')
      import
      implicit none
      type(c_ptr), intent(in), value :: level
      type(prif_team_type), intent(out) :: team
    end subroutine

    subroutine xmp_prif_team_number(team, team_number) bind(C, name='xmp_prif_team_number')
      import
      implicit none
      type(c_ptr), intent(in), value :: team
      integer(c_int64_t), intent(out) :: team_number
    end subroutine

    subroutine xmp_prif_change_team(team, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_change_team')
      import
      implicit none
      type(prif_team_type), intent(in) :: team
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_end_team(stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_end_team')
      import
      implicit none
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_sync_team(team, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_sync_team')
      import
      implicit none
      type(prif_team_type), intent(in) :: team
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_co_broadcast(a, source_image, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_co_broadcast')
      import
      implicit none
      type(array), intent(in) :: a
      integer(c_int), intent(in) :: source_image
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_co_broadcast_cptr(a_ptr, size_in_bytes, source_image, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_co_broadcast_cptr')
      import
      implicit none
      type(c_ptr), intent(in) :: a_ptr
      integer(c_size_t), intent(in) :: size_in_bytes
      integer(c_int), intent(in) :: source_image
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_co_sum(a, result_image, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_co_sum')
      import
      implicit none
      type(array), intent(in) :: a
      type(c_ptr), intent(in), value :: result_image
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_co_min(a, result_image, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_co_min')
      import
      implicit none
      type(array), intent(in) :: a
      type(c_ptr), intent(in), value :: result_image
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_co_min_character(a, result_image, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_co_min_character')
      import
      implicit none
      type(array), intent(in) :: a
      type(c_ptr), intent(in), value :: result_image
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_co_max(a, result_image, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_co_max')
      import
      implicit none
      type(array), intent(in) :: a
      type(c_ptr), intent(in), value :: result_image
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_co_max_character(a, result_image, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_co_max_character')
      import
      implicit none
      type(array), intent(in) :: a
      type(c_ptr), intent(in), value :: result_image
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_co_reduce(a, operation_wrapper, cdata, result_image, stat, errmsg, errmsg_alloc &
        ) bind(C, name='xmp_prif_co_reduce')
      import
      implicit none
      type(array), intent(in) :: a
      type(c_funptr), intent(in) :: operation_wrapper
      type(c_ptr), intent(in), value :: cdata
      type(c_ptr), intent(in), value :: result_image
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_co_reduce_cptr(a_ptr, element_size, element_count, operation_wrapper, cdata, &
        result_image, stat, errmsg, errmsg_alloc) bind(C, name='xmp_prif_co_reduce_cptr')
      import
      implicit none
      type(c_ptr), intent(in) :: a_ptr
      integer(c_size_t), intent(in) :: element_size
      integer(c_size_t), intent(in) :: element_count
      type(c_funptr), intent(in) :: operation_wrapper
      type(c_ptr), intent(in), value :: cdata
      type(c_ptr), intent(in), value :: result_image
      type(c_ptr), intent(in), value :: stat
      type(c_ptr), intent(in), value :: errmsg
      type(c_ptr), intent(in), value :: errmsg_alloc
    end subroutine

    subroutine xmp_prif_atomic_add(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_add')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_add_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_add_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_fetch_add(image_num, coarray_handle, offset, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_add')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_fetch_add_indirect(image_num, atom_remote_ptr, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_add_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_and(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_and')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_and_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_and_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_fetch_and(image_num, coarray_handle, offset, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_and')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_fetch_and_indirect(image_num, atom_remote_ptr, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_and_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_or(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_or')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_or_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_or_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_fetch_or(image_num, coarray_handle, offset, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_or')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_fetch_or_indirect(image_num, atom_remote_ptr, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_or_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_xor(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_xor')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_xor_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_xor_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_fetch_xor(image_num, coarray_handle, offset, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_xor')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_fetch_xor_indirect(image_num, atom_remote_ptr, value, old, stat &
        ) bind(C, name='xmp_prif_atomic_fetch_xor_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_define_int(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_define_int')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_define_int_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_define_int_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_ref_int(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_ref_int')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_ref_int_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_ref_int_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_cas_int(image_num, coarray_handle, offset, old, compare, new, stat &
        ) bind(C, name='xmp_prif_atomic_cas_int')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: compare
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: new
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_cas_int_indirect(image_num, atom_remote_ptr, old, compare, new, stat &
        ) bind(C, name='xmp_prif_atomic_cas_int_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: compare
      integer(PRIF_ATOMIC_INT_KIND), intent(in) :: new
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_define_logical(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_define_logical')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_define_logical_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_define_logical_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_ref_logical(image_num, coarray_handle, offset, value, stat &
        ) bind(C, name='xmp_prif_atomic_ref_logical')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_ref_logical_indirect(image_num, atom_remote_ptr, value, stat &
        ) bind(C, name='xmp_prif_atomic_ref_logical_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: value
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_cas_logical(image_num, coarray_handle, offset, old, compare, new, stat &
        ) bind(C, name='xmp_prif_atomic_cas_logical')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      type(prif_coarray_handle), intent(in) :: coarray_handle
      integer(c_size_t), intent(in) :: offset
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: old
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: compare
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: new
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_atomic_cas_logical_indirect(image_num, atom_remote_ptr, old, compare, new, stat &
        ) bind(C, name='xmp_prif_atomic_cas_logical_indirect')
      import
      implicit none
      integer(c_int), intent(in) :: image_num
      integer(c_intptr_t), intent(in) :: atom_remote_ptr
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: old
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: compare
      logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: new
      type(c_ptr), intent(in), value :: stat
    end subroutine

    subroutine xmp_prif_register_stop_callback(callback) bind(C, name='xmp_prif_register_stop_callback_')
      import
      implicit none
      type(c_funptr), intent(in) :: callback
    end subroutine

    subroutine xmp_free(memory) bind(C, name='free')
      import
      implicit none
      type(c_ptr), intent(in), value :: memory
    end subroutine

    !> Copies the first bytes of the C descriptor of `a`.
    subroutine copy_bytes(list, a, bytes) bind(C, name='memcpy')
      import
      implicit none
      type(array), intent(inout) :: list
      type(*), intent(in) :: a(..)
      integer(c_size_t), intent(in), value :: bytes
    end subroutine
#ifdef __LFORTRAN__

    !> Gets LFortran's own descriptor, because it is not interoperable.
    subroutine xmp_prif_lfortran_dims(list, a)
      import
      implicit none
      type(array), intent(inout) :: list
      type(*), intent(in) :: a(..)
    end subroutine
#endif
  end interface

contains

  !> Describes `extent` elements of `elem_len` bytes at an address.
  subroutine describe(list, base, elem_len, extent)
    type(descriptor), intent(inout) :: list
    type(c_ptr), intent(in) :: base
    integer, intent(in) :: elem_len, extent

    list%base = base
    list%elem_len = int(elem_len, c_size_t)
    list%extent = int(extent, c_int64_t)
    list%stride = int(elem_len, c_int64_t)
  end subroutine

  !> Has a procedure be called for a coarray.
  subroutine keep_cleanup(coarray_handle, address)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    type(c_funptr), intent(in) :: address
    type(cleanup), pointer :: kept

    allocate(kept)
    kept%coarray = coarray_handle%info
    kept%address = address
    kept%next => cleanups
    cleanups => kept
  end subroutine

  !> Calls the procedure that was kept for a coarray, and forgets it.
  subroutine clean_up(coarray) bind(C, name='xmp_prif_clean_up')
    type(c_ptr), intent(in), value :: coarray
    type(cleanup), pointer :: kept, before
    procedure(prif_coarray_cleanup_interface), pointer :: run
    type(prif_coarray_handle) :: handle

    before => null()
    kept => cleanups
    do while (.not. c_associated(kept%coarray, coarray))
      before => kept
      kept => kept%next
    end do
    if (associated(before)) then
      before%next => kept%next
    else
      cleanups => kept%next
    end if
    call c_f_procpointer(kept%address, run)
    deallocate(kept)
    handle%info = coarray
    call run(handle)
  end subroutine

  !> The message of an error.
  function message_of(text) result(message)
    character(kind=c_char), intent(in) :: text(LONGEST)
    character(kind=c_char, len=:), allocatable :: message
    integer :: at, length

    length = LONGEST
    do while (length > 1 .and. text(length) == ' ')
      length = length - 1
    end do
    message = repeat(' ', length)
    do at = 1, length
      message(at:at) = text(at)
    end do
  end function

  !> A value of `stat` as LFortran has it.
  integer(c_int) function translated(own) result(stat)
    integer(c_int), intent(in) :: own

    select case (own)
    case (101); stat = PRIF_STAT_FAILED_IMAGE
    case (102); stat = PRIF_STAT_LOCKED
    case (103); stat = PRIF_STAT_LOCKED_OTHER_IMAGE
    case (104); stat = PRIF_STAT_STOPPED_IMAGE
    case (105); stat = PRIF_STAT_UNLOCKED
    case (106); stat = PRIF_STAT_UNLOCKED_FAILED_IMAGE
    case default; stat = own
    end select
  end function

  !> A level of teams, which is a value of LFortran, as the library has it.
  integer(c_int) function own_level(level) result(own)
    integer(c_int), intent(in) :: level

    select case (level)
    case (PRIF_CURRENT_TEAM); own = -1
    case (PRIF_INITIAL_TEAM); own = -2
    case (PRIF_PARENT_TEAM); own = -3
    case default; own = level
    end select
  end function

  ! Start and end of a program
  subroutine prif_init(stat)
    integer(c_int), intent(out) :: stat

    call xmp_prif_init(stat)
  end subroutine

  subroutine prif_stop(quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(kind=c_char, len=*), intent(in), optional :: stop_code_char
    integer(c_int), target :: stop_code_int_value
    type(c_ptr) :: stop_code_int_at
    character(kind=c_char), allocatable, target :: stop_code_char_text(:)
    type(descriptor), target :: stop_code_char_said
    type(c_ptr) :: stop_code_char_at
    integer :: at

    stop_code_int_at = c_null_ptr
    if (present(stop_code_int)) then
      stop_code_int_value = stop_code_int
      stop_code_int_at = c_loc(stop_code_int_value)
    end if
    stop_code_char_at = c_null_ptr
    if (present(stop_code_char)) then
      allocate(stop_code_char_text(len(stop_code_char) + 1))
      do at = 1, len(stop_code_char)
        stop_code_char_text(at) = stop_code_char(at:at)
      end do
      call describe(stop_code_char_said, c_loc(stop_code_char_text), len(stop_code_char), 1)
      stop_code_char_at = c_loc(stop_code_char_said)
    end if
    call xmp_prif_stop(quiet, stop_code_int_at, stop_code_char_at)
  end subroutine

  subroutine prif_error_stop(quiet, stop_code_int, stop_code_char)
    logical(c_bool), intent(in) :: quiet
    integer(c_int), intent(in), optional :: stop_code_int
    character(kind=c_char, len=*), intent(in), optional :: stop_code_char
    integer(c_int), target :: stop_code_int_value
    type(c_ptr) :: stop_code_int_at
    character(kind=c_char), allocatable, target :: stop_code_char_text(:)
    type(descriptor), target :: stop_code_char_said
    type(c_ptr) :: stop_code_char_at
    integer :: at

    stop_code_int_at = c_null_ptr
    if (present(stop_code_int)) then
      stop_code_int_value = stop_code_int
      stop_code_int_at = c_loc(stop_code_int_value)
    end if
    stop_code_char_at = c_null_ptr
    if (present(stop_code_char)) then
      allocate(stop_code_char_text(len(stop_code_char) + 1))
      do at = 1, len(stop_code_char)
        stop_code_char_text(at) = stop_code_char(at:at)
      end do
      call describe(stop_code_char_said, c_loc(stop_code_char_text), len(stop_code_char), 1)
      stop_code_char_at = c_loc(stop_code_char_said)
    end if
    call xmp_prif_error_stop(quiet, stop_code_int_at, stop_code_char_at)
  end subroutine

  subroutine prif_fail_image()

    call xmp_prif_fail_image()
  end subroutine

  subroutine prif_register_stop_callback(callback)
    procedure(prif_stop_callback_interface), pointer, intent(in) :: callback
    type(stop_callback), pointer :: registered
    type(c_funptr) :: caller
#ifndef __LFORTRAN__
    procedure(prif_stop_callback_interface), pointer :: copy
#endif

    caller = c_null_funptr
    if (associated(callback)) then
      allocate(registered)
#ifdef __LFORTRAN__
      registered%address = c_funloc(callback)
#else
      ! The address of a dummy argument is another one with gfortran 12. LFortran 0.67 cannot compile users of this assignment.
      copy => callback
      registered%address = c_funloc(copy)
#endif
      registered%before => last_callback
      last_callback => registered
      caller = c_funloc(call_last)
    end if
    call xmp_prif_register_stop_callback(caller)
  end subroutine

  !> Calls the callback that was registered last, and forgets it.
  subroutine call_last(is_error_stop, quiet, stop_code_int, stop_code_char, length) bind(C, name='xmp_prif_call_last')
    logical(c_bool), intent(in) :: is_error_stop, quiet
    type(c_ptr), intent(in), value :: stop_code_int, stop_code_char
    integer(c_size_t), intent(in), value :: length
    procedure(prif_stop_callback_interface), pointer :: callback
    integer(c_int), pointer :: number
    character(kind=c_char), pointer :: characters(:)
    character(len=:), allocatable :: text
    integer :: at

    call c_f_procpointer(last_callback%address, callback)
    last_callback => last_callback%before
    if (c_associated(stop_code_char)) then
      call c_f_pointer(stop_code_char, characters, [length])
      text = repeat(' ', int(length))
      do at = 1, int(length)
        text(at:at) = characters(at)
      end do
      call callback(is_error_stop, quiet, stop_code_char=text)
    else if (c_associated(stop_code_int)) then
      call c_f_pointer(stop_code_int, number)
      call callback(is_error_stop, quiet, number)
    else
      call callback(is_error_stop, quiet)
    end if
  end subroutine


  ! Images
  subroutine prif_num_images(num_images)
    integer(c_int), intent(out) :: num_images

    call xmp_prif_num_images(num_images)
  end subroutine

  subroutine prif_num_images_with_team(team, num_images)
    type(prif_team_type), intent(in) :: team
    integer(c_int), intent(out) :: num_images

    call xmp_prif_num_images_with_team(team, num_images)
  end subroutine

  subroutine prif_num_images_with_team_number(team_number, num_images)
    integer(c_int64_t), intent(in) :: team_number
    integer(c_int), intent(out) :: num_images

    call xmp_prif_num_images_with_team_number(team_number, num_images)
  end subroutine

  subroutine prif_this_image_no_coarray(team, this_image)
    type(prif_team_type), intent(in), optional :: team
    integer(c_int), intent(out) :: this_image
    type(prif_team_type), target :: team_value
    type(c_ptr) :: team_at

    team_at = c_null_ptr
    if (present(team)) then
      team_value = team
      team_at = c_loc(team_value)
    end if
    call xmp_prif_this_image_no_coarray(team_at, this_image)
  end subroutine

  subroutine prif_this_image_with_coarray(coarray_handle, team, cosubscripts)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    type(prif_team_type), intent(in), optional :: team
    integer(c_int64_t), intent(out) :: cosubscripts(:)
    type(prif_team_type), target :: team_value
    type(c_ptr) :: team_at
    integer(c_int64_t), target :: cosubscripts_values(size(cosubscripts))
    type(descriptor) :: cosubscripts_list

    team_at = c_null_ptr
    if (present(team)) then
      team_value = team
      team_at = c_loc(team_value)
    end if
    call describe(cosubscripts_list, c_loc(cosubscripts_values), 8, size(cosubscripts))
    call xmp_prif_this_image_with_coarray(coarray_handle, team_at, cosubscripts_list)
    cosubscripts = cosubscripts_values
  end subroutine

  subroutine prif_this_image_with_dim(coarray_handle, dim, team, cosubscript)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_int), intent(in) :: dim
    type(prif_team_type), intent(in), optional :: team
    integer(c_int64_t), intent(out) :: cosubscript
    type(prif_team_type), target :: team_value
    type(c_ptr) :: team_at

    team_at = c_null_ptr
    if (present(team)) then
      team_value = team
      team_at = c_loc(team_value)
    end if
    call xmp_prif_this_image_with_dim(coarray_handle, dim, team_at, cosubscript)
  end subroutine

  subroutine prif_failed_images(team, failed_images)
    type(prif_team_type), intent(in), optional :: team
    integer(c_int), intent(out), allocatable :: failed_images(:)
    type(prif_team_type), target :: team_value
    type(c_ptr) :: team_at
    integer(c_int), pointer :: failed_images_values(:)
    type(descriptor) :: failed_images_list

    team_at = c_null_ptr
    if (present(team)) then
      team_value = team
      team_at = c_loc(team_value)
    end if
    call describe(failed_images_list, c_null_ptr, 4, 0)
    call xmp_prif_failed_images(team_at, failed_images_list)
    call c_f_pointer(failed_images_list%base, failed_images_values, [int(failed_images_list%extent)])
    allocate(failed_images(size(failed_images_values)))
    failed_images = failed_images_values
    call xmp_free(failed_images_list%base)
  end subroutine

  subroutine prif_stopped_images(team, stopped_images)
    type(prif_team_type), intent(in), optional :: team
    integer(c_int), intent(out), allocatable :: stopped_images(:)
    type(prif_team_type), target :: team_value
    type(c_ptr) :: team_at
    integer(c_int), pointer :: stopped_images_values(:)
    type(descriptor) :: stopped_images_list

    team_at = c_null_ptr
    if (present(team)) then
      team_value = team
      team_at = c_loc(team_value)
    end if
    call describe(stopped_images_list, c_null_ptr, 4, 0)
    call xmp_prif_stopped_images(team_at, stopped_images_list)
    call c_f_pointer(stopped_images_list%base, stopped_images_values, [int(stopped_images_list%extent)])
    allocate(stopped_images(size(stopped_images_values)))
    stopped_images = stopped_images_values
    call xmp_free(stopped_images_list%base)
  end subroutine

  impure elemental subroutine prif_image_status(image, team, image_status)
    integer(c_int), intent(in) :: image
    type(prif_team_type), intent(in), optional :: team
    integer(c_int), intent(out) :: image_status
    type(prif_team_type), target :: team_value
    type(c_ptr) :: team_at

    team_at = c_null_ptr
    if (present(team)) then
      team_value = team
      team_at = c_loc(team_value)
    end if
    call xmp_prif_image_status(image, team_at, image_status)
    image_status = translated(image_status)
  end subroutine


  ! Allocation
  subroutine prif_allocate_coarray(lcobounds, ucobounds, size_in_bytes, final_proc, coarray_handle, &
      allocated_memory, stat, errmsg, errmsg_alloc)
    integer(c_int64_t), intent(in) :: lcobounds(:)
    integer(c_int64_t), intent(in) :: ucobounds(:)
    integer(c_size_t), intent(in) :: size_in_bytes
    procedure(prif_coarray_cleanup_interface), pointer, intent(in) :: final_proc
    type(prif_coarray_handle), intent(out) :: coarray_handle
    type(c_ptr), intent(out) :: allocated_memory
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int64_t), target :: lcobounds_values(size(lcobounds))
    type(descriptor) :: lcobounds_list
    integer(c_int64_t), target :: ucobounds_values(size(ucobounds))
    type(descriptor) :: ucobounds_list
    procedure(prif_coarray_cleanup_interface), pointer :: final_proc_pointer
    type(c_funptr) :: final_proc_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    lcobounds_values = lcobounds
    call describe(lcobounds_list, c_loc(lcobounds_values), 8, size(lcobounds))
    ucobounds_values = ucobounds
    call describe(ucobounds_list, c_loc(ucobounds_values), 8, size(ucobounds))
    final_proc_at = c_null_funptr
    final_proc_pointer => final_proc
    if (associated(final_proc_pointer)) final_proc_at = c_funloc(clean_up)
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_allocate_coarray(lcobounds_list, ucobounds_list, size_in_bytes, final_proc_at, &
        coarray_handle, allocated_memory, code_at, c_loc(said), c_null_ptr)
    if (associated(final_proc_pointer) .and. code == 0) call keep_cleanup(coarray_handle, c_funloc(final_proc_pointer))
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_allocate(size_in_bytes, allocated_memory, stat, errmsg, errmsg_alloc)
    integer(c_size_t), intent(in) :: size_in_bytes
    type(c_ptr), intent(out) :: allocated_memory
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_allocate(size_in_bytes, allocated_memory, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_deallocate_coarray(coarray_handle, stat, errmsg, errmsg_alloc)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_deallocate_coarray(coarray_handle, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_deallocate_coarrays(coarray_handles, stat, errmsg, errmsg_alloc)
    type(prif_coarray_handle), intent(in) :: coarray_handles(:)
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(prif_coarray_handle), target :: coarray_handles_values(size(coarray_handles))
    type(descriptor) :: coarray_handles_list
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    coarray_handles_values = coarray_handles
    call describe(coarray_handles_list, c_loc(coarray_handles_values), 8, size(coarray_handles))
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_deallocate_coarrays(coarray_handles_list, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_deallocate(mem, stat, errmsg, errmsg_alloc)
    type(c_ptr), intent(in) :: mem
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(c_ptr) :: mem_value
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    mem_value = mem
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_deallocate(mem_value, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_alias_create(source_handle, alias_lcobounds, alias_ucobounds, data_pointer_offset, &
      alias_handle)
    type(prif_coarray_handle), intent(in) :: source_handle
    integer(c_int64_t), intent(in) :: alias_lcobounds(:)
    integer(c_int64_t), intent(in) :: alias_ucobounds(:)
    integer(c_size_t), intent(in) :: data_pointer_offset
    type(prif_coarray_handle), intent(out) :: alias_handle
    integer(c_int64_t), target :: alias_lcobounds_values(size(alias_lcobounds))
    type(descriptor) :: alias_lcobounds_list
    integer(c_int64_t), target :: alias_ucobounds_values(size(alias_ucobounds))
    type(descriptor) :: alias_ucobounds_list

    alias_lcobounds_values = alias_lcobounds
    call describe(alias_lcobounds_list, c_loc(alias_lcobounds_values), 8, size(alias_lcobounds))
    alias_ucobounds_values = alias_ucobounds
    call describe(alias_ucobounds_list, c_loc(alias_ucobounds_values), 8, size(alias_ucobounds))
    call xmp_prif_alias_create(source_handle, alias_lcobounds_list, alias_ucobounds_list, &
        data_pointer_offset, alias_handle)
  end subroutine

  subroutine prif_alias_destroy(alias_handle)
    type(prif_coarray_handle), intent(in) :: alias_handle

    call xmp_prif_alias_destroy(alias_handle)
  end subroutine


  ! Inquiries about coarrays
  subroutine prif_set_context_data(coarray_handle, context_data)
    type(prif_coarray_handle), intent(in), value :: coarray_handle
    type(c_ptr), intent(in), value :: context_data

    call xmp_prif_set_context_data(coarray_handle%info, context_data)
  end subroutine

  subroutine prif_get_context_data(coarray_handle, context_data)
    type(prif_coarray_handle), intent(in), value :: coarray_handle
    type(c_ptr), intent(out) :: context_data

    call xmp_prif_get_context_data(coarray_handle%info, context_data)
  end subroutine

  subroutine prif_size_bytes(coarray_handle, data_size)
    type(prif_coarray_handle), intent(in), value :: coarray_handle
    integer(c_size_t), intent(out) :: data_size

    call xmp_prif_size_bytes(coarray_handle%info, data_size)
  end subroutine

  subroutine prif_local_data_pointer(coarray_handle, local_data)
    type(prif_coarray_handle), intent(in), value :: coarray_handle
    type(c_ptr), intent(out) :: local_data

    call xmp_prif_local_data_pointer(coarray_handle%info, local_data)
  end subroutine

  subroutine prif_lcobound_no_dim(coarray_handle, lcobounds)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_int64_t), intent(out) :: lcobounds(:)
    integer(c_int64_t), target :: lcobounds_values(size(lcobounds))
    type(descriptor) :: lcobounds_list

    call describe(lcobounds_list, c_loc(lcobounds_values), 8, size(lcobounds))
    call xmp_prif_lcobound_no_dim(coarray_handle, lcobounds_list)
    lcobounds = lcobounds_values
  end subroutine

  subroutine prif_lcobound_with_dim(coarray_handle, dim, lcobound)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_int), intent(in) :: dim
    integer(c_int64_t), intent(out) :: lcobound

    call xmp_prif_lcobound_with_dim(coarray_handle, dim, lcobound)
  end subroutine

  subroutine prif_ucobound_no_dim(coarray_handle, ucobounds)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_int64_t), intent(out) :: ucobounds(:)
    integer(c_int64_t), target :: ucobounds_values(size(ucobounds))
    type(descriptor) :: ucobounds_list

    call describe(ucobounds_list, c_loc(ucobounds_values), 8, size(ucobounds))
    call xmp_prif_ucobound_no_dim(coarray_handle, ucobounds_list)
    ucobounds = ucobounds_values
  end subroutine

  subroutine prif_ucobound_with_dim(coarray_handle, dim, ucobound)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_int), intent(in) :: dim
    integer(c_int64_t), intent(out) :: ucobound

    call xmp_prif_ucobound_with_dim(coarray_handle, dim, ucobound)
  end subroutine

  subroutine prif_coshape(coarray_handle, sizes)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(out) :: sizes(:)
    integer(c_size_t), target :: sizes_values(size(sizes))
    type(descriptor) :: sizes_list

    call describe(sizes_list, c_loc(sizes_values), 8, size(sizes))
    call xmp_prif_coshape(coarray_handle, sizes_list)
    sizes = sizes_values
  end subroutine

  subroutine prif_image_index(coarray_handle, sub, image_index)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_int64_t), intent(in) :: sub(:)
    integer(c_int), intent(out) :: image_index
    integer(c_int64_t), target :: sub_values(size(sub))
    type(descriptor) :: sub_list

    sub_values = sub
    call describe(sub_list, c_loc(sub_values), 8, size(sub))
    call xmp_prif_image_index(coarray_handle, sub_list, image_index)
  end subroutine

  subroutine prif_image_index_with_team(coarray_handle, sub, team, image_index)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_int64_t), intent(in) :: sub(:)
    type(prif_team_type), intent(in) :: team
    integer(c_int), intent(out) :: image_index
    integer(c_int64_t), target :: sub_values(size(sub))
    type(descriptor) :: sub_list

    sub_values = sub
    call describe(sub_list, c_loc(sub_values), 8, size(sub))
    call xmp_prif_image_index_with_team(coarray_handle, sub_list, team, image_index)
  end subroutine

  subroutine prif_image_index_with_team_number(coarray_handle, sub, team_number, image_index)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_int64_t), intent(in) :: sub(:)
    integer(c_int64_t), intent(in) :: team_number
    integer(c_int), intent(out) :: image_index
    integer(c_int64_t), target :: sub_values(size(sub))
    type(descriptor) :: sub_list

    sub_values = sub
    call describe(sub_list, c_loc(sub_values), 8, size(sub))
    call xmp_prif_image_index_with_team_number(coarray_handle, sub_list, team_number, image_index)
  end subroutine

  subroutine prif_initial_team_index(coarray_handle, sub, initial_team_index, stat)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_int64_t), intent(in) :: sub(:)
    integer(c_int), intent(out) :: initial_team_index
    integer(c_int), intent(out), optional :: stat
    integer(c_int64_t), target :: sub_values(size(sub))
    type(descriptor) :: sub_list
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    sub_values = sub
    call describe(sub_list, c_loc(sub_values), 8, size(sub))
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_initial_team_index(coarray_handle, sub_list, initial_team_index, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_initial_team_index_with_team(coarray_handle, sub, team, initial_team_index, stat)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_int64_t), intent(in) :: sub(:)
    type(prif_team_type), intent(in) :: team
    integer(c_int), intent(out) :: initial_team_index
    integer(c_int), intent(out), optional :: stat
    integer(c_int64_t), target :: sub_values(size(sub))
    type(descriptor) :: sub_list
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    sub_values = sub
    call describe(sub_list, c_loc(sub_values), 8, size(sub))
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_initial_team_index_with_team(coarray_handle, sub_list, team, initial_team_index, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_initial_team_index_with_team_number(coarray_handle, sub, team_number, initial_team_index, &
      stat)
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_int64_t), intent(in) :: sub(:)
    integer(c_int64_t), intent(in) :: team_number
    integer(c_int), intent(out) :: initial_team_index
    integer(c_int), intent(out), optional :: stat
    integer(c_int64_t), target :: sub_values(size(sub))
    type(descriptor) :: sub_list
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    sub_values = sub
    call describe(sub_list, c_loc(sub_values), 8, size(sub))
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_initial_team_index_with_team_number(coarray_handle, sub_list, team_number, &
        initial_team_index, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine


  ! Contiguous access
  subroutine prif_get(image_num, coarray_handle, offset, current_image_buffer, size_in_bytes, stat, errmsg, &
      errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    type(c_ptr), intent(in) :: current_image_buffer
    integer(c_size_t), intent(in) :: size_in_bytes
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(c_ptr) :: current_image_buffer_value
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    current_image_buffer_value = current_image_buffer
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_get(image_num, coarray_handle, offset, current_image_buffer_value, size_in_bytes, code_at, &
        c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_get_indirect(image_num, remote_ptr, current_image_buffer, size_in_bytes, stat, errmsg, &
      errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: remote_ptr
    type(c_ptr), intent(in) :: current_image_buffer
    integer(c_size_t), intent(in) :: size_in_bytes
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(c_ptr) :: current_image_buffer_value
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    current_image_buffer_value = current_image_buffer
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_get_indirect(image_num, remote_ptr, current_image_buffer_value, size_in_bytes, code_at, &
        c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_put(image_num, coarray_handle, offset, current_image_buffer, size_in_bytes, stat, errmsg, &
      errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    type(c_ptr), intent(in) :: current_image_buffer
    integer(c_size_t), intent(in) :: size_in_bytes
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(c_ptr) :: current_image_buffer_value
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    current_image_buffer_value = current_image_buffer
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_put(image_num, coarray_handle, offset, current_image_buffer_value, size_in_bytes, code_at, &
        c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_put_indirect(image_num, remote_ptr, current_image_buffer, size_in_bytes, stat, errmsg, &
      errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: remote_ptr
    type(c_ptr), intent(in) :: current_image_buffer
    integer(c_size_t), intent(in) :: size_in_bytes
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(c_ptr) :: current_image_buffer_value
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    current_image_buffer_value = current_image_buffer
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_put_indirect(image_num, remote_ptr, current_image_buffer_value, size_in_bytes, code_at, &
        c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_put_with_notify(image_num, coarray_handle, offset, current_image_buffer, size_in_bytes, &
      notify_coarray_handle, notify_offset, stat, errmsg, errmsg_alloc)
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
    type(c_ptr) :: current_image_buffer_value
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    current_image_buffer_value = current_image_buffer
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_put_with_notify(image_num, coarray_handle, offset, current_image_buffer_value, &
        size_in_bytes, notify_coarray_handle, notify_offset, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_put_with_notify_indirect(image_num, coarray_handle, offset, current_image_buffer, &
      size_in_bytes, notify_ptr, stat, errmsg, errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    type(c_ptr), intent(in) :: current_image_buffer
    integer(c_size_t), intent(in) :: size_in_bytes
    integer(c_intptr_t), intent(in) :: notify_ptr
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(c_ptr) :: current_image_buffer_value
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    current_image_buffer_value = current_image_buffer
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_put_with_notify_indirect(image_num, coarray_handle, offset, current_image_buffer_value, &
        size_in_bytes, notify_ptr, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_put_indirect_with_notify(image_num, remote_ptr, current_image_buffer, size_in_bytes, &
      notify_coarray_handle, notify_offset, stat, errmsg, errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: remote_ptr
    type(c_ptr), intent(in) :: current_image_buffer
    integer(c_size_t), intent(in) :: size_in_bytes
    type(prif_coarray_handle), intent(in) :: notify_coarray_handle
    integer(c_size_t), intent(in) :: notify_offset
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(c_ptr) :: current_image_buffer_value
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    current_image_buffer_value = current_image_buffer
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_put_indirect_with_notify(image_num, remote_ptr, current_image_buffer_value, size_in_bytes, &
        notify_coarray_handle, notify_offset, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_put_indirect_with_notify_indirect(image_num, remote_ptr, current_image_buffer, &
      size_in_bytes, notify_ptr, stat, errmsg, errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: remote_ptr
    type(c_ptr), intent(in) :: current_image_buffer
    integer(c_size_t), intent(in) :: size_in_bytes
    integer(c_intptr_t), intent(in) :: notify_ptr
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(c_ptr) :: current_image_buffer_value
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    current_image_buffer_value = current_image_buffer
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_put_indirect_with_notify_indirect(image_num, remote_ptr, current_image_buffer_value, &
        size_in_bytes, notify_ptr, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine


  ! Strided access
  subroutine prif_get_strided(image_num, coarray_handle, offset, remote_stride, current_image_buffer, &
      current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc)
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
    integer(c_ptrdiff_t), target :: remote_stride_values(size(remote_stride))
    type(descriptor) :: remote_stride_list
    type(c_ptr) :: current_image_buffer_value
    integer(c_ptrdiff_t), target :: current_image_stride_values(size(current_image_stride))
    type(descriptor) :: current_image_stride_list
    integer(c_size_t), target :: extent_values(size(extent))
    type(descriptor) :: extent_list
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    remote_stride_values = remote_stride
    call describe(remote_stride_list, c_loc(remote_stride_values), 8, size(remote_stride))
    current_image_buffer_value = current_image_buffer
    current_image_stride_values = current_image_stride
    call describe(current_image_stride_list, c_loc(current_image_stride_values), 8, size(current_image_stride))
    extent_values = extent
    call describe(extent_list, c_loc(extent_values), 8, size(extent))
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_get_strided(image_num, coarray_handle, offset, remote_stride_list, &
        current_image_buffer_value, current_image_stride_list, element_size, extent_list, code_at, &
        c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_get_strided_indirect(image_num, remote_ptr, remote_stride, current_image_buffer, &
      current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc)
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
    integer(c_ptrdiff_t), target :: remote_stride_values(size(remote_stride))
    type(descriptor) :: remote_stride_list
    type(c_ptr) :: current_image_buffer_value
    integer(c_ptrdiff_t), target :: current_image_stride_values(size(current_image_stride))
    type(descriptor) :: current_image_stride_list
    integer(c_size_t), target :: extent_values(size(extent))
    type(descriptor) :: extent_list
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    remote_stride_values = remote_stride
    call describe(remote_stride_list, c_loc(remote_stride_values), 8, size(remote_stride))
    current_image_buffer_value = current_image_buffer
    current_image_stride_values = current_image_stride
    call describe(current_image_stride_list, c_loc(current_image_stride_values), 8, size(current_image_stride))
    extent_values = extent
    call describe(extent_list, c_loc(extent_values), 8, size(extent))
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_get_strided_indirect(image_num, remote_ptr, remote_stride_list, &
        current_image_buffer_value, current_image_stride_list, element_size, extent_list, code_at, &
        c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_put_strided(image_num, coarray_handle, offset, remote_stride, current_image_buffer, &
      current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc)
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
    integer(c_ptrdiff_t), target :: remote_stride_values(size(remote_stride))
    type(descriptor) :: remote_stride_list
    type(c_ptr) :: current_image_buffer_value
    integer(c_ptrdiff_t), target :: current_image_stride_values(size(current_image_stride))
    type(descriptor) :: current_image_stride_list
    integer(c_size_t), target :: extent_values(size(extent))
    type(descriptor) :: extent_list
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    remote_stride_values = remote_stride
    call describe(remote_stride_list, c_loc(remote_stride_values), 8, size(remote_stride))
    current_image_buffer_value = current_image_buffer
    current_image_stride_values = current_image_stride
    call describe(current_image_stride_list, c_loc(current_image_stride_values), 8, size(current_image_stride))
    extent_values = extent
    call describe(extent_list, c_loc(extent_values), 8, size(extent))
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_put_strided(image_num, coarray_handle, offset, remote_stride_list, &
        current_image_buffer_value, current_image_stride_list, element_size, extent_list, code_at, &
        c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_put_strided_indirect(image_num, remote_ptr, remote_stride, current_image_buffer, &
      current_image_stride, element_size, extent, stat, errmsg, errmsg_alloc)
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
    integer(c_ptrdiff_t), target :: remote_stride_values(size(remote_stride))
    type(descriptor) :: remote_stride_list
    type(c_ptr) :: current_image_buffer_value
    integer(c_ptrdiff_t), target :: current_image_stride_values(size(current_image_stride))
    type(descriptor) :: current_image_stride_list
    integer(c_size_t), target :: extent_values(size(extent))
    type(descriptor) :: extent_list
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    remote_stride_values = remote_stride
    call describe(remote_stride_list, c_loc(remote_stride_values), 8, size(remote_stride))
    current_image_buffer_value = current_image_buffer
    current_image_stride_values = current_image_stride
    call describe(current_image_stride_list, c_loc(current_image_stride_values), 8, size(current_image_stride))
    extent_values = extent
    call describe(extent_list, c_loc(extent_values), 8, size(extent))
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_put_strided_indirect(image_num, remote_ptr, remote_stride_list, &
        current_image_buffer_value, current_image_stride_list, element_size, extent_list, code_at, &
        c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_put_strided_with_notify(image_num, coarray_handle, offset, remote_stride, &
      current_image_buffer, current_image_stride, element_size, extent, notify_coarray_handle, &
      notify_offset, stat, errmsg, errmsg_alloc)
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
    integer(c_ptrdiff_t), target :: remote_stride_values(size(remote_stride))
    type(descriptor) :: remote_stride_list
    type(c_ptr) :: current_image_buffer_value
    integer(c_ptrdiff_t), target :: current_image_stride_values(size(current_image_stride))
    type(descriptor) :: current_image_stride_list
    integer(c_size_t), target :: extent_values(size(extent))
    type(descriptor) :: extent_list
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    remote_stride_values = remote_stride
    call describe(remote_stride_list, c_loc(remote_stride_values), 8, size(remote_stride))
    current_image_buffer_value = current_image_buffer
    current_image_stride_values = current_image_stride
    call describe(current_image_stride_list, c_loc(current_image_stride_values), 8, size(current_image_stride))
    extent_values = extent
    call describe(extent_list, c_loc(extent_values), 8, size(extent))
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_put_strided_with_notify(image_num, coarray_handle, offset, remote_stride_list, &
        current_image_buffer_value, current_image_stride_list, element_size, extent_list, &
        notify_coarray_handle, notify_offset, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_put_strided_with_notify_indirect(image_num, coarray_handle, offset, remote_stride, &
      current_image_buffer, current_image_stride, element_size, extent, notify_ptr, stat, errmsg, &
      errmsg_alloc)
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
    integer(c_ptrdiff_t), target :: remote_stride_values(size(remote_stride))
    type(descriptor) :: remote_stride_list
    type(c_ptr) :: current_image_buffer_value
    integer(c_ptrdiff_t), target :: current_image_stride_values(size(current_image_stride))
    type(descriptor) :: current_image_stride_list
    integer(c_size_t), target :: extent_values(size(extent))
    type(descriptor) :: extent_list
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    remote_stride_values = remote_stride
    call describe(remote_stride_list, c_loc(remote_stride_values), 8, size(remote_stride))
    current_image_buffer_value = current_image_buffer
    current_image_stride_values = current_image_stride
    call describe(current_image_stride_list, c_loc(current_image_stride_values), 8, size(current_image_stride))
    extent_values = extent
    call describe(extent_list, c_loc(extent_values), 8, size(extent))
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_put_strided_with_notify_indirect(image_num, coarray_handle, offset, remote_stride_list, &
        current_image_buffer_value, current_image_stride_list, element_size, extent_list, notify_ptr, &
        code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_put_strided_indirect_with_notify(image_num, remote_ptr, remote_stride, &
      current_image_buffer, current_image_stride, element_size, extent, notify_coarray_handle, &
      notify_offset, stat, errmsg, errmsg_alloc)
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
    integer(c_ptrdiff_t), target :: remote_stride_values(size(remote_stride))
    type(descriptor) :: remote_stride_list
    type(c_ptr) :: current_image_buffer_value
    integer(c_ptrdiff_t), target :: current_image_stride_values(size(current_image_stride))
    type(descriptor) :: current_image_stride_list
    integer(c_size_t), target :: extent_values(size(extent))
    type(descriptor) :: extent_list
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    remote_stride_values = remote_stride
    call describe(remote_stride_list, c_loc(remote_stride_values), 8, size(remote_stride))
    current_image_buffer_value = current_image_buffer
    current_image_stride_values = current_image_stride
    call describe(current_image_stride_list, c_loc(current_image_stride_values), 8, size(current_image_stride))
    extent_values = extent
    call describe(extent_list, c_loc(extent_values), 8, size(extent))
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_put_strided_indirect_with_notify(image_num, remote_ptr, remote_stride_list, &
        current_image_buffer_value, current_image_stride_list, element_size, extent_list, &
        notify_coarray_handle, notify_offset, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_put_strided_indirect_with_notify_indirect(image_num, remote_ptr, remote_stride, &
      current_image_buffer, current_image_stride, element_size, extent, notify_ptr, stat, errmsg, &
      errmsg_alloc)
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
    integer(c_ptrdiff_t), target :: remote_stride_values(size(remote_stride))
    type(descriptor) :: remote_stride_list
    type(c_ptr) :: current_image_buffer_value
    integer(c_ptrdiff_t), target :: current_image_stride_values(size(current_image_stride))
    type(descriptor) :: current_image_stride_list
    integer(c_size_t), target :: extent_values(size(extent))
    type(descriptor) :: extent_list
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    remote_stride_values = remote_stride
    call describe(remote_stride_list, c_loc(remote_stride_values), 8, size(remote_stride))
    current_image_buffer_value = current_image_buffer
    current_image_stride_values = current_image_stride
    call describe(current_image_stride_list, c_loc(current_image_stride_values), 8, size(current_image_stride))
    extent_values = extent
    call describe(extent_list, c_loc(extent_values), 8, size(extent))
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_put_strided_indirect_with_notify_indirect(image_num, remote_ptr, remote_stride_list, &
        current_image_buffer_value, current_image_stride_list, element_size, extent_list, notify_ptr, &
        code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine


  ! Synchronisation
  subroutine prif_sync_memory(stat, errmsg, errmsg_alloc)
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_sync_memory(code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_sync_all(stat, errmsg, errmsg_alloc)
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_sync_all(code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_sync_images(image_set, stat, errmsg, errmsg_alloc)
    integer(c_int), intent(in), optional :: image_set(:)
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), allocatable, target :: image_set_values(:)
    type(descriptor), target :: image_set_list
    type(c_ptr) :: image_set_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    image_set_at = c_null_ptr
    if (present(image_set)) then
      allocate(image_set_values(size(image_set)))
      image_set_values = image_set
      call describe(image_set_list, c_loc(image_set_values), 4, size(image_set))
      image_set_at = c_loc(image_set_list)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_sync_images(image_set_at, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine


  ! Locks and critical constructs
  subroutine prif_lock(image_num, coarray_handle, offset, acquired_lock, stat, errmsg, errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    logical(c_bool), intent(out), optional :: acquired_lock
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    logical(c_bool), target :: acquired_lock_value
    type(c_ptr) :: acquired_lock_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    acquired_lock_at = c_null_ptr
    if (present(acquired_lock)) then
      acquired_lock_at = c_loc(acquired_lock_value)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_lock(image_num, coarray_handle, offset, acquired_lock_at, code_at, c_loc(said), &
        c_null_ptr)
    if (present(acquired_lock)) acquired_lock = acquired_lock_value
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_lock_indirect(image_num, lock_var_ptr, acquired_lock, stat, errmsg, errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: lock_var_ptr
    logical(c_bool), intent(out), optional :: acquired_lock
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    logical(c_bool), target :: acquired_lock_value
    type(c_ptr) :: acquired_lock_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    acquired_lock_at = c_null_ptr
    if (present(acquired_lock)) then
      acquired_lock_at = c_loc(acquired_lock_value)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_lock_indirect(image_num, lock_var_ptr, acquired_lock_at, code_at, c_loc(said), c_null_ptr)
    if (present(acquired_lock)) acquired_lock = acquired_lock_value
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_unlock(image_num, coarray_handle, offset, stat, errmsg, errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_unlock(image_num, coarray_handle, offset, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_unlock_indirect(image_num, lock_var_ptr, stat, errmsg, errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: lock_var_ptr
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_unlock_indirect(image_num, lock_var_ptr, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_critical(critical_coarray, stat, errmsg, errmsg_alloc)
    type(prif_coarray_handle), intent(in) :: critical_coarray
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_critical(critical_coarray, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_end_critical(critical_coarray)
    type(prif_coarray_handle), intent(in) :: critical_coarray

    call xmp_prif_end_critical(critical_coarray)
  end subroutine


  ! Events and notifications
  subroutine prif_event_post(image_num, coarray_handle, offset, stat, errmsg, errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_event_post(image_num, coarray_handle, offset, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_event_post_indirect(image_num, event_var_ptr, stat, errmsg, errmsg_alloc)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: event_var_ptr
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_event_post_indirect(image_num, event_var_ptr, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_event_wait(event_var_ptr, until_count, stat, errmsg, errmsg_alloc)
    type(c_ptr), intent(in) :: event_var_ptr
    integer(c_int64_t), intent(in), optional :: until_count
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(c_ptr) :: event_var_ptr_value
    integer(c_int64_t), target :: until_count_value
    type(c_ptr) :: until_count_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    event_var_ptr_value = event_var_ptr
    until_count_at = c_null_ptr
    if (present(until_count)) then
      until_count_value = until_count
      until_count_at = c_loc(until_count_value)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_event_wait(event_var_ptr_value, until_count_at, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_event_query(event_var_ptr, count, stat)
    type(c_ptr), intent(in) :: event_var_ptr
    integer(c_int64_t), intent(out) :: count
    integer(c_int), intent(out), optional :: stat
    type(c_ptr) :: event_var_ptr_value
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    event_var_ptr_value = event_var_ptr
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_event_query(event_var_ptr_value, count, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_notify_wait(notify_var_ptr, until_count, stat, errmsg, errmsg_alloc)
    type(c_ptr), intent(in) :: notify_var_ptr
    integer(c_int64_t), intent(in), optional :: until_count
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(c_ptr) :: notify_var_ptr_value
    integer(c_int64_t), target :: until_count_value
    type(c_ptr) :: until_count_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    notify_var_ptr_value = notify_var_ptr
    until_count_at = c_null_ptr
    if (present(until_count)) then
      until_count_value = until_count
      until_count_at = c_loc(until_count_value)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_notify_wait(notify_var_ptr_value, until_count_at, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine


  ! Teams
  subroutine prif_form_team(team_number, team, new_index, stat, errmsg, errmsg_alloc)
    integer(c_int64_t), intent(in) :: team_number
    type(prif_team_type), intent(out) :: team
    integer(c_int), intent(in), optional :: new_index
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: new_index_value
    type(c_ptr) :: new_index_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    new_index_at = c_null_ptr
    if (present(new_index)) then
      new_index_value = new_index
      new_index_at = c_loc(new_index_value)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_form_team(team_number, team, new_index_at, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_get_team(level, team)
    integer(c_int), intent(in), optional :: level
    type(prif_team_type), intent(out) :: team
    integer(c_int), target :: level_value
    type(c_ptr) :: level_at

    level_at = c_null_ptr
    if (present(level)) then
      level_value = level
      level_at = c_loc(level_value)
    end if
    if (present(level)) level_value = own_level(level)
    call xmp_prif_get_team(level_at, team)
  end subroutine

  subroutine prif_team_number(team, team_number)
    type(prif_team_type), intent(in), optional :: team
    integer(c_int64_t), intent(out) :: team_number
    type(prif_team_type), target :: team_value
    type(c_ptr) :: team_at

    team_at = c_null_ptr
    if (present(team)) then
      team_value = team
      team_at = c_loc(team_value)
    end if
    call xmp_prif_team_number(team_at, team_number)
  end subroutine

  subroutine prif_change_team(team, stat, errmsg, errmsg_alloc)
    type(prif_team_type), intent(in) :: team
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_change_team(team, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_end_team(stat, errmsg, errmsg_alloc)
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_end_team(code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_sync_team(team, stat, errmsg, errmsg_alloc)
    type(prif_team_type), intent(in) :: team
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_sync_team(team, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine


  ! Collective subroutines
  subroutine prif_co_broadcast(a, source_image, stat, errmsg, errmsg_alloc)
    type(*), intent(inout), target :: a(..)
    integer(c_int), intent(in) :: source_image
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(array) :: a_array
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    call copy_bytes(a_array, a, HEADER + DIMENSION * rank(a))
#ifdef __LFORTRAN__
    call xmp_prif_lfortran_dims(a_array, a)
#endif
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_co_broadcast(a_array, source_image, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_co_broadcast_cptr(a_ptr, size_in_bytes, source_image, stat, errmsg, errmsg_alloc)
    type(c_ptr), intent(in) :: a_ptr
    integer(c_size_t), intent(in) :: size_in_bytes
    integer(c_int), intent(in) :: source_image
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(c_ptr) :: a_ptr_value
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    a_ptr_value = a_ptr
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_co_broadcast_cptr(a_ptr_value, size_in_bytes, source_image, code_at, c_loc(said), &
        c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_co_sum(a, result_image, stat, errmsg, errmsg_alloc)
    type(*), intent(inout), target :: a(..)
    integer(c_int), intent(in), optional :: result_image
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(array) :: a_array
    integer(c_int), target :: result_image_value
    type(c_ptr) :: result_image_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    call copy_bytes(a_array, a, HEADER + DIMENSION * rank(a))
#ifdef __LFORTRAN__
    call xmp_prif_lfortran_dims(a_array, a)
#endif
    result_image_at = c_null_ptr
    if (present(result_image)) then
      result_image_value = result_image
      result_image_at = c_loc(result_image_value)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_co_sum(a_array, result_image_at, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_co_min(a, result_image, stat, errmsg, errmsg_alloc)
    type(*), intent(inout), target :: a(..)
    integer(c_int), intent(in), optional :: result_image
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(array) :: a_array
    integer(c_int), target :: result_image_value
    type(c_ptr) :: result_image_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    call copy_bytes(a_array, a, HEADER + DIMENSION * rank(a))
#ifdef __LFORTRAN__
    call xmp_prif_lfortran_dims(a_array, a)
#endif
    result_image_at = c_null_ptr
    if (present(result_image)) then
      result_image_value = result_image
      result_image_at = c_loc(result_image_value)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_co_min(a_array, result_image_at, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_co_min_character(a, result_image, stat, errmsg, errmsg_alloc)
    character(kind=c_char, len=*), intent(inout), target :: a(..)
    integer(c_int), intent(in), optional :: result_image
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(array) :: a_array
    integer(c_int), target :: result_image_value
    type(c_ptr) :: result_image_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    call copy_bytes(a_array, a, HEADER + DIMENSION * rank(a))
    a_array%header%elem_len = len(a)
#ifdef __LFORTRAN__
    call xmp_prif_lfortran_dims(a_array, a)
#endif
    result_image_at = c_null_ptr
    if (present(result_image)) then
      result_image_value = result_image
      result_image_at = c_loc(result_image_value)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_co_min_character(a_array, result_image_at, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_co_max(a, result_image, stat, errmsg, errmsg_alloc)
    type(*), intent(inout), target :: a(..)
    integer(c_int), intent(in), optional :: result_image
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(array) :: a_array
    integer(c_int), target :: result_image_value
    type(c_ptr) :: result_image_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    call copy_bytes(a_array, a, HEADER + DIMENSION * rank(a))
#ifdef __LFORTRAN__
    call xmp_prif_lfortran_dims(a_array, a)
#endif
    result_image_at = c_null_ptr
    if (present(result_image)) then
      result_image_value = result_image
      result_image_at = c_loc(result_image_value)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_co_max(a_array, result_image_at, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_co_max_character(a, result_image, stat, errmsg, errmsg_alloc)
    character(kind=c_char, len=*), intent(inout), target :: a(..)
    integer(c_int), intent(in), optional :: result_image
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(array) :: a_array
    integer(c_int), target :: result_image_value
    type(c_ptr) :: result_image_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    call copy_bytes(a_array, a, HEADER + DIMENSION * rank(a))
    a_array%header%elem_len = len(a)
#ifdef __LFORTRAN__
    call xmp_prif_lfortran_dims(a_array, a)
#endif
    result_image_at = c_null_ptr
    if (present(result_image)) then
      result_image_value = result_image
      result_image_at = c_loc(result_image_value)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_co_max_character(a_array, result_image_at, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_co_reduce(a, operation_wrapper, cdata, result_image, stat, errmsg, errmsg_alloc)
    type(*), intent(inout), target :: a(..)
    procedure(prif_operation_wrapper_interface), pointer, intent(in) :: operation_wrapper
    type(c_ptr), intent(in), value :: cdata
    integer(c_int), intent(in), optional :: result_image
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(array) :: a_array
    procedure(prif_operation_wrapper_interface), pointer :: operation_wrapper_pointer
    type(c_funptr) :: operation_wrapper_at
    integer(c_int), target :: result_image_value
    type(c_ptr) :: result_image_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    call copy_bytes(a_array, a, HEADER + DIMENSION * rank(a))
#ifdef __LFORTRAN__
    call xmp_prif_lfortran_dims(a_array, a)
#endif
    operation_wrapper_at = c_null_funptr
    operation_wrapper_pointer => operation_wrapper
    if (associated(operation_wrapper_pointer)) operation_wrapper_at = c_funloc(operation_wrapper_pointer)
    result_image_at = c_null_ptr
    if (present(result_image)) then
      result_image_value = result_image
      result_image_at = c_loc(result_image_value)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_co_reduce(a_array, operation_wrapper_at, cdata, result_image_at, code_at, c_loc(said), &
        c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine

  subroutine prif_co_reduce_cptr(a_ptr, element_size, element_count, operation_wrapper, cdata, result_image, &
      stat, errmsg, errmsg_alloc)
    type(c_ptr), intent(in) :: a_ptr
    integer(c_size_t), intent(in) :: element_size
    integer(c_size_t), intent(in) :: element_count
    procedure(prif_operation_wrapper_interface), pointer, intent(in) :: operation_wrapper
    type(c_ptr), intent(in), value :: cdata
    integer(c_int), intent(in), optional :: result_image
    integer(c_int), intent(out), optional :: stat
    character(kind=c_char, len=*), intent(inout), optional :: errmsg
    character(kind=c_char, len=:), intent(inout), allocatable, optional :: errmsg_alloc
    type(c_ptr) :: a_ptr_value
    procedure(prif_operation_wrapper_interface), pointer :: operation_wrapper_pointer
    type(c_funptr) :: operation_wrapper_at
    integer(c_int), target :: result_image_value
    type(c_ptr) :: result_image_at
    integer(c_int), target :: code
    type(c_ptr) :: code_at
    character(kind=c_char), target :: text(LONGEST)
    type(descriptor), target :: said

    a_ptr_value = a_ptr
    operation_wrapper_at = c_null_funptr
    operation_wrapper_pointer => operation_wrapper
    if (associated(operation_wrapper_pointer)) operation_wrapper_at = c_funloc(operation_wrapper_pointer)
    result_image_at = c_null_ptr
    if (present(result_image)) then
      result_image_value = result_image
      result_image_at = c_loc(result_image_value)
    end if
    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call describe(said, c_loc(text), LONGEST, 1)
    call xmp_prif_co_reduce_cptr(a_ptr_value, element_size, element_count, operation_wrapper_at, cdata, &
        result_image_at, code_at, c_loc(said), c_null_ptr)
    if (present(stat)) stat = translated(code)
    if (code /= 0 .and. present(errmsg)) errmsg = message_of(text)
    if (code /= 0 .and. present(errmsg_alloc)) errmsg_alloc = message_of(text)
  end subroutine


  ! Atomic operations
  subroutine prif_atomic_add(image_num, coarray_handle, offset, value, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_add(image_num, coarray_handle, offset, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_add_indirect(image_num, atom_remote_ptr, value, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_add_indirect(image_num, atom_remote_ptr, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_fetch_add(image_num, coarray_handle, offset, value, old, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_fetch_add(image_num, coarray_handle, offset, value, old, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_fetch_add_indirect(image_num, atom_remote_ptr, value, old, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_fetch_add_indirect(image_num, atom_remote_ptr, value, old, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_and(image_num, coarray_handle, offset, value, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_and(image_num, coarray_handle, offset, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_and_indirect(image_num, atom_remote_ptr, value, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_and_indirect(image_num, atom_remote_ptr, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_fetch_and(image_num, coarray_handle, offset, value, old, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_fetch_and(image_num, coarray_handle, offset, value, old, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_fetch_and_indirect(image_num, atom_remote_ptr, value, old, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_fetch_and_indirect(image_num, atom_remote_ptr, value, old, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_or(image_num, coarray_handle, offset, value, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_or(image_num, coarray_handle, offset, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_or_indirect(image_num, atom_remote_ptr, value, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_or_indirect(image_num, atom_remote_ptr, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_fetch_or(image_num, coarray_handle, offset, value, old, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_fetch_or(image_num, coarray_handle, offset, value, old, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_fetch_or_indirect(image_num, atom_remote_ptr, value, old, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_fetch_or_indirect(image_num, atom_remote_ptr, value, old, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_xor(image_num, coarray_handle, offset, value, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_xor(image_num, coarray_handle, offset, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_xor_indirect(image_num, atom_remote_ptr, value, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_xor_indirect(image_num, atom_remote_ptr, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_fetch_xor(image_num, coarray_handle, offset, value, old, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_fetch_xor(image_num, coarray_handle, offset, value, old, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_fetch_xor_indirect(image_num, atom_remote_ptr, value, old, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_fetch_xor_indirect(image_num, atom_remote_ptr, value, old, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine


  ! Atomic accesses
  subroutine prif_atomic_define_int(image_num, coarray_handle, offset, value, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_define_int(image_num, coarray_handle, offset, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_define_int_indirect(image_num, atom_remote_ptr, value, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_define_int_indirect(image_num, atom_remote_ptr, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_ref_int(image_num, coarray_handle, offset, value, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(PRIF_ATOMIC_INT_KIND), intent(out) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_ref_int(image_num, coarray_handle, offset, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_ref_int_indirect(image_num, atom_remote_ptr, value, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    integer(PRIF_ATOMIC_INT_KIND), intent(out) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_ref_int_indirect(image_num, atom_remote_ptr, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_cas_int(image_num, coarray_handle, offset, old, compare, new, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: compare
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: new
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_cas_int(image_num, coarray_handle, offset, old, compare, new, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_cas_int_indirect(image_num, atom_remote_ptr, old, compare, new, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    integer(PRIF_ATOMIC_INT_KIND), intent(out) :: old
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: compare
    integer(PRIF_ATOMIC_INT_KIND), intent(in) :: new
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_cas_int_indirect(image_num, atom_remote_ptr, old, compare, new, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_define_logical(image_num, coarray_handle, offset, value, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_define_logical(image_num, coarray_handle, offset, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_define_logical_indirect(image_num, atom_remote_ptr, value, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_define_logical_indirect(image_num, atom_remote_ptr, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_ref_logical(image_num, coarray_handle, offset, value, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_ref_logical(image_num, coarray_handle, offset, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_ref_logical_indirect(image_num, atom_remote_ptr, value, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: value
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_ref_logical_indirect(image_num, atom_remote_ptr, value, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_cas_logical(image_num, coarray_handle, offset, old, compare, new, stat)
    integer(c_int), intent(in) :: image_num
    type(prif_coarray_handle), intent(in) :: coarray_handle
    integer(c_size_t), intent(in) :: offset
    logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: old
    logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: compare
    logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: new
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_cas_logical(image_num, coarray_handle, offset, old, compare, new, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

  subroutine prif_atomic_cas_logical_indirect(image_num, atom_remote_ptr, old, compare, new, stat)
    integer(c_int), intent(in) :: image_num
    integer(c_intptr_t), intent(in) :: atom_remote_ptr
    logical(PRIF_ATOMIC_LOGICAL_KIND), intent(out) :: old
    logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: compare
    logical(PRIF_ATOMIC_LOGICAL_KIND), intent(in) :: new
    integer(c_int), intent(out), optional :: stat
    integer(c_int), target :: code
    type(c_ptr) :: code_at

    code = 0
    code_at = c_null_ptr
    if (present(stat)) code_at = c_loc(code)
    call xmp_prif_atomic_cas_logical_indirect(image_num, atom_remote_ptr, old, compare, new, code_at)
    if (present(stat)) stat = translated(code)
  end subroutine

end module
