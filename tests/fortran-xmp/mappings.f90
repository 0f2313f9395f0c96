! Loops and assignments with arrays of other templates than that of the directive, whose elements are on the same nodes.
module grids
  implicit none
  !$xmp nodes p(*)
  !$xmp nodes same(*)
contains
  ! Twice as many elements, in blocks and dealt out.
  subroutine finer(n)
    integer, intent(in) :: n
    integer :: i
    !$xmp template t(n)
    !$xmp distribute t(block) onto p
    !$xmp template fine(2*n)
    !$xmp distribute fine(block) onto same
    !$xmp template dealt(n)
    !$xmp distribute dealt(cyclic(2)) onto p
    !$xmp template doubled(2*n)
    !$xmp distribute doubled(cyclic(4)) onto p
    integer :: a(n), b(2*n), c(n), d(2*n)
    !$xmp align a(i) with t(i)
    !$xmp align b(i) with fine(i)
    !$xmp shadow b(1)
    !$xmp align c(i) with dealt(i)
    !$xmp align d(i) with doubled(i)
    !$xmp loop on t(i)
    do i = 1, n
      b(2*i - 1) = 10*i
      b(2*i) = 10*i + 1
    end do
    !$xmp reflect (b)
    !$xmp loop on t(i)
    do i = 2, n
      a(i) = b(2*i - 2) + b(2*i)
      call require(a(i) == 20*i - 8)
    end do
    !$xmp loop on t(i)
    do i = n, 1, -2
      a(i) = b(2*i)
      call require(a(i) == 10*i + 1)
    end do
    !$xmp array on t(1:n)
    a(1:n) = b(1:2*n:2)
    !$xmp loop on t(i)
    do i = 1, n
      call require(a(i) == 10*i)
    end do
    !$xmp loop on dealt(i)
    do i = 1, n
      c(i) = i
      d(2*i - 1) = i
      d(2*i) = -i
    end do
    !$xmp loop on doubled(i)
    do i = 2, 2*n, 2
      call require(d(i) == -i/2)
    end do
  end subroutine

  ! Templates that are declared alike, and such that only the values of variables make alike.
  subroutine alike(n, more)
    integer, intent(in) :: n, more
    integer :: i, k
    !$xmp template t(n)
    !$xmp distribute t(block) onto p
    !$xmp template of_rows(3, n)
    !$xmp distribute of_rows(*, block) onto p
    !$xmp template other(more - 1)
    !$xmp distribute other(block) onto same
    integer :: a(n), b(n), c(3, n)
    !$xmp align a(i) with other(i)
    !$xmp align b(i) with t(i)
    !$xmp align c(j, i) with of_rows(j, i)
    !$xmp shadow a(1)
    !$xmp shadow b(1)
    !$xmp loop on t(i)
    do i = 1, n
      a(i) = i
      b(i) = 2*i
    end do
    !$xmp reflect (a, b)
    !$omp parallel do collapse(2)
    !$xmp loop (k, i) on of_rows(k, i)
    do i = 2, n
      do k = 1, 3
        c(k, i) = a(i - 1) + b(i - 1) + k
      end do
    end do
    !$xmp loop on t(i)
    do i = 2, n
      call require(c(3, i) == 3*i)
    end do
    !$xmp array on t(2:n)
    b(2:n) = a(1:n - 1) + c(2, 2:n)
    !$xmp loop on other(i)
    do i = 2, n
      call require(b(i) == 4*i - 2)
    end do
  end subroutine

  ! Allocatable arrays have bounds that directives do not say.
  subroutine allocated(n)
    integer, intent(in) :: n
    integer :: a(n), i
    integer, allocatable :: b(:), c(:)
    !$xmp template t(n)
    !$xmp distribute t(block) onto p
    !$xmp align a(i) with t(i)
    !$xmp align b(i) with t(i)
    !$xmp align c(i) with t(i + 1)
    allocate (b(n), c(0:n - 1))
    !$xmp loop on t(i)
    do i = 1, n
      b(i) = i
      c(i - 1) = 10*i
    end do
    !$xmp array on t(:)
    a(:) = b(:)
    !$xmp array on t(1:n)
    a = a + c
    !$xmp array on t(2:n)
    a(2:n) = a(2:n) + b(2:) + c(1:)
    !$xmp loop on t(i)
    do i = 2, n
      call require(a(i) == 22*i)
    end do
  end subroutine

  subroutine require(is)
    logical, intent(in) :: is
    if (.not. is) error stop
  end subroutine
end module

program mappings
  use grids
  implicit none
  call finer(6*num_images())
  call allocated(6*num_images())
  call alike(6*num_images(), 6*num_images() + 1)
end program
