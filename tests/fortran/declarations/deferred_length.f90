!> Allocatable coarrays of characters whose length is chosen when they are allocated.
! Not with gfortran 15 and later: gets of coarrays of deferred length are refused.
program deferred_length
  use checks
  implicit none
  character(:), allocatable :: s[:], a(:)[:]
  character(12) :: got
  integer :: me, next, k

  me = this_image(); next = right_of(me)
  do k = 1, 5
    allocate (character(5 + k) :: s[*])
    allocate (character(k) :: a(3)[*])
    call require(len(s) == 5 + k .and. len(a) == k .and. size(a) == 3, 'length')
    s = 'image' // achar(iachar('0') + me)
    a = repeat(achar(iachar('a') + me), k)
    sync all
    got = s[next]
    call require(got == 'image' // achar(iachar('0') + next), 'get: ' // got)
    got = a(2)[next]
    call require(got == repeat(achar(iachar('a') + next), k), 'get of an element: ' // got)
    sync all
    s[next] = 'new'
    a(:)[next] = 'zzzzzzzz'
    sync all
    call require(s == 'new' .and. all(a == repeat('z', k)), 'put')
    deallocate (s, a)
  end do
end program
