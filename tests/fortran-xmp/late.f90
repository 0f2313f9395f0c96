! Directives that one node comes late to, for tests of traces: node 2, and node 1 to the broadcast. The comments name the
! statements.
program late
  implicit none
  !$xmp nodes p(*)
  !$xmp nodes q(2) = p(1:2)
  !$xmp template t(30)
  !$xmp distribute t(block) onto p
  integer :: u(30), v(30), x, i, xmp_node_num
  external :: xmp_node_num
  !$xmp align u(i) with t(i)
  !$xmp align v(i) with t(i)
  !$xmp shadow u(1)
  x = 1
  !$xmp loop on t(i)
  do i = 1, 30
    u(i) = i
  end do
  !$xmp barrier
  call rest(2)
  !$xmp barrier ! barrier
  call rest(2)
  !$xmp barrier on q ! part
  call rest(2)
  !$xmp reflect (u) ! reflect
  call rest(2)
  !$xmp reduction (+: x) ! reduction
  call rest(1)
  !$xmp bcast (x) ! bcast
  call rest(2)
  !$xmp gmove
  v(1:30) = u(1:30) ! gmove
  !$xmp barrier
contains
  ! Has a node sleep for 0.2 s.
  subroutine rest(node)
    integer, intent(in) :: node
    interface
      integer(c_int) function usleep(span) bind(c)
        use iso_c_binding, only: c_int
        integer(c_int), value :: span
      end function
    end interface
    integer :: done
    if (xmp_node_num() == node) done = usleep(200000)
  end subroutine
end program
