!> Many coarrays of many sizes in one program, static and allocatable: each has its own memory on every image.
module holders
  implicit none
  type pair
    integer, allocatable :: x(:)[:], y(:)[:]
  end type
  type eight
    type(pair) :: a, b, c, d
  end type
  type many_of_them
    type(eight) :: p, q, r, s
  end type
end module

program many
  use checks
  use holders
  implicit none
  integer(1) :: s1(1)[*], s2(3)[*], s3(17)[*], s4(1000)[*], s5(65537)[*]
  type(many_of_them) :: all_of_them
  integer :: me, next, prev, k, turn

  me = this_image(); next = right_of(me); prev = left_of(me)
  s1 = 1; s2 = 2; s3 = 3; s4 = 4; s5 = 5
  k = 0
  do turn = 1, 4
    call for_each(all_of_them%p); call for_each(all_of_them%q); call for_each(all_of_them%r); call for_each(all_of_them%s)
    sync all
    k = 0
  end do
  s5(65537)[next] = int(me, 1); s3(17)[next] = int(me, 1)
  sync all
  call require(all(s1 == 1) .and. all(s2 == 2) .and. all(s3(:16) == 3) .and. all(s4 == 4) .and. all(s5(:65536) == 5), 'static')
  call require(s3(17) == prev .and. s5(65537) == prev, 'put to static')

contains

  subroutine for_each(e)
    type(eight), intent(inout) :: e
    call both(e%a); call both(e%b); call both(e%c); call both(e%d)
  end subroutine

  subroutine both(p)
    type(pair), intent(inout) :: p
    call one(p%x)
    call one(p%y)
  end subroutine

  !> What is done with the k-th coarray in this turn.
  subroutine one(x)
    integer, allocatable, intent(inout) :: x(:)[:]
    k = k + 1
    select case (turn)
    case (1)
      allocate (x(k * k)[*])
      x = k
    case (2)
      x(k * k)[next] = 1000 * me + k
    case (3)
      call require(x(k * k) == 1000 * prev + k .and. all(x(:k * k - 1) == k), 'allocatable')
      ! Every other one, so that holes remain.
      if (mod(k, 2) == 0) deallocate (x)
    case (4)
      if (mod(k, 2) == 0) allocate (x(3)[*], source=k)
      call require_equal(x(1)[me], merge(k, merge(1000 * prev + 1, k, k == 1), mod(k, 2) == 0), 'what is left')
    end select
  end subroutine
end program
