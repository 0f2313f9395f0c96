!> What gfortran 15 and 16 compile to something else, and what looks like it.
module newer_meanings
  integer :: n[*], who[*], m(4)[*]
contains
  subroutine statements(a, b, k)
    real, intent(inout) :: a(:)[*], b(:, :)[*]
    integer :: k
    real :: x(3)
    n[2] = n[2] + 1 ! wrong 15: takes the variable of this image on the right
    m(1)[2] = m(3)[2] * 2 ! wrong 15: takes the variable of this image on the right
    n[2] = n + 1
    n[2] = m(1)[2]
    k = n[who[1]] ! wrong 15 16: takes the variable of this image as cosubscript
    m(2)[m(1)[1]] = 3 ! wrong 15 16: takes the variable of this image as cosubscript
    k = sum([n[1], who[2]])
    x = a(1:3)[2] ! wrong 15 16: copies too much
    x(1) = b(k, 1)[1] + 1 ! wrong 15 16: copies too much
    a(1:3)[2] = x
    b(1, k)[1] = a(1)
  end subroutine
  subroutine others(a)
    real :: a(3)[*]
    a(1:2) = a(1:2)[1]
  end subroutine
end module
