program wrong_stack
  implicit none
  sync all
  call work(40000000)
contains
  subroutine work(n)
    integer, intent(in) :: n
    real(8) :: a(n)               ! 320 MB on the stack
    a = this_image()
    print *, sum(a)
  end subroutine work
end program wrong_stack
