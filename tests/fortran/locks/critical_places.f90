!> CRITICAL constructs in blocks, branches and loops, with names, with procedures and other constructs inside.
program critical_places
  use checks
  implicit none
  integer :: counts(5)[*]
  integer :: n, k, j

  n = num_images(); counts = 0
  sync all
  do k = 1, 20
    block
      integer :: old
      one: critical
        old = counts(1)[1]
        counts(1)[1] = old + 1
      end critical one
    end block
    if (mod(k, 2) == 0) then
      critical
        call increment(2)
      end critical
    else
      critical
        call increment(3)
      end critical
    end if
    do j = 1, 2
      outer: critical
        call with_another()
        if (counts(4)[1] < 0) error stop 'less than 0'
      end critical outer
    end do
  end do
  sync all
  call require_equal(counts(1)[1], 20 * n, 'in a block')
  call require(counts(2)[1] == 10 * n .and. counts(3)[1] == 10 * n, 'in branches')
  call require(counts(4)[1] == 40 * n .and. counts(5)[1] == 40 * n, 'in a procedure of a critical construct')

contains

  subroutine increment(which)
    integer, intent(in) :: which
    integer :: old
    old = counts(which)[1]
    counts(which)[1] = old + 1
  end subroutine

  subroutine with_another()
    call increment(4)
    critical
      call increment(5)
    end critical
  end subroutine
end program
