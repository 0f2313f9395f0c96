! Array assignments to rows and columns where one dimension is in blocks and the other one is cyclic.
module matrices
  implicit none
  integer, parameter :: n = 12
  !$xmp nodes p(1, *)
  !$xmp nodes q(1, *)
contains
  subroutine columns
    integer :: a(n, n), b(n, n), i, j
    !$xmp template t(n, n)
    !$xmp distribute t(block, cyclic) onto p
    !$xmp align a(i, j) with t(i, j)
    !$xmp align b(i, j) with t(i, j)
    !$xmp loop (i, j) on t(i, j)
    do j = 1, n
      do i = 1, n
        a(i, j) = 0
        b(i, j) = 100*i + j
      end do
    end do
    !$xmp loop (j) on t(:, j)
    do j = 1, n
      !$xmp array on t(:, j)
      a(:, j) = b(:, j) + 1
    end do
    !$xmp array on t(2:5, 3)
    a(2:5, 3) = a(2:5, 3) + b(2:5, 3)
    !$xmp loop (i, j) on t(i, j)
    do j = 1, n
      do i = 1, n
        call require(a(i, j) == 100*i + j + 1 + merge(100*i + j, 0, j == 3 .and. i >= 2 .and. i <= 5))
      end do
    end do
  end subroutine

  subroutine rows
    integer :: a(n, n), b(n, n), i, j
    !$xmp template t(n, n)
    !$xmp distribute t(cyclic(2), block) onto q
    !$xmp align a(i, j) with t(i, j)
    !$xmp align b(i, j) with t(i, j)
    !$xmp loop (i, j) on t(i, j)
    do j = 1, n
      do i = 1, n
        a(i, j) = 0
        b(i, j) = 100*i + j
      end do
    end do
    !$xmp loop (i) on t(i, :)
    do i = 1, n
      !$xmp array on t(i, :)
      a(i, :) = 2*b(i, :) - b(i, :)
    end do
    !$xmp loop (i, j) on t(i, j)
    do j = 1, n
      do i = 1, n
        call require(a(i, j) == 100*i + j)
      end do
    end do
  end subroutine

  subroutine require(is)
    logical, intent(in) :: is
    if (.not. is) error stop
  end subroutine
end module

program assignments
  use matrices
  implicit none
  call columns
  call rows
end program
