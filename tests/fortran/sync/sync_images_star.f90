!> sync images (*) by one image pairs with sync images of that image by all others; also with explicit lists.
program sync_images_star
  use checks
  implicit none
  integer :: given
  integer :: job[*], results(64)[*]
  integer :: me, n, k, i, master

  me = this_image(); n = num_images()
  job = 0
  sync all
  do k = 1, 60
    master = modulo(k, n) + 1
    if (me == master) then
      job = k
      sync images (*)
      ! The others compute.
      if (mod(k, 2) == 0) then
        sync images (*)
      else
        sync images ([(i, i = n, 1, -1)])
      end if
      do i = 1, n
        if (i /= me) call require_equal(results(i), k + i, 'result')
      end do
      sync images ([(i, i = 1, n)])
    else
      sync images (master)
      given = job[master]
      results(me)[master] = given + me
      sync images ([master])
      sync images (master)
    end if
  end do
end program
