!> Puts of what ACHAR and CHAR return. (Where gfortran 15 and later crash, not to components.)
program character_codes
  use checks
  use, intrinsic :: iso_fortran_env, only: character_kinds
  implicit none
  type :: box
    integer :: n
    character :: letter
    character(3) :: word
  end type
  integer, parameter :: wide = character_kinds(size(character_kinds))
  character :: letters(5)[*]
  character(4) :: word[*]
  character(kind=wide) :: far(2)[*]
  type(box) :: boxes(2)[*]
  integer :: i, me, next, from

  me = this_image(); next = right_of(me); from = left_of(me)
  letters = '-'; word = '----'; far = wide_('-'); boxes = box(7, '-', '---')
  sync all
  do i = 1, 4
    letters(i)[next] = achar(iachar('a') + me + i)
  end do
  word[next] = char(iachar('A') + me)
  far(2)[next] = char(iachar('A') + me, kind=wide)
#if __GNUC__ < 15
  boxes(2)[next]%letter = achar(iachar('p') + me)
  boxes(1)[next]%word = achar(iachar('p') + me)
#endif
  sync all
  do i = 1, 4
    call require(letters(i) == achar(iachar('a') + from + i), 'element')
  end do
  call require(letters(5) == '-', 'what is after')
  call require(word == char(iachar('A') + from), 'a longer one: ' // word)
  call require(far(2) == char(iachar('A') + from, kind=wide) .and. far(1) == wide_('-'), 'another kind')
#if __GNUC__ < 15
  call require(boxes(2)%letter == achar(iachar('p') + from) .and. boxes(2)%n == 7, 'component')
  call require(boxes(1)%word == achar(iachar('p') + from) .and. boxes(1)%letter == '-', 'longer component')
#endif

contains

  character(kind=wide) function wide_(letter)
    character, intent(in) :: letter

    wide_ = letter
  end function
end program
