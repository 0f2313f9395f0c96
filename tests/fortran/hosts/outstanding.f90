!> outstanding COUNT: many requests without waiting for any, then all of them are there.
program outstanding
  use, intrinsic :: iso_fortran_env, only: atomic_int_kind, event_type
  use checks
  implicit none
  integer(atomic_int_kind), save :: counter[*] = 0
  type(event_type), save :: news[*]
  integer, save :: table(1024)[*]
  integer :: count, k, other, posted, line(1024)
  character(12) :: text

  call get_command_argument(1, text)
  read (text, *) count
  ! A remote image: half of the images further on.
  other = modulo(this_image() - 1 + (num_images() + 1) / 2, num_images()) + 1
  table = 0
  sync all
  do k = 1, count
    table(modulo(k, 1024) + 1)[other] = k
    if (modulo(k, 4) == 0) call atomic_add(counter[other], 1)
    if (modulo(k, 16) == 0) event post (news[other])
  end do
  sync all
  call require_equal(int(counter), count / 4, 'atomic_add')
  call event_query(news, posted)
  call require_equal(posted, count / 16, 'event post')
  line = 0
  do k = max(1, count - 1023), count
    line(modulo(k, 1024) + 1) = k
  end do
  call require(all(table == line), 'the last puts')
end program
