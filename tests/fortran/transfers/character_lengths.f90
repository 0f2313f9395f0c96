!> Characters are padded with blanks or cut when lengths differ, on puts, gets and transfers.
program character_lengths
  use checks
  implicit none
  character(8) :: long[*], longs(3)[*]
  character(3) :: short[*], shorts(3)[*]
  character(5) :: mine, mines(3), got, gots(3)
  character(0) :: nothing
  integer :: next

  next = right_of(this_image())
  mine = 'abcde'; mines = ['one  ', 'two2 ', 'three']
  long = '--------'; longs = '--------'; short = '---'; shorts = '---'
  sync all
  long[next] = mine
  short[next] = mine
  longs(:)[next] = mines
  shorts(3:1:-1)[next] = mines
  sync all
  call require(long == 'abcde   ' .and. short == 'abc', 'put of a scalar')
  call require(all(longs == ['one     ', 'two2    ', 'three   ']), 'put of an array to a longer one')
  call require(all(shorts == ['thr', 'two', 'one']), 'put of an array to a shorter one')
  got = '-----'; got = long[next]; call require(got == 'abcde', 'get from longer: ' // got)
  got = '-----'; got = short[next]; call require(got == 'abc  ', 'get from shorter: ' // got)
  gots = '-----'; gots = shorts(:)[next]
  call require(all(gots == ['thr  ', 'two  ', 'one  ']), 'get of an array from a shorter one')
  gots = '-----'; gots = longs(:)[next]
  call require(all(gots == mines), 'get of an array from a longer one')
  sync all
  long[next] = short[next]
  sync all
  call require(long == 'abc     ', 'transfer: ' // long)
  sync all
  nothing = ''
  short[next] = nothing
  sync all
  call require(short == '', 'put of an empty string')
end program
