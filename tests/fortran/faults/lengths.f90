!> Image 2 uses characters of deferred length of image 1 in an expression.
program lengths
  implicit none
  type t
    character(:), allocatable :: text, words(:), empty
    character(0) :: nothing
  end type
  type(t) :: c[*]
  character(10) :: what
  integer :: n
  call get_command_argument(1, what)
  c%text = 'abc'
  ! The library does not see the allocation.
  if (what == 'trim') c = t('abc', null(), null(), '')
  c%empty = ''
  allocate (c%words(2), source=['uvw', 'xyz'])
  sync all
  if (this_image() == 2) then
    select case (what)
    case ('trim')
      print *, len_trim(c[1]%text)
    case ('print')
      print *, c[1]%text
    case ('element')
      print *, c[1]%words(2)
    case ('array')
      print *, c[1]%words
    case ('none')
      n = 0
      block
        character(n) :: local
        local = c[1]%empty
        print '(5a)', '|', local, c[1]%empty, c[1]%nothing, '|'
      end block
    end select
  end if
  sync all
end program
