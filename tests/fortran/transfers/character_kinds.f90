!> Characters of kind 1 and 4 convert into each other, with padding and cutting.
program character_kinds
  use checks
  implicit none
  character(6, 4) :: wide[*], wides(2)[*]
  character(6, 1) :: narrow[*]
  character(4, 1) :: mine, got, gots(2)
  character(4, 4) :: mine4, got4
  integer :: next

  next = right_of(this_image())
  mine = 'wxyz'; mine4 = 4_'MNOP'
  wide = 4_'------'; narrow = '------'; wides = 4_'------'
  sync all
  wide[next] = mine
  narrow[next] = mine4
  wides(:)[next] = ['ab', 'cd']
  sync all
  call require(wide == 4_'wxyz  ', 'put of kind 1 to kind 4')
  call require(narrow == 'MNOP  ', 'put of kind 4 to kind 1')
  call require(all(wides == [4_'ab    ', 4_'cd    ']), 'put of an array of kind 1 to kind 4')
  got = '----'; got = wide[next]
  call require(got == 'wxyz', 'get of kind 4 to kind 1')
  got4 = 4_'----'; got4 = narrow[next]
  call require(got4 == 4_'MNOP', 'get of kind 1 to kind 4')
  gots = '----'; gots = wides(:)[next]
  call require(all(gots == ['ab  ', 'cd  ']), 'get of an array of kind 4 to kind 1')
end program
