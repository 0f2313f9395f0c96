! Local arrays and coarrays that stand for the parts of distributed arrays; pointers; components of types.
module parts
  implicit none
  integer, parameter :: n = 168
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  integer, target :: a(2, n)
  integer :: x(0:, 5:)[*]
  !$xmp align a(*, i) with t(i)
  !$xmp shadow a(0, 1)
  !$xmp local_alias x => a
end module

program aliases
  use parts
  implicit none
  type cell
    integer :: number
    real :: heat(n), names(2)
  end type
  !$xmp align cell%heat(i) with t(i)
  !$xmp shadow cell%heat(1)
  !$xmp template s(n)
  !$xmp distribute s(cyclic) onto p
  integer :: b(n), y(0:), here, images, i, last
  !$xmp align b(i) with s(i)
  !$xmp local_alias y => b
  integer, pointer :: q(:, :)
  !$xmp align q(*, i) with t(i)
  !$xmp shadow q(0, 1)
  integer, pointer :: r(:)
  !$xmp align r(i) with t(i)
  type(cell) :: c, d
  here = this_image()
  images = num_images()

  ! 168 elements are as many on 1, 2, 3, 4, 7 and 8 images. The shadow is there on all of them.
  call require(all(shape(x) == [2, n/images + 2]) .and. all(lbound(x) == [0, 5]), 'the shape')
  a = 0
  !$xmp loop on t(i)
  do i = 1, n
    a(:, i) = [i, -i]
  end do
  sync all
  ! The own elements begin after the shadow, at 6. Neighbours get them in their shadows.
  last = 5 + n/images
  if (here < images) x(:, 5)[here + 1] = x(:, last)
  if (here > 1) x(:, last + 1)[here - 1] = x(:, 6)
  sync all
  !$xmp loop on t(i)
  do i = 2, n - 1
    call require(all(a(:, i - 1) == [i - 1, 1 - i]) .and. all(a(:, i + 1) == [i + 1, -i - 1]), 'puts to a part')
  end do

  !$xmp loop on s(i)
  do i = 1, n
    b(i) = i
  end do
  call require(size(y) == (n - here)/images + 1 .and. all(y == [(here + i*images, i = 0, size(y) - 1)]), 'a cyclic part')

  ! A pointer is distributed as its target is.
  nullify(q)
  a = 0
  !$xmp loop on t(i)
  do i = 1, n
    a(1, i) = 3*i
  end do
  if (here > 0) q => a
  !$xmp reflect (q)
  !$xmp loop on t(i)
  do i = 2, n - 1
    call require(q(1, i - 1) + q(1, i + 1) == 6*i, 'reflect by a pointer')
  end do
  allocate(r(n))
  !$xmp loop on t(i)
  do i = 1, n
    r(i) = i
  end do
  last = 0
  !$xmp loop on t(i) reduction(+: last)
  do i = 1, n
    last = last + r(i)
  end do
  call require(last == n*(n + 1)/2, 'a pointer that is allocated')
  deallocate(r)

  ! Components: those of all variables of the type.
  c%number = 1
  d%names = 2
  !$xmp loop on t(i)
  do i = 1, n
    c%heat(i) = i
    d%heat(i) = 0
  end do
  !$xmp reflect (c%heat)
  !$xmp loop on t(i)
  do i = 2, n - 1
    call require(c%heat(i - 1) + c%heat(i + 1) == 2*i, 'reflect of a component')
  end do
  !$xmp gmove
  d%heat(2:n) = c%heat(1:n - 1)
  !$xmp loop on t(i)
  do i = 2, n
    call require(d%heat(i) == i - 1, 'gmove of components')
  end do
contains
  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) then
      print '(2a)', 'wrong: ', what
      error stop
    end if
  end subroutine
end program
