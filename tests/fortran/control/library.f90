!> Procedures with coarrays for a main program in C: a put to the next image and a sum over all of them.
module library
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none

contains

  !> What the image on the left has put here, or a negative number when something was wrong.
  integer(c_int) function exchange(value) bind(C)
    integer(c_int), value :: value
    ! Not of the module: gfortran 15 and 16 do not link procedures that put to a coarray of their module.
    integer, save :: inbox[*] = 5
    integer, allocatable, save :: again(:)[:]

    exchange = -1
    if (inbox /= 5) return
    if (.not. allocated(again)) allocate (again(3)[*])
    again = value
    sync all
    inbox[modulo(this_image(), num_images()) + 1] = again(2)
    sync all
    exchange = inbox
  end function

  integer(c_int) function sum_of_all(value) bind(C)
    integer(c_int), value :: value
    call co_sum(value)
    sum_of_all = value
  end function

  !> How many images there are in the half of this one, whose indices are odd or even as its own.
  integer(c_int) function in_halves() bind(C)
    type(team_type) :: half
    form team (1 + mod(this_image(), 2), half)
    change team (half)
      in_halves = num_images()
    end team
  end function

  integer(c_int) function which_image() bind(C)
    which_image = this_image()
  end function

  integer(c_int) function how_many_images() bind(C)
    how_many_images = num_images()
  end function
end module
