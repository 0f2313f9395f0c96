!> critical excludes; different constructs do not exclude each other, whichever procedure they are in.
program critical_counter
  use checks
  implicit none
  integer :: counter(3)[*]
  integer :: k, n, before

  n = num_images()
  counter = 0
  sync all
  do k = 1, 50
    critical
      before = counter(1)[1]
      counter(1)[1] = before + 1
    end critical
    call in_procedure()
    critical
      before = counter(3)[n]
      counter(3)[n] = before + 2
    end critical
  end do
  sync all
  call require_equal(counter(1)[1], 50 * n, 'in the main program')
  call require_equal(counter(2)[1], 50 * n, 'in a procedure')
  call require_equal(counter(3)[n], 100 * n, 'in another construct')

contains

  subroutine in_procedure()
    critical
      before = counter(2)[1]
      counter(2)[1] = before + 1
    end critical
  end subroutine
end program
