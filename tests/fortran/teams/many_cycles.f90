!> A thousand constructs, one in the other, with teams formed and coarrays allocated in them: the memory is where it was.
program many_cycles
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  use, intrinsic :: iso_c_binding, only: c_loc, c_intptr_t
  implicit none
  type(team_type) :: outer, inner
  integer, allocatable, target :: a(:)[:], b(:)[:], c(:)[:]
  integer(c_intptr_t) :: first_a, first_c, at
  integer :: me, k

  me = this_image()
  form team (1 + mod(me, 2), outer)
  do k = 1, 500
    change team (outer)
      allocate (a(500 + 100 * mod(me, 2))[*])
      at = transfer(c_loc(a), at)
      if (k == 1) first_a = at
      call require(at == first_a, 'address in the outer team')
      a = k
      form team (1 + this_image() / 2, inner)
      change team (inner)
        allocate (b(1 + mod(k, 17))[*], c(1000)[*])
        deallocate (b)
        allocate (b(1 + mod(k, 1700))[*])
        b = k; c = k
        sync all
        call require(b(1)[right_of(this_image())] == k, 'in the inner team')
      end team
      call require(.not. allocated(b), 'after the inner team')
      call require(all(a == k), 'value in the outer team')
    end team
    if (mod(k, 50) == 0) then
      allocate (c(100)[*])
      at = transfer(c_loc(c), at)
      if (k == 50) first_c = at
      call require(at == first_c, 'address in the initial team')
      deallocate (c)
    end if
  end do
end program
