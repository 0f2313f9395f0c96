!> END TEAM deallocates what was allocated in the construct: it can be allocated again, with another size.
module owner
  implicit none
  integer, allocatable :: of_module(:)[:]
end module

program end_team_deallocates
  use checks
  use owner
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type cell
    integer :: n
    real(8) :: w(3)
  end type
  type(team_type) :: team
  integer, allocatable :: array(:)[:], scalar[:], kept(:)[:], given(:)[:], freed(:)[:]
  type(cell), allocatable :: cells(:, :)[:, :]
  class(cell), allocatable :: object[:]
  character(7), allocatable :: names(:)[:]
  integer :: me, n, k

  me = this_image(); n = num_images()
  allocate (kept(5)[*])
  kept = me
  form team (1 + mod(me, 2), team)
  do k = 1, 20
    change team (team)
      allocate (array(k)[*], scalar[*], cells(2, k)[2, *], object[*], names(k)[0:*], of_module(2 * k)[*])
      allocate (freed(k)[*])
      array = k; scalar = k; cells = cell(k, 1); object%n = k; names = 'a name'; of_module = -k; freed = k
      call allocate_dummy(given)
      call in_procedure()
      sync all
      call require_equal(array(k)[right_of(this_image())], k, 'array')
      call require_equal(scalar[left_of(this_image())], k, 'scalar')
      call require_equal(given(k)[left_of(this_image())], 3 * k, 'dummy argument')
      call require_equal(of_module(2 * k)[right_of(this_image())], -k, 'module')
      if (mod(k, 2) == 0) deallocate (freed)
    end team
    call require(.not. allocated(array), 'array after END TEAM')
    call require(.not. allocated(scalar), 'scalar after END TEAM')
    call require(.not. allocated(cells), 'derived type after END TEAM')
    call require(.not. allocated(object), 'polymorphic object after END TEAM')
    call require(.not. allocated(names), 'characters after END TEAM')
    call require(.not. allocated(of_module), 'coarray of a module after END TEAM')
    call require(.not. allocated(given), 'actual argument after END TEAM')
    call require(.not. allocated(freed), 'deallocated before END TEAM')
    call require(allocated(kept), 'allocated before CHANGE TEAM')
    call require(all(kept == me) .and. kept(5)[right_of(me)] == right_of(me), 'value from before CHANGE TEAM')
  end do
  ! Outside of teams they are coarrays of all images.
  allocate (array(3)[*])
  array = me
  sync all
  call require_equal(array(3)[right_of(me)], right_of(me), 'outside')
  deallocate (array, kept)

contains

  subroutine allocate_dummy(x)
    integer, allocatable, intent(inout) :: x(:)[:]
    allocate (x(k)[*])
    x = 3 * k
  end subroutine

  !> All of a construct within a procedure, where variables are on the stack.
  subroutine in_procedure()
    type(team_type) :: alone
    integer, allocatable :: local(:)[:]
    integer :: i

    form team (this_image(), alone)
    do i = 1, 3
      change team (alone)
        call require(.not. allocated(local), 'local variable before ALLOCATE')
        allocate (local(i)[*])
        local = i
      end team
      call require(.not. allocated(local), 'local variable after END TEAM')
    end do
    allocate (local(9)[*])
    local = this_image()
    sync all
    call require_equal(local(9)[right_of(this_image())], right_of(this_image()), 'local variable')
  end subroutine
end program
