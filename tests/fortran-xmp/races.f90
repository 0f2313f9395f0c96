! A distributed array. Node 2 defines elements that node 1 gets by gmove in; or node 1 puts elements by gmove out that node 2 gives in a
! reflect or a gmove, or adds to in reduce_shadow. With "barrier" as the second argument the nodes synchronise in between. The comments
! mark the statements.
program races
  implicit none
  integer :: a(8), b(8), c(8), i
  character(16) :: way, how
  logical :: synchronise
  !$xmp nodes p(2)
  !$xmp template t(8)
  !$xmp distribute t(block) onto p
  !$xmp align (i) with t(i) :: a, b, c
  !$xmp shadow a(1)

  call get_command_argument(1, way)
  call get_command_argument(2, how)
  synchronise = how == "barrier"
  if (way == "in") then
    !$xmp loop on t(i)
    do i = 1, 8
      a(i) = i ! first in
    end do
    if (synchronise) then
      !$xmp barrier
    end if
    !$xmp task on p(1)
    !$xmp gmove in
    b(1:4) = a(5:8) ! second in
    !$xmp end task
  else
    !$xmp task on p(1)
    !$xmp gmove out
    a(5:8) = b(1:4) ! first out
    !$xmp end task
    if (synchronise) then
      !$xmp barrier
    end if
    select case (way)
    case ("reflect")
      !$xmp reflect (a) ! second reflect
    case ("gmove")
      !$xmp gmove
      c(:) = a(:) ! second gmove
    case ("shadow")
      !$xmp reduce_shadow (a) ! second shadow
    end select
  end if
  !$xmp barrier
  !$xmp task on p(1)
  print "(a)", "done"
  !$xmp end task
end program
