!> co_min and co_max of characters compare as Fortran does.
program co_min_max_characters
  use checks
  implicit none
  character(6) :: word, low, high, list(4), lists(4)
  character(1) :: letter
  character(300) :: long
  integer :: me, n, i

  me = this_image(); n = num_images()
  word = 'w' // achar(iachar('a') + me) // 'rd'
  low = word; high = word
  call co_min(low)
  call co_max(high)
  call require(low == 'wbrd' .and. high == 'w' // achar(iachar('a') + n) // 'rd', 'scalar: ' // low // high)
  do i = 1, 4
    list(i) = achar(iachar('a') + modulo(me + i, n)) // repeat('x', mod(i, 3))
  end do
  lists = list
  call co_min(list)
  call co_max(lists)
  do i = 1, 4
    call require(list(i) == 'a' // repeat('x', mod(i, 3)), 'array, minimum: ' // list(i))
    call require(lists(i) == achar(iachar('a') + n - 1) // repeat('x', mod(i, 3)), 'array, maximum: ' // lists(i))
  end do
  letter = achar(iachar('z') - me)
  call co_max(letter, result_image=n)
  if (me == n) call require(letter == 'y', 'one character: ' // letter)
  long = repeat('same', 70) // achar(iachar('a') + me)
  call co_max(long)
  call require(long == repeat('same', 70) // achar(iachar('a') + n), 'a long string')
end program
