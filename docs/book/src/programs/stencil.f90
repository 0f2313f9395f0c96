! Heat conduction on a plate that is divided in two dimensions, by directives of XcalableMP.
program stencil
  implicit none
  integer, parameter :: n = 64, steps = 100
  !$xmp nodes p(2, *)
  !$xmp template t(0:n + 1, 0:n + 1)
  !$xmp distribute t(block, block) onto p
  real(8) :: u(0:n + 1, 0:n + 1), new(0:n + 1, 0:n + 1), total, warmest, edge(0:n + 1)
  !$xmp align u(i, j) with t(i, j)
  !$xmp align new(i, j) with t(i, j)
  !$xmp shadow u(1, 1)
  integer :: i, j, step

  !$xmp loop (i, j) on t(i, j)
  do j = 0, n + 1
    do i = 0, n + 1
      u(i, j) = merge(1d0, 0d0, i == 0)
    end do
  end do

  do step = 1, steps
    !$xmp reflect (u)                  ! the shadows get the neighbours' elements
    !$xmp loop (i, j) on t(i, j)
    do j = 1, n
      do i = 1, n
        new(i, j) = (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)) / 4
      end do
    end do
    !$xmp loop (i, j) on t(i, j)
    do j = 1, n
      do i = 1, n
        u(i, j) = new(i, j)
      end do
    end do
  end do

  total = 0
  warmest = 0
  !$xmp loop (i, j) on t(i, j) reduction(+: total) reduction(max: warmest)
  do j = 1, n
    do i = 1, n
      total = total + u(i, j)
      warmest = max(warmest, u(i, j))
    end do
  end do
  !$xmp gmove
  edge(0:n + 1) = u(1, 0:n + 1)        ! every node gets the whole row
  !$xmp task on p(1, 1)
  print '(2(a,f9.6))', 'mean: ', total / n**2, ', warmest: ', warmest
  print '(a,f9.6)', 'middle of the warm edge: ', edge(n / 2)
  !$xmp end task
end program stencil
