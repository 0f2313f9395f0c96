! Image 1 computes until a result has come: event_query looks without waiting.
program while_waiting
  use iso_fortran_env, only: event_type
  implicit none
  type(event_type) :: ready[*]
  integer :: answer[*], count, rounds

  if (this_image() == 2) then
    answer[1] = 42
    event post (ready[1])
  else if (this_image() == 1) then
    rounds = 0
    do
      call event_query(ready, count)
      if (count > 0) exit
      rounds = rounds + 1             ! something useful
    end do
    event wait (ready)                ! it takes the post, and orders the put before what follows
    print '(a,i0)', 'answer: ', answer
  end if
end program while_waiting
