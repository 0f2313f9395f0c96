!> co_reduce of characters with the program's own operation.
program co_reduce_characters
  use checks
  implicit none
  character(8) :: word, words(3)
  integer :: me, n, i

  me = this_image(); n = num_images()
  word = ''
  word(me:me) = achar(iachar('a') + me)
  call co_reduce(word, overlay)
  do i = 1, n
    call require(word(i:i) == achar(iachar('a') + i), 'scalar: ' // word)
  end do
  call require(word(n + 1:) == '', 'scalar: ' // word)
  words = ''
  words(2)(me:me) = 'x'
  call co_reduce(words, overlay, result_image=1)
  if (me == 1) call require(words(1) == '' .and. words(2) == repeat('x', n) .and. words(3) == '', 'array')

contains

  pure function overlay(a, b) result(c)
    character(8), intent(in) :: a, b
    character(8) :: c
    integer :: j
    do j = 1, 8
      c(j:j) = max(a(j:j), b(j:j))
    end do
  end function
end program
