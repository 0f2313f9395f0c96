!> Characters of deferred length have their own length on every image: shorter ones are padded, longer ones cut, both ways.
! Not with gfortran 15 and later: coindexed components of deferred length crash it.
program deferred_length
  use checks
  implicit none
  type t
    character(:), allocatable :: text
    integer :: after = 7
    character(:), allocatable :: other
  end type
  type(t) :: c(2)[*]
  character(10) :: ten
  character(2) :: two
  integer :: me, next

  me = this_image(); next = right_of(me)
  c(1)%text = repeat('a', me)
  c(1)%other = repeat('xyz', 100)
  c(2)%text = ''
  sync all
  ten = 'bbbbbbbbbb'
  ten = c(1)[next]%text
  call require(ten == repeat('a', next), 'padded')
  two = c(1)[next]%other
  call require(two == 'xy', 'cut')
  ten = 'bbbbbbbbbb'
  ten = c(2)[next]%text
  call require(ten == '', 'of length 0')
  sync all
  ! Others get to know of another length.
  c(1)%text = 'four'
  c(2)%text = 'more than ten characters'
  c(1)%other = ''
  sync all
  ten = c(1)[next]%text
  call require(ten == 'four', 'other length')
  ten = c(2)[next]%text
  call require(ten == 'more than ', 'longer')
  ten = c(1)[next]%other
  call require(ten == '', 'made empty')
  sync all
  ! A put does not change the length.
  c(1)[next]%text = 'eleven char'
  c(2)[next]%text = 'few'
  sync all
  call require(len(c(1)%text) == 4 .and. c(1)%text == 'elev', 'put, cut')
  call require(len(c(2)%text) == 24 .and. c(2)%text == 'few', 'put, padded')
  call require(c(1)%after == 7 .and. c(2)%after == 7, 'beside it')
end program
