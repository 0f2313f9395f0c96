! An error two procedures deep, each call on a line that the test knows.
module halo
  implicit none
contains
  subroutine exchange(u, n)
    real(8), intent(inout) :: u(:)[*]
    integer, intent(in) :: n
    u(1:n)[1] = 1
  end subroutine exchange
end module halo

program source_lines
  use halo, only: exchange
  implicit none
  real(8), save :: u(10)[*]
  u = 0
  sync all
  if (this_image() == 2) call step(11)
  sync all
contains
  subroutine step(n)
    integer, intent(in) :: n
    call exchange(u, n)
  end subroutine step
end program source_lines
