!> RANDOM_SEED and RANDOM_NUMBER are the image's own: a seed that is put back gives the same numbers, whatever others do.
program random_seeds
  use checks
  implicit none
  integer, allocatable :: seed(:)
  integer :: length, k
  real(8) :: first(10), again(10), x

  call random_init(repeatable=.false., image_distinct=.true.)
  call random_seed(size=length)
  allocate (seed(length))
  call random_seed(get=seed)
  call random_number(first)
  ! Images draw different numbers of numbers.
  do k = 1, 100 * this_image()
    call random_number(x)
    call require(x >= 0 .and. x < 1, 'range')
  end do
  call random_seed(put=seed)
  call random_number(again)
  call require(all(again == first), 'the same seed')
  sync all
  call random_seed(put=seed)
  call random_number(again)
  call require(all(again == first), 'the same seed after a synchronisation')
end program
