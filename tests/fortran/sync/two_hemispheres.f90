!> Two groups of images synchronise among themselves by SYNC IMAGES, each at its own pace.
program two_hemispheres
  use checks
  implicit none
  integer :: table(8)[*]
  integer :: me, n, k, i, first, last, leader
  integer, allocatable :: group(:)

  me = this_image(); n = num_images()
  if (me <= n / 2) then
    first = 1; last = n / 2
  else
    first = n / 2 + 1; last = n
  end if
  group = [(i, i = first, last)]
  leader = first
  table = 0
  sync all
  do k = 1, merge(60, 20, me <= n / 2)
    table(me)[leader] = k
    sync images (group)
    if (me == leader) call require(all(table(first:last) == k), 'what the group has put')
    if (me == leader) call require(all(table(:first - 1) == 0) .and. all(table(last + 1:) == 0), 'what the others have put')
    sync images (group)
  end do
end program
