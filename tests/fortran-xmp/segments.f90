! The parts of arrays are in the segment of their image: those of modules, main programs, procedures and blocks, and those that
! the program allocates, frees, moves and assigns. Nothing else of the program is there.
module arrays
  implicit none
  integer, parameter :: n = 4000
  !$xmp nodes p(*)
  !$xmp template t(n)
  !$xmp distribute t(block) onto p
  real(8) :: a(n)
  real(8), allocatable :: b(:)
  !$xmp align a(i) with t(i)
  !$xmp align b(i) with t(i)
  !$xmp shadow a(1)
contains
  ! Whether the system shares the page of this variable. The segment of an image alone is private, at the address of all segments.
  logical function is_shared(x)
    real(8), intent(in), target :: x(*)
    character(300) :: line
    integer(8) :: low, high
    integer :: status, unit
    is_shared = .false.
    open(newunit=unit, file='/proc/self/maps', action='read')
    do
      read(unit, '(a)', iostat=status) line
      if (status /= 0) exit
      read(line(1:index(line, '-') - 1), '(z20)') low
      read(line(index(line, '-') + 1:index(line, ' ') - 1), '(z20)') high
      if (loc(x) >= low .and. loc(x) < high) is_shared = index(line, ' rw-s ') > 0 .or. in_place(loc(x))
    end do
    close(unit)
  end function

  logical function in_place(address)
    integer(8), intent(in) :: address
    in_place = address >= int(z'200000000000', 8) .and. address < int(z'500000000000', 8)
  end function

  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) then
      print '(2a)', 'wrong: ', what
      error stop
    end if
  end subroutine

  ! An argument and a local array.
  real(8) function total(x)
    real(8) :: x(n), y(n)
    integer :: i
    !$xmp align x(i) with t(i)
    !$xmp align y(i) with t(i)
    !$xmp shadow x(1)
    !$xmp loop on t(i)
    do i = 1, n
      y(i) = 2*x(i)
    end do
    total = 0
    !$xmp loop on t(i) reduction(+: total)
    do i = 1, n
      total = total + y(i)
    end do
    call require(is_shared(x) .and. is_shared(y), 'arrays of a procedure')
  end function
end module

program segments
  use arrays
  implicit none
  real(8) :: c(n)
  real(8), allocatable :: other(:)
  integer :: i, status
  !$xmp align c(i) with t(i)
  call require(is_shared(a) .and. is_shared(c), 'arrays of a module and of a main program')
  !$xmp loop on t(i)
  do i = 1, n
    a(i) = i
    c(i) = -i
  end do
  ! Many calls give their memory back.
  do i = 1, 2000
    if (i < 4) call require(total(a) == n*(n + 1._8), 'a sum')
    call fill()
  end do
  do i = 1, 2000
    allocate(b(n), stat=status)
    call require(status == 0 .and. is_own(b), 'allocate')
    b = c
    deallocate(b)
  end do
  allocate(b(n))
  b = 2*c
  !$xmp loop on t(i)
  do i = 1, n
    call require(b(i) == -2*i, 'an assignment')
  end do
  ! The memory is that of the array, and not of what has its size.
  allocate(b(n), stat=status)
  call require(status /= 0, 'an array that is allocated')
  allocate(other(size(b)))
  call require(.not. is_shared(other), 'what is allocated after a statement that has failed')
  deallocate(b)
  allocate(b(n), source=computed(size(c)))
  call require(is_shared(b) .and. all(b == 7), 'a part whose value is computed in memory of its size')
  block
    real(8) :: d(n)
    !$xmp align d(i) with t(i)
    call require(is_shared(d), 'an array of a block')
  end block
contains
  ! Looks at the first and the last call only: the system takes its time.
  logical function is_own(x)
    real(8), intent(in) :: x(*)
    is_own = .true.
    if (i == 1 .or. i == 2000) is_own = is_shared(x)
  end function

  ! Computes 7 in an array of this size.
  real(8) function computed(elements)
    integer, intent(in) :: elements
    real(8), allocatable :: x(:)
    allocate(x(elements))
    x = 7
    computed = sum(x)/elements
  end function

  subroutine fill()
    real(8) :: y(n)
    !$xmp align y(i) with t(i)
    integer :: j
    !$xmp loop on t(j)
    do j = 1, n
      y(j) = j
    end do
  end subroutine
end program
