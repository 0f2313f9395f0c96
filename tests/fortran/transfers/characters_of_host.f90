! Not with gfortran 15 and later: coarrays of the host in internal procedures crash the compiler.
! Not with gfortran before 15 on AArch64: it passes a length that it has not set, and on x86-64 that is 0.
!> Characters of the host's coarrays that internal procedures use first: gfortran 12 gives the length 0 for them.
program characters_of_host
  implicit none
  character(5) :: a(4)[*], b(4)[*], scalar[*]
  character(0) :: empty(4)[*]
  character(3) :: short(2)[*]
  character(3, kind=4) :: wide(2)[*]
  integer :: me, next

  me = this_image(); next = mod(me, num_images()) + 1
  a = ['abcde', 'fghij', 'klmno', 'pqrst']; b = '-----'; scalar = 'lmnop'
  short = ['uvw', 'xyz']; wide = [4_'uvw', 4_'xyz']
  sync all
  call get_first()
  call get_scalar()
  call get_other_lengths()
  call nothing()
  call between_images()
  call put_first()

contains

  subroutine get_first()
    character(5) :: x(4)
    x = '+++++'
    x(1:2) = a(2:3)[next]
    if (any(x /= ['fghij', 'klmno', '+++++', '+++++'])) error stop 'get of a section'
  end subroutine

  subroutine get_scalar()
    character(5) :: x
    x = '+++++'
    x = scalar[next]
    if (x /= 'lmnop') error stop 'get of a scalar'
  end subroutine

  subroutine get_other_lengths()
    character(5) :: long(2)
    character(3, kind=4) :: same(2)
    long = short(2:1:-1)[next]
    if (any(long /= ['xyz  ', 'uvw  '])) error stop 'get of a shorter length'
    same = wide(:)[next]
    if (any(same /= [4_'uvw', 4_'xyz'])) error stop 'get of kind 4'
  end subroutine

  !> Characters that have no length.
  subroutine nothing()
    character(0) :: x(4)
    character(2) :: y(4)
    y = '++'
    x(1:2) = empty(1:2)[next]
    y(1:2) = empty(3:4)[next]
    if (len(x) /= 0 .or. any(y /= ['  ', '  ', '++', '++'])) error stop 'get of nothing'
  end subroutine

  subroutine between_images()
    b(2:3)[next] = a(1:2)[next]
    sync all
    if (any(b /= ['-----', 'abcde', 'fghij', '-----'])) error stop 'copy between images'
  end subroutine

  subroutine put_first()
    character(5) :: x(2)
    x = ['ABCDE', 'FGHIJ']
    sync all
    b(1:2)[next] = x
    sync all
    if (any(b /= ['ABCDE', 'FGHIJ', 'fghij', '-----'])) error stop 'put of a section'
  end subroutine
end program
