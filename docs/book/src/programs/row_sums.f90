! The images form a grid with two columns. Each row of the grid is a team.
program row_sums
  use, intrinsic :: iso_fortran_env, only: team_type
  implicit none
  type(team_type) :: row
  integer :: me, my_row, total, image
  integer :: sums[*]

  me = this_image()
  my_row = (me + 1) / 2             ! images 1 and 2: row 1; images 3 and 4: row 2; ...
  form team (my_row, row)

  total = 10 * me
  change team (row)
    call co_sum(total)              ! over the images of this row only
    if (this_image() == 1) total = -total
  end team

  sums = total
  sync all
  if (me == 1) then
    do image = 1, num_images()
      total = sums[image]
      print '(a,i0,a,i0)', 'image ', image, ' has ', total
    end do
  end if
end program row_sums
