!> Teams of one image: everything that many images can do, one can.
program teams_of_one
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type, event_type, lock_type, atomic_int_kind
  implicit none
  type(team_type) :: alone, again
  integer :: a(3)[*]
  integer(atomic_int_kind) :: counter[*]
  type(event_type) :: gate[*]
  type(lock_type) :: guard[*]
  integer, allocatable :: w(:)[:]
  integer :: me, k, x
  integer, parameter :: self(1) = [1]

  me = this_image()
  a = 0; counter = 0
  form team (me, alone)
  ! Each image as often as it likes: no image waits for it.
  do k = 1, 5 * me
    change team (alone)
      call require(this_image() == 1 .and. num_images() == 1, 'the only image')
      allocate (w(me)[*])
      w(:)[1] = k
      a(2)[1] = a(2)[1] + 1
      x = me
      call co_sum(x)
      call co_broadcast(x, 1)
      call co_max(x, result_image=1)
      call require_equal(x, me, 'collectives')
      sync all
      sync images (*)
      sync images (self)
      sync team (alone)
      critical
        a(3) = a(3) + 1
      end critical
      lock (guard[1])
      unlock (guard[1])
      event post (gate[1])
      event wait (gate)
      call atomic_add(counter[1], 1)
      form team (7, again)
      change team (again)
        call require(all(w == k), 'coarray of the team around')
      end team
    end team
  end do
  sync all
  call require(a(2) == 5 * me .and. a(3) == 5 * me .and. counter == 5 * me, 'counts')
end program
