!> Hundreds of coarrays live at once and are freed in another order than they were made; none touches another.
program many_at_once
  use checks
  implicit none
  integer, parameter :: count = 200
  integer :: me

  me = this_image()
  call nest(count)

contains

  !> Each level of the recursion has a coarray of its own, freed when the level returns.
  recursive subroutine nest(level)
    integer, intent(in) :: level
    integer, allocatable :: mine(:)[:], early(:)[:]

    if (level == 0) return
    allocate (mine(level)[*])
    allocate (early(3)[*])
    mine = 1000 * level + me
    early = level
    if (mod(level, 3) == 0) deallocate (early)
    call nest(level - 1)
    call require(all(mine == 1000 * level + me), 'a coarray of an outer level')
    if (mod(level, 20) == 0) then
      sync all
      call require_equal(mine(level)[right_of(me)], 1000 * level + right_of(me), 'of another image')
    end if
    if (allocated(early)) call require(all(early == level), 'a second coarray of an outer level')
  end subroutine
end program
