!> Characters: components of fixed length are padded and cut.
! Not with gfortran 15 and later: character components of coindexed elements crash it.
program characters
  use checks
  implicit none
  type t
    character(5), allocatable :: names(:)
    character(3) :: code
  end type
  type(t) :: c(2)[*]
  character(8) :: long
  character(2) :: short
  character(5), allocatable :: all_names(:)
  integer :: me, next

  me = this_image(); next = right_of(me)
  allocate (c(1)%names(3))
  c(1)%names = [character(5) :: 'one', 'two', 'three']
  c(1)%names(2) (5:5) = achar(iachar('0') + me)
  sync all
  all_names = c(1)[next]%names
  call require(size(all_names) == 3 .and. all_names(3) == 'three', 'whole')
  call require(all_names(2) == 'two '//achar(iachar('0') + next), 'element of it')
  long = c(1)[next]%names(3)
  call require(long == 'three   ', 'padded')
  short = c(1)[next]%names(3)
  call require(short == 'th', 'cut')
  sync all
  c(1)[next]%names(1) = 'a'
  sync all
  call require(c(1)%names(1) == 'a    ', 'put, padded')
end program
