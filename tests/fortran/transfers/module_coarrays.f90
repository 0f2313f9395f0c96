!> Coarrays in modules, with initial values, accessed from several procedures.
! Not with gfortran 15 and later: puts of module procedures to coarrays of the module do not link.
module shared_data
  implicit none
  integer :: counter[*] = 41
  real(8) :: field(4, 3)[*] = 2.5d0, line(3)[*] = [0.5d0, 1.5d0, 2.5d0]
  character(6), save :: label[*] = 'module'
  integer, allocatable :: later(:)[:]

contains

  subroutine put_counter(image, value)
    integer, intent(in) :: image, value
    counter[image] = value
  end subroutine

  integer function get_counter(image)
    integer, intent(in) :: image
    get_counter = counter[image]
  end function
end module

program module_coarrays
  use checks
  use shared_data
  implicit none
  integer :: me, next, prev
  real(8) :: got(4, 3)

  me = this_image(); next = right_of(me); prev = left_of(me)
  call require_equal(counter, 41, 'initial value of a scalar')
  call require_equal(get_counter(next), 41, 'initial value of a scalar elsewhere')
  got = field(:, :)[next]
  call require(all(got == 2.5d0), 'initial value of an array of two dimensions')
  got(:3, 1) = line(:)[next]
  call require(all(got(:3, 1) == [0.5d0, 1.5d0, 2.5d0]), 'initial value of an array of one dimension')
  call require(label[next] == 'module', 'initial value of a character')
  sync all
  call put_counter(next, me)
  allocate (later(3)[*])
  later = me
  sync all
  call require_equal(counter, prev, 'put in a module procedure')
  call require_equal(later(2)[next], next, 'allocatable coarray of a module')
  call inner()

contains

  subroutine inner()
    call require_equal(counter[next], me, 'get in an internal procedure')
    field(2, :)[next] = -1d0 * me
    sync all
    call require(all(field(2, :) == -prev) .and. all(field(1, :) == 2.5d0), 'put in an internal procedure')
  end subroutine
end program
