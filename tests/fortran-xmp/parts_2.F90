! A program that uses the arrays of a module in another source, and procedures with arrays of their own.
#define WIDTH 6
program parts_2
  use parts_1, only: fill, field, total_of, &
    n, later, turn
  implicit none
  integer :: step, ranks(4)
  integer, external :: doubled
  real(8) :: expected
  call fill()
  expected = 2*(sum([(real(step - 1, 8) + (step + 1), step=1, n - 1)]))
  do step = 1, 3
    if (total_of(field, step) /= expected) error stop 'the function of the module'
  end do
  if (total_of(later, 1) /= -expected) error stop 'the allocatable array'
  do step = 1, 5
    call local_arrays(WIDTH*step)
  end do
  if (doubled(turn, n) /= n*(n + 1)) error stop 'the external function'
  call executing()
end program

! Arrays whose size is an argument, nodes of the executing ones.
subroutine local_arrays(m)
  implicit none
  integer, intent(in) :: m
  integer :: i, j, total
  !$xmp nodes all(*)
  !$xmp template s(m, m)
  !$xmp distribute s(*, block) onto all
  real :: a(m, m), b(m, m)
  !$xmp align a(i, j) with s(i, j)
  !$xmp align b(i, j) with s(i, j)
  !$xmp shadow a(0, 1)
  !$xmp loop (j) on s(*, j)
  do j = 1, m
    a(:, j) = [(i*j, i=1, m)]
  end do
  !$xmp reflect (a)
  total = 0
  !$xmp loop (j) on s(*, j) reduction(+: total)
  do j = 2, m - 1
    b(:, j) = a(:, j - 1) + a(:, j + 1)
    do i = 1, m
      if (b(i, j) /= 2*i*j) error stop 'a local array'
    end do
    total = total + 1
  end do
  if (total /= m - 2) error stop 'iterations of a local loop'
  if (m > 12) return
  call check(a, m)
contains
  subroutine check(x, m)
    integer, intent(in) :: m
    real :: x(m, m)
    !$xmp align x(i, j) with s(i, j)
    !$xmp shadow x(0, 1)
    !$xmp loop (j) on s(*, j)
    do j = 1, m
      if (any(x(:, j) /= a(:, j))) error stop 'an argument of an internal procedure'
    end do
  end subroutine
end subroutine

! A function without a type in its head, an argument of assumed size.
integer function doubled(x, n)
  implicit none
  integer :: n, i, x(0:*)
  !$xmp nodes p(*)
  !$xmp template s(0:n)
  !$xmp distribute s(cyclic(2)) onto p
  !$xmp align x(i) with s(i)
  doubled = 0
  !$xmp loop on s(i) reduction(+: doubled)
  do i = 0, n
    doubled = doubled + 2*x(i)
  end do
end function

! Nodes of those that execute a task.
subroutine executing()
  implicit none
  integer :: value, images
  !$xmp nodes p(*)
  images = num_images()
  value = 0
  !$xmp task on p(images:images)
  value = 1
  call alone()
  !$xmp end task
  !$xmp reduction(+: value)
  if (value /= 1) error stop 'a task'
  value = this_image()
  !$xmp bcast (value) from p(images)
  if (value /= images) error stop 'a broadcast'
  !$xmp barrier
contains
  subroutine alone()
    !$xmp nodes one(*) = *
    !$xmp template s(10)
    !$xmp distribute s(block) onto one
    integer :: x(10), i
    !$xmp align x(i) with s(i)
    value = 0
    !$xmp loop on s(i)
    do i = 1, 10
      x(i) = i
      value = value + x(i)
    end do
    if (value /= 55) error stop 'nodes of a task'
    value = 1
  end subroutine
end subroutine
