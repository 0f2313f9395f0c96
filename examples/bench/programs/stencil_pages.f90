!> A 7-point stencil over two cubes of n*n*n doubles: coarrays, or ordinary arrays of the same size. For the pages that the memory
!> is on. Prints the processor time of the first use of both arrays, and the least of a step.
!>
!>     xmpfc -O3 -march=native stencil_pages.f90 -o stencil_pages
!>     xmprun -n 1 ./stencil_pages coarray 320 3
!>     GLIBC_TUNABLES=glibc.malloc.hugetlb=1 xmprun -n 1 ./stencil_pages ordinary 320 3
program stencil_pages
  implicit none
  integer, parameter :: wide = selected_real_kind(15)
  real(wide), allocatable :: a(:, :, :)[:], b(:, :, :)[:], c(:, :, :), d(:, :, :)
  character(20) :: kind_of_array, text
  integer :: n, repetitions

  call get_command_argument(1, kind_of_array)
  call get_command_argument(2, text)
  read (text, *) n
  call get_command_argument(3, text)
  read (text, *) repetitions
  select case (kind_of_array)
  case ('coarray')
    allocate (a(n, n, n)[*], b(n, n, n)[*])
    call measure(a, b)
  case ('ordinary')
    allocate (c(n, n, n), d(n, n, n))
    call measure(c, d)
  case default
    error stop 'coarray or ordinary'
  end select

contains

  subroutine measure(x, y)
    real(wide), intent(out) :: x(n, n, n), y(n, n, n)
    real(wide) :: begin, end, first, least
    integer :: repetition

    call cpu_time(begin)
    x = 1
    y = 1
    call cpu_time(end)
    first = end - begin
    least = huge(least)
    do repetition = 1, repetitions
      call cpu_time(begin)
      call step(x, y)
      call step(y, x)
      call cpu_time(end)
      least = min(least, (end - begin) / 2)
    end do
    if (this_image() == 1) print '(2a,2(f10.4,a))', trim(kind_of_array), ': first use', first, ' s, step', least, ' s'
  end subroutine

  subroutine step(x, y)
    real(wide), intent(in) :: x(n, n, n)
    real(wide), intent(inout) :: y(n, n, n)
    integer :: i, j, k

    do k = 2, n - 1
      do j = 2, n - 1
        do i = 2, n - 1
          y(i, j, k) = 0.4_wide * x(i, j, k) + 0.1_wide * (x(i - 1, j, k) + x(i + 1, j, k) + x(i, j - 1, k) &
              + x(i, j + 1, k) + x(i, j, k - 1) + x(i, j, k + 1))
        end do
      end do
    end do
  end subroutine
end program
