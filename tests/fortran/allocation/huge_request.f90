!> A request for 2**60 bytes ends with stat= and errmsg=, and the program goes on with everything intact.
program huge_request
  use checks
  implicit none
  real(8), allocatable :: a(:)[:], good(:)[:], b(:, :)[:]
  integer(8), parameter :: many = 2_8**57
  integer :: status, k
  character(80) :: message

  allocate (good(1000)[*])
  good = this_image()
  do k = 1, 3
    status = 0; message = ''
    allocate (a(many)[*], stat=status, errmsg=message)
    call require(status /= 0, 'stat')
    call require(message /= '', 'errmsg')
    call require(.not. allocated(a), 'allocated')
    status = 0
    allocate (b(2_8**32, 2_8**20)[*], stat=status)
    call require(status /= 0 .and. .not. allocated(b), 'two dimensions')
  end do
  sync all
  call require(all(good == this_image()) .and. good(1000)[right_of(this_image())] == right_of(this_image()), &
               'a coarray from before')
  allocate (a(1000)[*], stat=status)
  call require(status == 0 .and. allocated(a), 'a request that can be met')
  a = 1
  deallocate (a, good)
end program
