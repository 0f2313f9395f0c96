!> stat= is zero and errmsg= untouched after every kind of synchronisation that succeeded.
program sync_with_stat
  use checks
  implicit none
  character(40) :: message
  integer :: status, k, i

  do k = 1, 5
    status = 77; message = 'untouched'
    sync all (stat=status, errmsg=message)
    call require_equal(status, 0, 'stat of sync all')
    call require(message == 'untouched', 'errmsg of sync all: ' // message)
    status = 77
    sync images (*, stat=status, errmsg=message)
    call require_equal(status, 0, 'stat of sync images(*)')
    call require(message == 'untouched', 'errmsg of sync images(*): ' // message)
    status = 77
    if (this_image() == 1) then
      sync images ([(i, i = 1, num_images())], stat=status)
    else
      sync images (1, stat=status)
    end if
    call require_equal(status, 0, 'stat of sync images')
    status = 77
    sync memory (stat=status, errmsg=message)
    call require_equal(status, 0, 'stat of sync memory')
    call require(message == 'untouched', 'errmsg of sync memory: ' // message)
  end do
end program
