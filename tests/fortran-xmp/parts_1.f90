! A module with distributed arrays, for another source.
module parts_1
  implicit none
  private
  integer, parameter, public :: n = 40
  !$xmp nodes p(*)
  !$xmp template t(0:n)
  !$xmp distribute t(block) onto p
  real(8), dimension(0:n), save, public :: field
  real(8), public :: scale = 2
  real(8), allocatable, public :: later(:)
  integer, public :: turn(0:n)
  !$xmp template tc(0:n)
  !$xmp distribute tc(cyclic(2)) onto p
  !$xmp align field(i) with t(i)
  !$xmp align later(i) with t(i)
  !$xmp align turn(i) with tc(i)
  !$xmp shadow field(1)
  !$xmp shadow later(1)
  public :: fill, total_of
contains

  subroutine fill()
    integer :: i
    if (.not. allocated(later)) allocate (later(0:n))
    !$xmp loop on t(i)
    do i = 0, n
      field(i) = i
      later(i) = -i
    end do
    !$xmp loop on tc(i)
    do i = 0, n
      turn(i) = i
    end do
    !$xmp reflect (field, later)
  end subroutine

  ! The sum of an argument that is distributed as `field` is, and of its shadow.
  recursive function total_of(x, times) result(total)
    real(8), intent(inout) :: x(0:n)
    integer, intent(in) :: times
    !$xmp align x(i) with t(i)
    !$xmp shadow x(1)
    real(8) :: total, work(0:n)
    !$xmp align work(i) with t(i)
    !$xmp shadow work(1)
    integer :: i
    if (times > 1) then
      total = total_of(x, times - 1)
      return
    end if
    !$xmp loop on t(i)
    do i = 0, n
      work(i) = scale*x(i)
    end do
    !$xmp reflect (work)
    total = 0
    !$xmp loop on t(i) reduction(+: total)
    do i = 1, n - 1
      total = total + work(i - 1) + work(i + 1)
    end do
  end function
end module
