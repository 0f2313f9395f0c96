! Images that wait for one another for ever, in directives of XcalableMP: the argument names the mistake. A comment names each line that
! the tests expect in the message.
program hangs
  implicit none
  character(20) :: how
  integer :: a(40), b(40), local(4), x, k, me
  real :: r
  integer :: c[*]
!$xmp nodes p(*)
!$xmp template t(40)
!$xmp distribute t(block) onto p
!$xmp align a(i) with t(i)
!$xmp align b(i) with t(i)
!$xmp shadow a(1)

  call get_command_argument(1, how)
  me = this_image()
  x = me
  r = 1
  if (me == 1 .and. how /= 'types') then
!$xmp wait   ! wait
  end if
  select case (how)
  case ('barrier')
!$xmp barrier   ! barrier
  case ('bcast')
!$xmp bcast (x) from p(1)   ! bcast
  case ('reduction')
!$xmp reduction (+: x)   ! reduction
  case ('located')
!$xmp reduction (firstmax: x /k/)   ! located
  case ('loop')
!$xmp loop on t(k) reduction(+: x)
    do k = 1, 40
      x = x + k
    end do   ! loop
  case ('reflect')
!$xmp reflect (a)   ! reflect
  case ('gmove')
!$xmp gmove
    b(1:39) = a(2:40)   ! gmove
  case ('local gmove')
!$xmp gmove
    local = a(1:4)   ! local gmove
  case ('sync all')
    sync all   ! sync all
  case ('types')
    if (me == 2) then
!$xmp reduction (max: r)
    else
!$xmp reduction (max: x)
    end if
  end select
end program
