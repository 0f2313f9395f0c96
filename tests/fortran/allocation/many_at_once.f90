!> Twelve coarrays of changing sizes come and go in any order; none touches another, and each image finds the others'.
program many_at_once
  use checks
  implicit none
  integer, allocatable :: a(:)[:], b(:)[:], c(:)[:], d(:)[:], e(:)[:], f(:)[:]
  integer, allocatable :: g(:)[:], h(:)[:], i(:)[:], j(:)[:], k(:)[:], l(:)[:]
  integer :: step, choice

  choice = 1
  do step = 1, 250
    ! The same sequence on all images, because allocation is collective.
    choice = modulo(choice * 137 + 71, 6007)
    select case (modulo(choice, 12))
    case (0); call toggle(a, 1000)
    case (1); call toggle(b, 2000)
    case (2); call toggle(c, 3000)
    case (3); call toggle(d, 4000)
    case (4); call toggle(e, 5000)
    case (5); call toggle(f, 6000)
    case (6); call toggle(g, 7000)
    case (7); call toggle(h, 8000)
    case (8); call toggle(i, 9000)
    case (9); call toggle(j, 10000)
    case (10); call toggle(k, 11000)
    case (11); call toggle(l, 12000)
    end select
  end do

contains

  !> Checks and frees the coarray if there is one, else makes one with the values `base` + image.
  subroutine toggle(x, base)
    integer, allocatable, intent(inout) :: x(:)[:]
    integer, intent(in) :: base

    if (allocated(x)) then
      call require(all(x == base + this_image()), 'a coarray has changed')
      call require_equal(x(size(x))[right_of(this_image())], base + right_of(this_image()), 'elsewhere')
      deallocate (x)
    else
      allocate (x(1 + modulo(choice * 13, 3000))[*])
      x = base + this_image()
      sync all
    end if
  end subroutine
end program
