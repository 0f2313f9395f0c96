!> Teams within teams within teams: halves, the odd and the even of those, and each image by itself.
program nested
  use checks
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: half, parity, alone
  integer :: me, n, lower, in_half, in_parity, of_half, of_parity, k, x

  me = this_image(); n = num_images(); lower = n / 2
  in_half = merge(me, me - lower, me <= lower)
  of_half = merge(lower, n - lower, me <= lower)
  in_parity = (in_half + 1) / 2
  of_parity = (of_half + mod(in_half, 2)) / 2
  form team (merge(1, 2, me <= lower), half)
  do k = 1, 3
    change team (half)
      call require_equal(team_number(), merge(1, 2, me <= lower), 'number of the half')
      call is(in_half, of_half, 'half')
      form team (10 + mod(in_half, 2), parity)
      change team (parity)
        call require_equal(team_number(), 10 + mod(in_half, 2), 'number in the half')
        call is(in_parity, of_parity, 'parity')
        form team (this_image(), alone)
        change team (alone)
          call require_equal(team_number(), in_parity, 'number alone')
          call require_equal(team_number(parity), 10 + mod(in_half, 2), 'number of the team around')
          call is(1, 1, 'alone')
          x = me
          call co_sum(x)
          call require_equal(x, me, 'sum alone')
          sync all
        end team
        call is(in_parity, of_parity, 'parity again')
        x = 1
        call co_sum(x)
        call require_equal(x, of_parity, 'sum')
      end team
      call is(in_half, of_half, 'half again')
      call require_equal(team_number(half), merge(1, 2, me <= lower), 'number of the half by its variable')
    end team
    call is(me, n, 'at the end')
  end do

contains

  subroutine is(image, images, where)
    integer, intent(in) :: image, images
    character(*), intent(in) :: where
    call require_equal(this_image(), image, 'this_image: ' // where)
    call require_equal(num_images(), images, 'num_images: ' // where)
  end subroutine
end program
