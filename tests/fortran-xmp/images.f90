! Image indices that are numbers of nodes: coarrays on nodes, also on those that do not execute, and the directive `image`.
module globals
  implicit none
  !$xmp nodes p(*)
  integer :: s[*]
  !$xmp coarray on p :: s
end module

program images
  use globals
  implicit none
  !$xmp nodes pairs(1, *) = p
  integer :: grid(2)[2, *], local[*], here, all, next, got, i
  !$xmp coarray on pairs :: grid
  here = this_image()
  all = num_images()
  s = 0
  grid = 100*here
  local = 0
  sync all
  if (modulo(all, 2) == 0) then
    call require(all_equal(this_image(grid), [1 + modulo(here - 1, 2), (here + 1)/2]), 'this_image of a coarray')
    call require(this_image(grid, 2) == (here + 1)/2, 'one cosubscript')
    next = modulo(here, all) + 1
    got = grid(2)[1 + modulo(next - 1, 2), (next + 1)/2]
    call require(got == 100*next, 'two cosubscripts')
  end if
  call require(this_image(s, 1) == here, 'a coarray of a module')
  if (all > 1) then
    ! Within a task the image indices of other coarrays count its nodes; those of these stay.
    !$xmp task on p(2:all)
    call require(this_image() == here - 1 .and. num_images() == all - 1, 'a task')
    local[num_images() - this_image() + 1] = here
    sync all
    call require(local == all + 2 - here, 'a coarray of the task')
    s[1] = all
    got = s[here]
    !$xmp end task
    sync all
    call require(s == merge(all, 0, here == 1), 'a put to a node that does not execute')
    ! Nodes of two tasks wait for one another.
    s = 0
    sync all
    !$xmp tasks
    !$xmp task on p(1)
    s[2] = 7
    !$xmp image(p)
    sync images (2)
    !$xmp image(p)
    sync all
    !$xmp end task
    !$xmp task on p(2:all)
    if (this_image() == 1) then
      !$xmp image(p)
      sync images ([1])
      call require(s == 7, 'sync images of a node that does not execute')
    end if
    !$xmp image(p)
    sync all
    !$xmp end task
    !$xmp end tasks
  end if
  block
    integer :: stat
    character(20) :: message
    stat = -1
    message = 'unchanged'
    !$xmp image(p)
    sync all (stat=stat, errmsg=message)
    call require(stat == 0 .and. message == 'unchanged', 'sync all with stat=')
    stat = -1
    !$xmp image(p)
    sync images (*, stat = stat)
    call require(stat == 0, 'sync images (*) with stat=')
    stat = -1
    !$xmp image(p)
    sync images ([here], errmsg=message, stat=stat)
    call require(stat == 0 .and. message == 'unchanged', 'sync images with stat=')
    !$xmp image(p)
    sync images ([all + 1], stat=stat, errmsg=message)
    call require(stat /= 0 .and. message /= 'unchanged', 'sync images with an image that is none')
  end block
  !$xmp image(p)
  sync images (*)
contains
  logical function all_equal(x, y)
    integer, intent(in) :: x(:), y(:)
    all_equal = size(x) == size(y) .and. count(x == y) == size(x)
  end function

  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) then
      print '(2a)', 'wrong: ', what
      error stop
    end if
  end subroutine
end program
