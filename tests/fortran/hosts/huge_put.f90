!> huge_put MEBIBYTES: one put of so much, more than a count of 32 bits holds when it is 3072.
program huge_put
  use, intrinsic :: iso_fortran_env, only: int64
  use checks
  implicit none
  integer(int64), allocatable :: far(:)[:], near(:)
  integer(int64) :: words, k, wrong
  integer :: mebibytes, other
  character(12) :: text

  call get_command_argument(1, text)
  read (text, *) mebibytes
  words = int(mebibytes, int64) * 1024 * 128
  allocate (far(words)[*])
  other = num_images()
  if (this_image() == 1) then
    allocate (near(words))
    do k = 1, words
      near(k) = k
    end do
    far(:)[other] = near
  end if
  sync all
  if (this_image() == other) then
    ! A word of every page, and the last one.
    wrong = 0
    do k = 1, words, 512
      if (far(k) /= k) wrong = wrong + 1
    end do
    if (far(words) /= words) wrong = wrong + 1
    call require(wrong == 0, 'words of the put are wrong')
  end if
end program
