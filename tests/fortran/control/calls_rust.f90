!> Rust routines read the coarrays of a Fortran program: static and allocated ones, parts of them, here and on other images.
program calls_rust
  use checks
  use, intrinsic :: iso_c_binding, only: c_double, c_ptr, c_loc, c_size_t
  implicit none
  interface
    real(c_double) function largest_here(values, count) bind(C)
      import
      type(c_ptr), value :: values
      integer(c_size_t), value :: count
    end function
    real(c_double) function largest_anywhere(values, count) bind(C)
      import
      type(c_ptr), value :: values
      integer(c_size_t), value :: count
    end function
  end interface
  integer, parameter :: n = 9
  real(c_double), target, save :: a(n)[*]
  real(c_double), allocatable, target :: b(:, :)[:]
  integer :: me, i

  me = this_image()
  a = [(real(me * 10 + i, c_double), i=1, n)]
  allocate (b(n, 2)[*])
  b(:, 1) = -a
  b(:, 2) = 1000 - me
  sync all
  call require(largest_here(c_loc(a), 9_c_size_t) == me * 10 + n, 'here')
  call require(largest_anywhere(c_loc(a), 9_c_size_t) == num_images() * 10 + n, 'anywhere')
  call require(largest_anywhere(c_loc(a(3)), 4_c_size_t) == num_images() * 10 + 6, 'a part')
  call require(largest_anywhere(c_loc(b), 9_c_size_t) == -11, 'allocated')
  call require(largest_anywhere(c_loc(b(1, 2)), 9_c_size_t) == 999, 'a column')
  sync all
end program
