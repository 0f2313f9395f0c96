! Iterations that communicate: the nodes of `on` execute an iteration, and no others take part.
module iterations
  implicit none
  integer, parameter :: m = 33
  !$xmp nodes p(*)
  !$xmp template t(m)
  !$xmp distribute t(cyclic) onto p
  integer :: a(m)
  !$xmp align a(i) with t(i)
contains
  ! Two nodes execute each iteration, with a reduction, and with a barrier in a subroutine.
  subroutine pairs(n)
    integer, intent(in) :: n
    integer :: k, both
    !$xmp nodes q(2, n) = p(1:2*n)
    integer :: xmp_num_nodes
    both = 0
    !$xmp task on p(1:2*n)
    !$xmp loop on q(:, k)
    do k = 1, n
      both = k
      !$xmp reduction (+: both)
      call require(both == 2*k)
      call meet(2)
      if (mod(k, 2) == 1) cycle
      !$xmp barrier
    end do
    call require(xmp_num_nodes() == 2*n)
    !$xmp end task
  end subroutine

  subroutine meet(nodes)
    integer, intent(in) :: nodes
    integer :: one
    integer :: xmp_num_nodes
    call require(xmp_num_nodes() == nodes)
    one = 1
    !$xmp reduction (+: one)
    call require(one == nodes)
  end subroutine

  ! The nodes have other numbers of iterations, each gets an element of another node.
  subroutine neighbours
    integer :: b, i, last
    integer :: xmp_num_nodes
    !$xmp loop on t(i)
    do i = 1, m
      a(i) = i
    end do
    !$xmp barrier
    last = 0
    !$xmp loop on t(i)
    do i = 2, m
      !$xmp gmove in
      b = a(i - 1)
      call require(b == i - 1)
      if (i > m/2) exit
      last = i
    end do
    call require(last <= m/2)
    call require(xmp_num_nodes() == num_images())
    !$xmp reduction (max: last)
    call require(last == m/2)
  end subroutine

  subroutine require(is)
    logical, intent(in) :: is
    if (.not. is) error stop
  end subroutine
end module

program communicating
  use iterations
  implicit none
  if (num_images() > 1) call pairs(num_images()/2)
  call neighbours
end program
