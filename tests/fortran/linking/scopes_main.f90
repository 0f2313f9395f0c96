program scopes_main
  use one, only: one_is_right
  use other, only: other_is_right
  implicit none
  integer :: k
  do k = 1, 3
    if (.not. one_is_right(100*k)) error stop 'one'
    if (.not. other_is_right(200*k)) error stop 'other'
  end do
end program scopes_main
