!> co_reduce of characters of one and of thousands of letters, and of characters of kind 4.
program co_reduce_long_characters
  use checks
  implicit none
  integer, parameter :: wide = selected_char_kind('ISO_10646'), long = 5000
  character(1) :: one, ones(4)
  character(long) :: page
  character(kind=wide, len=3) :: symbols
  integer :: me, n, i

  me = this_image(); n = num_images()
  one = achar(iachar('a') + me)
  call co_reduce(one, later_1)
  call require(one == achar(iachar('a') + n), 'one letter')
  ones = [(achar(iachar('a') + modulo(me + i, n)), i = 1, 4)]
  call co_reduce(ones, later_1, result_image=1)
  if (me == 1) call require(all(ones == achar(iachar('a') + n - 1)), 'array of one letter')
  page = repeat(achar(iachar('A') + me), long)
  page(me:me) = 'z'
  call co_reduce(page, later_page)
  call require(page(:n) == repeat('z', n) .and. page(n + 1:) == repeat(achar(iachar('A') + n), long - n), 'page')
  symbols = repeat(char(9728 + me, wide), 3)
  call co_reduce(symbols, later_wide)
  call require(symbols == repeat(char(9728 + n, wide), 3), 'kind 4')

contains

  pure function later_1(a, b) result(c)
    character(1), intent(in) :: a, b
    character(1) :: c
    c = max(a, b)
  end function

  pure function later_page(a, b) result(c)
    character(long), intent(in) :: a, b
    character(long) :: c
    integer :: j
    do j = 1, long
      c(j:j) = max(a(j:j), b(j:j))
    end do
  end function

  pure function later_wide(a, b) result(c)
    character(kind=wide, len=3), intent(in) :: a, b
    character(kind=wide, len=3) :: c
    c = a
    if (b > a) c = b
  end function
end program
