//! The text of `prif_lfortran.F90` besides what follows from the library's declarations.

/// Its first lines.
pub const HEAD: &str = "\
!> PRIF 0.8, the Parallel Runtime Interface for Fortran (doi 10.25344/S4Z88F), for LFortran: what it calls for coarrays,
!> and the module for programs that say `use prif`.
!>
!> LFortran passes arguments in a way of its own, which changes with its versions. `xmpfc` therefore compiles this module
!> with the user's LFortran and links it with the program; it calls libxmprt by the C convention. What the procedures do
!> says prif.F90.
!>
!> `./x install` makes it of the library's table of procedures (ffi/src/prif).
module prif
  use, intrinsic :: iso_c_binding, only: c_associated, c_bool, c_char, c_f_pointer, c_f_procpointer, c_funloc, c_funptr, &
    c_int, c_int8_t, c_int64_t, c_intptr_t, c_loc, c_null_funptr, c_null_ptr, c_ptr, c_ptrdiff_t, c_size_t
  implicit none
  private

";

/// Types and variables besides those of PRIF.
pub const OWN_TYPES: &str = "
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
";

/// Interfaces of functions that are not of the table.
pub const OTHER_FUNCTIONS: &str = "
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
";

/// Procedures that others call.
pub const HELPERS: &str = "
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
";

/// The procedures for stop callbacks.
pub const CALLBACKS: &str = "  subroutine prif_register_stop_callback(callback)
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

";
