!> A team that enters, synchronises, allocates and leaves needs its own images only: the other team does nothing of it.
program siblings_do_not_wait
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type, atomic_int_kind
  implicit none
  type(team_type) :: team
  integer(atomic_int_kind) :: ready[*], value
  integer, allocatable :: w(:)[:]
  integer :: me, n, k, x

  me = this_image(); n = num_images()
  ready = 0
  sync all
  form team (merge(1, 2, mod(me, 2) == 1), team)
  if (mod(me, 2) == 1) then
    do k = 1, 50
      change team (team)
        allocate (w(k)[*])
        x = 1
        call co_sum(x)
        call require_equal(x, num_images(), 'co_sum')
        sync all
        sync team (team)
      end team
    end do
    ! Only now may the others go on: had this team needed them, no image ever would.
    do k = 2, n, 2
      call atomic_define(ready[k], 1)
    end do
  else
    value = 0
    do while (value == 0)
      call atomic_ref(value, ready)
    end do
  end if
  sync all
end program
