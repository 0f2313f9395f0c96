! co_broadcast, co_sum, co_min, co_max: types, kinds, shapes, gaps; for all images and for one.
program collectives
  use with_prif
  implicit none
  !> real(16), where the compiler has it.
  integer, parameter :: wide = max(selected_real_kind(33), kind(1d0))
  type :: point
    integer :: number
    real :: values(3)
  end type
  integer(c_int) :: stat, source, last
  integer :: i, n
  character(len=30) :: errmsg
  character(len=:), allocatable :: errmsg_alloc

  n = num_images()
  last = images()
  do source = 1, last
    call broadcasts()
  end do
  call sums()
  call extremes()
  call characters()

contains

  subroutine broadcasts()
    integer :: scalar
    real(8) :: array(5, 7)
    complex :: few(3)
    type(point) :: points(2)
    character(len=9) :: text
    integer(c_int64_t), target :: bytes(1000)

    scalar = 100 * me()
    call prif_co_broadcast(scalar, source)
    call require_equal(scalar, 100 * source, 'co_broadcast of a scalar')
    array = me()
    call prif_co_broadcast(array(::2, 2:6:2), source, stat, errmsg, errmsg_alloc)
    call is_fine(stat, 'co_broadcast')
    call require(all(array(::2, 2:6:2) == source) .and. all(array(2::2, :) == me()), 'co_broadcast of a section')
    few = cmplx(me(), -me())
    call prif_co_broadcast(few, source)
    call require(all(few == cmplx(source, -source)), 'co_broadcast of complex numbers')
    points = point(me(), [real(me()), real(me()), real(me())])
    call prif_co_broadcast(points, source)
    call require(all(points%number == source) .and. points(2)%values(3) == source, 'co_broadcast of a type')
    write (text, '(i9)') me()
    call prif_co_broadcast(text, source)
    read (text, *) scalar
    call require_equal(scalar, int(source), 'co_broadcast of characters')
    bytes = me()
    call prif_co_broadcast_cptr(c_loc(bytes(2)), 8 * 998_c_size_t, source)
    call require(all(bytes(2:999) == source) .and. bytes(1) == me() .and. bytes(1000) == me(), 'co_broadcast_cptr')
    call prif_co_broadcast_cptr(c_loc(bytes), 8_c_size_t, source, stat, errmsg, errmsg_alloc)
    call is_fine(stat, 'co_broadcast_cptr')
  end subroutine

  subroutine sums()
    integer(1) :: tiny
    integer(2) :: small(3)
    integer :: usual(1000), matrix(4, 6)
    integer(8) :: long
    real :: single(2)
    real(8) :: double(7)
    real(10) :: extended(3)
    real(wide) :: quadruple
    complex(8) :: number

    tiny = 1
    call prif_co_sum(tiny)
    call require_equal(int(tiny), n, 'co_sum of integer(1)')
    small = int(me() * [1, 2, 3], 2)
    call prif_co_sum(small)
    call require(all(small == n * (n + 1) / 2 * [1, 2, 3]), 'co_sum of integer(2)')
    usual = [(i * int(me()), i = 1, 1000)]
    call prif_co_sum(usual)
    call require(all(usual == [(i * n * (n + 1) / 2, i = 1, 1000)]), 'co_sum of many')
    matrix = me()
    call prif_co_sum(matrix(2:3, ::2), stat=stat, errmsg=errmsg, errmsg_alloc=errmsg_alloc)
    call is_fine(stat, 'co_sum')
    call require(all(matrix(2:3, ::2) == n * (n + 1) / 2) .and. all(matrix(1, :) == me()), 'co_sum of a section')
    long = 2_8**40
    call prif_co_sum(long)
    call require(long == n * 2_8**40, 'co_sum of integer(8)')
    single = 0.5
    call prif_co_sum(single)
    call require(all(single == 0.5 * n), 'co_sum of real')
    double = 0.25d0
    call prif_co_sum(double, last)
    call require(all(double == merge(0.25d0 * n, 0.25d0, me() == last)), 'co_sum to one image')
    extended = 1.5_10
    call prif_co_sum(extended)
    call require(all(extended == 1.5_10 * n), 'co_sum of real(10)')
    quadruple = 1.25_wide
    call prif_co_sum(quadruple)
    call require(quadruple == 1.25_wide * n, 'co_sum of real(16)')
    number = (1, -2)
    call prif_co_sum(number)
    call require(number == n * (1d0, -2d0), 'co_sum of complex')
  end subroutine

  subroutine extremes()
    integer :: whole(3)
    real(8) :: numbers(100), scalar

    whole = [int(me()), -int(me()), 7]
    call prif_co_min(whole)
    call require(all(whole == [1, -n, 7]), 'co_min')
    whole = [int(me()), -int(me()), 7]
    call prif_co_max(whole, stat=stat, errmsg=errmsg, errmsg_alloc=errmsg_alloc)
    call is_fine(stat, 'co_max')
    call require(all(whole == [n, -1, 7]), 'co_max')
    numbers = [(modulo(i * int(me()), 17), i = 1, 100)]
    call prif_co_max(numbers(1:100:3), last)
    if (me() == last) then
      call require(all(numbers(1:100:3) == [(greatest(i), i = 1, 100, 3)]), 'co_max of a section')
    end if
    scalar = -me()
    call prif_co_min(scalar, 1_c_int, stat)
    call is_fine(stat, 'co_min')
    if (me() == 1) call require(scalar == -n, 'co_min to one image')
  end subroutine

  integer function greatest(element)
    integer, intent(in) :: element
    integer :: image
    greatest = maxval([(modulo(element * image, 17), image = 1, n)])
  end function

  subroutine characters()
    character(len=5) :: words(2, 2), word

    word = 'image'
    word(5:5) = achar(96 + me())
    call prif_co_min_character(word)
    call require(word == 'imaga', 'co_min of characters')
    words = repeat(achar(96 + me()), 5)
    call prif_co_max_character(words, stat=stat, errmsg=errmsg, errmsg_alloc=errmsg_alloc)
    call is_fine(stat, 'co_max of characters')
    call require(all(words == repeat(achar(96 + n), 5)), 'co_max of characters')
    word = achar(96 + me())
    call prif_co_max_character(word, 1_c_int)
    if (me() == 1) call require(word == achar(96 + n), 'co_max of characters to one image')
    call prif_co_min_character(words, last, stat)
    call is_fine(stat, 'co_min of characters')
  end subroutine
end program
