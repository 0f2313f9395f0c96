! Images execute commands, and meet before and after.
program commands
  use checks
  implicit none
  integer :: status, sum

  sync all
  call execute_command_line('exit 5', exitstat=status)
  call require_equal(status, 5, 'the status of the command')
  sum = 1
  call co_sum(sum)
  call require_equal(sum, num_images(), 'a sum afterwards')
end program commands
